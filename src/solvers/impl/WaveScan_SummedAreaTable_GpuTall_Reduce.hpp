// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_REDUCE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_REDUCE_HPP

#include <impl/WaveScan_SummedAreaTable_GpuTall_Block.hpp>

namespace wavescan::Impl {

/// @brief A lane's pixels in a row, as numbers of the table.
template <class Tile>
__device__ void load_tall_pixels(typename Tile::V (&to)[Tile::chunk], const char* stage,
                                 int place) {
  typename Tile::Pixel pixels[Tile::chunk];
  load_values(pixels, reinterpret_cast<const typename Tile::Pixel*>(stage) + place);
#pragma unroll
  for (int e = 0; e < Tile::chunk; ++e)
    to[e] = static_cast<typename Tile::V>(static_cast<typename Tile::T>(pixels[e]));
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
      reduce(t);
      block_.arrive(block_.fixed.reduced[block_.slot(t)]);
    }
  }

 private:
  /// @brief Leaves the sums over the lane's section and those above it in the warp.
  __device__ void reduce(int t) const {
    const TallPlan& plan = block_.plan;
    const int rows = part_.rows_of(plan.rows_of(block_.tile(t)), plan.section_rows);
    const char* const stage = block_.stage(t);
    int place = part_.row * plan.columns + part_.column;
    V sums[chunk] = {};
#pragma unroll 4
    for (int i = 0; i < rows; ++i, place += plan.columns) {
      V x[chunk];
      load_tall_pixels<Tile>(x, stage, place);
#pragma unroll
      for (int e = 0; e < chunk; ++e) sums[e] += x[e];
    }
#pragma unroll 1
    for (int step = plan.lanes; step < 32; step *= 2) {
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        const V other = gpu::shuffle_up(sums[e], step);
        if (gpu::lane() >= step) sums[e] += other;
      }
    }
    store_values(block_.sums(t, warp_) + gpu::lane() * chunk, sums);
  }

  const TallBlock<Tile>& block_;
  int warp_;
  TallPart<Tile> part_;
};

/// @brief A warp that publishes the sums of the tiles' columns, and leaves those above each
/// section to who scans it.
template <class Tile>
class TallStacker {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;

 public:
  /// @param first tile; stackers take them in turn
  __device__ TallStacker(const TallBlock<Tile>& block, int first) : block_(block), first_(first) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::stackers) {
      block_.wait(block_.fixed.reduced, t);
      const int above = gpu::lane() - block_.plan.lanes;
      V warps[Tile::warps][chunk], own[Tile::warps][chunk];
#pragma unroll
      for (int w = 0; w < Tile::warps; ++w)
        load_values(warps[w], block_.sums(t, w) + last_lane() * chunk);
      publish(t, warps);
#pragma unroll
      for (int w = 0; w < Tile::warps; ++w) {
        if (above >= 0) {
          load_values(own[w], block_.sums(t, w) + above * chunk);
        } else {
#pragma unroll
          for (int e = 0; e < chunk; ++e) own[w][e] = V(0);
        }
      }
      gpu::sync_warp();
      stack(t, warps, own);
      block_.arrive(block_.fixed.stacked[block_.slot(t)]);
    }
  }

 private:
  /// @brief The one that has the sums over the warp, of the lane's columns.
  __device__ int last_lane() const {
    return 32 - block_.plan.lanes + (gpu::lane() & (block_.plan.lanes - 1));
  }

  __device__ void publish(int t, const V (&warps)[Tile::warps][chunk]) const {
    const int bits = block_.plan.level_bits;
    gpu::TaggedWord* const words = block_.task.ring.sums(t, block_.number);
    V sums[chunk] = {};
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) {
#pragma unroll
      for (int e = 0; e < chunk; ++e) sums[e] += warps[w][e];
      if (((w + 1) & ((1 << bits) - 1)) != 0) continue;
      publish_strip(t, words, w >> bits, sums);
#pragma unroll
      for (int e = 0; e < chunk; ++e) sums[e] = V(0);
    }
  }
  __device__ void publish_strip(int t, gpu::TaggedWord* words, int strip,
                                const V (&sums)[chunk]) const {
    using Pair = SumPair<V>;
    const int own = strip * 32 + gpu::lane();
    if (gpu::lane() >= block_.plan.lanes || own >= block_.plan.chunks) return;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Pair pair;
#pragma unroll
      for (int i = 0; i < Pair::count; ++i) pair.value[i] = sums[half * Pair::count + i];
      gpu::Tagged<Pair>::publish(words + own * TallRing<Tile>::chunk_words + half * 2, pair,
                                 block_.tag(t), block_.access);
    }
  }

  /// @param own over the sections above the lane's in its warp
  __device__ void stack(int t, const V (&warps)[Tile::warps][chunk],
                        V (&own)[Tile::warps][chunk]) const {
    const int bits = block_.plan.level_bits;
    V above[chunk] = {};
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) {
      const bool first = (w & ((1 << bits) - 1)) == 0;
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        if (first) above[e] = V(0);
        own[w][e] += above[e];
        above[e] += warps[w][e];
      }
      store_values(block_.sums(t, w) + gpu::lane() * chunk, own[w]);
    }
  }

  const TallBlock<Tile>& block_;
  int first_;
};

}  // namespace wavescan::Impl

#endif
