// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_INTEGRALHISTOGRAM_HPP
#define WAVESCAN_INTEGRALHISTOGRAM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Rectangle.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Rectangles.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SaturatingConversion.hpp>
#include <impl/histogram/WaveScan_CountAndScan.hpp>
#include <impl/histogram/WaveScan_HistogramProblem.hpp>
#include <impl/histogram/host/WaveScan_HostHistogram.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/histogram/gpu/WaveScan_GpuHistogram.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

/// @file
/// @brief Integral histograms, and the histograms of rectangles that they give in O(bins).

namespace wavescan {

/// @brief Bins of equal width: [lower, upper) divided into `count` half-open intervals.
///
/// Pixels outside, and NaN, belong to no bin. For integers the bin is floor((pixel - lower) * count
/// / (upper - lower)) exactly; for floating point, pixels within rounding of an edge may fall on
/// either side, and bins must be so wide that count / (upper - lower) is finite. Pixels of 8 bits
/// want a wider T: UniformBins<int>{0, 256, 32}.
/// @tparam T an integer of at most 32 bits, or floating point; pixels are converted to it, for
///           integers towards 0
template <class T>
struct UniformBins {
  static_assert(std::floating_point<T> || (std::integral<T> && sizeof(T) <= 4),
                "WaveScan: UniformBins take floating point or integers of at most 32 bits");
  T lower;
  T upper;
  int count;

  template <std::convertible_to<T> Pixel>
  KOKKOS_FUNCTION int operator()(const Pixel& pixel) const {
    // Double holds all bounds, and which side of them any number is on.
    if constexpr (std::integral<T> && (std::floating_point<Pixel> || sizeof(Pixel) > 4))
      if (!within(static_cast<double>(pixel))) return -1;
    return bin_of(static_cast<T>(pixel));
  }

 private:
  template <class Number>
  KOKKOS_FUNCTION bool within(const Number& x) const {
    return x >= static_cast<Number>(lower) && x < static_cast<Number>(upper);
  }

