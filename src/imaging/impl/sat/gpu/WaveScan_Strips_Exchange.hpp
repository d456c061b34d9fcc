// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_EXCHANGE_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_EXCHANGE_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Block.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Sums of rows over the strips; sums of columns over the block's own tiles, and over those
/// of other groups between them.

namespace wavescan::Impl::sat {

/// @brief A warp that sums up some rows over all the strips of its group: each row is one block's.
template <class Tile>
class RowScanner {
  using V = typename Tile::V;
  static constexpr int words = gpu::Tagged<V>::words;
  static constexpr int loads = (Strips::max_strips + 1) / 32;  ///< of a lane: strips of one row

 public:
  __device__ RowScanner(const StripsBlock<Tile>& block, int first)
      : block_(block),
        first_(first),
        rows_(Tile::rows + (block.decomposition.groups > 1 ? 1 : 0)) {}

  // The rows of a panel are dealt out in turn, and those of all panels alike: a block has the sums
  // of its rows over the panels before, and need not wait for them.
  __device__ void run() const {
    const int strips = block_.decomposition.strips;
    if (strips > 32)
      take_single_rows();
    else if (2 * strips >= rows_)
      take_several_rows<2>();
    else
      take_several_rows<4>();
  }

 private:
  __device__ void take_single_rows() const {
    const Strips& decomposition = block_.decomposition;
    const int begin = block_.strip + first_ * decomposition.strips;
    const int stride = block_.task.warps.row_scanners * decomposition.strips;
    const int steps = stride / rows_, rest = stride - steps * rows_;
    for (int panel = 0; panel < block_.tiles; panel += decomposition.steps) {
      int row = begin % rows_;
      for (int step = begin / rows_; step < decomposition.steps; step += steps) {
        wait_until_due(panel + step, row);
        scan<1, loads>(panel + step, step, row);
        row += rest;
        if (row < rows_) continue;
        row -= rows_;
        ++step;
      }
    }
  }
  /// @tparam Rows that a warp does at once, with a lane for each strip
  template <int Rows>
  __device__ void take_several_rows() const {
    const int strips = block_.decomposition.strips, stride = block_.task.warps.row_scanners;
    const int shift = stride * rows_ % strips;
    int first = 0;
    for (StripsCursor at(block_.decomposition, first_); at.tile() < block_.tiles;
         at.advance(stride)) {
      first = at.step() < stride ? block_.strip - at.step() * rows_ % strips : first - shift;
      if (first < 0) first += strips;
      wait_until_due(at.tile(), first);
      for (int row = first; row < rows_; row += Rows * strips)
        scan<Rows, 1>(at.tile(), at.step(), row);
    }
  }

  /// @brief Waits until it is time to ask for the sums of a row.
  ///
  /// Not for those of whole tiles: only other groups want them. The own block may be so far ahead
  /// that the phase of the barrier, which has but one bit, tells nothing.
  __device__ void wait_until_due(int t, int row) const {
    if (row < Tile::rows) block_.wait_reduced(t, block_.task.warps.delay);
  }

  /// @brief The sum of a row over the panels up to this one, for the block that scans it in the
  /// next.
  __device__ gpu::TaggedWord* carry(int step, int row) const {
    const std::int64_t band = std::int64_t(step) * block_.decomposition.groups + block_.group;
    return block_.task.ring.carries() + (band * rows_ + row) * words;
  }
  __device__ const gpu::TaggedWord* sum_at(int t, int strip, int row) const {
    return block_.task.ring.row_sums(t, block_.group, strip) + row * words;
  }
  /// @brief Publishes the sum of a row over all strips before one.
  /// @param prefixes of the row
  __device__ void publish(gpu::TaggedWord* prefixes, int t, int strip, V prefix) const {
    if (strip < block_.task.ring.prefix_pitch())
      block_.publish(prefixes + strip * words, prefix, t);
  }

