// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_ROWS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_ROWS_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

#include <algorithm>

/// @file
/// @brief Sums of rows over the strips.

namespace wavescan::Impl {

/// @brief A warp that sums up some rows over all the strips of its group: each row is one block's.
template <class Tile>
class StripsRowScanner {
  using V = typename Tile::V;
  static constexpr int words = gpu::Tagged<V>::words;
  static constexpr int loads = 5;  ///< of a lane: strips of one row

 public:
  static constexpr int most_strips = 32 * loads - 1;

  __device__ StripsRowScanner(const StripsBlock<Tile>& block, int first)
      : block_(block), first_(first), rows_(Tile::rows + (block.task.plan.groups > 1 ? 1 : 0)) {}

  // The rows of a panel are dealt out in turn, and those of all panels alike: a block has the sums
  // of its rows over the panels before, and need not wait for them.
  __device__ void run() const {
    const int strips = block_.task.plan.strips;
    if (strips > 32)
      take_single_rows();
    else if (2 * strips >= rows_)
      take_several_rows<2>();
    else
      take_several_rows<4>();
  }

 private:
  __device__ void take_single_rows() const {
    const StripsPlan& plan = block_.task.plan;
    const int begin = block_.strip + first_ * plan.strips;
    const int stride = block_.task.warps.scanners * plan.strips;
    const int steps = stride / rows_, rest = stride - steps * rows_;
    for (int panel = 0; panel < block_.tiles(); panel += plan.steps) {
      int row = begin % rows_;
      for (int step = begin / rows_; step < plan.steps; step += steps) {
        wait_until_due(panel + step, row);
        scan_row(panel + step, step, row);
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
    const int strips = block_.task.plan.strips, stride = block_.task.warps.scanners;
    const int shift = stride * rows_ % strips;
    int first = 0;
    for (StripsWalk at(block_.task.plan, first_); at.tile() < block_.tiles(); at.advance(stride)) {
      first = at.step() < stride ? block_.strip - at.step() * rows_ % strips : first - shift;
      if (first < 0) first += strips;
      wait_until_due(at.tile(), first);
      for (int row = first; row < rows_; row += Rows * strips) scan_rows<Rows>(at, row);
    }
  }

  /// @brief Waits until it is time to ask for the sums of a row.
  ///
  /// Not for those of whole tiles: only other groups want them. The own block may be so far ahead
  /// that the phase of the barrier, which has but one bit, tells nothing.
  __device__ void wait_until_due(int t, int row) const {
    if (row < Tile::rows) block_.wait_reduced(t, block_.task.warps.lag);
  }

  /// @brief The sum of a row over the panels up to this one, for whoever scans it in the next.
  __device__ gpu::TaggedWord* carry(int step, int row) const {
    const std::int64_t band = std::int64_t(step) * block_.task.plan.groups + block_.group;
    return block_.task.row_carries + (band * rows_ + row) * words;
  }
  template <int Count>
  __device__ void want_carry(gpu::Awaited<V, Count>& sums, int m, int t, int step, int row) const {
    const int before = t - block_.task.plan.steps;
    if (before >= 0 && gpu::lane() == 0) sums.want(m, carry(step, row), block_.tag(before));
  }
  __device__ void publish_carry(int t, int step, int row, V total) const {
    if (block_.task.plan.panels > 1 && gpu::lane() == 0)
      gpu::Tagged<V>::publish(carry(step, row), total, block_.tag(t), block_.access);
  }
  __device__ const gpu::TaggedWord* sum_at(int t, int strip, int row) const {
    return block_.task.ring.row_sums(t, block_.group, strip) + row * words;
  }
  /// @brief Publishes the sum of a row over all strips before one.
  /// @param prefixes of the row
  __device__ void publish(gpu::TaggedWord* prefixes, int t, int strip, V prefix) const {
    if (strip < block_.task.ring.prefix_pitch())
      gpu::Tagged<V>::publish(prefixes + strip * words, prefix, block_.tag(t), block_.access);
  }
  /// @brief The sum over the lanes below.
  static __device__ V before_own(V sum_up_to_own) {
    const V before = gpu::shuffle_up(sum_up_to_own, 1);
    return gpu::lane() == 0 ? V() : before;
  }

  __device__ void scan_row(int t, int step, int row) const {
    const int strips = block_.task.plan.strips;
    gpu::Awaited<V, loads + 1> sums;
#pragma unroll
    for (int m = 0; m < loads; ++m) {
      const int strip = m * 32 + gpu::lane();
      if (strip < strips) sums.want(m, sum_at(t, strip, row), block_.tag(t));
    }
    want_carry(sums, loads, t, step, row);
    gpu::TaggedWord* const prefixes = block_.task.ring.prefixes(t, block_.group, row);
    sums.wait(block_.access);
    V before = gpu::broadcast(sums.value[loads], 0);
#pragma unroll
    for (int m = 0; m < loads; ++m) {
      const V sum = gpu::warp_inclusive_scan(sums.value[m]);
      publish(prefixes, t, m * 32 + gpu::lane(), before + before_own(sum));
      before += gpu::broadcast(sum, 31);
    }
    publish_carry(t, step, row, before);
  }

  template <int Rows>
  __device__ void scan_rows(const StripsWalk& at, int first) const {
    const int t = at.tile(), strips = block_.task.plan.strips;
    gpu::Awaited<V, 2 * Rows> sums;
    gpu::TaggedWord* prefixes[Rows];
#pragma unroll
    for (int m = 0; m < Rows; ++m) {
      const int row = first + m * strips;
      prefixes[m] = block_.task.ring.prefixes(t, block_.group, row);
      if (row >= rows_) continue;
      if (gpu::lane() < strips) sums.want(m, sum_at(t, gpu::lane(), row), block_.tag(t));
      want_carry(sums, Rows + m, t, at.step(), row);
    }
    sums.wait(block_.access);
#pragma unroll
    for (int m = 0; m < Rows; ++m) {
      const int row = first + m * strips;
      if (row >= rows_) continue;
      const V before = gpu::broadcast(sums.value[Rows + m], 0);
      const V sum = gpu::warp_inclusive_scan(sums.value[m]);
      publish(prefixes[m], t, gpu::lane(), before + before_own(sum));
      publish_carry(t, at.step(), row, before + gpu::broadcast(sum, 31));
    }
  }

  const StripsBlock<Tile>& block_;
  int first_;
  int rows_;  ///< of a tile, with its total
};

/// @brief A warp that fetches the sums of the rows to the left of the block's own tile, and adds
/// them to those of the tile before.
template <class Tile>
class StripsFollower {
  using V = typename Tile::V;
  static constexpr int words = gpu::Tagged<V>::words;
  static constexpr int most_totals = 5;  ///< of a lane
  static constexpr int lane_rows = std::max(Tile::rows / 32, 1);

 public:
  __device__ StripsFollower(const StripsBlock<Tile>& block, int first)
      : block_(block), first_(first) {}

  __device__ void run() const {
    const int groups = block_.task.plan.groups;
    for (StripsWalk at(block_.task.plan, first_); at.tile() < block_.tiles();
         at.advance(block_.task.warps.followers)) {
      block_.wait_reduced(at.tile(), 2 * block_.task.warps.lag);
      if (groups == 1)
        follow<0>(at.tile(), at.goes_on());
      else if (groups <= 33)
        follow<1>(at.tile(), at.goes_on());
      else
        follow<most_totals>(at.tile(), at.goes_on());
      block_.arrive(block_.barriers.followed, at.tile());
    }
  }

 private:
  /// @brief Also fetches the totals to the left of other groups' tiles between the block's last one
  /// and this.
  /// @param go_on the block's tile before is of the same panel
  template <int Totals>
  __device__ void follow(int t, bool go_on) const {
    const StripsPlan& plan = block_.task.plan;
    gpu::Awaited<V, lane_rows + Totals> sums;
    const int first = gpu::lane() * lane_rows;
#pragma unroll
    for (int i = 0; i < lane_rows; ++i)
      if (first < Tile::rows) sums.want(i, prefix(t, block_.group, first + i), block_.tag(t));
#pragma unroll
    for (int m = 0; m < Totals; ++m) {
      const int ahead = 1 + m * 32 + gpu::lane();
      const bool before = block_.group + ahead < plan.groups;
      if (ahead >= plan.groups || (before && !go_on)) continue;
      const int tile = before ? t - 1 : t;
      const int group = block_.group + ahead - (before ? 0 : plan.groups);
      sums.want(lane_rows + m, prefix(tile, group, Tile::rows), block_.tag(tile));
    }
    sums.wait(block_.access);
    V own = V();
#pragma unroll
    for (int i = 0; i < lane_rows; ++i) own += sums.value[i];
    V above = gpu::shuffle_up(gpu::warp_inclusive_scan(own), 1);
    if (gpu::lane() == 0) above = V();
    if constexpr (Totals > 0) {
      V others = V();
#pragma unroll
      for (int m = 0; m < Totals; ++m) others += sums.value[lane_rows + m];
      above += gpu::warp_reduce(others);
    }
    if (t > 0) {
      // Also in a new panel, so that nobody gets so far ahead that the last tile's slot is taken.
      block_.wait(block_.barriers.followed, t - 1);
      if (go_on) above += block_.slot_of(t - 1).left()[Tile::rows - 1];
    }
    V* const left = block_.slot_of(t).left();
#pragma unroll
    for (int i = 0; i < lane_rows; ++i) {
      above += sums.value[i];
      if (first < Tile::rows) left[first + i] = above;
    }
  }
  __device__ const gpu::TaggedWord* prefix(int t, int group, int row) const {
    return block_.task.ring.prefixes(t, group, row) + block_.strip * words;
  }

  const StripsBlock<Tile>& block_;
  int first_;
};

}  // namespace wavescan::Impl

#endif