  KOKKOS_FUNCTION int bin_of(const T& pixel) const {
    if (!within(pixel)) return -1;
    if constexpr (std::integral<T>) {
      const auto offset = static_cast<std::int64_t>(pixel) - static_cast<std::int64_t>(lower);
      const auto width = static_cast<std::int64_t>(upper) - static_cast<std::int64_t>(lower);
      return static_cast<int>(offset * count / width);
    } else {
      const auto bins = static_cast<T>(count);
      const T place = (pixel - lower) * (bins / (upper - lower));
      return place < bins ? static_cast<int>(place) : count - 1;  // the last one for NaN, too
    }
  }
};

/// @brief A functor that turns pixels into bins, like UniformBins: callable on the device, returns
/// an integer.
///
/// Pixels whose bin lies outside [0, bins) are ignored.
template <class B, class Pixel>
concept Binning = std::copy_constructible<B> && requires(const B binning, const Pixel pixel) {
  { binning(pixel) } -> std::integral;
};

namespace Impl {

/// @brief Binnings of users' own, which are not checked, but what is derived from UniformBins is.
struct OtherBins {
  template <class Bins>
  OtherBins(const Bins&) {}  // NOLINT(google-explicit-constructor): fits where no base class does
};
inline void require_valid_bins(const OtherBins&, Index) {}
/// @brief Throws unless the bins make sense and there are as many as the histogram has.
template <class T>
void require_valid_bins(const UniformBins<T>& bins, Index count) {
  const auto bounds = [&] {
    return "[" + text_of(+bins.lower) + ", " + text_of(+bins.upper) + ")";
  };
  bool valid = bins.lower < bins.upper;  // false for NaN
  if constexpr (std::floating_point<T>) valid = valid && std::isfinite(bins.upper - bins.lower);
  require(valid, "integral_histogram", "binning",
          "must have finite bounds, the lower below the upper", bounds);
  require(
      bins.count == count, "integral_histogram", "binning",
      [&] { return "must have as many bins as the histogram (" + std::to_string(count) + ")"; },
      bins.count);
  if constexpr (std::floating_point<T>)
    require(std::isfinite(static_cast<T>(bins.count) / (bins.upper - bins.lower)),
            "integral_histogram", "binning",
            "must have bins so wide that count / (upper - lower) is finite", bounds);
}

namespace histogram {

template <class Pixel, class Bins, class Count>
using Algorithm = std::function<void(const Problem<Pixel, Bins, Count>&)>;

/// @brief The algorithm for histograms of one size, with its workspace.
template <ExecutionSpace Exec, class Pixel, class Bins, class Count>
Algorithm<Pixel, Bins, Count> select_algorithm(const Exec& exec, const Extents& extents,
                                               Index images) {
  if constexpr (runs_on_host<Exec>) {
    return HostHistogram<Exec, Pixel, Bins, Count>(exec, extents, images);
  } else {
    const CountAndScan<Exec, Pixel, Bins, Count> portable(exec, extents);
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (runs_on_gpu<Exec>)
      return [exec, portable, gpu = GpuHistogram<Pixel, Bins, Count>(exec, extents, images)](
                 const Problem<Pixel, Bins, Count>& p) {
        if (!gpu.enqueue(exec, p)) portable(p);
      };
#endif
    return portable;
  }
}

}  // namespace histogram

}  // namespace Impl

/// @brief A plan for integral histograms of images of one size, which owns the workspace.
///
/// Calls enqueue work on the plan's instance, allocate nothing and return. One plan must not be
/// used from two instances at a time.
///
/// Memory: on a host, a row of the histogram (all bins), for many images one for each thread; on a
/// device, the workspace of a scan, and on an NVIDIA GPU a byte for each pixel and two for each bin
/// of each column of a band of rows besides (twice that for more than 255 bins or 65535 rows).
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
  /// @throws std::invalid_argument if a size is out of range or their product overflows 64 bits
  IntegralHistogram(const Exec& exec, std::int64_t bins, std::int64_t rows, std::int64_t columns)
      : IntegralHistogram(exec, 1, bins, rows, columns) {}

  /// @brief Makes a plan for batches of `images` images: Views (image, row, column) and histograms
  /// (image, bin, row, column).
  IntegralHistogram(const Exec& exec, std::int64_t images, std::int64_t bins, std::int64_t rows,
                    std::int64_t columns)
      : exec_(exec), images_(images), extents_{bins, rows, columns} {
    constexpr const char* plan = "IntegralHistogram";
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    Impl::require(images >= 0 && images <= most / max_bins, plan, "images",
                  "must not be negative, and keep images * bins within 64 bits", images);
    Impl::require(bins >= 1 && bins <= max_bins, plan, "bins",
                  "must be between 1 and " + std::to_string(max_bins), bins);
    const std::int64_t planes = std::max<std::int64_t>(images, 1) * bins;
    Impl::require(rows >= 0 && rows <= most / planes, plan, "rows",
                  "must not be negative, and keep images * bins * rows within 64 bits", rows);
    Impl::require(columns >= 0 && (rows == 0 || columns <= most / planes / rows), plan, "columns",
                  "must not be negative, and keep images * bins * rows * columns within 64 bits",
                  columns);
    if (images > 0 && rows > 0 && columns > 0)
      algorithm_ =
          Impl::histogram::select_algorithm<Exec, Pixel, Bins, Count>(exec, extents_, images);
  }

