// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_INTEGRALHISTOGRAM_HPP
#define WAVESCAN_INTEGRALHISTOGRAM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Rectangle.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_IntegralHistogram_Bands.hpp>
#include <impl/WaveScan_IntegralHistogram_Planes.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>
#include <impl/WaveScan_IntegralHistogram_Wavefront.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SummedAreaTable_Rectangles.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>

/// @file
/// @brief Integral histograms, and the histograms of rectangles that they give in O(bins).
///
/// Source of the formula: Hou et al., "Highly Efficient Compensation-based Parallelism for
/// Wavefront Loops on GPUs", IPDPS 2018, section IV.

namespace wavescan {

/// @brief Bins of equal width: [lower, upper) cut into `count` half-open intervals.
///
/// Pixels outside, and NaN, belong to no bin. For integers the bin is floor((pixel - lower) * count
/// / (upper - lower)) exactly; for floating point, pixels within rounding of an edge may fall on
/// either side. Pixels of 8 bits want a wider T: UniformBins<int>{0, 256, 32}.
/// @tparam T an integer of at most 32 bits, or floating point; pixels are converted to it
template <class T>
struct UniformBins {
  static_assert(std::floating_point<T> || (std::integral<T> && sizeof(T) <= 4),
                "WaveScan: UniformBins take floating point or integers of at most 32 bits");
  T lower;
  T upper;
  int count;

  KOKKOS_FUNCTION int operator()(const T& pixel) const {
    if (!(pixel >= lower && pixel < upper)) return -1;
    if constexpr (std::integral<T>) {
      const auto offset = static_cast<std::int64_t>(pixel) - static_cast<std::int64_t>(lower);
      const auto width = static_cast<std::int64_t>(upper) - static_cast<std::int64_t>(lower);
      return static_cast<int>(offset * count / width);
    } else {
      const int bin = static_cast<int>((pixel - lower) * (static_cast<T>(count) / (upper - lower)));
      return bin < count ? bin : count - 1;
    }
  }
};

/// @brief What turns pixels into bins: a functor like UniformBins, callable on the device.
///
/// Pixels whose bin lies outside [0, bins) are ignored.
template <class B, class Pixel>
concept Binning = std::copy_constructible<B> && requires(const B binning, const Pixel pixel) {
  { binning(pixel) } -> std::convertible_to<std::int64_t>;
};

/// @brief How an integral histogram is computed.
struct IntegralHistogramOptions {
  /// Hybrid: counts along columns and rows, the fastest way. Any other: the paper's wavefront loop
  /// in that schedule, bin after bin.
  Schedule schedule = Schedule::Hybrid;
};

namespace Impl {

template <class B>
inline constexpr bool is_uniform_bins = false;
template <class T>
inline constexpr bool is_uniform_bins<UniformBins<T>> = true;

/// @brief Throws unless the bins make sense and there are as many as the histogram has.
template <class T>
void require_valid(const UniformBins<T>& bins, Index count) {
  std::ostringstream bounds;
  bounds << "[" << +bins.lower << ", " << +bins.upper << ")";
  bool valid = bins.lower < bins.upper;  // false for NaN
  if constexpr (std::floating_point<T>) valid = valid && std::isfinite(bins.upper - bins.lower);
  require(valid, "integral_histogram", "binning",
          "must have finite bounds, the lower below the upper", bounds.str());
  require(bins.count == count, "integral_histogram", "binning",
          "must have as many bins as the histogram (" + std::to_string(count) + ")", bins.count);
}

}  // namespace Impl

/// @brief A plan for integral histograms of images of one size, which owns the workspace.
///
/// Calls enqueue work on the plan's instance, allocate nothing and return. One plan must not be
/// used from two instances at a time.
///
/// Memory: on a host, a row of the histogram (all bins) for each thread; on a device, the workspace
/// of a scan.
/// @tparam Exec  execution space
/// @tparam Pixel element type of the images
/// @tparam Bins  the binning
/// @tparam Count element type of the histograms
template <ExecutionSpace Exec, class Pixel, Binning<Pixel> Bins, class Count>
class IntegralHistogram {
  static_assert(std::is_arithmetic_v<Count> && sizeof(Count) >= 4,
                "WaveScan: the histogram's type must be a number of at least 32 bits");

 public:
  /// Bins that a histogram can have.
  static constexpr std::int64_t max_bins = std::numeric_limits<std::int16_t>::max();

  /// @param exec    instance that all calls enqueue on
  /// @param bins    number of bins, 1 to max_bins
  /// @param rows    rows of the images
  /// @param columns columns of the images
  /// @param options schedule
  /// @throws std::invalid_argument if a size is out of range or their product overflows 64 bits
  IntegralHistogram(const Exec& exec, std::int64_t bins, std::int64_t rows, std::int64_t columns,
                    const IntegralHistogramOptions& options = {});

