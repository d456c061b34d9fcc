// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUWALK_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUWALK_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuWalk_Kernel.hpp>

#include <algorithm>
#include <cstddef>

namespace wavescan::Impl {

/// @brief The launches of tables of which each block, or a few side by side, computes one. There is
/// no workspace.
template <class Pixel, class T>
class WalkedTables {
  using Strip = TableStrip<Pixel, T, true>;
  using Walk = TableWalk<Strip, 16, 2>;
  static constexpr Index most_shared_bytes = 220 * 1024;
  /// Of all images, in a band and its table: fewer go by faster when several blocks share an image.
  static constexpr Index least_bytes = 4 << 20;

 public:
  using Problem = typename Strip::Problem;

  /// @brief Enqueues the tables, or returns false if there are too few images, too large ones, or
  /// rows that do not consist of whole chunks.
  /// @param p      whose rows run along memory
  /// @param blocks that share an image, a power of two; 0: as many as suit best
  static bool enqueue(const gpu::Device& exec, const Problem& p, Index blocks = 0) {
    if (!gpu::has_bulk_copies(exec) ||
        !has_whole_chunks(p.image, p.images, p.image_stride, Strip::chunk) ||
        !has_whole_chunks(p.table, p.images, p.table_stride, Strip::chunk))
      return false;
    const Index strips = ceil_div(p.image.columns, Index(Strip::columns));
    if (blocks == 0) blocks = best_blocks(exec, p, strips);
    if (blocks < 1 || blocks > Walk::most_blocks || strips > blocks * Walk::most_warps)
      return false;
    const Index bands = ceil_div(p.image.rows, Index(Walk::band_rows));
    if (bands > most_shared_bytes) return false;
    const typename Walk::Task task{p, static_cast<int>(bands)};
    const int threads = static_cast<int>(32 * ceil_div(strips, blocks));
    const typename Walk::Layout layout(task, threads, static_cast<int>(blocks));
    if (layout.bytes > most_shared_bytes) return false;
    gpu::launch({exec, "WaveScan::summed_area_table::walk", false, static_cast<int>(blocks)},
                walk_tables<Walk>, p.images * blocks, threads,
                static_cast<std::size_t>(layout.bytes), task);
    return true;
  }

 private:
  /// @brief As few as reach over the columns; two if there is not work for nearly all processors
  /// otherwise; 0 if there is not even then.
  static Index best_blocks(const gpu::Device& exec, const Problem& p, Index strips) {
    const Index processors = gpu::device_properties(exec).multiProcessorCount;
    const auto too_few = [=](Index blocks) { return p.images * blocks * 10 < processors * 9; };
    Index blocks = 1;
    while (strips > blocks * Walk::most_warps) blocks *= 2;
    if (blocks == 1 && strips > 1 && too_few(blocks)) blocks = 2;
    const Index band_bytes = p.images * std::min(p.image.rows, Index(Walk::band_rows)) *
                             p.image.columns * Index(sizeof(Pixel) + sizeof(T));
    return too_few(blocks) || band_bytes < least_bytes ? 0 : blocks;
  }
};

}  // namespace wavescan::Impl

#endif
