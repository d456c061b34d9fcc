// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMAGEFILTERS_HPP
#define WAVESCAN_IMAGEFILTERS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_ImageFilters_Formulas.hpp>
#include <impl/WaveScan_ImageFilters_HostRows.hpp>
#include <impl/WaveScan_ImageFilters_Windows.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Filters whose cost does not depend on their radius, from summed-area tables.
///
/// The window of a pixel is the square of side 2 * radius + 1 around it, clipped at the image's
/// border: near the border a mean is one of fewer pixels. Means are computed in double precision.
///
/// Results are converted to the type of `out`. Integers are rounded to nearest, halves away from 0;
/// the least or the largest value stands for numbers that the type does not hold (255, which
/// thresholds give, becomes 127 in 8 bits with a sign), and the least one for NaN.

namespace wavescan {
namespace Impl {

/// @brief Checks the radius, and limits it to what makes a difference.
template <class Table>
Index checked_radius(const char* operation, const char* argument, const Table& table,
                     std::int64_t radius) {
  require(radius >= 0, operation, argument, "must not be negative", radius);
  return std::min(radius, static_cast<Index>(std::max(table.extent(0), table.extent(1))));
}

/// @brief Enqueues a filter.
template <ExecutionSpace Exec, class Formula, class Pixel, class T, class S, class Out>
void enqueue_filter(const char* name, const Exec& exec,
                    const WindowFilter<Formula, Pixel, T, S, Out>& filter) {
  using Filter = WindowFilter<Formula, Pixel, T, S, Out>;
  if (filter.out.rows == 0 || filter.out.columns == 0) return;
  if (filter.out.row_stride < filter.out.column_stride)
    return enqueue_filter(name, exec, transposed(filter));
  const auto enqueue = [&](const auto& tasks, auto index) {
    using I = decltype(index);
    Kokkos::parallel_for(
        name,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<I>>(exec, 0, static_cast<I>(tasks.count())),
        tasks);
  };
  if constexpr (runs_on_host<Exec>) {
    if (rows_are_contiguous(filter))
      enqueue(FilterHostRows<Filter>{filter}, Index{});
    else
      enqueue(FilterColumns<Filter, PixelCount, Index>{filter}, Index{});
  } else {
    using Count = std::conditional_t<std::integral<T>, PixelCountOfMany, PixelCount>;
    if (indices_fit_32_bits(filter))
      enqueue(FilterColumns<Filter, Count, std::int32_t>{filter}, std::int32_t{});
    else
      enqueue(FilterColumns<Filter, Count, Index>{filter}, Index{});
  }
}

/// @brief The elements of a View, which are only read.
template <class V>
Grid<const typename V::non_const_value_type> read_grid(const V& view) {
  return grid_of(typename V::const_type(view));
}
inline Grid<const Unused> unused() { return {}; }

}  // namespace Impl

/// @brief Box filter: out(i, j) = mean of the image over the window around (i, j).
///
/// Enqueues on `exec`. O(pixels), whatever the radius.
///
/// @param exec   execution space instance; left out: the default instance of Out's space
/// @param table  View of rank 2 that summed_area_table has filled, without overflow
/// @param radius of the window, in pixels; 0 gives the image itself
/// @param out    View of the same extents; integers are rounded to nearest, halves away from 0, and
///               saturate
/// @throws std::invalid_argument if `radius` is negative, extents differ or the Views overlap
template <ExecutionSpace Exec, ViewOfRank<2> Table, ViewOfRank<2> Out>
void box_filter(const Exec& exec, const Table& table, std::int64_t radius, const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(AccessibleFrom<Table, Exec> && AccessibleFrom<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'table' or 'out'");
  const Impl::Index checked = Impl::checked_radius("box_filter", "radius", table, radius);
  Impl::require_same_extents("box_filter", "out", out, "table", table);
  Impl::require_disjoint("box_filter", "table", table, "out", out);
  Impl::enqueue_filter("WaveScan::box_filter", exec,
                       Impl::window_filter(Impl::MeanOfWindow{}, checked, Impl::unused(),
                                           Impl::read_grid(table), Impl::unused(), grid_of(out)));
}

/// @brief Local variance: out(i, j) = mean of the squares less the square of the mean, over the
/// window around (i, j).
///
/// The difference cancels where the variance is small against the square of the mean: use tables of
/// integers or double. Rounding below 0 is cut off. Enqueues on `exec`. O(pixels).
///
/// @param exec    execution space instance; left out: the default instance of Out's space
/// @param table   summed-area table of the image
/// @param squares summed-area table of the image's squares, same extents
/// @param radius  of the window, in pixels
/// @param out     View of floating-point numbers, same extents
/// @throws std::invalid_argument if `radius` is negative, extents differ or `out` overlaps a table
template <ExecutionSpace Exec, ViewOfRank<2> Table, ViewOfRank<2> Squares, ViewOfRank<2> Out>
void local_variance(const Exec& exec, const Table& table, const Squares& squares,
                    std::int64_t radius, const Out& out) {
  static_assert(WritableView<Out> && std::floating_point<typename Out::non_const_value_type>,
                "WaveScan: 'out' must hold floating-point numbers and not be const");
  static_assert(
      AccessibleFrom<Table, Exec> && AccessibleFrom<Squares, Exec> && AccessibleFrom<Out, Exec>,
      "WaveScan: the execution space cannot reach the memory of an argument");
  const Impl::Index checked = Impl::checked_radius("local_variance", "radius", table, radius);
  Impl::require_same_extents("local_variance", "squares", squares, "table", table);
  Impl::require_same_extents("local_variance", "out", out, "table", table);
  Impl::require_disjoint("local_variance", "table", table, "out", out);
  Impl::require_disjoint("local_variance", "squares", squares, "out", out);
  Impl::enqueue_filter(
      "WaveScan::local_variance", exec,
      Impl::window_filter(Impl::VarianceOfWindow{}, checked, Impl::unused(), Impl::read_grid(table),
                          Impl::read_grid(squares), grid_of(out)));
}

/// @brief Adaptive threshold: out(i, j) = 0 where image(i, j) < (1 - fraction) * local mean, else
/// 255.
///
/// Source: D. Bradley, G. Roth, "Adaptive Thresholding using the Integral Image", Journal of
/// Graphics Tools 12(2), 2007. Enqueues on `exec`. O(pixels), whatever the radius.
///
/// @param exec          execution space instance; left out: the default instance of Out's space
/// @param image         View of rank 2
/// @param table         its summed-area table, without overflow
/// @param window_radius of the window around a pixel (Bradley and Roth: an eighth of the image's
///                      width for the whole side)
/// @param fraction      by how much a dark pixel must be below the mean, in [0, 1]; often 0.15
/// @param out           View of the same extents; may be `image` itself
/// @throws std::invalid_argument if `window_radius` is negative, `fraction` lies outside [0, 1],
///         extents differ or the Views overlap
template <ExecutionSpace Exec, ViewOfRank<2> Image, ViewOfRank<2> Table, ViewOfRank<2> Out>
void threshold_bradley(const Exec& exec, const Image& image, const Table& table,
                       std::int64_t window_radius, double fraction, const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(
      AccessibleFrom<Image, Exec> && AccessibleFrom<Table, Exec> && AccessibleFrom<Out, Exec>,
      "WaveScan: the execution space cannot reach the memory of an argument");
  constexpr const char* operation = "threshold_bradley";
  const Impl::Index radius = Impl::checked_radius(operation, "window_radius", table, window_radius);
  Impl::require(fraction >= 0 && fraction <= 1, operation, "fraction", "must lie in [0, 1]",
                fraction);
  Impl::require_same_extents(operation, "table", table, "image", image);
  Impl::require_same_extents(operation, "out", out, "image", image);
  Impl::require_same_or_disjoint(operation, "image", image, "out", out);
  Impl::require_disjoint(operation, "table", table, "out", out);
  Impl::enqueue_filter(
      "WaveScan::threshold_bradley", exec,
      Impl::window_filter(Impl::BradleyThreshold{1 - fraction}, radius, Impl::read_grid(image),
                          Impl::read_grid(table), Impl::unused(), grid_of(out)));
}

/// @brief How threshold_sauvola compares a pixel with those around it.
struct SauvolaOptions {
  double k = 0.5;        ///< weight of the deviation; the larger, the less becomes black
  double range = 128.0;  ///< the largest standard deviation: half the range of the pixels' values
};

/// @brief Adaptive threshold: out(i, j) = 255 where image(i, j) > m * (1 + k * (s / range - 1)),
/// else 0, with the mean m and the standard deviation s of the window.
///
/// Where little varies, such as on empty paper, the threshold is far below the mean.
/// Source: J. Sauvola, M. Pietikäinen, "Adaptive document image binarization", Pattern Recognition
/// 33(2), 2000. Enqueues on `exec`. O(pixels), whatever the radius.
///
/// @param exec          execution space instance; left out: the default instance of Out's space
/// @param image         View of rank 2
/// @param table         its summed-area table, without overflow
/// @param squares       summed-area table of its squares, without overflow
/// @param window_radius of the window around a pixel
/// @param options       k and range
/// @param out           View of the same extents; may be `image` itself
/// @throws std::invalid_argument if `window_radius` is negative, the options are not finite or the
///         range is not positive, extents differ or the Views overlap
template <ExecutionSpace Exec, ViewOfRank<2> Image, ViewOfRank<2> Table, ViewOfRank<2> Squares,
          ViewOfRank<2> Out>
void threshold_sauvola(const Exec& exec, const Image& image, const Table& table,
                       const Squares& squares, std::int64_t window_radius,
                       const SauvolaOptions& options, const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(AccessibleFrom<Image, Exec> && AccessibleFrom<Table, Exec> &&
                    AccessibleFrom<Squares, Exec> && AccessibleFrom<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of an argument");
  constexpr const char* operation = "threshold_sauvola";
  const Impl::Index radius = Impl::checked_radius(operation, "window_radius", table, window_radius);
  Impl::require(std::isfinite(options.k), operation, "options.k", "must be finite", options.k);
  Impl::require(std::isfinite(options.range) && options.range > 0, operation, "options.range",
                "must be finite and positive", options.range);
  Impl::require_same_extents(operation, "table", table, "image", image);
  Impl::require_same_extents(operation, "squares", squares, "image", image);
  Impl::require_same_extents(operation, "out", out, "image", image);
  Impl::require_same_or_disjoint(operation, "image", image, "out", out);
  Impl::require_disjoint(operation, "table", table, "out", out);
  Impl::require_disjoint(operation, "squares", squares, "out", out);
  Impl::enqueue_filter("WaveScan::threshold_sauvola", exec,
                       Impl::window_filter(Impl::SauvolaThreshold{options.k, options.range}, radius,
                                           Impl::read_grid(image), Impl::read_grid(table),
                                           Impl::read_grid(squares), grid_of(out)));
}

/// @brief box_filter on the default instance of Out's execution space.
template <ViewOfRank<2> Table, ViewOfRank<2> Out>
void box_filter(const Table& table, std::int64_t radius, const Out& out) {
  box_filter(typename Out::execution_space(), table, radius, out);
}
/// @brief local_variance on the default instance of Out's execution space.
template <ViewOfRank<2> Table, ViewOfRank<2> Squares, ViewOfRank<2> Out>
void local_variance(const Table& table, const Squares& squares, std::int64_t radius,
                    const Out& out) {
  local_variance(typename Out::execution_space(), table, squares, radius, out);
}
/// @brief threshold_bradley on the default instance of Out's execution space.
template <ViewOfRank<2> Image, ViewOfRank<2> Table, ViewOfRank<2> Out>
void threshold_bradley(const Image& image, const Table& table, std::int64_t window_radius,
                       double fraction, const Out& out) {
  threshold_bradley(typename Out::execution_space(), image, table, window_radius, fraction, out);
}

/// @brief threshold_sauvola on the default instance of Out's execution space.
template <ViewOfRank<2> Image, ViewOfRank<2> Table, ViewOfRank<2> Squares, ViewOfRank<2> Out>
void threshold_sauvola(const Image& image, const Table& table, const Squares& squares,
                       std::int64_t window_radius, const SauvolaOptions& options, const Out& out) {
  threshold_sauvola(typename Out::execution_space(), image, table, squares, window_radius, options,
                    out);
}

}  // namespace wavescan

#endif
