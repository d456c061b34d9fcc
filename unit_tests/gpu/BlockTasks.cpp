// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <vector>

// Blocks that draw tasks, each of whose warps counts its lanes in all tasks that it sees.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_BlockTasks.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include "GpuValues.hpp"

namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

__global__ void count_lanes(Index* ticket, int* lanes, Index tasks, int drawing) {
  __shared__ gpu::BlockTasks queue;
  if (threadIdx.x == 0) {
    queue.init(gpu::warps());
    gpu::publish_barriers();
  }
  __syncthreads();
  for (int round = 0;; ++round) {
    const Index task = queue.of_round(round, ticket, drawing);
    if (task >= tasks) return;
    if (task % gpu::warps() == gpu::warp()) back_off_for(500);  // one of them is late
    atomicAdd(lanes + task * gpu::warps() + gpu::warp(), 1);
  }
}

TEST(GpuBlockTasks, AllWarpsSeeEachTaskOnce) {
  for (const Index tasks : {0, 1, 2, 300})
    for (const int warps : {1, 2, 7})
      for (const int blocks : {1, 5, 400})
        for (const int drawing : {0, warps - 1}) {
          const auto size = static_cast<std::size_t>(tasks * warps);
          const DeviceArray<Index> ticket(std::vector<Index>(1, 0));
          const DeviceArray<int> lanes(std::vector<int>(size + 1, 0));
          gpu::launch({gpu::Device{}, "block_tasks_test", false}, count_lanes, blocks,
                      warps * gpu::warp_size, 0, ticket.data(), lanes.data(), tasks, drawing);
          std::vector<int> expected(size, gpu::warp_size);
          expected.push_back(0);
          ASSERT_EQ(lanes.values(), expected)
              << tasks << " tasks, " << warps << " warps, " << blocks << " blocks";
          ASSERT_EQ(ticket.values()[0], tasks + blocks);
        }
}

}  // namespace

#endif
