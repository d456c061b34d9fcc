// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKTASKS_HPP
#define WAVESCAN_IMPL_GPU_BLOCKTASKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

/// @file
/// @brief Tasks that a block draws one after the other, whose warps go on to the next one when they
/// have done their own part (CUDA, compute capability 9.0 and newer).
///
/// Why the memory order suffices: a task's number is written before the thread that has drawn it
/// arrives at a barrier, and read after it; the place is used again when all warps have arrived at
/// another one.
///
/// Why waits end: the warp that draws waits until all have read the task of two rounds before,
/// which they do when they have done their parts of earlier ones.

namespace wavescan::Impl::gpu {

/// @brief Tasks that a block draws, in shared memory.
class BlockTasks {
 public:
  /// @brief Called by one thread, before publish_barriers and a barrier of the block.
  __device__ void init(int warps) {
    for (int k = 0; k < 2; ++k) {
      drawn_[k].init(1);
      taken_[k].init(warps * arrivals_of_warp);
    }
  }
  /// @brief The task of a round: 0, 1, ... Called by all lanes of all warps.
  /// @param drawing the warp that draws it
  __device__ Index of_round(int round, Index* ticket, int drawing = 0) {
    if (warp() == drawing) {
      if (round >= 2) wait_in_turn(taken_, round - 2);
      if (lane() == 0) {
        task_[round % 2] = next_number(ticket);
        drawn_[round % 2].arrive();
      }
      sync_warp();
    }
    wait_in_turn(drawn_, round);
    const Index task = task_[round % 2];
    arrive_as_warp(barrier_of(taken_, round));
    return task;
  }

 private:
  Barrier drawn_[2];
  Barrier taken_[2];
  Index task_[2];
};

}  // namespace wavescan::Impl::gpu

#endif
