// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_GRIDBARRIER_HPP
#define WAVESCAN_IMPL_GPU_GRIDBARRIER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

/// @file
/// @brief Barriers and shared work for the blocks of a kernel that are resident together.
///
/// Both counters are zero before the first launch; after this nothing is ever cleared from outside.

namespace wavescan::Impl::gpu {

/// @brief A barrier of all blocks. Launches that use the same counter have equally many blocks.
struct GridBarrier {
  TaggedWord* arrivals;  ///< since the first launch: 64 bits never run out

  /// @brief Waits for all blocks: what any thread wrote before is there for every thread after.
  __device__ void wait() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const TaggedWord before = atomicAdd(arrivals, TaggedWord(1));
      const TaggedWord all = (before / gridDim.x + 1) * gridDim.x;
      while (load_relaxed(arrivals) < all) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

/// @brief Hands out tasks: each worker first takes the task with its own number, and then
/// draws from the rest, in order.
struct WorkQueue {
  TaggedWord* drawn;
  Index tasks;
  Index workers;  ///< of all blocks

  /// @brief Draws a ticket, which nobody waits for before it is exchanged for a task.
  __device__ TaggedWord draw() const {
    return tasks > workers ? atomicAdd(drawn, TaggedWord(1)) : 0;
  }
  /// @brief A ticket's task; `tasks` or more: there is none, and the worker must not draw again.
  __device__ Index task(TaggedWord ticket) const {
    if (tasks <= workers) return tasks;
    // Every worker draws once in vain; the last one of them leaves the counter as it was.
    if (ticket == static_cast<TaggedWord>(tasks - 1)) store_relaxed(drawn, 0);
    return workers + static_cast<Index>(ticket);
  }
};

/// @brief A team's tasks, one after the other, each drawn while the one before is written.
/// @param next shared memory of the team for two tasks
template <class Write>
__device__ void for_each_task(const Team& team, const WorkQueue& queue, Index* next,
                              const Write& write) {
  const int teams = static_cast<int>(blockDim.x) / (team.warps() * warp_size);
  const bool leader = team.rank() == 0 && lane() == 0;
  Index task = Index(blockIdx.x) * teams + team.number();
  for (int k = 0; task < queue.tasks; k ^= 1) {
    const TaggedWord ticket = leader ? queue.draw() : 0;
    write(task);
    if (leader) next[k] = queue.task(ticket);
    team.sync();
    task = next[k];
  }
}

}  // namespace wavescan::Impl::gpu

#endif
