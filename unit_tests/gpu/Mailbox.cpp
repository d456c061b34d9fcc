// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstdint>
#include <utility>
#include <vector>

// Messages between blocks, turn after turn and launch after launch, with nothing cleared between.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mailbox.hpp>

#include "GpuValues.hpp"

namespace gpu_mailbox {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int threads = 2 * gpu::warp_size;
constexpr int messages = 3;  ///< that a lane waits for at once

/// @brief A value of so many bytes, which says who sent it when.
template <int Bytes>
struct Letter {
  std::uint8_t bytes[Bytes];
  __host__ __device__ static Letter of(std::uint32_t launch, std::uint32_t turn, int sender,
                                       int lane) {
    Letter letter;
    std::uint32_t state = launch * 2654435761u + turn * 40503u +
                          static_cast<std::uint32_t>(sender) * 977u +
                          static_cast<std::uint32_t>(lane) * 131u;
    for (int i = 0; i < Bytes; ++i) {
      state = state * 1664525u + 1013904223u;
      letter.bytes[i] = static_cast<std::uint8_t>(state >> 24);
    }
    return letter;
  }
  __device__ bool operator==(const Letter& other) const {
    bool same = true;
    for (int i = 0; i < Bytes; ++i) same = same && bytes[i] == other.bytes[i];
    return same;
  }
};

/// @brief In each turn each lane of a block sends a letter, and waits for those of the blocks
/// before.
template <class V, class Box>
__global__ void exchange(Box box, std::uint32_t launch, std::uint32_t turns, int* wrong) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const gpu::LaunchTags tags = box.epoch().tags();
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    gpu::Tagged<V>::publish(box.template place<V>(turn, block, blocks, threads, thread),
                            V::of(launch, turn, block, thread), tags.of(turn));
    const auto sender = [&](int m) { return (block + blocks - m) % blocks; };
    // Not all lanes wait for all.
    const unsigned wanted = thread % 5 == 0 ? 5u : 7u;
    unsigned came = 0;
    gpu::await<V, messages>(
        wanted,
        [&](int m) { return box.template place<V>(turn, sender(m), blocks, threads, thread); },
        [&](int m) -> std::uint32_t { return tags.of(turn); },
        [&](int m, const V& letter) {
          came |= 1u << m;
          if (!(letter == V::of(launch, turn, sender(m), thread))) atomicAdd(wrong, 1);
        });
    if (came != wanted) atomicAdd(wrong, 1);
    // All wait for all, as users of a mailbox do before its places are taken again.
    for (int b = 0; b < blocks; ++b)
      gpu::await<V, 1>(
          1, [&](int) { return box.template place<V>(turn, b, blocks, threads, thread); },
          [&](int) { return tags.of(turn); }, [](int, const V&) {});
    __syncthreads();
  }
  if (block == 0 && thread == 0) box.epoch().end(tags, turns - 1);
}

template <int Bytes>
void test_exchange(std::uint32_t first_epoch) {
  using V = Letter<Bytes>;
  using Box = gpu::Mailbox<4, 2>;
  constexpr int blocks = 7;
  const gpu::Device exec{};
  std::vector<gpu::TaggedWord> words(Box::size<V>(blocks, threads), 0);
  words[0] = first_epoch;
  const DeviceArray<gpu::TaggedWord> memory(words);
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  std::uint32_t used = first_epoch;
  for (std::uint32_t launch = 0; launch < 20; ++launch) {
    const std::uint32_t turns = 1 + launch % 9;
    gpu::launch({exec, "mailbox_test", true}, exchange<V, Box>, blocks, threads, 0,
                Box{memory.data()}, launch, turns, wrong.data());
    used += turns;
  }
  EXPECT_EQ(wrong.values()[0], 0) << Bytes << " bytes from epoch " << first_epoch;
  EXPECT_EQ(static_cast<std::uint32_t>(memory.values()[0]), used);
}

TEST(GpuMailbox, DeliversValuesOfAnySize) {
  test_exchange<1>(0);
  test_exchange<4>(0);
  test_exchange<8>(0);
  test_exchange<12>(0);
  test_exchange<20>(0);
  test_exchange<64>(0);
}

TEST(GpuMailbox, TagsComeRound) {
  test_exchange<4>(0xffffffc0u);
  test_exchange<16>(0xfffffff0u);
}

}  // namespace
}  // namespace gpu_mailbox

#endif
