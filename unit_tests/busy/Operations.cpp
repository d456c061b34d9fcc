// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_SummedAreaTable.hpp>

#include <gtest/gtest.h>

#include <impl/WaveScan_OversubscriptionMonitor.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"

/// @file
/// @brief Operations of a host beside busy programs, where the calling thread does all the work:
/// results have the bits of those of many threads.

namespace {

using namespace wavescan;
using Host = Kokkos::DefaultHostExecutionSpace;
using Forking = Impl::OversubscriptionMonitor::Forking;
template <class T, class Layout = Kokkos::LayoutRight>
using Matrix = Kokkos::View<T**, Layout, Kokkos::HostSpace>;

class BesideBusyPrograms : public testing::Test {
 protected:
  void TearDown() override { Impl::oversubscription_monitor.set(Forking::Always); }

  /// @brief Runs write(out) with threads and without, on Views like `like`, which have a marker in
  /// every byte before.
  template <class View, class Write>
  static void expect_same(const View& like, const Write& write) {
    View in_time("in time", like.layout()), late("late", like.layout());
    for (const View& out : {in_time, late})
      std::memset(out.data(), 0xa5, out.span() * sizeof(*out.data()));
    Impl::oversubscription_monitor.set(Forking::Always);
    write(in_time);
    Impl::oversubscription_monitor.set(Forking::Never);
    write(late);
    Host().fence();
    EXPECT_EQ(std::memcmp(in_time.data(), late.data(), late.span() * sizeof(*late.data())), 0);
  }

  template <class View>
  View random_view(std::int64_t rows, std::int64_t columns) {
    const View view("random", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    using T = typename View::non_const_value_type;
    for (std::size_t k = 0; k < view.span(); ++k) view.data()[k] = random_.value<T>();
    return view;
  }
  wavescan::Test::Random random_;
};

TEST_F(BesideBusyPrograms, Scans) {
  SCOPED_TRACE(random_.trace());
  struct {
    int lines, length;
  } const shapes[] = {{1, 1}, {1, 200000}, {3, 100003}, {500, 301}, {70000, 3}};
  for (const auto& [lines, length] : shapes)
    for (const int axis : {0, 1}) {
      SCOPED_TRACE(std::to_string(lines) + " x " + std::to_string(length) + " along " +
                   std::to_string(axis));
      const auto options = ScanOptions<>().axis(axis);
      const auto whole = random_view<Matrix<std::int32_t>>(lines, length);
      expect_same(whole, [&](const auto& out) {
        exclusive_scan(Host(), whole, out, Plus<std::int32_t>{}, options);
      });
      const auto in = random_view<Matrix<double>>(lines, length);
      const auto weights = random_view<Matrix<double>>(lines, length);
      expect_same(in, [&](const auto& out) {
        weighted_scan(Host(), in, weights, out, PlusTimes<double>{}, options);
      });
    }
}

TEST_F(BesideBusyPrograms, SegmentedScans) {
  SCOPED_TRACE(random_.trace());
  const auto in = random_view<Matrix<float>>(1, 300001);
  const int n = static_cast<int>(in.extent(1));
  for (const int longest : {9, 3000, 70000, n}) {
    SCOPED_TRACE("segments of up to " + std::to_string(longest));
    std::vector<int> ends{0};
    while (ends.back() < n)
      ends.push_back(std::min(n, ends.back() + static_cast<int>(random_.integer(0, longest))));
    const Kokkos::View<const int*, Kokkos::HostSpace> offsets(ends.data(), ends.size());
    expect_same(in, [&](const auto& out) {
      segmented_inclusive_scan(Host(), Kokkos::subview(in, 0, Kokkos::ALL),
                               segment_offsets(offsets), Kokkos::subview(out, 0, Kokkos::ALL));
    });
  }
}

TEST_F(BesideBusyPrograms, SummedAreaTables) {
  SCOPED_TRACE(random_.trace());
  struct {
    int rows, columns;
  } const shapes[] = {{5, 7}, {303, 384}, {1500, 1601}};  // one thread's, in caches, beyond them
  for (const auto& [rows, columns] : shapes) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const auto image = random_view<Matrix<std::uint16_t>>(rows, columns);
    expect_same(Matrix<std::int64_t>("table", image.extent(0), image.extent(1)),
                [&](const auto& table) { summed_area_table(Host(), image, table); });
  }
}

TEST_F(BesideBusyPrograms, IntegralHistograms) {
  SCOPED_TRACE(random_.trace());
  const auto image = random_view<Matrix<std::uint8_t>>(203, 301);
  expect_same(Kokkos::View<std::int32_t***, Kokkos::LayoutRight, Kokkos::HostSpace>(
                  "histogram", 16, image.extent(0), image.extent(1)),
              [&](const auto& histogram) {
                integral_histogram(Host(), image, UniformBins<int>{0, 256, 16}, histogram);
              });
}

TEST_F(BesideBusyPrograms, SweepsOfSOR) {
  SCOPED_TRACE(random_.trace());
  const auto start = random_view<Matrix<double>>(211, 257);
  const Matrix<bool> none("fixed", start.extent(0), start.extent(1));
  const Matrix<bool> nearly_all("fixed", start.extent(0), start.extent(1));
  for (std::size_t k = 0; k < nearly_all.span(); ++k) nearly_all.data()[k] = k % 10 != 0;
  for (const auto& fixed : {none, nearly_all})
    for (const int sweeps : {1, 7, 40})
      expect_same(start, [&](const auto& x) {
        Kokkos::deep_copy(x, start);
        sor_sweeps(Host(), x, poisson<double>(1.5, 1), sweeps, SORInputs().mask(fixed));
      });
}

}  // namespace
