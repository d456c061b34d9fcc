// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// Chunks that blocks hand on, and of which the next task takes the second half; with few blocks for
// many tasks, so that most are sent long before somebody receives them.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_ChunkStream.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include "GpuValues.hpp"

namespace gpu_chunk_stream {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int stages = 4;
constexpr int words = gpu::warp_size;  ///< of a chunk
constexpr int half = words / 2;
constexpr int chunk_bytes = words * 4;

__host__ __device__ std::uint32_t made_up(Index task, int k, int i) {
  return static_cast<std::uint32_t>(task * 1009 + k * 67 + i);
}

/// @brief The first warp computes, the second one sends, the third one receives.
__global__ void hand_on(std::uint32_t* chunks, Index* counters, Index tasks, int count, int ahead) {
  __shared__ alignas(16) std::uint32_t in[stages][words], out[stages][words];
  __shared__ gpu::Barrier arrived[stages], done[stages], sent[stages];
  __shared__ Index drawn;
  const int thread = static_cast<int>(threadIdx.x), lane = gpu::lane();
  if (thread == 0) {
    for (int s = 0; s < stages; ++s) {
      arrived[s].init(gpu::receiver_arrivals<1>);
      done[s].init(gpu::arrivals_of_warp);
      sent[s].init(gpu::storing_arrivals);
    }
    gpu::publish_barriers();
  }
  const auto stream = [&](Index task) -> gpu::ChunkStream {
    return {reinterpret_cast<char*>(chunks + task * count * words), counters + 1 + task};
  };
  for (int first = 0;; first += count) {
    if (thread == 0) drawn = next_number(counters);
    __syncthreads();
    const Index task = drawn;
    if (task >= tasks) return;
    if (gpu::warp() == 0) {
      for (int k = 0; k < count; ++k) {
        gpu::wait_in_turn(arrived, first + k);
        if (first + k >= stages) gpu::wait_in_turn(sent, first + k - stages);
        const int stage = (first + k) % stages;
        const bool comes = lane >= half && task > 0 && k + ahead < count;
        out[stage][lane] = comes ? in[stage][lane] + 1 : made_up(task, k, lane);
        gpu::arrive_as_warp(gpu::barrier_of(done, first + k));
      }
    } else if (gpu::warp() == 1) {
      gpu::send_chunks(stream(task), done, sent, first, count, chunk_bytes,
                       [&](int k) { return out[k % stages]; });
    } else {
      const auto part_of = [&](int) {
        gpu::ChunkPart part{{}, ahead, chunk_bytes, half * 4, half * 4};
        if (task > 0) part.from = stream(task - 1);
        return part;
      };
      gpu::receive_chunks<1>(part_of, arrived, done, first, count,
                             [&](int k) { return reinterpret_cast<char*>(in[k % stages]); });
    }
    gpu::sync_warp();  // some lanes carry nothing, and have been ahead
    __syncthreads();
  }
}

TEST(GpuChunkStream, HandsOnWhatWasSentBefore) {
  for (const Index tasks : {1, 2, 17, 300})
    for (const int count : {1, 3, 4, 5, 50})
      for (const int ahead : {0, 1, 4})
        for (const int blocks : {1, 5, 400}) {
          const auto size = static_cast<std::size_t>(tasks * count * words);
          const DeviceArray<std::uint32_t> chunks(std::vector<std::uint32_t>(size, 0));
          const DeviceArray<Index> counters(
              std::vector<Index>(static_cast<std::size_t>(tasks) + 1, 0));
          gpu::launch({gpu::Device{}, "chunk_stream_test", false}, hand_on, blocks, 3 * words, 0,
                      chunks.data(), counters.data(), tasks, count, ahead);
          std::vector<std::uint32_t> expected(size);
          for (Index task = 0; task < tasks; ++task)
            for (int k = 0; k < count; ++k)
              for (int i = 0; i < words; ++i) {
                const auto at = [&](Index t, int c) {
                  return static_cast<std::size_t>((t * count + c) * words + i);
                };
                const bool comes = i >= half && task > 0 && k + ahead < count;
                expected[at(task, k)] =
                    comes ? expected[at(task - 1, k + ahead)] + 1 : made_up(task, k, i);
              }
          ASSERT_EQ(chunks.values(), expected)
              << tasks << " tasks of " << count << " chunks, ahead " << ahead << ", " << blocks
              << " blocks";
          for (Index task = 0; task < tasks; ++task)
            ASSERT_EQ(counters.values()[static_cast<std::size_t>(task) + 1], count);
        }
}

}  // namespace
}  // namespace gpu_chunk_stream

#endif
