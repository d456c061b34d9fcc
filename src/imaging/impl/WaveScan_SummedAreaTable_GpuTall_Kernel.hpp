// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_KERNEL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_KERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Block.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Reduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Scan.hpp>

#include <cstdint>

/// @file
/// @brief The summed-area table of an image of many rows that follow each other in memory.
///
/// Blocks take tiles of whole rows in turn, each of which passes through shared memory once. Only
/// sums of columns travel between blocks. Each warp has one task and goes through the tiles by
/// itself, so that nothing waits for an exchange but what needs its result. Who sums up what, and
/// in which order, is fixed; nothing is subtracted. All blocks must be resident (cooperative
/// launch).

namespace wavescan::Impl {

/// @brief The thread that starts the loads of all tiles and their stores.
template <class Tile>
class TallCopier {
  /// As many loads at first, and then one more with each that arrives: many at once would keep the
  /// first ones waiting, and with them the first exchange.
  static constexpr int first_loads = 3;

 public:
  __device__ explicit TallCopier(const TallBlock<Tile>& block)
      : block_(block), tiles_(block.tiles), policy_(gpu::stream_policy()) {}

  __device__ void begin() const {
    for (int t = 0; t < first_loads && t < tiles_; ++t) load(t);
  }
  __device__ void run() const {
    for (int t = first_loads; t < block_.plan.stages.places() && t < tiles_; ++t) {
      block_.wait_arrived(t - first_loads);
      load(t);
    }
    for (int t = 0; t < tiles_; ++t) {
      block_.wait_scanned(t);
      if constexpr (!Tile::in_place) load_after(t);
      gpu::bulk_store(block_.task.table + first(t), block_.out_stage(t),
                      static_cast<std::uint32_t>(elements(t) * sizeof(typename Tile::T)), policy_);
      gpu::commit_stores();
      // Stages are few: rather wait for this tile's store to read it than for the next tile.
      gpu::wait_for_stores<0>();
      if constexpr (Tile::in_place)
        load_after(t);
      else
        block_.fixed.out_free[t % Tile::out_stages].arrive();
    }
  }

 private:
  __device__ Index first(int t) const {
    return Index(block_.tile(t)) * (block_.plan.tile_rows * block_.plan.columns);
  }
  __device__ int elements(int t) const {
    return block_.plan.rows_of(block_.tile(t)) * block_.plan.columns;
  }
  __device__ void load(int t) const {
    const TallPlan& plan = block_.plan;
    gpu::Barrier& arrived = block_.fixed.arrived[plan.stages.place(t)];
    arrived.arrive_expecting(
        load_row(block_.task.image + first(t), elements(t),
                 reinterpret_cast<const char*>(block_.task.image + plan.rows * plan.columns),
                 block_.stage(t), arrived, policy_));
  }
  /// @brief Loads the tile that takes the place of a tile.
  __device__ void load_after(int t) const {
    if (t + block_.plan.stages.places() < tiles_) load(t + block_.plan.stages.places());
  }

  const TallBlock<Tile>& block_;
  int tiles_;
  std::uint64_t policy_;
};

template <class Tile>
inline constexpr int tall_warps = 1 + 2 * Tile::warps + Tile::scanners;

template <class Tile>
__device__ void run_tall_block(const TallTask<Tile>& task, char* memory) {
  const TallBlock<Tile> block(task, memory);
  const TallPlan& plan = block.plan;
  const TallCopier<Tile> copier(block);
  if (threadIdx.x == 0) {
    for (int s = 0; s < plan.stages.places(); ++s) {
      block.fixed.arrived[s].init(1);
      block.fixed.scanned[s].init(Tile::warps * gpu::arrivals_of_warp);
    }
    for (int s = 0; s < Tile::out_stages; ++s) block.fixed.out_free[s].init(1);
    for (int s = 0; s < plan.slots.places(); ++s) {
      block.fixed.reduced[s].init(Tile::warps * gpu::arrivals_of_warp);
    }
    for (gpu::Barrier& told : block.fixed.told) told.init(plan.strips * gpu::arrivals_of_warp);
    for (gpu::Barrier& handed : block.fixed.handed) handed.init(gpu::arrivals_of_warp);
    gpu::publish_barriers();
    gpu::order_before_bulk_copies();
    copier.begin();
  }
  if (threadIdx.x == 32)
    block.fixed.first_tag = 1 + task.epochs.advance_epoch(block.number, plan.blocks,
                                                          static_cast<std::uint32_t>(plan.waves));
  __syncthreads();
  int warp = gpu::warp();
  if (warp == 0) {
    if (gpu::lane() == 0) copier.run();
    return;
  }
  warp -= 1;
  if (warp < Tile::warps) return TallReducer<Tile>(block, warp).run();
  warp -= Tile::warps;
  if (warp < Tile::warps) return TallTableScanner<Tile>(block, warp).run();
  warp -= Tile::warps;
  TallColumnScanner<Tile>(block, warp).run();
}

template <class Tile>
__global__ void __launch_bounds__(32 * tall_warps<Tile>, 1)
    tall_summed_area_table([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TallTask<Tile> task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 tall_memory[];
  run_tall_block(task, reinterpret_cast<char*>(tall_memory));
#endif
}

}  // namespace wavescan::Impl

#endif
