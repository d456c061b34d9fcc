// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

// Values that the lanes of a warp receive from another block, each lane its own: for a warp that a
// flag tells how far they are, or for itself.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_LaneStreams.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include "GpuValues.hpp"

namespace gpu_lane_streams {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int lanes = gpu::warp_size;
constexpr int max_count = 64;
constexpr int unit = 4;

template <class V>
__host__ __device__ V value_of(std::uint32_t tag, int lane, int k) {
  return static_cast<V>(1000 * tag + 64 * k + lane) + V(0.25);
}

/// @brief A lane has every second value only if its number is odd.
template <class V>
struct Stream {
  const gpu::TaggedWord* places;
  V* taken;  ///< (k, lane)
  std::uint32_t first_tag;
  int next = 0;

  __device__ bool wanted() const {
    return next < max_count && (gpu::lane() % 2 == 0 || next % 2 == 1);
  }
  __device__ const gpu::TaggedWord* place() const {
    return places + (next % max_count * lanes + gpu::lane()) * gpu::Tagged<V>::words;
  }
  __device__ std::uint32_t tag() const { return first_tag + static_cast<std::uint32_t>(next); }
  __device__ void take_if(bool came, V value) {
    if (came) taken[next * lanes + gpu::lane()] = value;
  }
  __device__ void advance_if(bool done) { next += done ? 1 : 0; }
  __device__ void turn() {}
  __device__ int position() const { return next; }
};

using Flag = gpu::BlockFlag<gpu::FlagOrder::ReleaseAcquire, unit>;

/// @brief Block 0 sends the first `sent` values of all lanes, block 1 receives `count` and checks.
template <class V>
__global__ void send_and_receive(gpu::TaggedWord* places, std::uint32_t tag, int sent, int count,
                                 gpu::Watchdog watchdog, int* wrong) {
  __shared__ Flag flag;
  __shared__ V taken[max_count * lanes];
  if (threadIdx.x == 0) flag.clear();
  __syncthreads();
  if (blockIdx.x == 0) {
    if (gpu::warp() > 0) return;
    for (int k = 0; k < sent; ++k)
      gpu::Tagged<V>::publish(places + (k * lanes + gpu::lane()) * gpu::Tagged<V>::words,
                              value_of<V>(tag, gpu::lane(), k),
                              tag + static_cast<std::uint32_t>(k));
  } else if (gpu::warp() == 0) {
    Stream<V> stream{places, taken, tag};
    gpu::receive_by_lanes<V>(stream, count, flag, watchdog);
  } else {
    for (int k = 0; k < count; k += unit) {
      gpu::wait_for(flag, k + unit);
      for (int j = k; j < k + unit && j < sent; ++j)
        if ((gpu::lane() % 2 == 0 || j % 2 == 1) &&
            taken[j * lanes + gpu::lane()] != value_of<V>(tag, gpu::lane(), j))
          atomicAdd(wrong, 1);
    }
  }
}

template <class V>
void test_streams() {
  const gpu::Device exec{};
  const gpu::StallReport report(10);
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(max_count * lanes * gpu::Tagged<V>::words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  std::uint32_t tag = 0xffffff00u;
  for (const int count : {4, 64, 0, 8, 64, 32, 64}) {
    gpu::launch({exec, "lane_streams_test", true}, send_and_receive<V>, 2, 2 * lanes, 0,
                memory.data(), tag, count, count, report.watchdog(), wrong.data());
    tag += max_count;
  }
  EXPECT_EQ(wrong.values()[0], 0);
  EXPECT_NO_THROW(report.throw_if_stuck("lane_streams_test"));
}

TEST(GpuLaneStreams, ReceivesInOrder) {
  test_streams<float>();
  test_streams<double>();
}

TEST(GpuLaneStreams, GivesUpWhatNeverComes) {
  const gpu::Device exec{};
  const gpu::StallReport report(0.05);
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(max_count * lanes * gpu::Tagged<double>::words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  gpu::launch({exec, "lane_streams_test", true}, send_and_receive<double>, 2, 2 * lanes, 0,
              memory.data(), 1, 30, 64, report.watchdog(), wrong.data());
  EXPECT_EQ(wrong.values()[0], 0);
  EXPECT_THROW(report.throw_if_stuck("lane_streams_test"), std::runtime_error);
}

/// @brief In a cluster of two blocks: the first warp of one receives for itself what the other one
/// sends into its shared memory.
template <class V>
__global__ void receive_own_values(int* wrong) {
  constexpr int words = gpu::Tagged<V>::words;
  constexpr std::uint32_t tag = 7;
  __shared__ Flag flag;
  __shared__ __align__(16) gpu::TaggedWord places[max_count * lanes * words];
  __shared__ V taken[lanes];
  for (int i = static_cast<int>(threadIdx.x); i < max_count * lanes * words; i += blockDim.x)
    places[i] = 0;
  if (threadIdx.x == 0) flag.clear();
  gpu::sync_cluster();
  if (gpu::cluster_rank() == 0) {
    gpu::TaggedWord* const there = gpu::in_block(1, places);
    for (int k = 0; k < max_count; ++k)
      gpu::Tagged<V>::publish_if(true, there + (k * lanes + gpu::lane()) * words,
                                 value_of<V>(tag, gpu::lane(), k),
                                 tag + static_cast<std::uint32_t>(k), gpu::ClusterAccess());
  } else if (gpu::warp() == 1) {
    for (int k = unit; k <= max_count; k += unit) flag.publish(k);
  } else {
    struct Last : Stream<V> {  // keeps the last value only
      __device__ void take_if(bool came, V value) {
        if (came) this->taken[gpu::lane()] = value;
      }
    };
    gpu::OwnValues<V, Last, gpu::ClusterAccess> values(Last{{places, taken, tag}});
    int seen = 0;
    for (int k = 0; k < max_count; ++k) {
      gpu::wait_for_both(flag, k / unit * unit + unit, seen, values);
      const bool wanted = gpu::lane() % 2 == 0 || k % 2 == 1;
      if (wanted && taken[gpu::lane()] != value_of<V>(tag, gpu::lane(), k)) atomicAdd(wrong, 1);
      values.look();
    }
  }
  gpu::sync_cluster();
}

TEST(GpuLaneStreams, ValuesOfACluster) {
  const gpu::Device exec{};
  if (!gpu::has_bulk_copies(exec)) GTEST_SKIP() << "needs compute capability 9.0";
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  gpu::launch({exec, "lane_streams_test", false, 2}, receive_own_values<float>, 2, 2 * lanes, 0,
              wrong.data());
  gpu::launch({exec, "lane_streams_test", false, 2}, receive_own_values<double>, 2, 2 * lanes, 0,
              wrong.data());
  EXPECT_EQ(wrong.values()[0], 0);
}

}  // namespace
}  // namespace gpu_lane_streams

#endif
