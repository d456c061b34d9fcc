// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_REDUCE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_REDUCE_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Block.hpp>

namespace wavescan::Impl {

/// @brief A lane's pixels in a row, as numbers of the table.
template <class Tile>
__device__ void load_tall_pixels(typename Tile::V (&to)[Tile::chunk], const char* stage,
                                 int place) {
  typename Tile::Pixel pixels[Tile::chunk];
  load_values(pixels, reinterpret_cast<const typename Tile::Pixel*>(stage) + place);
#pragma unroll
  for (int e = 0; e < Tile::chunk; ++e) {
    to[e] = static_cast<typename Tile::V>(static_cast<typename Tile::T>(pixels[e]));
    if constexpr (Tile::squared) to[e] *= to[e];
  }
}

/// @brief One of the warps that sum up the tiles' columns.
template <class Tile>
class TallReducer {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;

 public:
  __device__ TallReducer(const TallBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), part_(block.plan, warp) {}

  __device__ void run() const {
    for (int t = 0; t < block_.tiles; ++t) {
      block_.wait_arrived(t);
      const int before = t - block_.plan.slots.places();
      if (before >= 0) block_.wait_scanned(before);
      V sums[chunk] = {};
      reduce(t, sums);
      store_values(block_.sums(t, warp_) + gpu::lane() * chunk, sums);
      gpu::arrive_as_warp(block_.fixed.reduced[block_.slot(t)]);
      if (part_.level == 0) publish(t);
    }
  }

 private:
  /// @brief The sums over the lane's section and those above it in the warp.
  __device__ void reduce(int t, V (&sums)[chunk]) const {
    const TallPlan& plan = block_.plan;
    const int rows = part_.rows_of(plan.rows_of(block_.tile(t)), plan.section_rows);
    const char* const stage = block_.stage(t);
    const int first = part_.row * plan.columns + part_.column;
    V x[Tile::most_rows][chunk] = {};
    // All loads at once, rather than a branch for each.
    if (rows > 0) {
#pragma unroll
      for (int i = 0; i < Tile::most_rows; ++i)
        load_tall_pixels<Tile>(x[i], stage, first + min(i, rows - 1) * plan.columns);
    }
#pragma unroll
    for (int i = 0; i < Tile::most_rows; ++i)
#pragma unroll
      for (int e = 0; e < chunk; ++e)
        if (i < rows) sums[e] += x[i][e];
    gpu::warp_inclusive_scan(sums, gpu::warp_size, plan.lanes);
  }

  /// @brief Publishes the sums over the columns of the warp's strip.
  __device__ void publish(int t) const {
    using Pair = SumPair<V>;
    const TallPlan& plan = block_.plan;
    block_.wait_reduced(t);
    if (gpu::lane() >= plan.lanes || !part_.inside) return;
    V sums[chunk] = {};
    for (int level = 0; level >> plan.level_bits == 0; ++level)
      add_values(sums, block_.sums(t, part_.warp_of(plan, level)) + part_.last_lane(plan) * chunk);
    gpu::TaggedWord* const words = block_.task.ring.sums(t, block_.number) +
                                   part_.column / chunk * TallRing<Tile>::chunk_words;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Pair pair;
#pragma unroll
      for (int i = 0; i < Pair::count; ++i) pair.value[i] = sums[half * Pair::count + i];
      gpu::Tagged<Pair>::publish(words + half * 2, pair, block_.tag(t), block_.access);
    }
  }

  const TallBlock<Tile>& block_;
  int warp_;
  TallPart<Tile> part_;
};

}  // namespace wavescan::Impl

#endif
