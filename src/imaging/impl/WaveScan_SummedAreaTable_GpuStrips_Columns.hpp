// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COLUMNS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COLUMNS_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

/// @file
/// @brief Sums of columns: over the block's own tiles, and over those of other groups between them.

namespace wavescan::Impl {

/// @brief The warp that sums up columns over the block's tiles, from above downwards.
template <class Tile>
class StripsStacker {
  using V = typename Tile::V;
  using Chunk = StripsChunk<Tile>;

 public:
  __device__ explicit StripsStacker(const StripsBlock<Tile>& block)
      : block_(block), chunks_(block.task.plan, 0) {}

  __device__ void run() const {
    const StripsPlan& plan = block_.task.plan;
    Chunk above[Tile::chunks];
    for (StripsWalk at(plan, 0); at.tile() < block_.tiles(); at.advance(1)) {
      const int t = at.tile();
      if (!at.goes_on()) {
#pragma unroll
        for (int c = 0; c < Tile::chunks; ++c) above[c] = {};
      }
      block_.wait(block_.barriers.reduced, t);
      Chunk own[Tile::chunks];
#pragma unroll
      for (int c = 0; c < Tile::chunks; ++c)
        if (has(c)) stack(block_.slot_of(t).columns(0) + chunks_.column(c), above[c], own[c]);
      if (plan.groups > 1) publish(t, own);
      block_.arrive(block_.barriers.stacked, t);
    }
  }

 private:
  /// @brief Whether there are columns for the lane's chunk.
  __device__ bool has(int c) const { return chunks_.section == 0 && chunks_.has(c); }

  /// @brief Puts the sums over all rows above in the place of those over the sections' rows.
  __device__ void stack(V* first, Chunk& above, Chunk& own) const {
#pragma unroll
    for (int s = 0; s < Tile::sections; ++s) {
      V* const place = first + s * block_.task.plan.width;
      V x[Tile::chunk], sum[Tile::chunk];
      load_values(x, place);
#pragma unroll
      for (int e = 0; e < Tile::chunk; ++e) {
        sum[e] = above.value[e] + own.value[e];
        own.value[e] += x[e];
      }
      store_values(place, sum);
    }
#pragma unroll
    for (int e = 0; e < Tile::chunk; ++e) above.value[e] += own.value[e];
  }

  __device__ void publish(int t, const Chunk (&own)[Tile::chunks]) const {
    const StripsRing<Tile>& ring = block_.task.ring;
    V total = V();
#pragma unroll
    for (int c = 0; c < Tile::chunks; ++c) {
      if (!has(c)) continue;
#pragma unroll
      for (int e = 0; e < Tile::chunk; ++e) total += own[c].value[e];
      gpu::Tagged<Chunk>::publish(ring.column_sums(t, block_.group, block_.strip) +
                                      chunks_.column(c) * gpu::Tagged<V>::words,
                                  own[c], block_.tag(t), block_.access);
    }
    total = gpu::warp_reduce(total);
    if (gpu::lane() < ring.total_copies)
      gpu::Tagged<V>::publish(ring.row_sums(t, block_.group, block_.strip) +
                                  (Tile::rows + gpu::lane()) * gpu::Tagged<V>::words,
                              total, block_.tag(t), block_.access);
  }

  const StripsBlock<Tile>& block_;
  StripsRows<Tile> chunks_;  ///< of the first section
};

/// @brief A warp that gathers the columns of the other groups' tiles which lie between the block's
/// last tile and this one, and adds them to those above.
template <class Tile>
class StripsGatherer {
  using V = typename Tile::V;
  using Chunk = StripsChunk<Tile>;
  static constexpr int at_once = 4 / Tile::chunks;
  static constexpr int lag = 1;

 public:
  __device__ StripsGatherer(const StripsBlock<Tile>& block, int first)
      : block_(block), chunks_(block.task.plan, 0), first_(first) {}

  __device__ void run() const {
    for (StripsWalk at(block_.task.plan, first_); at.tile() < block_.tiles();
         at.advance(block_.task.warps.gatherers)) {
      block_.wait_reduced(at.tile(), lag);
      gather(at.tile(), at.goes_on());
      block_.arrive(block_.barriers.gathered, at.tile());
    }
  }

 private:
  /// @param go_on the block's tile before is of the same panel
  __device__ void gather(int t, bool go_on) const {
    const StripsPlan& plan = block_.task.plan;
    Chunk sums[Tile::chunks];
    // Later groups' tiles belong to the step before, which the first of a panel does not have.
    const int first = go_on ? 1 : plan.groups - block_.group;
    for (int ahead = first; ahead < plan.groups; ahead += at_once) {
      gpu::Awaited<Chunk, at_once * Tile::chunks> found;
#pragma unroll
      for (int m = 0; m < at_once; ++m) {
        if (ahead + m >= plan.groups) continue;
        const bool before = block_.group + ahead + m < plan.groups;
        const int tile = before ? t - 1 : t;
        const int group = block_.group + ahead + m - (before ? 0 : plan.groups);
        const auto* const from = block_.task.ring.column_sums(tile, group, block_.strip);
#pragma unroll
        for (int c = 0; c < Tile::chunks; ++c)
          if (has(c))
            found.want(m * Tile::chunks + c, from + chunks_.column(c) * gpu::Tagged<V>::words,
                       block_.tag(tile));
      }
      found.wait(block_.access);
#pragma unroll
      for (int m = 0; m < at_once; ++m)
#pragma unroll
        for (int c = 0; c < Tile::chunks; ++c)
#pragma unroll
          for (int e = 0; e < Tile::chunk; ++e)
            sums[c].value[e] += found.value[m * Tile::chunks + c].value[e];
    }
    // Also in a new panel, so that nobody gets so far ahead that the last tile's slot is taken.
    if (t > 0) block_.wait(block_.barriers.gathered, t - 1);
#pragma unroll
    for (int c = 0; c < Tile::chunks; ++c) {
      if (!has(c)) continue;
      V before[Tile::chunk] = {};
      if (go_on) load_values(before, block_.slot_of(t - 1).others() + chunks_.column(c));
#pragma unroll
      for (int e = 0; e < Tile::chunk; ++e) sums[c].value[e] += before[e];
      store_values(block_.slot_of(t).others() + chunks_.column(c), sums[c].value);
    }
  }

  __device__ bool has(int c) const { return chunks_.section == 0 && chunks_.has(c); }

  const StripsBlock<Tile>& block_;
  StripsRows<Tile> chunks_;
  int first_;
};

}  // namespace wavescan::Impl

#endif
