// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_Wavefront.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "SummedAreaTables.hpp"

// Tables and histograms as wavefront loops, in every schedule.

namespace image_loops {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Pixel, class T>
void expect_table_by_loop(const Image<Pixel>& image, const Placement& place, Schedule schedule) {
  SCOPED_TRACE(std::to_string(image.rows) + " x " + std::to_string(image.columns) + ", " +
               to_string(schedule));
  const auto run = [&](const auto& pixels, const auto& table) {
    using Const = typename std::decay_t<decltype(pixels)>::const_type;
    wavefront(SummedAreaTableLoop<Pixel, T>{grid_of(Const(pixels))}, table, {.schedule = schedule});
  };
  const GuardedArray<Pixel> in(place, image.pixels);
  const GuardedArray<T> out(place);
  run(in.matrix(), out.matrix());
  EXPECT_TRUE(is_table_of(out.values(), image, Formula::Loop));
  EXPECT_TRUE(out.guards_intact());
  if constexpr (std::same_as<Pixel, T>) {
    run(in.matrix(), in.matrix());
    EXPECT_TRUE(is_table_of(in.values(), image, Formula::Loop));
    EXPECT_TRUE(in.guards_intact());
  }
}

template <class Pixel, class T>
void expect_tables_by_loop() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [rows, columns] : shapes()) {
    if (rows > 300) continue;  // kernels for every row
    const Image<Pixel> image{rows, columns, random.values<Pixel>(rows * columns)};
    for (const Schedule schedule : schedules)
      expect_table_by_loop<Pixel, T>(image, row_major(rows, columns), schedule);
    expect_table_by_loop<Pixel, T>(image, spread(rows, columns), Schedule::TileCompensated);
  }
}

TEST(ImageLoops, TablesOfBytes) { expect_tables_by_loop<std::uint8_t, std::uint32_t>(); }
TEST(ImageLoops, TablesOfFloat) { expect_tables_by_loop<float, float>(); }
TEST(ImageLoops, TablesOfDouble) { expect_tables_by_loop<double, double>(); }

TEST(ImageLoops, Histograms) {
  using Bins = UniformBins<int>;
  const Bins binning{0, 256, 7};
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [rows, columns] : shapes()) {
    if (rows > 100 || columns > 10000) continue;
    const Image<std::uint8_t> image{rows, columns, random.values<std::uint8_t>(rows * columns)};
    const GuardedArray<std::uint8_t> in(row_major(rows, columns), image.pixels);
    using Const = typename decltype(in.matrix())::const_type;
    for (const Schedule schedule : schedules)
      for (const std::int64_t bin : {0, 6}) {
        const GuardedArray<std::int32_t> out(row_major(rows, columns));
        wavefront(
            IntegralHistogramLoop<std::uint8_t, Bins, std::int32_t>{grid_of(Const(in.matrix())),
                                                                    binning, bin},
            out.matrix(), {.schedule = schedule});
        const auto expected = sums_of_prefixes<std::uint64_t>(
            image, [&](std::uint8_t p) { return binning(p) == bin ? 1 : 0; });
        EXPECT_TRUE(equal(out.values(), wrapped<std::int32_t>(expected))) << to_string(schedule);
        EXPECT_TRUE(out.guards_intact());
      }
  }
}

}  // namespace
}  // namespace image_loops
