// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

// Values that the lanes of a warp receive from another block, each lane its own, for a warp that a
// flag tells how far they are.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_LaneStreams.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include "gpu_values.hpp"

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
template <class V, int Ahead>
struct Stream {
  const gpu::TaggedWord* places;
  V* taken;  ///< (k, lane)
  std::uint32_t first_tag;
  int next = 0;

  __device__ bool wanted(int i) const {
    return next + i < max_count && (gpu::lane() % 2 == 0 || (next + i) % 2 == 1);
  }
  __device__ const gpu::TaggedWord* place(int i) const {
    return places + ((next + i) % max_count * lanes + gpu::lane()) * gpu::Tagged<V>::words;
  }
  __device__ std::uint32_t tag(int i) const {
    return first_tag + static_cast<std::uint32_t>(next + i);
  }
  __device__ void take(int i, V value) { taken[(next + i) * lanes + gpu::lane()] = value; }
  __device__ void advance(int count) { next += count; }
  __device__ int position() const { return next; }
};

using Flag = gpu::BlockFlag<gpu::FlagOrder::ReleaseAcquire, unit>;

/// @brief Block 0 sends the first `sent` values of all lanes, block 1 receives `count` and checks.
template <class V, int Ahead>
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
    Stream<V, Ahead> stream{places, taken, tag};
    gpu::receive_by_lanes<V, Ahead>(stream, count, flag, watchdog);
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

template <class V, int Ahead>
void test_streams() {
  const gpu::Device exec{};
  const gpu::StallReport report(10);
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(max_count * lanes * gpu::Tagged<V>::words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  std::uint32_t tag = 0xffffff00u;
  for (const int count : {4, 64, 0, 8, 64, 32, 64}) {
    gpu::launch({exec, "lane_streams_test", true}, send_and_receive<V, Ahead>, 2, 2 * lanes, 0,
                memory.data(), tag, count, count, report.watchdog(), wrong.data());
    tag += max_count;
  }
  EXPECT_EQ(wrong.values()[0], 0) << Ahead << " ahead";
  EXPECT_NO_THROW(report.throw_if_stuck("lane_streams_test"));
}

TEST(GpuLaneStreams, ReceivesInOrder) {
  test_streams<float, 1>();
  test_streams<double, 1>();
  test_streams<double, 3>();
}

TEST(GpuLaneStreams, GivesUpWhatNeverComes) {
  const gpu::Device exec{};
  const gpu::StallReport report(0.05);
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(max_count * lanes * gpu::Tagged<double>::words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  gpu::launch({exec, "lane_streams_test", true}, send_and_receive<double, 2>, 2, 2 * lanes, 0,
              memory.data(), 1, 30, 64, report.watchdog(), wrong.data());
  EXPECT_EQ(wrong.values()[0], 0);
  EXPECT_THROW(report.throw_if_stuck("lane_streams_test"), std::runtime_error);
}

}  // namespace

#endif
