// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Columns.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Kernel.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Planes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_SideBySide.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

/// @file
/// @brief Integral histograms on CUDA devices, with one kernel.

namespace wavescan::Impl {

/// @brief How the work is cut.
struct HistogramTuning {
  /// Bands have as many rows as they can with so many bands and bins for each multiprocessor.
  int pieces = 4;
  int most_band_shift = 6;  ///< log2 of the rows
  int least_band_shift = 3;
  int most_team = 16;      ///< warps that write a bin of a band in planes, side by side
  int most_segments = 64;  ///< parts of a band where bins lie side by side
};

/// @brief The workspace and the launches for images of one size.
///
/// The blocks first bin the pixels and count them down the columns, to know for each band of rows
/// what lies above it. Everything else that an entry needs is in its own band, so that the
/// histogram is then written by warps which know nothing of those of other bands.
///
/// Memory: a byte for each pixel, and two for each bin and column of each band of rows; twice as
/// much for more than 255 bins or 65535 rows.
template <class Pixel, class Binning, class T>
class GpuHistogram {
 public:
  HistogramTuning tuning;

  GpuHistogram() = default;
  GpuHistogram(const gpu::Device& exec, const HistogramExtents& extents, Index images,
               const HistogramTuning& how = {})
      : tuning(how) {
    constexpr Index limit = std::numeric_limits<int>::max() / 2;
    if (extents.rows > limit || extents.columns > limit || images > limit ||
        extents.bins > LargeCounts::most_bins || !countable(extents.rows, extents.columns))
      return;
    const auto& device = gpu::device_properties(exec);
    multiprocessors_ = device.multiProcessorCount;
    shared_limit_ = static_cast<Index>(device.sharedMemPerBlockOptin);
    small_ = extents.bins <= SmallCounts::most_bins && extents.rows <= SmallCounts::most_rows;
    if (small_)
      allocate(exec, extents, images, small_bands_);
    else
      allocate(exec, extents, images, large_bands_);
  }

  /// @brief Enqueues the histograms, or returns false if other kernels must do it.
  bool enqueue(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem) const {
    if (multiprocessors_ == 0) return false;
    return small_ ? enqueue(exec, problem, small_bands_) : enqueue(exec, problem, large_bands_);
  }

  std::size_t bytes() const { return workspace_.size(); }

 private:
  /// Shared memory for counters: the rest is left for caching codes.
  static constexpr Index counters_limit = 96 * 1024;

  /// @brief Counts are kept in 32 bits, which wrap around as 32-bit integers do.
  static bool countable(Index rows, Index columns) {
    return (std::integral<T> && sizeof(T) == 4) ||
           rows * columns <= Index(std::numeric_limits<std::uint32_t>::max());
  }

  template <class Counts>
  void allocate(const gpu::Device& exec, const HistogramExtents& extents, Index images,
                HistogramBands<Counts>& bands) {
    bands.bins = static_cast<int>(extents.bins);
    bands.rows = static_cast<int>(extents.rows);
    bands.columns = static_cast<int>(extents.columns);
    bands.images = static_cast<int>(images);
    bands.pitch = bands.rounded(extents.columns, bands.column_unit);
    bands.band_shift = tuning.most_band_shift;
    const auto count_bands = [&] {
      bands.bands = static_cast<int>(ceil_div(extents.rows, Index(1) << bands.band_shift));
    };
    count_bands();
    while (bands.band_shift > tuning.least_band_shift &&
           images * bands.bands * bands.bins < Index(multiprocessors_) * tuning.pieces) {
      --bands.band_shift;
      count_bands();
    }
    const Index counts_begin = sync_bytes;
    const Index codes_begin = counts_begin + bands.count_count() * Index(sizeof(*bands.counts));
    const Index end = codes_begin + bands.code_count() * Index(sizeof(*bands.codes));
    workspace_ =
        decltype(workspace_)(Kokkos::view_alloc(exec, "WaveScan::integral_histogram::workspace"),
                             static_cast<std::size_t>(end));
    using code_type = typename Counts::code_type;
    using count_type = typename Counts::count_type;
    bands.counts = reinterpret_cast<count_type*>(workspace_.data() + counts_begin);
    bands.codes = reinterpret_cast<code_type*>(workspace_.data() + codes_begin);
  }