  /// @brief Scans `Rows` of the block's rows in a tile, over up to 32 * Loads strips.
  template <int Rows, int Loads>
  __device__ void scan(int t, int step, int first) const {
    const int strips = block_.decomposition.strips;
    gpu::Awaited<V, Rows*(Loads + 1)> sums;
    gpu::TaggedWord* prefixes[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int row = first + r * strips;
      prefixes[r] = block_.task.ring.prefixes(t, block_.group, row);
      if (Rows > 1 && row >= rows_) continue;
#pragma unroll
      for (int m = 0; m < Loads; ++m) {
        const int strip = m * 32 + gpu::lane();
        if (strip < strips) sums.want(r * Loads + m, sum_at(t, strip, row), block_.tag(t));
      }
      const int before = t - block_.decomposition.steps;
      if (before >= 0 && gpu::lane() == 0)
        sums.want(Rows * Loads + r, carry(step, row), block_.tag(before));
    }
    sums.wait(block_.access);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int row = first + r * strips;
      if (Rows > 1 && row >= rows_) continue;
      V before = gpu::broadcast(sums[Rows * Loads + r], 0);
#pragma unroll
      for (int m = 0; m < Loads; ++m) {
        const V sum = gpu::warp_inclusive_scan(sums[r * Loads + m]);
        publish(prefixes[r], t, m * 32 + gpu::lane(), before + gpu::value_before(sum));
        before += gpu::broadcast(sum, 31);
      }
      if (block_.decomposition.panels > 1 && gpu::lane() == 0)
        block_.publish(carry(step, row), before, t);
    }
  }

  const StripsBlock<Tile>& block_;
  int first_;
  int rows_;  ///< of a tile, with its total
};

/// @brief A warp that fetches the sums of the rows to the left of the block's own tile, and adds
/// them to those of the tile before.
template <class Tile>
class PrefixReader {
  using V = typename Tile::V;
  static constexpr int words = gpu::Tagged<V>::words;
  static constexpr int max_totals = 5;  ///< of a lane
  static constexpr int lane_rows = std::max(Tile::rows / 32, 1);

 public:
  __device__ PrefixReader(const StripsBlock<Tile>& block, int first)
      : block_(block), first_(first) {}

  __device__ void run() const {
    const int groups = block_.decomposition.groups;
    for (StripsCursor at(block_.decomposition, first_); at.tile() < block_.tiles;
         at.advance(block_.task.warps.prefix_readers)) {
      block_.wait_reduced(at.tile(), 2 * block_.task.warps.delay);
      if (groups == 1)
        read<0>(at);
      else if (groups <= 33)
        read<1>(at);
      else
        read<max_totals>(at);
      block_.arrive(block_.barriers.prefixed, at.tile());
    }
  }

 private:
  /// @brief Also fetches the totals to the left of other groups' tiles between the block's last one
  /// and this.
  template <int Totals>
  __device__ void read(const StripsCursor& at) const {
    const Strips& decomposition = block_.decomposition;
    const int t = at.tile();
    const bool go_on = at.goes_on();  // the block's tile before is of the same panel
    gpu::Awaited<V, lane_rows + Totals> sums;
    const int first = gpu::lane() * lane_rows;
#pragma unroll
    for (int i = 0; i < lane_rows; ++i)
      if (first < Tile::rows) sums.want(i, prefix(t, block_.group, first + i), block_.tag(t));
#pragma unroll
    for (int m = 0; m < Totals; ++m) {
      const int ahead = 1 + m * 32 + gpu::lane();
      const bool before = block_.group + ahead < decomposition.groups;
      if (ahead >= decomposition.groups || (before && !go_on)) continue;
      const auto other = block_.other(t, ahead);
      sums.want(lane_rows + m, prefix(other.tile, other.group, Tile::rows), block_.tag(other.tile));
    }
    sums.wait(block_.access);
    V own = V();
#pragma unroll
    for (int i = 0; i < lane_rows; ++i) own += sums[i];
    V above = gpu::value_before(gpu::warp_inclusive_scan(own));
    if constexpr (Totals > 0) {
      V others = V();
#pragma unroll
      for (int m = 0; m < Totals; ++m) others += sums[lane_rows + m];
      above += gpu::warp_reduce(others);
    }
    if (t > 0) {
      // Also in a new panel, so that nobody gets so far ahead that the last tile's slot is taken.
      block_.wait(block_.barriers.prefixed, t - 1);
      if (go_on) above += block_.slot_of(t - 1).left()[Tile::rows - 1];
    }
    if (!go_on) above += block_.corner_above(at);
    V* const left = block_.slot_of(t).left();
#pragma unroll
    for (int i = 0; i < lane_rows; ++i) {
      above += sums[i];
      if (first < Tile::rows) left[first + i] = above;
    }
  }
  __device__ const gpu::TaggedWord* prefix(int t, int group, int row) const {
    return block_.task.ring.prefixes(t, group, row) + block_.strip * words;
  }

  const StripsBlock<Tile>& block_;
  int first_;
};

