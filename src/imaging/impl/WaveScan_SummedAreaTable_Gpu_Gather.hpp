// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_GATHER_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_GATHER_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Block.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief The warps that publish the sums over a block's tiles, ask for those of the others, and
/// put together what lies above and to the left. They go through every `gathers`-th tile, since
/// the answers take long; what is kept from tile to tile passes through shared memory.

namespace wavescan::Impl {

/// @brief A thread that sums up what lies above a few pairs of columns.
template <class Tile>
class ColumnGatherer {
  using Shared = TableShared<Tile>;

 public:
  static constexpr int threads = std::clamp(Shared::First::pairs / 2, 32, 64);

  __device__ ColumnGatherer(const TableBlock<Tile>& block, int thread, int first)
      : block_(block), waves_(block.task.waves), thread_(thread), first_(first) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::gathers) {
      block_.wait(block_.shared.reduced, t);
      block_.for_planes([&](auto& plane, int offset) { gather_sums(plane, offset, t); });
      if (t > 0) block_.wait(block_.shared.columns_ready, t - 1);
      block_.for_planes([&](auto& plane, int) { put_together(plane, t); });
      block_.shared.columns_ready[t % Tile::slots].arrive();
    }
  }

 private:
  template <class V>
  static constexpr int own_pairs = PlaneShared<V, Tile>::pairs / threads;
  /// Wide tiles come with few blocks below each other.
  template <class V>
  static constexpr int loads = std::max(own_pairs<V>, Tile::columns > 128 ? 4 : 8);

  /// @brief Leaves the sums above in this wave in `above`, and those over the whole wave in
  /// `next_above`.
  template <class V>
  __device__ void gather_sums(PlaneShared<V, Tile>& plane, int offset, int t) const {
    using Record = SumRecord<V, Tile>;
    using Pair = SumPair<V>;
    const int slot = t % Tile::slots;
    const std::uint32_t tag = block_.tag(t);
    gpu::TaggedWord* const records = block_.team_records(t, offset);
    const auto record = [&](int y) {
      return records + (y * waves_.across + block_.x) * block_.record_words();
    };
    constexpr int own = own_pairs<V>;
    static_assert(loads<V> % own == 0);
    Pair before[own], all[own];
    const auto pair = [&](int k) { return thread_ + k * threads; };
#pragma unroll
    for (int k = 0; k < own; ++k) {
#pragma unroll
      for (int g = 0; g < Tile::groups; ++g)
        all[k] +=
            *reinterpret_cast<const Pair*>(&plane.column_sums[slot][g][pair(k) * Pair::count]);
      if (waves_.down > 1)
        gpu::Tagged<Pair>::publish(record(block_.y) + Record::columns + 2 * pair(k), all[k], tag);
    }
    // Of the tiles of the own group, or of groups, from `begin` on, all but the own one.
    const auto gather_from = [&](int words, int begin, int end, int self, const auto& source) {
      const auto other = [&](int i) { return begin + i / own + (begin + i / own >= self); };
      gather<Pair, loads<V>>(
          (end - begin - 1) * own, tag, [](int) { return true; },
          [&](int i) { return record(source(other(i))) + words + 2 * pair(i % own); },
          [&](int i, int m, const Pair& sum) {
            const bool above = other(i) < self;
#pragma unroll
            for (int k = 0; k < own; ++k)
              if (m % own == k) {
                if (above) before[k] += sum;
                all[k] += sum;
              }
          });
    };
    const int group = waves_.group;
    const int groups = (waves_.down + group - 1) / group;
    const int own_group = block_.y / group;
    const int begin = own_group * group;
    const int end = min(begin + group, waves_.down);
    const auto last_of = [&](int g) { return min((g + 1) * group, waves_.down) - 1; };
    if (group > 1) {
      gather_from(Record::columns, begin, end, block_.y, [](int y) { return y; });
      if (block_.y == end - 1) {
#pragma unroll
        for (int k = 0; k < own; ++k)
          gpu::Tagged<Pair>::publish(record(block_.y) + Record::group_columns + 2 * pair(k), all[k],
                                     tag);
      }
    }
    gather_from(group > 1 ? Record::group_columns : Record::columns, 0,
                waves_.rightwards ? own_group + 1 : groups, own_group, last_of);
#pragma unroll
    for (int k = 0; k < own; ++k) {
      *reinterpret_cast<Pair*>(&plane.above[slot][pair(k) * Pair::count]) = before[k];
      *reinterpret_cast<Pair*>(&plane.next_above[slot][pair(k) * Pair::count]) = all[k];
    }
  }

  /// @brief Adds what lies above the wave.
  template <class V>
  __device__ void put_together(PlaneShared<V, Tile>& plane, int t) const {
    using Pair = SumPair<V>;
    const int slot = t % Tile::slots;
    const int previous = (t + Tile::slots - 1) % Tile::slots;
    const bool goes_on = !block_.info(t).first && !waves_.rightwards;
#pragma unroll
    for (int k = 0; k < own_pairs<V>; ++k) {
      const int column = (thread_ + k * threads) * Pair::count;
      const auto at = [&](V(&sums)[Tile::columns]) {
        return reinterpret_cast<Pair*>(&sums[column]);
      };
      Pair above = *at(plane.above[slot]);
      if (goes_on) {
        const Pair wave = *at(plane.next_above[previous]);
        above += wave;
        *at(plane.next_above[slot]) += wave;
      }
      *at(plane.above[slot]) = above;
      V block = above.value[0];
      if constexpr (Pair::count == 2) block += above.value[1];
      block = gpu::warp_reduce(block);
      if (gpu::lane() == 0) plane.block_above[slot][thread_ / 32 + k * (threads / 32)] = block;
    }
  }

  const TableBlock<Tile>& block_;
  const TableWaves& waves_;
  int thread_;
  int first_;
};

