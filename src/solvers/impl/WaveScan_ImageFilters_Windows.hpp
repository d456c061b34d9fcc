// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_IMAGEFILTERS_WINDOWS_HPP
#define WAVESCAN_IMPL_IMAGEFILTERS_WINDOWS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_ImageFilters_Formulas.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace wavescan::Impl {

/// @brief Stands for what a filter does not look at.
struct Unused {};

/// @brief The rows, or the columns, of the window around a pixel: those after `before` up to
/// `last`.
struct WindowSpan {
  Index before;  ///< -1: all from the first on
  Index last;

  KOKKOS_FORCEINLINE_FUNCTION WindowSpan(Index center, Index radius, Index length)
      : before(center > radius ? center - radius - 1 : -1),
        last(center + radius < length ? center + radius : length - 1) {}
  KOKKOS_FORCEINLINE_FUNCTION Index length() const { return last - before; }
};

/// @brief The sum over a window from the entries at its corners, in the order of rectangle_sum.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T window_sum(T below_right, T above_right, T below_left, T above_left) {
  return wrapping_subtract(wrapping_subtract(below_right, above_right),
                           wrapping_subtract(below_left, above_left));
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T window_sum(const Grid<const T>& table, const WindowSpan& rows,
                                         const WindowSpan& columns) {
  const bool above = rows.before >= 0, left = columns.before >= 0;
  return window_sum(table(rows.last, columns.last), above ? table(rows.before, columns.last) : T(0),
                    left ? table(rows.last, columns.before) : T(0),
                    above && left ? table(rows.before, columns.before) : T(0));
}

/// @brief A filter: out = formula(pixel, sums over the window around it).
///
/// All of its arrays have the same extents; their rows and columns may be exchanged (`transposed`),
/// since windows are squares.
template <class Formula, class Pixel, class T, class S, class Out>
struct WindowFilter {
  static constexpr bool has_image = !std::same_as<Pixel, Unused>;
  static constexpr bool has_squares = !std::same_as<S, Unused>;

  Formula formula;
  Index radius;
  Grid<const Pixel> image;
  Grid<const T> table;
  Grid<const S> squares;
  Grid<Out> out;

  KOKKOS_FUNCTION void filter(Index i, Index j, const WindowSpan& columns) const {
    const WindowSpan rows(i, radius, out.rows);
    WindowValues w;
    w.sum = static_cast<double>(window_sum(table, rows, columns));
    if constexpr (has_squares) w.squares = static_cast<double>(window_sum(squares, rows, columns));
    if constexpr (has_image) w.pixel = static_cast<double>(image(i, j));
    const PixelCount count{static_cast<double>(rows.length() * columns.length())};
    out(i, j) = rounded_to<Out>(formula(w, count));
  }
};

template <class Formula, class Pixel, class T, class S, class Out>
WindowFilter<Formula, Pixel, T, S, Out> window_filter(const Formula& formula, Index radius,
                                                      const Grid<const Pixel>& image,
                                                      const Grid<const T>& table,
                                                      const Grid<const S>& squares,
                                                      const Grid<Out>& out) {
  return {formula, radius, image, table, squares, out};
}

template <class... Types>
WindowFilter<Types...> transposed(const WindowFilter<Types...>& f) {
  return {
      f.formula,        f.radius, transposed(f.image), transposed(f.table), transposed(f.squares),
      transposed(f.out)};
}

/// @brief Some rows of a column: neighbouring threads read and write neighbouring columns.
template <class Filter>
struct FilterPixels {
  static constexpr Index some = 8;
  Filter f;
  KOKKOS_FUNCTION void operator()(const Index k) const {
    const Index j = k % f.out.columns;
    const Index first = k / f.out.columns * some;
    const Index end = first + some < f.out.rows ? first + some : f.out.rows;
    const WindowSpan columns(j, f.radius, f.out.columns);
    for (Index i = first; i < end; ++i) f.filter(i, j, columns);
  }
  Index count() const { return ceil_div(f.out.rows, some) * f.out.columns; }
};

}  // namespace wavescan::Impl

#endif
