// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_GPUHISTOGRAM_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_GPUHISTOGRAM_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/histogram/gpu/WaveScan_ColumnCounts.hpp>
#include <impl/histogram/gpu/WaveScan_Interleaved.hpp>
#include <impl/histogram/gpu/WaveScan_Planar.hpp>
#include <impl/histogram/gpu/WaveScan_SmallPlanar.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>

/// @file
/// @brief Integral histograms on CUDA devices, each with one kernel.

namespace wavescan::Impl::histogram {

/// @brief The kernel: first all blocks bin and count the pixels, then they write parts of the
/// histogram, which do not depend on each other any more.
template <int threads, class Counter, class Writer, class Work>
__global__ void __launch_bounds__(threads, 1) kernel(const WAVESCAN_GRID_CONSTANT Work work) {
  extern __shared__ char memory[];
  Counter(work, memory).run();
  work.barrier.wait();
  Writer(work, memory).run();
}

/// @brief The workspace and the launches for images of one size.
///
/// The blocks first bin the pixels and count them down the columns, to know for each band of rows
/// what lies above it. Everything else that an entry needs is in its own band, so that the
/// histogram is then written by warps which know nothing of those of other bands. In small images
/// with bins in planes, the blocks count along the rows only, and warps walk down all of them.
///
/// Memory: a byte for each pixel, and two for each bin and column of each band of rows; twice as
/// much for more than 255 bins or 65535 rows. For small images two for each bin of 32 columns of
/// each row.
template <class Pixel, class Binning, class T>
class GpuHistogram {
  using Problem = histogram::Problem<Pixel, Binning, T>;

 public:
  GpuHistogram(const gpu::Device& exec, const Extents& extents, Index images,
               const SchemeTuning& tuning = {})
      : multiprocessors_(gpu::device_properties(exec).multiProcessorCount) {
    const DeviceLimits device{
        multiprocessors_, static_cast<Index>(gpu::device_properties(exec).sharedMemPerBlockOptin)};
    Index counts = -1;  // no scheme has a workspace
    Index code_bytes = 1;
    for (const Order order : {Order::Planar, Order::Interleaved}) {
      SchemeChoice& selected = selected_[static_cast<int>(order)];
      selected = select_scheme(
          {extents, images, order, may_look_up<Pixel, Binning>, std::integral<T> && sizeof(T) == 4},
          device, tuning);
      if (selected.scheme == Scheme::Portable) continue;
      counts = std::max(counts, selected.decomposition.counts);
      if (selected.decomposition.wide) code_bytes = 2;
    }
    if (counts < 0) return;
    pitch_ = code_pitch(extents.columns);
    counts_begin_ = sync_bytes + images * code_rows(extents.rows) * pitch_ * code_bytes;
    allocate_cleared(exec, workspace_, "WaveScan::integral_histogram::workspace",
                     counts_begin_ + counts);
  }

  /// @brief Enqueues the histograms, or returns false if counts and scans must compute them.
  bool enqueue(const gpu::Device& exec, const Problem& problem) const {
    const SchemeChoice& selected = selected_[static_cast<int>(order_of(problem.histogram))];
    if (selected.scheme == Scheme::Portable) return false;
    if (selected.decomposition.wide)
      launch<Wide>(exec, problem, selected);
    else
      launch<Narrow>(exec, problem, selected);
    return true;
  }

 private:
  template <class Types>
  void launch(const gpu::Device& exec, const Problem& problem, const SchemeChoice& selected) const {
    const Decomposition& decomposition = selected.decomposition;
    const Planes<T>& h = problem.histogram;
    const auto& [bins, rows, columns] = h.extents;
    const bool interleaved = selected.scheme == Scheme::Interleaved;
    // Neighbours that are stored as one: of a row, or of a pixel.
    const bool aligned = (interleaved ? bins : columns) % 4 == 0 &&
                         begin_at(16, h.data,
                                  {h.row_stride, interleaved ? h.column_stride : h.bin_stride,
                                   problem.histogram_stride});
    auto* const sync = reinterpret_cast<gpu::TaggedWord*>(workspace_.data());
    using Work = histogram::Work<Pixel, Binning, Types, T>;
    const Work work{
        problem,
        is_packed(problem),
        aligned,
        static_cast<int>(bins),
        static_cast<int>(rows),
        static_cast<int>(columns),
        static_cast<int>(problem.images),
        decomposition,
        pitch_,
        reinterpret_cast<typename Types::code_type*>(workspace_.data() + sync_bytes),
        reinterpret_cast<typename Types::count_type*>(workspace_.data() + counts_begin_),
        {sync},
        {sync + sync_bytes / 16, problem.images * decomposition.bands * decomposition.tasks,
         multiprocessors_ * (block_warps / decomposition.team)}};
    if (interleaved)
      launch<block_threads, ColumnCounter<Work>, InterleavedWriter<Work>>(exec, work);
    else if (selected.scheme == Scheme::Planar)
      launch<block_threads, ColumnCounter<Work>, PlanarWriter<Work>>(exec, work);
    else if constexpr (std::same_as<Types, Narrow>)
      launch<SmallSizes::threads, RowCounter<Work>, SmallPlanarWriter<Work>>(exec, work);
  }
  template <int threads, class Counter, class Writer, class Work>
  void launch(const gpu::Device& exec, const Work& work) const {
    gpu::launch({exec, "WaveScan::integral_histogram", true},
                kernel<threads, Counter, Writer, Work>, multiprocessors_, threads,
                static_cast<std::size_t>(work.decomposition.shared_bytes), work);
  }

  static bool is_packed(const Problem& problem) {
    const Grid<const Pixel>& image = problem.image;
    return (image.column_stride == 1 || image.columns == 1) &&
           rows_begin_at(alignof(PackedValues<Pixel, 4>), image, problem.images,
                         problem.image_stride);
  }

  /// Two counters, alone in their cache lines.
  static constexpr Index sync_bytes = 512;

  Index multiprocessors_;
  SchemeChoice selected_[3];  ///< for each Order
  Index pitch_ = 0;           ///< of codes and counts
  Index counts_begin_ = 0;
  Kokkos::View<unsigned char*, gpu::Device::memory_space> workspace_;
};

}  // namespace wavescan::Impl::histogram

#endif