/// @brief A thread that sums up a few of the tiles to the left, or right, along a pair of rows.
template <class Tile>
class RowGatherer {
  using Shared = TableShared<Tile>;

 public:
  static constexpr int threads = 32 * Shared::First::row_warps;

  __device__ RowGatherer(const TableBlock<Tile>& block, int thread, int first)
      : block_(block), waves_(block.task.waves), thread_(thread), first_(first) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::gathers) {
      block_.wait(block_.shared.reduced, t);
      block_.for_planes([&](auto& plane, int offset) { gather_sums(plane, offset, t); });
      block_.shared.rows_ready[t % Tile::slots].arrive();
    }
  }

 private:
  template <class V>
  __device__ void gather_sums(PlaneShared<V, Tile>& plane, int offset, int t) const {
    using Record = SumRecord<V, Tile>;
    using Pair = SumPair<V>;
    constexpr int pairs = Tile::rows / Pair::count;
    static_assert(32 % pairs == 0);
    constexpr int records_at_once = threads / pairs;
    const int slot = t % Tile::slots;
    const std::uint32_t tag = block_.tag(t);
    gpu::TaggedWord* const records = block_.team_records(t, offset) +
                                     block_.y * waves_.across * block_.record_words() +
                                     Record::rows;
    if (thread_ < pairs && waves_.across > 1) {
      Pair here;
#pragma unroll
      for (int s = 0; s < Tile::segments; ++s)
        here += *reinterpret_cast<const Pair*>(&plane.row_sums[slot][s][thread_ * Pair::count]);
      gpu::Tagged<Pair>::publish(records + block_.x * block_.record_words() + 2 * thread_, here,
                                 tag);
    }
    const int pair = thread_ % pairs;
    const int first = thread_ / pairs;
    const int end = waves_.rightwards ? waves_.across : block_.x;
    Pair left, right;
    gather<Pair, 8>((end + records_at_once - 1) / records_at_once, tag,
                    [&](int i) {
                      const int x = i * records_at_once + first;
                      return x < end && x != block_.x;
                    },
                    [&](int i) {
                      return records + (i * records_at_once + first) * block_.record_words() +
                             2 * pair;
                    },
                    [&](int i, int, const Pair& sum) {
                      const bool before = i * records_at_once + first < block_.x;
                      if (before) left += sum;
                      if (!before) right += sum;
                    });
#pragma unroll
    for (int step = pairs; step < 32; step *= 2) {
      left += gpu::shuffle_xor(left, step);
      if (waves_.rightwards) right += gpu::shuffle_xor(right, step);
    }
    if (gpu::lane() < pairs) {
      *reinterpret_cast<Pair*>(&plane.rows_left[slot][thread_ / 32][pair * Pair::count]) = left;
      if (waves_.rightwards)
        *reinterpret_cast<Pair*>(&plane.rows_right[slot][thread_ / 32][pair * Pair::count]) = right;
    }
  }

  const TableBlock<Tile>& block_;
  const TableWaves& waves_;
  int thread_;
  int first_;
};

/// @brief The warp that puts together what lies to the left of a tile's segments, down to each row.
///
/// It also sums up whole tiles: those that the columns and rows of this wave leave out. It waits
/// for the whole team, so that no block is ever many waves ahead of another.
template <class Tile>
class CornerGatherer {
  using Shared = TableShared<Tile>;
  static constexpr int lane_rows = (Tile::rows + 31) / 32;  ///< of the tile
  static constexpr int row_lanes = Tile::rows / lane_rows;

