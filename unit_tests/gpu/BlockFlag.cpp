// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstdint>
#include <vector>

// Warps of a block that hand values on through shared memory, and blocks that wait for all others.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include "GpuValues.hpp"

namespace gpu_block_flag {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int warps = gpu::shows_flags ? 4 : 8;  // as the barriers shown take much shared memory
constexpr int room = 4;                          ///< places of a ring between two warps

/// @brief Each warp takes the numbers of the warp before, adds its lane to them and hands them on;
/// the last one writes them out.
template <gpu::FlagOrder Order>
__global__ void hand_on(std::uint32_t* out, int numbers) {
  using Flag = gpu::BlockFlag<Order>;
  __shared__ std::uint32_t ring[warps][room][gpu::warp_size];
  __shared__ Flag sent[warps], taken[warps];
  const int warp = gpu::warp(), lane = gpu::lane();
  if (static_cast<int>(threadIdx.x) < warps) {
    sent[threadIdx.x].clear();
    taken[threadIdx.x].clear();
  }
  __syncthreads();
  for (int k = 0; k < numbers; ++k) {
    auto value = static_cast<std::uint32_t>(1000 * k);
    if (warp > 0) {
      Flag& from = sent[warp - 1];
      while (gpu::any(from.look() <= k)) {
      }
      gpu::sync_warp();
      from.rely_on(k + 1);
      value = ring[warp - 1][k % room][lane];
      gpu::sync_warp();
      taken[warp - 1].publish(k + 1);
    }
    value += static_cast<std::uint32_t>(lane);
    if (warp + 1 == warps) {
      out[k * gpu::warp_size + lane] = value;
    } else {
      while (gpu::any(taken[warp].look() + room <= k)) {
      }
      gpu::sync_warp();
      taken[warp].rely_on(k + 1 - room);
      ring[warp][k % room][lane] = value;
      gpu::sync_warp();
      sent[warp].publish(k + 1);
    }
  }
}

template <gpu::FlagOrder Order>
void test_flags() {
  constexpr int numbers = 300;
  const DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(numbers * gpu::warp_size, 7));
  gpu::launch({gpu::Device{}, "block_flag_test", false}, hand_on<Order>, 1, warps * gpu::warp_size,
              0, out.data(), numbers);
  const auto found = out.values();
  for (int k = 0; k < numbers; ++k)
    for (int lane = 0; lane < gpu::warp_size; ++lane)
      ASSERT_EQ(found[static_cast<std::size_t>(k * gpu::warp_size + lane)],
                static_cast<std::uint32_t>(1000 * k + warps * lane))
          << "number " << k << ", lane " << lane;
}

TEST(GpuBlockFlag, HandsOnWhatWasDoneBefore) {
  test_flags<gpu::FlagOrder::ReleaseAcquire>();
  test_flags<gpu::FlagOrder::Program>();
}

/// @brief In each round each block looks at what all others have written in the round before.
__global__ void meet(gpu::GridBarrier barrier, std::uint32_t* written, int rounds, int* wrong) {
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) written[blockIdx.x] += 1;
    barrier.wait();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
      if (*static_cast<volatile std::uint32_t*>(&written[b]) != static_cast<std::uint32_t>(round))
        atomicAdd(wrong, 1);
    barrier.wait();
  }
}

TEST(GpuGridBarrier, AllBlocksWaitForAll) {
  constexpr int blocks = 13;
  const DeviceArray<gpu::TaggedWord> arrivals(std::vector<gpu::TaggedWord>(1, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  for (int launch = 0; launch < 3; ++launch) {
    const DeviceArray<std::uint32_t> written(std::vector<std::uint32_t>(blocks, 0));
    gpu::launch({gpu::Device{}, "grid_barrier_test", true}, meet, blocks, 128, 0,
                gpu::GridBarrier{arrivals.data()}, written.data(), 20, wrong.data());
    EXPECT_EQ(wrong.values()[0], 0);
  }
}

/// @brief Each worker, a warp, counts how often each task comes to it.
__global__ void work(gpu::WorkQueue queue, int* visits) {
  for (Index task = Index(blockIdx.x) * (blockDim.x / gpu::warp_size) + gpu::warp();
       task < queue.tasks;) {
    gpu::TaggedWord ticket = 0;
    if (gpu::lane() == 0) {
      atomicAdd(visits + task, 1);
      ticket = queue.draw();
    }
    ticket = gpu::broadcast(ticket, 0);
    task = queue.task(ticket);
  }
}

TEST(GpuWorkQueue, HandsOutEveryTaskOnce) {
  constexpr int blocks = 5, workers = blocks * 2;
  const DeviceArray<gpu::TaggedWord> drawn(std::vector<gpu::TaggedWord>(1, 0));
  for (const int tasks : {1, workers - 1, workers, workers + 1, 1000}) {
    const DeviceArray<int> visits(std::vector<int>(static_cast<std::size_t>(tasks), 0));
    gpu::launch({gpu::Device{}, "work_queue_test", false}, work, blocks, 2 * gpu::warp_size, 0,
                gpu::WorkQueue{drawn.data(), tasks, workers}, visits.data());
    EXPECT_EQ(visits.values(), std::vector<int>(static_cast<std::size_t>(tasks), 1))
        << tasks << " tasks";
    EXPECT_EQ(drawn.values()[0], 0u) << "left as it was";
  }
}

}  // namespace
}  // namespace gpu_block_flag

#endif
