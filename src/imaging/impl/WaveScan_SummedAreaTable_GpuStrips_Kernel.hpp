// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_KERNEL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_KERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Columns.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Copy.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Reduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Rows.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Scan.hpp>

#include <cstdint>

/// @file
/// @brief The summed-area table of a large image, at nearly the speed of a copy.
///
/// Each block owns a strip of the image and walks down it, moving tiles through a ring of stages in
/// shared memory. Sums over what lies above in the strip stay on the chip; only sums of rows travel
/// from strip to strip. Each warp has one task and goes through the tiles by itself, so that
/// nothing waits for an exchange but what needs its result. Every pixel is read once and every
/// entry written once, with one launch and no clearing. Who sums up what, and in which order, is
/// fixed, so results are the same from run to run. All blocks must be resident (cooperative
/// launch).
///
/// An entry is the sum of what lies
///   - in its strip: sums along the row of sums along the columns,
///   - to the left of the strip, in the tile's rows up to the entry's, and
///   - to the left of the strip and above the tile: the *corner*.
/// There are no differences.

namespace wavescan::Impl {

/// @brief Warps of a block that do not belong to StripsWarps.
template <class Tile>
inline constexpr int strips_fixed_warps = (1 + Tile::sets) * Tile::warps + 2;
template <class Tile>
__device__ void run_strips_block(const StripsTask<Tile>& task, char* memory) {
  const StripsBlock<Tile> block(task, memory);
  int warp = gpu::warp();
  StripsCopier<Tile> copier(block);
  if (threadIdx.x == 0) {
    for (int s = 0; s < task.shared.stages.places(); ++s) block.barriers.arrived[s].init(1);
    gpu::publish_barriers();
    gpu::order_before_bulk_copies();
    copier.begin();
  }
  // By another warp, so that the first loads need not wait.
  if (threadIdx.x == 32) {
    for (int s = 0; s < task.shared.stages.places(); ++s)
      block.barriers.scanned[s].init(Tile::warps * gpu::arrivals_of_warp);
    if constexpr (!Tile::in_place)
      for (int s = 0; s < task.shared.outs.places(); ++s) block.barriers.out_free[s].init(1);
    for (int s = 0; s < task.shared.slots.places(); ++s) {
      block.barriers.reduced[s].init(Tile::warps * gpu::arrivals_of_warp);
      block.barriers.stacked[s].init(gpu::arrivals_of_warp);
      block.barriers.gathered[s].init(gpu::arrivals_of_warp);
      block.barriers.followed[s].init(gpu::arrivals_of_warp);
    }
  }
  if (threadIdx.x == 64)
    block.barriers.first_tag =
        1 + task.epochs.advance_epoch(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
                                      static_cast<std::uint32_t>(block.tiles()));
  __syncthreads();
  if (warp == 0) {
    if (gpu::lane() == 0) copier.run();
    return;
  }
  if (warp == 1) return StripsStacker<Tile>(block).run();
  warp -= 2;
  if (warp < Tile::warps) return StripsReducer<Tile>(block, warp).run();
  warp -= Tile::warps;
  if (warp < Tile::sets * Tile::warps) return StripsTableScanner<Tile>(block, warp).run();
  warp -= Tile::sets * Tile::warps;
  if (warp < task.warps.scanners) return StripsRowScanner<Tile>(block, warp).run();
  warp -= task.warps.scanners;
  if (warp < task.warps.followers) return StripsFollower<Tile>(block, warp).run();
  StripsGatherer<Tile>(block, warp - task.warps.followers).run();
}

template <class Tile>
__global__ void __launch_bounds__(32 * (strips_fixed_warps<Tile> + StripsWarps::most<Tile>), 1)
    summed_area_table_strips([[maybe_unused]] const WAVESCAN_GRID_CONSTANT StripsTask<Tile> task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  run_strips_block(task, memory + (128 - address % 128) % 128);
#endif
}

}  // namespace wavescan::Impl

#endif