  /// @brief Enqueues the counts of all bins. See wavescan::integral_histogram.
  template <class Image, class Histogram>
  void operator()(const Image& image, const Bins& binning, const Histogram& histogram) const {
    static_assert(Impl::ImageView<Image>,
                  "WaveScan: 'image' must be a Kokkos View of rank 2, or 3 (image, row, column)");
    static_assert(Impl::histogram::HistogramView<Histogram> && WritableView<Histogram> &&
                      Histogram::rank() == Image::rank() + 1,
                  "WaveScan: 'histogram' must be a Kokkos View of rank 3 (bin, row, column), for "
                  "many images 4 (image, bin, row, column), and not be const");
    static_assert(
        AccessibleFrom<Image, Exec> && AccessibleFrom<Histogram, Exec>,
        "WaveScan: the execution space cannot reach the memory of 'image' or 'histogram'");
    static_assert(std::same_as<typename Image::non_const_value_type, Pixel> &&
                      std::same_as<typename Histogram::value_type, Count>,
                  "WaveScan: 'image' and 'histogram' must have the plan's element types");
    constexpr const char* operation = "integral_histogram";
    const auto& [bins, rows, columns] = extents_;
    const typename Image::const_type const_image = image;
    const auto pixels = Impl::images_of(const_image);
    const auto counts = Impl::histogram::histograms_of(histogram);
    Impl::require_images(operation, "image", image, "must have the plan's extents", images_,
                         {rows, columns});
    Impl::require_images(operation, "histogram", histogram,
                         "must have bins, rows and columns as its extents", images_,
                         {bins, rows, columns});
    Impl::require_valid_bins(binning, bins);
    Impl::require_distinct_elements(operation, "histogram", histogram);
    Impl::require_disjoint(operation, "image", image, "histogram", histogram);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::integral_histogram");
    if (algorithm_)
      algorithm_({pixels.first, binning, counts.first, images_, pixels.stride, counts.stride});
  }

 private:
  Exec exec_;
  std::int64_t images_;
  Impl::histogram::Extents extents_;
  Impl::histogram::Algorithm<Pixel, Bins, Count> algorithm_;  ///< empty if there are no pixels
};

/// @brief Computes the integral histogram of an image, or of each image of a batch: histogram(z, i,
/// j) = number of pixels of bin z in image(0..i, 0..j).
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call: see
/// WaveScan_Workspaces.hpp. Work: O(bins * pixels). Counts are exact as long as
/// accumulator_suffices<Count>(rows, columns, 1) holds; integers wrap around beyond.
///
/// @param exec      execution space instance; left out: the default instance of Histogram's space
/// @param image     View of rank 2 (row, column) or 3 (image, row, column), any layout
/// @param binning   UniformBins, or any functor from a pixel to the number of its bin; pixels whose
///                  number is not one of the histogram's are ignored
/// @param histogram View of rank 3 (bin, row, column) or 4 (image, bin, row, column), any layout,
///                  of an integer of at least 32 bits or floating point; where bins shall lie side
///                  by side, see channels_first
/// @throws std::invalid_argument if extents differ, the Views or elements of `histogram` overlap,
///         there are no bins or too many, or the bounds of UniformBins are not finite, not
///         ascending or too close
template <ExecutionSpace Exec, AnyView Image, Binning<typename Image::non_const_value_type> Bins,
          AnyView Histogram>
void integral_histogram(const Exec& exec, const Image& image, const Bins& binning,
                        const Histogram& histogram) {
  static_assert(
      Impl::ImageView<Image> && Impl::histogram::HistogramView<Histogram>,
      "WaveScan: 'image' must be a Kokkos View of rank 2 or 3, 'histogram' of rank 3 or 4");
  const auto images = Impl::images_of(image);
  const std::int64_t bins = Impl::histogram::histograms_of(histogram).first.extents.bins;
  using Plan = IntegralHistogram<Exec, typename Image::non_const_value_type, Bins,
                                 typename Histogram::non_const_value_type>;
  constexpr const char* operation = "integral_histogram";
  const Impl::Calling calling(operation);
  Impl::require(
      bins >= 1 && bins <= Plan::max_bins, operation, "histogram",
      [] { return "must have 1 to " + std::to_string(Plan::max_bins) + " bins"; }, bins);
  (*Impl::kept_plan<Plan>(exec, images.count, bins, images.first.rows, images.first.columns))(
      image, binning, histogram);
}

