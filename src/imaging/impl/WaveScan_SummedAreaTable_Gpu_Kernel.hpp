// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_KERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Block.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Gather.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Load.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Reduce.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Scan.hpp>

#include <cstdint>

/// @file
/// @brief Summed-area tables on a GPU with bulk copies: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. Each warp has one task and
/// goes through the tiles by itself: one starts the loads; some *reduce* a tile when it arrives;
/// some publish its sums and *gather* those of the other blocks; and some *scan* the tile and store
/// the table. Every pixel is read once and every entry written once, with one launch and no
/// clearing. The assignment of tiles and the order of additions are fixed, so results are the same
/// from run to run. All blocks must be resident (cooperative launch).
///
/// An entry is the sum of what lies
///   - in its tile: sums along the rows of sums along the columns,
///   - above the tile, in the columns up to the entry's,
///   - to the left, in the rows up to the entry's, and
///   - above and to the left: the *corner*.
/// A block keeps sums over all the tiles that its team has gone through: downwards of the columns
/// and the corner, rightwards of the rows and the corner. There are no differences.

namespace wavescan::Impl {

/// @brief The warps of a block.
template <class Tile>
struct TableWarps {
  static constexpr int reduce = Tile::warps * Tile::at_once;
  static constexpr int scan = reduce;
  static constexpr int columns = ColumnGatherer<Tile>::threads / 32;
  static constexpr int rows = RowGatherer<Tile>::threads / 32;
  static constexpr int gather = columns + rows + 1;
  static constexpr int all = reduce + scan + gather * Tile::gathers + Tile::loaders;
  static_assert(all <= 32);
};

template <class Tile>
__device__ void run_table_block(const TableTask<Tile>& task, char* memory) {
  using Shared = TableShared<Tile>;
  using Warps = TableWarps<Tile>;
  const TableBlock<Tile> block(task, memory);
  int warp = gpu::warp();
  if (block.padded()) block.pad();
  if (threadIdx.x == 32) {
    for (int s = 0; s < Shared::stages; ++s) {
      block.shared.arrived[s].init(32);
      block.shared.scanned[s].init(32 * Tile::warps);
    }
    for (int s = 0; s < Tile::slots; ++s) {
      block.shared.reduced[s].init(32 * Tile::warps);
      block.shared.columns_ready[s].init(32 * Warps::columns);
      block.shared.rows_ready[s].init(32 * Warps::rows);
      block.shared.ready[s].init(32);
    }
    gpu::publish_barriers();
    gpu::order_before_bulk_copies();
  }
  if (threadIdx.x == 0)
    block.shared.first_tag =
        1 + task.ring.advance_epoch(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
                                    static_cast<std::uint32_t>(task.waves.tiles(0)));
  __syncthreads();
  if (warp < Warps::scan) return TableScanner<Tile>(block, warp).run();
  warp -= Warps::scan;
  if (warp < Warps::reduce) return TableReducer<Tile>(block, warp).run();
  warp -= Warps::reduce;
  if (warp < Tile::loaders) return TableLoader<Tile>(block, warp).run();
  warp -= Tile::loaders;
  const int first = warp / Warps::gather;
  warp %= Warps::gather;
  if (warp == 0) return CornerGatherer<Tile>(block, first).run();
  const int thread = (warp - 1) * 32 + gpu::lane();
  if (warp <= Warps::columns) return ColumnGatherer<Tile>(block, thread, first).run();
  RowGatherer<Tile>(block, thread - 32 * Warps::columns, first).run();
}

template <class Tile>
__global__ void __launch_bounds__(32 * TableWarps<Tile>::all, 1)
    summed_area_tables([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TableTask<Tile> task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  run_table_block(task, memory + (128 - address % 128) % 128);
#endif
}

}  // namespace wavescan::Impl

#endif
