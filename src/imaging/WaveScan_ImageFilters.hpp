// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMAGEFILTERS_HPP
#define WAVESCAN_IMAGEFILTERS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/window_filter/WaveScan_ApplyFilter.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>

/// @file
/// @brief Filters whose cost does not depend on their radius, from summed-area tables.
///
/// The window of a pixel is the square of side 2 * radius + 1 around it, clipped at the image's
/// border: near the border a mean is one of fewer pixels. Means are computed in double precision.
///
/// Results are converted to the type of `out`. Integers are rounded to nearest, halves away from 0;
/// the least or the largest value stands for numbers that the type does not hold (255, which
/// thresholds give, becomes 127 in 8 bits with a sign), and the least one for NaN.
///
/// Sums over windows are differences of entries. A pixel that is infinite or not a number spoils
/// all entries below it and to its right: where a window's left or upper edge lies there, the sum
/// is NaN, though the window does not hold that pixel. Replace such pixels before tables are
/// computed. Of NaN threshold_bradley makes 255, threshold_sauvola 0 and local_variance 0.

namespace wavescan {

/// @brief Box filter: out(i, j) = mean of the image over the window around (i, j).
///
/// Enqueues on `exec`. O(pixels), whatever the radius. A pixel that is infinite or NaN makes the
/// means of windows that begin below it or to its right NaN, even if they do not hold it.
///
/// @param exec   execution space instance; left out: the default instance of Out's space
/// @param table  View of rank 2 that summed_area_table has filled, without overflow
/// @param radius of the window, in pixels; 0 gives the image itself
/// @param out    View of the same extents; integers are rounded to nearest, halves away from 0, and
///               saturate
/// @throws std::invalid_argument if `radius` is negative, extents differ or the Views overlap
template <ExecutionSpace Exec, ViewOfRank<2> Table, ViewOfRank<2> Out>
void box_filter(const Exec& exec, const Table& table, std::int64_t radius, const Out& out) {
  Impl::window_filter::apply("box_filter", exec, Impl::window_filter::MeanOfWindow{}, "radius",
                             radius, Impl::window_filter::Unused{}, table,
                             Impl::window_filter::Unused{}, out);
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
  static_assert(std::floating_point<typename Out::non_const_value_type>,
                "WaveScan: 'out' must hold floating-point numbers");
  Impl::window_filter::apply("local_variance", exec, Impl::window_filter::VarianceOfWindow{},
                             "radius", radius, Impl::window_filter::Unused{}, table, squares, out);
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
  constexpr const char* operation = "threshold_bradley";
  Impl::require(fraction >= 0 && fraction <= 1, operation, "fraction", "must lie in [0, 1]",
                fraction);
  Impl::window_filter::apply(operation, exec, Impl::window_filter::BradleyThreshold{1 - fraction},
                             "window_radius", window_radius, image, table,
                             Impl::window_filter::Unused{}, out);
}

/// @brief Options of threshold_sauvola.
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
  constexpr const char* operation = "threshold_sauvola";
  Impl::require(std::isfinite(options.k), operation, "options.k", "must be finite", options.k);
  Impl::require(std::isfinite(options.range) && options.range > 0, operation, "options.range",
                "must be finite and positive", options.range);
  Impl::window_filter::apply(operation, exec,
                             Impl::window_filter::SauvolaThreshold{options.k, options.range},
                             "window_radius", window_radius, image, table, squares, out);
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
