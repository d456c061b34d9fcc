// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

// Messages that warps hand on from block to block, in order; and what happens when some never come.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_MessageStream.hpp>

#include "GpuValues.hpp"

namespace gpu_message_stream {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int lanes = gpu::warp_size;

__host__ __device__ std::uint32_t word_of(std::uint32_t tag, int k, int i) {
  return tag * 2654435761u + static_cast<std::uint32_t>(k) * 40503u +
         static_cast<std::uint32_t>(i) * 977u;
}

/// @brief The first block makes up messages, each other one adds its number to those of the block
/// before, which have a warp of their own to send them.
template <int Words, int Ahead>
__global__ void hand_on(gpu::TaggedWord* places, std::uint32_t tag, int count,
                        gpu::Watchdog watchdog, int* wrong) {
  using Stream = gpu::MessageStream<Words>;
  const int block = static_cast<int>(blockIdx.x);
  const auto stream_of = [&](int b) -> Stream {
    return {places + static_cast<std::size_t>(b) * count * Words, tag};
  };
  const Stream mine = stream_of(block);
  typename Stream::Part part = {};
  if (block == 0) {
    for (int k = 0; k < count; ++k) {
      Stream::for_each_word([&](int e, int i) { part[e] = word_of(tag, k, i); });
      mine.send(k, part);
    }
    return;
  }
  int received = 0;
  stream_of(block - 1).template receive<Ahead>(
      count, watchdog, [&](int k, const typename Stream::Part& found) {
        if (k != received++) atomicAdd(wrong, 1);
        Stream::for_each_word([&](int e, int i) {
          if (found[e] != word_of(tag, k, i) + static_cast<std::uint32_t>(block - 1))
            atomicAdd(wrong, 1);
          part[e] = found[e] + 1;
        });
        mine.send(k, part);
      });
  if (received != count) atomicAdd(wrong, 1);
}

template <int Words, int Ahead>
void test_chain() {
  constexpr int blocks = 9, max_count = 203;
  const gpu::Device exec{};
  const gpu::StallReport report(10);
  // Nothing is cleared between launches, whose numbers of messages differ.
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(static_cast<std::size_t>(blocks) * max_count * Words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  std::uint32_t tag = 0xfffffff8u;
  for (const int count : {1, 2, 0, 5, 64, max_count, 7, max_count, 3, 1, max_count}) {
    if (++tag == 0) ++tag;
    gpu::launch({exec, "message_stream_test", true}, hand_on<Words, Ahead>, blocks, lanes, 0,
                memory.data(), tag, count, report.watchdog(), wrong.data());
  }
  EXPECT_EQ(wrong.values()[0], 0) << Words << " words, " << Ahead << " ahead";
  EXPECT_NO_THROW(report.throw_if_stuck("message_stream_test"));
}

TEST(GpuMessageStream, HandsOnInOrder) {
  test_chain<1, 4>();
  test_chain<lanes - 1, 4>();
  test_chain<lanes, 4>();
  test_chain<lanes + 1, 2>();
  test_chain<5 * lanes, 2>();
  test_chain<72, 1>();
}

/// @brief The first block sends, the second one looks for a message while it has taken the one
/// before.
template <int Words>
__global__ void look_ahead(gpu::TaggedWord* places, std::uint32_t tag, int count, int* wrong) {
  using Stream = gpu::MessageStream<Words>;
  const Stream stream{places, tag};
  if (blockIdx.x == 0) {
    typename Stream::Part part = {};
    for (int k = 0; k < count; ++k) {
      Stream::for_each_word([&](int e, int i) { part[e] = word_of(tag, k, i); });
      stream.send(k, part);
    }
    return;
  }
  typename Stream::Found found;
  stream.look(0, found);
  for (int k = 0; k < count; ++k) {
    while (!stream.is(found)) stream.look(k, found);
    typename Stream::Found next;
    stream.look(k + 1 < count ? k + 1 : k, next);
    Stream::for_each_word([&](int e, int i) {
      if (found[e] != word_of(tag, k, i)) atomicAdd(wrong, 1);
    });
    found = next;
  }
}

template <int Words>
void test_looks() {
  constexpr int count = 101;
  const gpu::Device exec{};
  const DeviceArray<gpu::TaggedWord> memory(
      std::vector<gpu::TaggedWord>(static_cast<std::size_t>(count) * Words, 0));
  const DeviceArray<int> wrong(std::vector<int>(1, 0));
  for (const std::uint32_t tag : {1u, 2u, 3u})
    gpu::launch({exec, "message_stream_test", true}, look_ahead<Words>, 2, lanes, 0, memory.data(),
                tag, count, wrong.data());
  EXPECT_EQ(wrong.values()[0], 0) << Words << " words";
}

TEST(GpuMessageStream, FindsMessagesByLooking) {
  test_looks<lanes>();
  test_looks<2 * lanes>();
  test_looks<lanes + 2>();
}

/// @brief Sends some messages, and waits for more.
__global__ void wait_in_vain(gpu::TaggedWord* places, int sent, int count, gpu::Watchdog watchdog,
                             int* received) {
  using Stream = gpu::MessageStream<lanes>;
  const Stream stream{places, 1};
  const typename Stream::Part part = {7};
  for (int k = 0; k < sent; ++k) stream.send(k, part);
  int got = 0;
  stream.receive<4>(count, watchdog, [&](int, const typename Stream::Part&) { ++got; });
  if (gpu::lane() == 0) *received = got;
}

TEST(GpuMessageStream, GivesUpWhatNeverComes) {
  const gpu::Device exec{};
  const gpu::StallReport report(0.05);
  const DeviceArray<gpu::TaggedWord> memory(std::vector<gpu::TaggedWord>(10 * lanes, 0));
  const DeviceArray<int> received(std::vector<int>(1, -1));
  gpu::launch({exec, "message_stream_test", true}, wait_in_vain, 1, lanes, 0, memory.data(), 6, 10,
              report.watchdog(), received.data());
  EXPECT_EQ(received.values()[0], 6);
  EXPECT_THROW(report.throw_if_stuck("message_stream_test"), std::runtime_error);
  EXPECT_NO_THROW(report.throw_if_stuck("message_stream_test"));  // said once
}

}  // namespace
}  // namespace gpu_message_stream

#endif