/// @brief Warps that sum up columns: over the block's own tiles, from above downwards, and over the
/// other groups' tiles which lie between the block's last tile and this one.
template <class Tile>
class ColumnAccumulator {
  using V = typename Tile::V;
  using Chunk = SumChunk<V>;
  static constexpr int chunks = Tile::chunks;
  static constexpr int words = gpu::Tagged<V>::words;

 public:
  __device__ explicit ColumnAccumulator(const StripsBlock<Tile>& block)
      : block_(block), chunks_(block.decomposition, 0) {}

  /// @brief Accumulates the block's own sums; run by one warp.
  __device__ void run_own() const {
    Chunk above[chunks];
    for (StripsCursor at(block_.decomposition, 0); at.tile() < block_.tiles; at.advance(1)) {
      const int t = at.tile();
      if (!at.goes_on()) {
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          if (has(c)) above[c] = block_.columns_above(at, chunks_.column(c));
      }
      block_.wait(block_.barriers.reduced, t);
      Chunk own[chunks];
#pragma unroll
      for (int c = 0; c < chunks; ++c)
        if (has(c)) accumulate(block_.slot_of(t).columns(0) + chunks_.column(c), above[c], own[c]);
      if (block_.decomposition.groups > 1) publish(t, own);
      block_.arrive(block_.barriers.accumulated, t);
    }
  }

  /// @brief Accumulates the sums of groups, if there are any; run by several warps.
  __device__ void run_groups(int first) const {
    constexpr int delay = 1;
    for (StripsCursor at(block_.decomposition, first); at.tile() < block_.tiles;
         at.advance(block_.task.warps.gatherers)) {
      block_.wait_reduced(at.tile(), delay);
      gather(at.tile(), at.goes_on());
      block_.arrive(block_.barriers.gathered, at.tile());
    }
  }

 private:
  /// @brief Whether there are columns for the lane's chunk.
  __device__ bool has(int c) const { return chunks_.section == 0 && chunks_.has(c); }

  /// @brief Puts the sums over all rows above in the place of those over the sections' rows.
  __device__ void accumulate(V* first, Chunk& above, Chunk& own) const {
#pragma unroll
    for (int s = 0; s < Tile::sections; ++s) {
      V* const place = first + s * block_.decomposition.width;
      const Chunk section = Chunk::load(place);
      Chunk sums = above;
      (sums += own).store(place);
      own += section;
    }
    above += own;
  }

  __device__ void publish(int t, const Chunk (&own)[chunks]) const {
    const StripsRing<Tile>& ring = block_.task.ring;
    V total = V();
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (!has(c)) continue;
      total += own[c].sum();
      block_.publish(ring.column_sums(t, block_.group, block_.strip) + chunks_.column(c) * words,
                     own[c], t);
    }
    total = gpu::warp_reduce(total);
    if (gpu::lane() < ring.total_copies)
      block_.publish(
          ring.row_sums(t, block_.group, block_.strip) + (Tile::rows + gpu::lane()) * words, total,
          t);
  }

  /// @param go_on the block's tile before is of the same panel
  __device__ void gather(int t, bool go_on) const {
    constexpr int at_once = 4 / chunks;
    const Strips& decomposition = block_.decomposition;
    Chunk sums[chunks];
    // Later groups' tiles belong to the step before, which the first of a panel does not have.
    for (int ahead = go_on ? 1 : decomposition.groups - block_.group; ahead < decomposition.groups;
         ahead += at_once) {
      gpu::Awaited<Chunk, at_once * chunks> found;
#pragma unroll
      for (int m = 0; m < at_once; ++m) {
        if (ahead + m >= decomposition.groups) continue;
        const auto other = block_.other(t, ahead + m);
        const auto* const from =
            block_.task.ring.column_sums(other.tile, other.group, block_.strip);
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          if (has(c))
            found.want(m * chunks + c, from + chunks_.column(c) * words, block_.tag(other.tile));
      }
      found.wait(block_.access);
#pragma unroll
      for (int m = 0; m < at_once; ++m)
#pragma unroll
        for (int c = 0; c < chunks; ++c) sums[c] += found[m * chunks + c];
    }
    // Also in a new panel, so that nobody gets so far ahead that the last tile's slot is taken.
    if (t > 0) block_.wait(block_.barriers.gathered, t - 1);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (!has(c)) continue;
      if (go_on) sums[c] += Chunk::load(block_.slot_of(t - 1).others() + chunks_.column(c));
      sums[c].store(block_.slot_of(t).others() + chunks_.column(c));
    }
  }

  const StripsBlock<Tile>& block_;
  StripsRows<Tile> chunks_;  ///< of the first section
};

}  // namespace wavescan::Impl::sat

#endif
