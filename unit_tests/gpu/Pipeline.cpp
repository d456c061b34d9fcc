// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

// Tiles of lines through the stages of a pipeline, wherever lines begin and end; and what tells
// stages and parities.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>

#include "GpuValues.hpp"

namespace gpu_pipeline {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int stages = 4;
constexpr int workers = 64;
constexpr int tile_bytes = workers * 16;

/// @brief The block's tiles, each element of which is to be one more afterwards. In place.
template <class T>
__global__ void add_one(gpu::TileStream<T> stream, int tiles, gpu::RingSize ring) {
  __shared__ alignas(128) char memory[stages][tile_bytes];
  __shared__ gpu::Barrier filled[stages], used[stages];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == workers)
    for (int s = 0; s < stages; ++s) {
      filled[s].init(gpu::mover_arrivals);
      used[s].init(workers);
    }
  gpu::publish_barriers();
  gpu::order_before_bulk_copies();
  __syncthreads();
  const auto tile_at = [&](int k) { return (Index(k) * gridDim.x + blockIdx.x) * tile_bytes; };
  constexpr int mover = workers / gpu::warp_size;
  if (gpu::MovingThread::moves(mover)) {
    const gpu::MovingThread moving(mover);
    const auto load = [&](int k, auto& ready) {
      gpu::Barrier& barrier = gpu::barrier_of(filled, k);
      const std::uint32_t bytes = gpu::load_window(stream, tile_at(k), tile_bytes,
                                                   memory[k % stages], barrier, moving, ready);
      moving.fill(barrier, bytes, ready);
    };
    gpu::start_loads<2>(moving, tiles, load);
    gpu::copy_through<stages, 2>(moving, filled, used, tiles, load, [&](int k) {
      gpu::store_window(stream, tile_at(k), tile_bytes, memory[k % stages], moving);
    });
  } else if (thread < workers) {
    gpu::RingTurn turn(ring, 0);
    for (int k = 0; k < tiles; ++k, turn.advance()) {
      turn.wait(filled);
      gpu::wait_in_turn(filled, k);  // both know the phase
      gpu::Items<T, 16 / sizeof(T)> items;
      char* const own = memory[turn.place()] + thread * 16;
      items.load(own);
      for (T& x : items.value) ++x;
      items.store(own);
      gpu::order_before_bulk_copies();
      gpu::barrier_of(used, k).arrive();
    }
  }
}

template <class T>
void test_stream(Index begin, LineExtents extents, Index pitch, int blocks) {
  const auto size = static_cast<std::size_t>(begin + extents.lines * pitch + 64);
  std::vector<T> values(size);
  std::iota(values.begin(), values.end(), T(3));
  const DeviceArray<T> array(values);
  Lines<T> lines;
  lines.data = array.data() + begin;
  lines.stride = 1;
  lines.line_stride = pitch;
  const gpu::TileStream<T> stream(lines, extents, 0);
  const int tiles = static_cast<int>((stream.end + Index(tile_bytes) * blocks - 1) /
                                     (Index(tile_bytes) * blocks));
  gpu::launch({gpu::Device{}, "pipeline_test", false}, add_one<T>, blocks,
              workers + gpu::mover_warps * gpu::warp_size, 0, stream, tiles, gpu::RingSize(stages));
  const auto found = array.values();
  for (Index l = 0; l < extents.lines; ++l)
    for (Index j = 0; j < extents.length; ++j)
      ++values[static_cast<std::size_t>(begin + l * pitch + j)];
  for (std::size_t i = 0; i < size; ++i)
    ASSERT_EQ(found[i], values[i])
        << "element " << i << " of " << sizeof(T) << " bytes; begin " << begin << ", "
        << extents.lines << " x " << extents.length << ", pitch " << pitch;
}

TEST(GpuPipeline, MovesLinesThatBeginAnywhere) {
  for (const Index begin : {0, 1, 3, 15, 16})
    for (const Index length : {1, 15, 16, 17, 1000, 40001}) {
      test_stream<std::uint8_t>(begin, {1, length}, length, 3);
      test_stream<std::uint16_t>(begin, {3, length}, length, 1);
      test_stream<std::uint32_t>(begin, {2, length}, length, 2);
    }
}

TEST(GpuPipeline, LeavesGapsBetweenLinesAsTheyAre) {
  for (const Index length : {512, 1024, 4096}) {
    test_stream<std::uint8_t>(0, {7, length}, length + 16, 2);
    test_stream<std::uint32_t>(16, {5, length}, length + 64, 1);
  }
}

TEST(GpuPipeline, RingsTellPlacesAndRounds) {
  for (int places = 2; places <= 32; ++places) {
    const gpu::RingSize ring(places);
    for (const int t : {0, 1, places - 1, places, places + 1, 1000003, (1 << 27) - 1}) {
      EXPECT_EQ(ring.place(t), t % places) << t << " of " << places;
      EXPECT_EQ(ring.rounds(t), t / places) << t << " of " << places;
    }
  }
}

}  // namespace
}  // namespace gpu_pipeline

#endif
