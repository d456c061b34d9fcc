// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Kernel.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Alignment.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wavescan::Impl {

/// @brief The workspace and the launches for tall images whose rows follow each other in memory,
/// without gaps.
/// @tparam Squared the tables are those of the pixels' squares
template <class Pixel, class T, bool Squared = false>
class TallTable {
  using Tile = TallTile<Pixel, T, Squared>;
  using Problem = TableProblem<Pixel, T>;

 public:
  TallTable() = default;
  /// @param blocks of the kernel at most: one for each multiprocessor
  TallTable(const gpu::Device& exec, Index rows, Index columns, int blocks)
      : blocks_(std::min(blocks, TallColumnScanner<Tile>::most_blocks)) {
    const auto words = [&](Index m, Index n) {
      return suits(m, n) ? TallRing<Tile>(plan(m, n), nullptr).size() : 0;
    };
    const std::size_t most = std::max(words(rows, columns), words(columns, rows));
    // No tag of a launch is zero; after this nothing is ever cleared.
    words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::summed_area_table::tall"),
        SumRing::header(blocks_) + most);
  }

  /// @brief Whether `enqueue` can compute these tables.
  /// @param p whose rows run along memory
  bool takes(const Problem& p) const {
    return suits(p.image.rows, p.image.columns) && follow_each_other(p.image) &&
           follow_each_other(p.table) &&
           images_begin_at<16>(p.image.data, p.images, p.image_stride) &&
           images_begin_at<16>(p.table.data, p.images, p.table_stride);
  }
  /// @brief Enqueues the tables, one after the other, or returns false if other kernels must
  /// compute them.
  bool enqueue(const gpu::Device& exec, const Problem& p) const {
    if (!takes(p)) return false;
    for (Index m = 0; m < p.images; ++m) launch(exec, p.of_image(m));
    return true;
  }

 private:
  TallPlan plan(Index rows, Index columns) const {
    return TallPlan::of<Tile>(rows, columns, blocks_);
  }
  bool suits(Index rows, Index columns) const {
    if (blocks_ == 0 || rows == 0 || columns == 0 || columns > Tile::most_columns ||
        columns % Tile::chunk != 0)
      return false;
    const TallPlan p = plan(rows, columns);
    return p.stages.places() > 0 && p.chunks <= TallColumnScanner<Tile>::most_chunks * p.blocks;
  }

  template <class E>
  static bool follow_each_other(const Grid<E>& grid) {
    return grid.rows == 1 || grid.row_stride == grid.columns;
  }

  void launch(const gpu::Device& exec, const Problem& p) const {
    const TallPlan cut = plan(p.image.rows, p.image.columns);
    const TallTask<Tile> task{p.image.data,
                              p.table.data,
                              cut,
                              {words_.data(), blocks_},
                              {cut, words_.data() + SumRing::header(blocks_)}};
    gpu::launch({exec, "WaveScan::summed_area_table::tall", true}, tall_summed_area_table<Tile>,
                cut.blocks, 32 * tall_warps<Tile>,
                static_cast<std::size_t>(typename TallShared<Tile>::Layout(cut).bytes), task);
  }

  int blocks_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
};

}  // namespace wavescan::Impl

#endif
