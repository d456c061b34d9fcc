// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>

#include <cstdint>
#include <stdexcept>

// Where blocks of a GPU give up waiting for each other, whoever called learns of it.

namespace stalls {
namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr bool on_device = !std::same_as<Exec::memory_space, Kokkos::HostSpace>;
/// Less than any wait takes at which a block looks at a clock.
constexpr double at_once = 1e-8;
constexpr int size = 3000;
constexpr int bins = 3;
using Bins = UniformBins<std::uint8_t>;

struct Arrays {
  Kokkos::View<std::uint8_t**> image{"image", size, size};
  Kokkos::View<std::uint32_t**> table{"table", size, size};
  Kokkos::View<std::uint32_t**> squares{"squares", size, size};
  Kokkos::View<std::uint32_t***> histogram{"histogram", bins, size, size};
  Bins binning{0, 255, bins};
};

TEST(ImagingStalls, OfTablesAreReported) {
  if (!on_device) GTEST_SKIP() << "threads of the host wait for ever";
  const Arrays a;
  const SummedAreaTableOptions options{.schedule = Schedule::TileSkewed, .stall_seconds = at_once};
  EXPECT_THROW(summed_area_table(a.image, a.table, options), std::runtime_error);
  EXPECT_THROW(summed_area_table(a.image, a.table, a.squares, options), std::runtime_error);
  const SummedAreaTable<Exec, std::uint8_t, std::uint32_t> plan(Exec(), size, size, options);
  plan(a.image, a.table);
  EXPECT_THROW(plan.wait(), std::runtime_error);
  EXPECT_NO_THROW(plan.wait()) << "told once";
}

TEST(ImagingStalls, OfHistogramsAreReported) {
  if (!on_device) GTEST_SKIP() << "threads of the host wait for ever";
  const Arrays a;
  const IntegralHistogramOptions options{.schedule = Schedule::TileSkewed,
                                         .stall_seconds = at_once};
  EXPECT_THROW(integral_histogram(a.image, a.binning, a.histogram, options), std::runtime_error);
  const IntegralHistogram<Exec, std::uint8_t, Bins, std::uint32_t> plan(Exec(), 1, size, size,
                                                                        options);
  const auto plane =
      Kokkos::subview(a.histogram, Kokkos::make_pair(0, 1), Kokkos::ALL, Kokkos::ALL);
  plan(a.image, Bins{0, 255, 1}, plane);
  EXPECT_THROW(plan.wait(), std::runtime_error);
  EXPECT_NO_THROW(plan.wait()) << "told once";
}

TEST(ImagingStalls, NegativeTimes) {
  const Arrays a;
  EXPECT_TRUE(rejects("SummedAreaTable", "stall_seconds",
                      [&] { summed_area_table(a.image, a.table, {.stall_seconds = -1}); }));
  EXPECT_TRUE(rejects("IntegralHistogram", "stall_seconds", [&] {
    integral_histogram(a.image, a.binning, a.histogram, {.stall_seconds = -1});
  }));
}

}  // namespace
}  // namespace stalls