 public:
  __device__ CornerGatherer(const TableBlock<Tile>& block, int first)
      : block_(block), waves_(block.task.waves), first_(first) {
    for (int i = 0; i * 32 < waves_.team_blocks(); ++i) {
      const int y = (i * 32 + gpu::lane()) / waves_.across;
      const int x = i * 32 + gpu::lane() - y * waves_.across;
      if (y < block.y && x < block.x) before_ |= 1u << i;
      if (waves_.rightwards ? y < block.y && x >= block.x : y > block.y && x < block.x)
        after_ |= 1u << i;
    }
  }

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::gathers) {
      block_.wait(block_.shared.reduced, t);
      block_.for_planes([&](auto& plane, int offset) { gather_totals(plane, offset, t); });
      block_.wait(block_.shared.rows_ready, t);
      block_.wait(block_.shared.columns_ready, t);
      if (t > 0) block_.wait(block_.shared.ready, t - 1);
      block_.for_planes([&](auto& plane, int) { put_together(plane, t); });
      block_.shared.ready[t % Tile::slots].arrive();
    }
  }

 private:
  /// @brief Leaves the sums before in this wave in `left`, and those after in `next_corner`.
  template <class V>
  __device__ void gather_totals(PlaneShared<V, Tile>& plane, int offset, int t) const {
    using Record = SumRecord<V, Tile>;
    const int slot = t % Tile::slots;
    const int team = waves_.team_blocks();
    V before{}, after{};
    if (team > 1) {
      const std::uint32_t tag = block_.tag(t);
      gpu::TaggedWord* const records = block_.team_records(t, offset) + Record::total;
      V total{};
#pragma unroll
      for (int k = 0; k < lane_rows; ++k)
#pragma unroll
        for (int s = 0; s < Tile::segments; ++s)
          if (gpu::lane() < row_lanes)
            total += plane.row_sums[slot][s][gpu::lane() * lane_rows + k];
      total = gpu::warp_reduce(total);
      if (gpu::lane() < Record::total_copies)
        gpu::Tagged<V>::publish(records +
                                    (block_.y * waves_.across + block_.x) * block_.record_words() +
                                    gpu::lane() * Record::value_words,
                                total, tag);
      gather<V, 5>((team + 31) / 32, tag, [&](int i) { return i * 32 + gpu::lane() < team; },
                   [&](int i) { return records + (i * 32 + gpu::lane()) * block_.record_words(); },
                   [&](int i, int, const V& sum) {
                     if (before_ >> i & 1) before += sum;
                     if (after_ >> i & 1) after += sum;
                   });
      before = gpu::warp_reduce(before);
      after = gpu::warp_reduce(after);
    }
    if (gpu::lane() == 0) {
      plane.left[slot][0][0] = before;
      plane.next_corner[slot] = after;
    }
  }

  template <class V>
  __device__ void put_together(PlaneShared<V, Tile>& plane, int t) const {
    const int slot = t % Tile::slots;
    const int previous = (t + Tile::slots - 1) % Tile::slots;
    const bool goes_on = !block_.info(t).first;
    const int lane = gpu::lane();
    const bool has_rows = lane < row_lanes;
    gpu::sync_warp();
    V corner = plane.left[slot][0][0];
    if (goes_on) corner += plane.next_corner[previous];
    const V after = plane.next_corner[slot];
    gpu::sync_warp();

    V rows[lane_rows] = {};      // left of the segment, not yet summed up downwards
    V all_left[lane_rows] = {};  // left of the segment, down to the row
    if (has_rows) {
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) {
        const int row = lane * lane_rows + k;
        if (goes_on && waves_.rightwards) rows[k] = plane.next_rows[previous][row];
#pragma unroll
        for (int w = 0; w < plane.row_warps; ++w) rows[k] += plane.rows_left[slot][w][row];
        if (waves_.rightwards) {
          V next = rows[k];
#pragma unroll
          for (int s = 0; s < Tile::segments; ++s) next += plane.row_sums[slot][s][row];
#pragma unroll
          for (int w = 0; w < plane.row_warps; ++w) next += plane.rows_right[slot][w][row];
          plane.next_rows[slot][row] = next;
        }
      }
    }
    constexpr int segment_blocks = Tile::segment / SumPair<V>::count / 32;
    V above = corner;
#pragma unroll
    for (int s = 0; s < Tile::segments; ++s) {
      if (s > 0) {
#pragma unroll
        for (int b = (s - 1) * segment_blocks; b < s * segment_blocks; ++b)
          above += plane.block_above[slot][b];
#pragma unroll
        for (int k = 0; k < lane_rows; ++k)
          rows[k] = has_rows ? plane.row_sums[slot][s - 1][lane * lane_rows + k] : V();
      }
      sum_downwards(rows);
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) {
        all_left[k] += rows[k];
        if (has_rows) plane.left[slot][s][lane * lane_rows + k] = above + all_left[k];
      }
      if (s == 0 && lane == row_lanes - 1)
        plane.next_corner[slot] =
            waves_.rightwards ? corner + after : corner + all_left[lane_rows - 1] + after;
    }
  }

  /// @brief An inclusive scan of lanes' consecutive values.
  template <class V>
  static __device__ void sum_downwards(V (&rows)[lane_rows]) {
#pragma unroll
    for (int k = 1; k < lane_rows; ++k) rows[k] += rows[k - 1];
    const V sum =
        gpu::warp_segmented_scan<row_lanes>(rows[lane_rows - 1], 0, gpu::lane(), gpu::Add());
    if constexpr (lane_rows == 1) {
      rows[0] = sum;
    } else {
      V before = gpu::shuffle_up(sum, 1);
      if (gpu::lane() == 0) before = V();
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) rows[k] += before;
    }
  }

  const TableBlock<Tile>& block_;
  const TableWaves& waves_;
  int first_;
  unsigned before_ = 0;  ///< which of the lane's totals lie to the left and above in this wave
  unsigned after_ = 0;   ///< and which will when the block's next tile is scanned
};

}  // namespace wavescan::Impl

#endif