namespace Impl {

/// @brief One bin of one rectangle's histogram.
///
/// Neighbouring threads take the bins of one rectangle where bins lie together in memory, and else
/// two bins of some rectangles: they are often close to each other, and so are their corners then.
template <class Count, class Rectangles, class Out>
class RegionHistograms {
 public:
  RegionHistograms(const histogram::Planes<Count>& histogram, const Rectangles& rectangles,
                   const Out& out)
      : histogram_(histogram), rectangles_(rectangles), out_(out) {
    if (histogram.bin_stride != 1) {
      rectangles_together_ = 16;
      bins_together_ = 2;
    }
  }

  KOKKOS_FUNCTION void operator()(Index n) const {
    const Index bins = histogram_.extents.bins;
    const Index first = n / (rectangles_together_ * bins) * rectangles_together_;
    n -= first * bins;
    const Index left = static_cast<Index>(rectangles_.extent(0)) - first;
    const Index rectangles = left < rectangles_together_ ? left : rectangles_together_;
    const Index first_bin = n / (rectangles * bins_together_) * bins_together_;
    n -= first_bin * rectangles;
    const Index width = bins - first_bin < bins_together_ ? bins - first_bin : bins_together_;
    const Index q = first + n / width;
    const Index bin = first_bin + n % width;
    out_(q, bin) = converted_to<typename Out::value_type>(
        rectangle_sum(histogram_.plane(bin), rectangles_(q)));
  }

 private:
  histogram::Planes<Count> histogram_;
  Rectangles rectangles_;
  Out out_;
  Index rectangles_together_ = 1;
  Index bins_together_ = 1;
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
/// @param out        View of rank 2 (rectangles, bins), converted to its type: from floating point
///                   to integers, the largest value stands for counts that the type does not hold
/// @throws std::invalid_argument if a rectangle lies outside or is reversed, if `out` has other
///         extents, or if it overlaps an input or itself
template <ExecutionSpace Exec, ViewOfRank<3> Histogram, Impl::RectangleView Rectangles,
          ViewOfRank<2> Out>
void region_histograms(const Exec& exec, const Histogram& histogram, const Rectangles& rectangles,
                       const Out& out) {
  constexpr const char* operation = "region_histograms";
  Impl::require(
      out.extent(0) == rectangles.extent(0) && out.extent(1) == histogram.extent(0), operation,
      "out",
      [&] {
        return "must have a row for each rectangle and a column for each bin (" +
               std::to_string(rectangles.extent(0)) + " x " + std::to_string(histogram.extent(0)) +
               ")";
      },
      [&] { return Impl::extents_of(out); });
  const typename Histogram::const_type counts = histogram;
  const auto planes = Impl::histogram::histograms_of(counts).first;
  Impl::for_rectangles(
      exec, operation, "histogram", histogram, rectangles, out, planes.extents.rows,
      planes.extents.columns,
      Impl::RegionHistograms<typename Histogram::const_value_type, Rectangles, Out>(
          planes, rectangles, out));
}

/// @brief integral_histogram on the default instance of the histogram's execution space.
template <AnyView Image, Binning<typename Image::non_const_value_type> Bins, AnyView Histogram>
void integral_histogram(const Image& image, const Bins& binning, const Histogram& histogram) {
  integral_histogram(typename Histogram::execution_space(), image, binning, histogram);
}
/// @brief region_histograms on the default instance of Out's execution space.
template <ViewOfRank<3> Histogram, Impl::RectangleView Rectangles, ViewOfRank<2> Out>
void region_histograms(const Histogram& histogram, const Rectangles& rectangles, const Out& out) {
  region_histograms(typename Out::execution_space(), histogram, rectangles, out);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/histogram/WaveScan_Instantiations.hpp>
#endif

#endif
