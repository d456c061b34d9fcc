// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_RECTANGLE_HPP
#define WAVESCAN_RECTANGLE_HPP

#include <WaveScan_Arithmetic.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Rectangles of an image, and their sums from a summed-area table.

namespace wavescan {

/// @brief Rows [row_begin, row_end) and columns [column_begin, column_end) of an image.
struct Rectangle {
  std::int64_t row_begin = 0;
  std::int64_t column_begin = 0;
  std::int64_t row_end = 0;
  std::int64_t column_end = 0;

  KOKKOS_FUNCTION constexpr std::int64_t rows() const { return row_end - row_begin; }
  KOKKOS_FUNCTION constexpr std::int64_t columns() const { return column_end - column_begin; }
  KOKKOS_FUNCTION constexpr std::int64_t area() const { return rows() * columns(); }
  KOKKOS_FUNCTION constexpr bool empty() const { return rows() == 0 || columns() == 0; }

  /// @brief True if it is not reversed and lies in an image of `image_rows` x `image_columns`.
  /// Empty rectangles may lie on the image's last edges.
  KOKKOS_FUNCTION constexpr bool inside(std::int64_t image_rows, std::int64_t image_columns) const {
    return 0 <= row_begin && row_begin <= row_end && row_end <= image_rows && 0 <= column_begin &&
           column_begin <= column_end && column_end <= image_columns;
  }

  /// @brief The part of it that lies in an image of `image_rows` x `image_columns`; what lies
  /// wholly outside, or is reversed, becomes empty.
  KOKKOS_FUNCTION constexpr Rectangle clipped(std::int64_t image_rows,
                                              std::int64_t image_columns) const {
    const auto clamp = [](std::int64_t x, std::int64_t low, std::int64_t high) {
      return x < low ? low : (x > high ? high : x);
    };
    Rectangle r;
    r.row_begin = clamp(row_begin, 0, image_rows);
    r.row_end = clamp(row_end, r.row_begin, image_rows);
    r.column_begin = clamp(column_begin, 0, image_columns);
    r.column_end = clamp(column_end, r.column_begin, image_columns);
    return r;
  }
};

namespace Impl {
/// @brief The sum over a rectangle from the entries of a table at its corners.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_from_corners(T below_right, T above_right, T below_left,
                                               T above_left) {
  return wrapping_subtract(wrapping_subtract(below_right, above_right),
                           wrapping_subtract(below_left, above_left));
}
}  // namespace Impl

/// @brief The sum of an image over a rectangle, from four entries of its inclusive summed-area
/// table.
///
/// For use inside kernels; O(1). Entries above the first row and left of the first column count as
/// 0, and an empty rectangle gives 0. Integers wrap around, so a sum that fits the type is right
/// even where the table itself has overflowed. Floating-point sums carry the rounding of the four
/// entries: their error is relative to the table's entries, not to the sum. A pixel that is
/// infinite or not a number spoils all entries below it and to its right, and rectangles that begin
/// there: their sums are NaN, though they do not hold it.
///
/// @param table     View of rank 2 (or a Grid) that summed_area_table has filled
/// @param rectangle must lie inside the table (`inside`); see `clipped` for others
template <class Table>
KOKKOS_FUNCTION auto rectangle_sum(const Table& table, const Rectangle& rectangle) {
  using T = std::remove_cvref_t<decltype(table(0, 0))>;
  if (rectangle.empty()) return T(0);
  const auto entry = [&](std::int64_t i, std::int64_t j) {
    return i < 0 || j < 0 ? T(0) : T(table(i, j));
  };
  const std::int64_t above = rectangle.row_begin - 1;
  const std::int64_t left = rectangle.column_begin - 1;
  const std::int64_t bottom = rectangle.row_end - 1;
  const std::int64_t right = rectangle.column_end - 1;
  return Impl::sum_from_corners(entry(bottom, right), entry(above, right), entry(bottom, left),
                                entry(above, left));
}

/// @brief The sum of an image over a rectangle, from a summed-area table with a border of zeros
/// (SummedAreaTableOptions::zero_border).
///
/// Like rectangle_sum, but without branches: the border stands for the entries that are missing
/// there.
/// @param table View of rank 2 with one row and one column more than the image
/// @param r     rectangle of the image; must lie inside it
template <class Table>
KOKKOS_FUNCTION auto bordered_rectangle_sum(const Table& table, const Rectangle& r) {
  using T = std::remove_cvref_t<decltype(table(0, 0))>;
  return Impl::sum_from_corners<T>(table(r.row_end, r.column_end), table(r.row_begin, r.column_end),
                                   table(r.row_end, r.column_begin),
                                   table(r.row_begin, r.column_begin));
}

}  // namespace wavescan

#endif
