// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Columns.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Cut.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Kernel.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Planes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_SideBySide.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Walk.hpp>
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

/// @brief The workspace and the launches for images of one size.
///
/// The blocks first bin the pixels and count them down the columns, to know for each band of rows
/// what lies above it. Everything else that an entry needs is in its own band, so that the
/// histogram is then written by warps which know nothing of those of other bands. Where images are
/// small and bins lie in planes, the blocks count along the rows only, and warps walk through all
/// of them.
///
/// Memory: a byte for each pixel, and two for each bin and column of each band of rows; twice as
/// much for more than 255 bins or 65535 rows. For small images two for each bin of 32 columns of
/// each row.
template <class Pixel, class Binning, class T>
class GpuHistogram {
 public:
  GpuHistogram() = default;
  GpuHistogram(const gpu::Device& exec, const HistogramExtents& extents, Index images,
               const HistogramTuning& tuning = {})
      : tuning_(tuning) {
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
    if (walks_ && in_planes(problem)) {
      walk(exec, problem);
      return true;
    }
    return small_ ? enqueue(exec, problem, small_bands_) : enqueue(exec, problem, large_bands_);
  }

 private:
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
    HistogramTuning tuning = tuning_;
    tuning.most_strips = std::min(tuning.most_strips, PlaneWriter<Counts, T>::most_strips);
    const auto cut_into_planes = [&] {
      planes_ =
          cut_planes(extents, images, multiprocessors_, block_warps, bands.column_unit, tuning);
      return PlaneWriter<Counts, T>::shared_bytes(block_warps, bands_of(bands, planes_), planes_);
    };
    while (cut_into_planes() > shared_limit_ && tuning.most_bins > 1) --tuning.most_bins;
    side_by_side_ = cut_side_by_side(
        extents, images, multiprocessors_, block_warps, SideBySideWriter<Counts, T>::strip,
        SideBySideWriter<Counts, T>::bins_at_once,
        SideBySideWriter<Counts, T>::most_rows(block_warps, shared_limit_), tuning);
    using count_type = typename Counts::count_type;
    const WalkedRows walked = walked_rows(bands);
    walks_ = shall_walk(walked);
    Index count_bytes = walks_ ? walked.count_count() * Index(sizeof(*walked.counts)) : 0;
    for (const HistogramCut& cut : {planes_, side_by_side_})
      count_bytes =
          std::max(count_bytes, bands_of(bands, cut).count_count() * Index(sizeof(count_type)));
    const Index codes_begin = sync_bytes;
    const Index counts_begin = codes_begin + bands.code_count() * Index(sizeof(*bands.codes));
    workspace_ =
        decltype(workspace_)(Kokkos::view_alloc(exec, "WaveScan::integral_histogram::workspace"),
                             static_cast<std::size_t>(counts_begin + count_bytes));
    using code_type = typename Counts::code_type;
    bands.codes = reinterpret_cast<code_type*>(workspace_.data() + codes_begin);
    bands.counts = reinterpret_cast<count_type*>(workspace_.data() + counts_begin);
  }

  /// @brief An image is one band for blocks that walk through it.
  template <class Counts>
  static WalkedRows walked_rows(const HistogramBands<Counts>& bands) {
    return {{bands.bins, bands.rows, bands.columns, bands.images, bands.rows, 1, bands.pitch,
             reinterpret_cast<SmallCounts::code_type*>(bands.codes), nullptr},
            reinterpret_cast<WalkedRows::four_counts*>(bands.counts)};
  }
  /// @brief Whether the images are so small that one walk of all blocks takes the shortest time.
  bool shall_walk(const WalkedRows& rows) const {
    const Index pieces = PlaneWalker<T>::pieces(rows);
    return small_ && rows.bands.columns <= WalkedRows::most_columns && pieces <= multiprocessors_ &&
           rows.bands.rows <= tuning_.walked_rows * pieces && walk_bytes(rows) <= shared_limit_;
  }
  static Index walk_bytes(const WalkedRows& rows) {
    return std::max(RowCounter<Pixel, Binning>::shared_bytes(rows), PlaneWalker<T>::shared_bytes());
  }

  /// @brief The bands of a cut.
  template <class Counts>
  static HistogramBands<Counts> bands_of(HistogramBands<Counts> bands, const HistogramCut& cut) {
    bands.band_rows = cut.band_rows;
    bands.bands = static_cast<int>(ceil_div(bands.rows, cut.band_rows));
    return bands;
  }

  template <class Counts>
  bool enqueue(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem,
               const HistogramBands<Counts>& bands) const {
    if (in_planes(problem)) return launch<PlaneWriter<Counts, T>>(exec, problem, bands, planes_);
    if (problem.histogram.bin_stride == 1)
      return launch<SideBySideWriter<Counts, T>>(exec, problem, bands, side_by_side_);
    return false;
  }

  static bool in_planes(const HistogramProblem<Pixel, Binning, T>& problem) {
    return problem.histogram.column_stride == 1 || problem.image.columns == 1;
  }

  void walk(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem) const {
    const Planes<T>& h = problem.histogram;
    const HistogramWalk<Pixel, Binning, T> work{
        {problem.image, problem.image_stride, problem.binning, is_packed(problem), 0, 0, 0, 0},
        walked_rows(small_bands_),
        {h.data, problem.histogram_stride, h.bin_stride, h.row_stride, h.column_stride, false},
        {sync()}};
    gpu::launch({exec, "WaveScan::integral_histogram", true},
                histogram_walk_kernel<T, HistogramWalk<Pixel, Binning, T>>, multiprocessors_,
                PlaneWalker<T>::threads, static_cast<std::size_t>(walk_bytes(work.rows)), work);
  }

  static constexpr int block_warps = histogram_threads / gpu::warp_size;

  template <class Writer, class Counts>
  bool launch(const gpu::Device& exec, const HistogramProblem<Pixel, Binning, T>& problem,
              const HistogramBands<Counts>& any_bands, const HistogramCut& cut) const {
    using Work = HistogramWork<Pixel, Binning, Counts, T>;
    using Counter = ColumnCounter<Pixel, Binning, Counts>;
    const HistogramBands<Counts> bands = bands_of(any_bands, cut);
    const Planes<T>& h = problem.histogram;
    // Neighbours that are stored as one: of a row, or of a pixel.
    const bool aligned =
        (Writer::along_rows ? bands.columns : bands.bins) % 4 == 0 &&
        are_aligned<16, T>(h.data,
                           {h.row_stride, Writer::along_rows ? h.bin_stride : h.column_stride,
                            problem.histogram_stride});
    const Work work{
        images(problem, bands),
        bands,
        {h.data, problem.histogram_stride, h.bin_stride, h.row_stride, h.column_stride, aligned},
        cut,
        {sync()},
        {sync() + sync_bytes / 16, Index(bands.images) * bands.bands * cut.parts,
         Index(multiprocessors_) * (block_warps / cut.team)}};
    const Index counting =
        Counter::table_bytes +
        Index(work.images.counted_bands) * Counter::counters(bands.bins, work.images.group) * 4;
    const Index shared = std::max(counting, Writer::shared_bytes(block_warps, bands, cut));
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
        problem.image, problem.image_stride, problem.binning, is_packed(problem), 32, 0, 0, 0};
    const Index limit = shared_limit_ - Counter::table_bytes;
    while (images.group > 4 &&
           (bands.images * ceil_div(bands.columns, images.group) < multiprocessors_ / 2 ||
            Counter::counters(bands.bins, images.group) * Index(4) > limit))
      images.group /= 2;
    images.groups = static_cast<int>(ceil_div(bands.columns, images.group));
    images.counted_bands = static_cast<int>(std::min<Index>(
        bands.bands, limit / (Counter::counters(bands.bins, images.group) * Index(4))));
    images.inverse_band_rows =
        static_cast<std::uint32_t>(((Index(1) << 32) + bands.band_rows - 1) / bands.band_rows);
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
  bool walks_ = false;  ///< through images whose histograms lie in planes
  HistogramTuning tuning_;
  HistogramCut planes_;
  HistogramCut side_by_side_;
  HistogramBands<SmallCounts> small_bands_{};
  HistogramBands<LargeCounts> large_bands_{};
  Kokkos::View<unsigned char*, gpu::Device::memory_space> workspace_;
};

}  // namespace wavescan::Impl

#endif
