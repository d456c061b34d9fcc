// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SUMMED_AREA_TABLES_HPP
#define WAVESCAN_TEST_SUMMED_AREA_TABLES_HPP

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_SummedAreaTable.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ImageReference.hpp"

/// @file
/// @brief Summed-area tables of one pair of types against plain loops.

namespace wavescan::Test {

/// @brief How a table is computed.
enum class Formula {
  Sums,  ///< adds only: a pixel passes at most as many additions as there are rows, columns, pieces
  Loop,  ///< the wavefront loop rounds every partial value, p + up - up_left, and every row's scan,
         ///< and all rows below inherit that
};

/// @brief Rounding errors of a table in T.
template <class T, class Pixel>
std::vector<Bounded> bounded_table(const Image<Pixel>& image, Formula formula) {
  const auto exact =
      sums_of_prefixes<long double>(image, [](Pixel p) { return static_cast<long double>(p); });
  const Image<long double> magnitude{image.rows, image.columns,
                                     sums_of_prefixes<long double>(image, [](Pixel p) {
                                       return std::abs(static_cast<long double>(p));
                                     })};
  const auto all = sums_of_prefixes<long double>(magnitude, [](long double m) { return m; });
  std::vector<long double> above(static_cast<std::size_t>(image.columns), 0);
  std::vector<Bounded> result;
  for (std::int64_t i = 0; i < image.rows; ++i)
    for (std::int64_t j = 0; j < image.columns; ++j) {
      constexpr std::int64_t pieces = 64;
      const std::size_t k = result.size();
      above[static_cast<std::size_t>(j)] += magnitude(i, j);
      const long double error =
          formula == Formula::Sums
              ? rounding_bound<T>(image.rows + image.columns + pieces, magnitude(i, j))
              : rounding_bound<T>(2 * (image.columns + pieces),
                                  above[static_cast<std::size_t>(j)]) +
                    rounding_bound<T>(12, all[k]);
      result.push_back({exact[k], error});
    }
  return result;
}

template <class T, class Pixel>
testing::AssertionResult is_table_of(const std::vector<T>& got, const Image<Pixel>& image,
                                     Formula formula = Formula::Sums) {
  if constexpr (std::integral<T>) {
    return equal(got, wrapped<T>(sums_of_prefixes<std::uint64_t>(
                          image, [](Pixel p) { return static_cast<std::uint64_t>(p); })));
  } else {
    auto expected = bounded_table<T>(image, formula);
    if constexpr (std::integral<Pixel>)
      if (accumulator_suffices<T>(image.rows, image.columns, std::numeric_limits<Pixel>::max()))
        for (Bounded& b : expected) b.error = 0;
    return within(got, expected);
  }
}

inline std::vector<std::pair<std::int64_t, std::int64_t>> shapes() {
  return {{0, 0},     {0, 5},    {5, 0},    {1, 1},     {1, 2},     {2, 1},
          {3, 5},     {31, 33},  {32, 32},  {33, 31},   {64, 64},   {65, 63},
          {127, 129}, {7, 1031}, {1031, 7}, {1, 40000}, {2, 20011}, {257, 263}};
}

/// @brief One image, out of place and, for one type, in place.
template <class Pixel, class T, class Exec>
void expect_table(const Image<Pixel>& image, const Placement& image_place,
                  const Placement& table_place) {
  SCOPED_TRACE(std::to_string(image.rows) + " x " + std::to_string(image.columns) + ", strides " +
               std::to_string(table_place.row_stride) + ", " +
               std::to_string(table_place.column_stride));
  const Exec exec;
  const GuardedArray<Pixel, Exec> in(image_place, image.pixels);
  const GuardedArray<T, Exec> out(table_place);
  summed_area_table(exec, in.matrix(), out.matrix());
  EXPECT_TRUE(is_table_of(out.values(), image));
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), image.pixels));
  if constexpr (std::same_as<Pixel, T>) {
    summed_area_table(exec, in.matrix(), in.matrix());
    EXPECT_TRUE(is_table_of(in.values(), image));
    EXPECT_TRUE(in.guards_intact());
  }
}

/// @brief Many shapes in every layout.
template <class Pixel, class T, class Exec = Kokkos::DefaultExecutionSpace>
void expect_tables() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [rows, columns] : shapes()) {
    const Image<Pixel> image{rows, columns, random.values<Pixel>(rows * columns)};
    const Placement right = row_major(rows, columns);
    const Placement left = column_major(rows, columns);
    const Placement strided = spread(rows, columns);
    expect_table<Pixel, T, Exec>(image, right, right);
    expect_table<Pixel, T, Exec>(image, left, left);
    expect_table<Pixel, T, Exec>(image, left, strided);
    expect_table<Pixel, T, Exec>(image, strided, left);
  }
}

}  // namespace wavescan::Test

#endif
