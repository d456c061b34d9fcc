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
  using Walk = TableWalk<Strip, 8, 2>;
  static constexpr Index most_shared_bytes = 220 * 1024;
  static constexpr Index most_useful_blocks = 5;
  static constexpr Index most_useful_group = 8;
  /// For each processor, of which three in five have blocks: with fewer, tiles are quicker.
  static constexpr Index least_warps = 7;

 public:
  using Problem = typename Strip::Problem;
  struct Shape {
    Index blocks = 0;  ///< that share an image; 0: none
    Index group = 0;   ///< warps that share a strip of columns
  };

  /// @brief Whether `enqueue` can compute these tables: not if there are too few images, too large
  /// ones, or rows that do not consist of whole chunks.
  /// @param p whose rows run along memory
  static bool takes(const gpu::Device& exec, const Problem& p) {
    return takes(exec, p, best_shape(exec, p));
  }

  /// @brief Enqueues the tables, or returns false if other kernels must compute them.
  static bool enqueue(const gpu::Device& exec, const Problem& p) {
    return enqueue(exec, p, best_shape(exec, p));
  }
  static bool enqueue(const gpu::Device& exec, const Problem& p, const Shape& shape) {
    if (!takes(exec, p, shape)) return false;
    const typename Walk::Task task = task_of(p, shape);
    gpu::launch({exec, "WaveScan::summed_area_table::walk", false, static_cast<int>(shape.blocks)},
                walk_tables<Walk>, p.images * shape.blocks, 32 * task.strips * task.group,
                static_cast<std::size_t>(shared_bytes(p, shape)), task);
    return true;
  }

 private:
  static bool takes(const gpu::Device& exec, const Problem& p, const Shape& shape) {
    return gpu::has_bulk_copies(exec) && shape.blocks >= 1 && shape.blocks <= Walk::most_blocks &&
           has_whole_chunks<Strip::chunk>(p.image, p.images, p.image_stride) &&
           has_whole_chunks<Strip::chunk>(p.table, p.images, p.table_stride) && fits(p, shape);
  }
  static Index strips_of(const Problem& p, Index blocks) {
    return ceil_div(ceil_div(p.image.columns, Index(Strip::columns)), blocks);
  }
  static typename Walk::Task task_of(const Problem& p, const Shape& shape) {
    return {p, static_cast<int>(ceil_div(p.image.rows, shape.group * Walk::warp_rows)),
            static_cast<int>(strips_of(p, shape.blocks)), static_cast<int>(shape.group)};
  }
  static Index shared_bytes(const Problem& p, const Shape& shape) {
    return typename Walk::Layout(task_of(p, shape), static_cast<int>(shape.blocks)).bytes;
  }
  static bool fits(const Problem& p, const Shape& shape) {
    return strips_of(p, shape.blocks) * shape.group <= Walk::most_warps &&
           p.image.rows <= most_shared_bytes && shared_bytes(p, shape) <= most_shared_bytes;
  }

  /// @brief As many blocks for an image as run at the same time, with as many warps as are useful,
  /// or none if these do not suffice to keep the memory busy.
  static Shape best_shape(const gpu::Device& exec, const Problem& p) {
    const Index processors = gpu::device_properties(exec).multiProcessorCount;
    // Clusters of more than two do not reach all processors of a device's partitions.
    const auto run_at_once = [=](Index blocks) {
      return p.images * blocks <= (blocks <= 2 ? processors : processors * 7 / 8);
    };
    Shape shape{1, most_useful_group};
    while (shape.blocks < most_useful_blocks && run_at_once(shape.blocks + 1)) ++shape.blocks;
    // Little more than an image for each processor: halves spread more evenly.
    const bool many = p.images >= 2 * processors;
    if (p.images > processors && !many) shape.blocks = 2;
    const Index all_strips = strips_of(p, 1);
    shape.blocks = std::max(shape.blocks, ceil_div(all_strips, Index(Walk::most_warps)));
    const Index strips = strips_of(p, shape.blocks);
    shape.blocks = ceil_div(all_strips, strips);
    // Of many images two blocks of half as many warps run on a processor.
    const Index most_warps = many ? Walk::most_warps / 2 : Walk::most_warps;
    const auto too_many = [&](Index group) {
      return strips * group > most_warps || group / 2 * Walk::warp_rows >= p.image.rows ||
             !fits(p, {shape.blocks, group});
    };
    while (shape.group > 1 && too_many(shape.group)) shape.group /= 2;
    const Index blocks = p.images * shape.blocks;
    const bool busy =
        blocks * 5 >= processors * 3 && blocks * strips * shape.group >= least_warps * processors;
    return busy ? shape : Shape{};
  }
};

}  // namespace wavescan::Impl

#endif
