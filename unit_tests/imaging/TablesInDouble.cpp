// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Tables of float whose sums are kept in double.
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Pixel>
void expect_one_rounding(std::int64_t rows, std::int64_t columns, const Placement& place) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  Random random;
  SCOPED_TRACE(random.trace());
  const Image<Pixel> image{rows, columns, random.values<Pixel>(rows * columns)};
  const GuardedArray<Pixel> in(row_major(rows, columns), image.pixels);
  const GuardedArray<float> out(place);
  summed_area_table(in.matrix(), out.matrix(), {.sums_in_double = true});
  const auto exact = [](Pixel p) { return static_cast<long double>(p); };
  const auto magnitude = [](Pixel p) { return std::abs(static_cast<long double>(p)); };
  const auto sums = sums_of_prefixes<long double>(image, exact);
  const auto magnitudes = sums_of_prefixes<long double>(image, magnitude);
  std::vector<Bounded> expected;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const long double error = rounding_bound<double>(rows + columns + 64, magnitudes[k]);
    expected.push_back({sums[k], error + rounding_bound<float>(1, std::abs(sums[k]) + error)});
  }
  EXPECT_TRUE(within(out.values(), expected));
  EXPECT_TRUE(out.guards_intact());
  if constexpr (std::same_as<Pixel, float>) {
    summed_area_table(in.matrix(), in.matrix(), {.sums_in_double = true});
    EXPECT_TRUE(within(in.values(), expected));
  }
}

TEST(SummedAreaTable, SumsInDoubleAreRoundedOnce) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {3, 5}, {33, 31}, {2, 3001}, {3001, 2}, {64, 700}, {257, 263}}) {
    expect_one_rounding<float>(rows, columns, row_major(rows, columns));
    expect_one_rounding<float>(rows, columns, column_major(rows, columns));
    expect_one_rounding<std::uint16_t>(rows, columns, spread(rows, columns));
  }
  // Several strips on a device, in place of pixels and not.
  expect_one_rounding<float>(2100, 1500, row_major(2100, 1500));
  expect_one_rounding<std::uint16_t>(1100, 1504, row_major(1100, 1504));
  expect_one_rounding<float>(1, 70000, row_major(1, 70000));
}

// Nothing of one image gets into the next one's table.
TEST(SummedAreaTable, PlanOfSumsInDouble) {
  const std::vector<float> pixels = Random().integers<float>(90 * 150, 0, 255);
  const GuardedArray<float> in(row_major(90, 150), pixels);
  const SummedAreaTable<Kokkos::DefaultExecutionSpace, float, float> plan(
      Kokkos::DefaultExecutionSpace(), 90, 150, {.sums_in_double = true});
  for (int k = 0; k < 2; ++k) {
    const GuardedArray<float> out(row_major(90, 150));
    plan(in.matrix(), out.matrix());
    EXPECT_TRUE(equal(out.values(), sums_of_prefixes<float>(Image<float>{90, 150, pixels},
                                                            [](float p) { return p; })));
  }
}

TEST(SummedAreaTable, SumsInDoubleOfSquares) {
  const Image<float> image{90, 150, Random().values<float>(90 * 150)};
  const GuardedArray<float> in(row_major(90, 150), image.pixels);
  const GuardedArray<float> table(row_major(90, 150)), squares(row_major(90, 150));
  summed_area_table(in.matrix(), table.matrix(), squares.matrix(), {.sums_in_double = true});
  std::vector<Bounded> expected;
  for (const long double sum : sums_of_prefixes<long double>(
           image, [](float p) { return static_cast<long double>(p) * p; }))
    expected.push_back({sum, rounding_bound<float>(1, sum) + rounding_bound<double>(400, sum)});
  EXPECT_TRUE(within(squares.values(), expected));
}

}  // namespace