  /// @brief Enqueues the counts of all bins. See wavescan::integral_histogram.
  template <class Image, class Histogram>
  void operator()(const Image& image, const Bins& binning, const Histogram& histogram) const;

 private:
  using banded = Impl::BandedHistogram<Exec, Pixel, Bins, Count>;
  using planes = Impl::PlaneHistogram<Exec, Pixel, Bins, Count>;
  using wavefront = Impl::WavefrontHistogram<Exec, Pixel, Bins, Count>;
  using ways = std::conditional_t<Impl::runs_on_host<Exec>,
                                  std::variant<std::monostate, planes, wavefront, banded>,
                                  std::variant<std::monostate, planes, wavefront>>;

  static ways choose_way(const Exec& exec, const Impl::HistogramExtents& extents,
                         Schedule schedule);

  Impl::HistogramExtents extents_;
  ways way_;
};

template <ExecutionSpace Exec, class Pixel, Binning<Pixel> Bins, class Count>
IntegralHistogram<Exec, Pixel, Bins, Count>::IntegralHistogram(
    const Exec& exec, std::int64_t bins, std::int64_t rows, std::int64_t columns,
    const IntegralHistogramOptions& options)
    : extents_{bins, rows, columns} {
  constexpr const char* plan = "IntegralHistogram";
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Impl::require(bins >= 1 && bins <= max_bins, plan, "bins",
                "must be between 1 and " + std::to_string(max_bins), bins);
  Impl::require(rows >= 0 && rows <= most / bins, plan, "rows",
                "must not be negative, and keep bins * rows within 64 bits", rows);
  Impl::require(columns >= 0 && (rows == 0 || columns <= most / bins / rows), plan, "columns",
                "must not be negative, and keep bins * rows * columns within 64 bits", columns);
  if (rows > 0 && columns > 0) way_ = choose_way(exec, extents_, options.schedule);
}

template <ExecutionSpace Exec, class Pixel, Binning<Pixel> Bins, class Count>
auto IntegralHistogram<Exec, Pixel, Bins, Count>::choose_way(const Exec& exec,
                                                             const Impl::HistogramExtents& extents,
                                                             Schedule schedule) -> ways {
  if (schedule != Schedule::Hybrid) return wavefront(exec, extents, schedule);
  if constexpr (Impl::runs_on_host<Exec>)
    if (Impl::BandShape::keeps_busy(exec, extents.rows)) return banded(exec, extents);
  return planes(exec, extents);
}

template <ExecutionSpace Exec, class Pixel, Binning<Pixel> Bins, class Count>
template <class Image, class Histogram>
void IntegralHistogram<Exec, Pixel, Bins, Count>::operator()(const Image& image,
                                                             const Bins& binning,
                                                             const Histogram& histogram) const {
  static_assert(ViewOfRank<Image, 2>, "WaveScan: 'image' must be a Kokkos View of rank 2");
  static_assert(ViewOfRank<Histogram, 3> && WritableView<Histogram>,
                "WaveScan: 'histogram' must be a Kokkos View of rank 3 (bins, rows, columns) and "
                "not be const");
  static_assert(AccessibleFrom<Image, Exec> && AccessibleFrom<Histogram, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'image' or 'histogram'");
  static_assert(std::same_as<typename Image::non_const_value_type, Pixel> &&
                    std::same_as<typename Histogram::value_type, Count>,
                "WaveScan: 'image' and 'histogram' must have the plan's element types");
  constexpr const char* operation = "integral_histogram";
  const auto& [bins, rows, columns] = extents_;
  Impl::require(static_cast<std::int64_t>(image.extent(0)) == rows &&
                    static_cast<std::int64_t>(image.extent(1)) == columns,
                operation, "image",
                "must have the plan's extents (" + std::to_string(rows) + " x " +
                    std::to_string(columns) + ")",
                Impl::extents_of(image));
  Impl::require(static_cast<std::int64_t>(histogram.extent(0)) == bins &&
                    static_cast<std::int64_t>(histogram.extent(1)) == rows &&
                    static_cast<std::int64_t>(histogram.extent(2)) == columns,
                operation, "histogram",
                "must have bins, rows and columns as its extents (" + std::to_string(bins) + " x " +
                    std::to_string(rows) + " x " + std::to_string(columns) + ")",
                Impl::extents_of(histogram));
  if constexpr (Impl::is_uniform_bins<Bins>) Impl::require_valid(binning, bins);
  Impl::require_disjoint(operation, "image", image, "histogram", histogram);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::integral_histogram");
  const typename Image::const_type pixels = image;
  const Impl::HistogramProblem<Pixel, Bins, Count> problem{grid_of(pixels), binning,
                                                           Impl::planes_of(histogram)};
  std::visit(
      [&](const auto& way) {
        if constexpr (!std::same_as<std::remove_cvref_t<decltype(way)>, std::monostate>)
          way(problem);
      },
      way_);
}

/// @brief Computes the integral histogram of an image: histogram(z, i, j) = number of pixels of bin
/// z in image(0..i, 0..j).
///
/// Enqueues on `exec`; waits only where the deallocation of its small workspace does. Use an
/// `IntegralHistogram` plan for repeated calls. Work: O(bins * pixels). Counts are exact as long as
/// accumulator_suffices<Count>(rows, columns, 1) holds; integers wrap around beyond.
///
/// @param exec      execution space instance; left out: the default instance of Histogram's space
/// @param image     View of rank 2, any layout
/// @param binning   UniformBins, or any functor from a pixel to the number of its bin; pixels whose
///                  number is not one of the histogram's are ignored
/// @param histogram View of rank 3 (bins, rows, columns), any layout, of an integer of at least 32
///                  bits or floating point
/// @param options   schedule
/// @throws std::invalid_argument if extents differ, the Views overlap, there are no bins or too
///         many, or the bounds of UniformBins are not finite and ascending
template <ExecutionSpace Exec, AnyView Image, Binning<typename Image::non_const_value_type> Bins,
          AnyView Histogram>
void integral_histogram(const Exec& exec, const Image& image, const Bins& binning,
                        const Histogram& histogram, const IntegralHistogramOptions& options = {}) {
  IntegralHistogram<Exec, typename Image::non_const_value_type, Bins,
                    typename Histogram::non_const_value_type>(
      exec, static_cast<std::int64_t>(histogram.extent(0)),
      static_cast<std::int64_t>(image.extent(0)), static_cast<std::int64_t>(image.extent(1)),
      options)(image, binning, histogram);
}

namespace Impl {

template <class Count, class Rectangles, class Out>
struct RegionHistograms {
  Planes<Count> histogram;
  Rectangles rectangles;
  Out out;
  KOKKOS_FUNCTION void operator()(const Index n) const {
    const Index q = n / histogram.extents.bins;
    const Index bin = n % histogram.extents.bins;
    out(q, bin) =
        static_cast<typename Out::value_type>(rectangle_sum(histogram.plane(bin), rectangles(q)));
  }
};

}  // namespace Impl

/// @brief The histograms of many rectangles: out(q, z) = number of pixels of bin z in
/// rectangles(q).
///
/// All rectangles are checked first, which waits for `exec`; the counts are then enqueued. Empty
/// rectangles give 0. O(rectangles * bins).
///
/// @param exec       execution space instance; left out: the default instance of Out's space
/// @param histogram  View of rank 3 that integral_histogram has filled
/// @param rectangles View<const Rectangle*>; each must lie inside the image
/// @param out        View of rank 2 (rectangles, bins), converted to its type
/// @throws std::invalid_argument if a rectangle lies outside or is reversed, if `out` has other
///         extents, or if it overlaps an input
template <ExecutionSpace Exec, ViewOfRank<3> Histogram, Impl::RectangleView Rectangles,
          ViewOfRank<2> Out>
void region_histograms(const Exec& exec, const Histogram& histogram, const Rectangles& rectangles,
                       const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(AccessibleFrom<Histogram, Exec> && AccessibleFrom<Rectangles, Exec> &&
                    AccessibleFrom<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of an argument");
  constexpr const char* operation = "region_histograms";
  Impl::require(out.extent(0) == rectangles.extent(0) && out.extent(1) == histogram.extent(0),
                operation, "out",
                "must have a row for each rectangle and a column for each bin (" +
                    std::to_string(rectangles.extent(0)) + " x " +
                    std::to_string(histogram.extent(0)) + ")",
                Impl::extents_of(out));
  Impl::require_disjoint(operation, "histogram", histogram, "out", out);
  Impl::require_disjoint(operation, "rectangles", rectangles, "out", out);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::region_histograms");
  const typename Histogram::const_type counts = histogram;
  const auto planes = Impl::planes_of(counts);
  Impl::require_inside(exec, operation, rectangles, planes.extents.rows, planes.extents.columns);
  Kokkos::parallel_for(
      "WaveScan::region_histograms",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Impl::Index>>(
          exec, 0, static_cast<Impl::Index>(out.size())),
      Impl::RegionHistograms<typename Histogram::const_value_type, Rectangles, Out>{
          planes, rectangles, out});
}

/// @brief integral_histogram on the default instance of the histogram's execution space.
template <AnyView Image, Binning<typename Image::non_const_value_type> Bins, AnyView Histogram>
void integral_histogram(const Image& image, const Bins& binning, const Histogram& histogram,
                        const IntegralHistogramOptions& options = {}) {
  integral_histogram(typename Histogram::execution_space(), image, binning, histogram, options);
}
/// @brief region_histograms on the default instance of Out's execution space.
template <ViewOfRank<3> Histogram, Impl::RectangleView Rectangles, ViewOfRank<2> Out>
void region_histograms(const Histogram& histogram, const Rectangles& rectangles, const Out& out) {
  region_histograms(typename Out::execution_space(), histogram, rectangles, out);
}

}  // namespace wavescan

#endif