  template <class Counts>
  bool enqueue(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem,
               const HistogramBands<Counts>& bands) const {
    const Planes<T>& h = problem.histogram;
    HistogramOut<T> out{
        h.data,
        problem.histogram_stride,
        h.bin_stride,
        h.row_stride,
        h.column_stride,
        are_aligned<16, T>(h.data, {h.row_stride, h.bin_stride, problem.histogram_stride}),
        1,
        bands.columns,
        1};
    if (h.column_stride == 1 || bands.columns == 1) {
      // As few segments of a row as there can be, and no more warps than they need.
      const Index strips = ceil_div(bands.columns, bands.column_unit);
      out.team = static_cast<int>(ceil_div(strips, ceil_div(strips, tuning.most_team)));
      return launch<PlaneWriter<Counts, T>>(exec, problem, bands, out, bands.bins);
    }
    if (h.bin_stride == 1) {
      using Writer = SideBySideWriter<Counts, T>;
      const Index chunks = ceil_div(bands.bins, Writer::bins_at_once);
      const Index strips = ceil_div(bands.columns, Writer::strip);
      const Index wanted = std::min<Index>(
          tuning.most_segments,
          ceil_div(Index(multiprocessors_) * block_warps, bands.images * bands.bands * chunks));
      out.segment = static_cast<int>(ceil_div(strips, wanted)) * Writer::strip;
      out.segments = static_cast<int>(ceil_div(bands.columns, out.segment));
      return launch<Writer>(exec, problem, bands, out, chunks * out.segments);
    }
    return false;
  }

  static constexpr int block_warps = histogram_threads / gpu::warp_size;

  template <class Writer, class Counts>
  bool launch(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem,
              const HistogramBands<Counts>& bands, const HistogramOut<T>& out, Index parts) const {
    using Work = HistogramWork<Pixel, Binning, Counts, T>;
    using Counter = ColumnCounter<Pixel, Binning, Counts>;
    const Work work{images(problem, bands),
                    bands,
                    out,
                    {sync()},
                    {sync() + sync_bytes / 16, bands.images * bands.bands * parts,
                     Index(multiprocessors_) * (block_warps / out.team)}};
    const Index counting =
        Counter::table_bytes +
        Index(work.images.counted_bands) * Counter::counters(bands.bins, work.images.group) * 4;
    const Index shared = std::max(counting, Writer::shared_bytes(block_warps, bands.band_rows()));
    if (work.images.counted_bands == 0 || shared > shared_limit_) return false;
    gpu::launch({exec, "WaveScan::integral_histogram", true}, histogram_kernel<Writer, Work>,
                multiprocessors_, histogram_threads, static_cast<std::size_t>(shared), work);
    return true;
  }

  /// @brief As many columns to a block as leave none idle.
  template <class Counts>
  HistogramImages<Pixel, Binning> images(const HistogramProblem<Pixel, Binning, T>& problem,
                                         const HistogramBands<Counts>& bands) const {
    using Counter = ColumnCounter<Pixel, Binning, Counts>;
    HistogramImages<Pixel, Binning> images{
        problem.image, problem.image_stride, problem.binning, is_packed(problem), 32, 0, 0};
    const Index limit = std::min(counters_limit, shared_limit_ - Counter::table_bytes);
    while (images.group > 4 &&
           (bands.images * ceil_div(bands.columns, images.group) < multiprocessors_ / 2 ||
            Counter::counters(bands.bins, images.group) * Index(4) > limit))
      images.group /= 2;
    images.groups = static_cast<int>(ceil_div(bands.columns, images.group));
    images.counted_bands = static_cast<int>(std::min<Index>(
        bands.bands, limit / (Counter::counters(bands.bins, images.group) * Index(4))));
    return images;
  }

  static bool is_packed(const HistogramProblem<Pixel, Binning, T>& problem) {
    const Grid<const Pixel>& image = problem.image;
    constexpr std::uintptr_t alignment = alignof(PackedValues<Pixel, 4>);
    return (image.column_stride == 1 || image.columns == 1) &&
           are_aligned<alignment, Pixel>(image.data,
                                         {image.rows > 1 ? image.row_stride : 0,
                                          problem.images > 1 ? problem.image_stride : 0});
  }

  template <std::uintptr_t Alignment, class V>
  static bool are_aligned(const V* data, std::initializer_list<Index> strides) {
    return reinterpret_cast<std::uintptr_t>(data) % Alignment == 0 &&
           std::all_of(strides.begin(), strides.end(), [](Index stride) {
             return stride * Index(sizeof(V)) % Index(Alignment) == 0;
           });
  }

  /// Two counters, alone in their cache lines.
  static constexpr Index sync_bytes = 512;
  gpu::TaggedWord* sync() const { return reinterpret_cast<gpu::TaggedWord*>(workspace_.data()); }

  int multiprocessors_ = 0;  ///< 0: the kernels cannot do it
  Index shared_limit_ = 0;
  bool small_ = false;
  HistogramBands<SmallCounts> small_bands_{};
  HistogramBands<LargeCounts> large_bands_{};
  Kokkos::View<unsigned char*, gpu::Device::memory_space> workspace_;
};

}  // namespace wavescan::Impl

#endif
