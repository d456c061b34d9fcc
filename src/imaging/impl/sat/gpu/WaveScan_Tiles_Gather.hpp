// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TILES_GATHER_HPP
#define WAVESCAN_IMPL_SAT_GPU_TILES_GATHER_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Block.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief The warps that publish the sums over a block's tiles, ask for those of the others, and
/// put together what lies above and to the left. They go through every `gatherers`-th tile, since
/// the answers take long; what is kept from tile to tile passes through shared memory.
///
/// Every block publishes the sums over the rows and columns of its tile, and over the whole tile,
/// as soon as the tile has arrived; it needs those of the tiles to the left and above in the same
/// wave, and nothing that would first have to be summed up along a chain of blocks.

namespace wavescan::Impl::sat {

/// @brief Warps that load the sums of the other blocks' tiles.
template <class Tile>
class RemoteSums {
  using Shared = TableShared<Tile>;
  using V = typename Tile::V;
  using Pair = SumPair<V>;
  using Record = SumRecord<Tile>;

 public:
  static constexpr int column_threads = std::clamp(Shared::pairs / 2, Tile::lanes, 64);
  static constexpr int row_threads = Tile::lanes * Shared::row_warps;

  __device__ RemoteSums(const TableBlock<Tile>& block, int first)
      : block_(block), shared_(block.shared), waves_(block.task.waves), first_(first) {}

  /// @brief Sums up what lies above a few pairs of columns; run by each of the threads for columns.
  __device__ void run_columns(int thread) const {
    for (int t = first_; t < block_.tiles; t += Tile::gatherers) {
      gpu::wait_in_turn(shared_.reduced, t);
      gather_columns(t, thread);
      if (t > 0) gpu::wait_in_turn(shared_.columns_ready, t - 1);
      put_columns_together(t, thread);
      shared_.columns_ready[t % Tile::slots].arrive();
    }
  }

  /// @brief Sums up a few of the tiles to the left along a pair of rows; run by each of the threads
  /// for rows.
  __device__ void run_rows(int thread) const {
    for (int t = first_; t < block_.tiles; t += Tile::gatherers) {
      gpu::wait_in_turn(shared_.reduced, t);
      gather_rows(t, thread);
      shared_.rows_ready[t % Tile::slots].arrive();
    }
  }

  /// @brief Puts together what lies to the left of a tile's segments, down to each row; run by one
  /// warp.
  ///
  /// It also sums up whole tiles: those that the columns and rows of this wave leave out. It waits
  /// for the whole team, so that no block is ever many waves ahead of another.
  __device__ void run_totals() const {
    Corners corners;
    for (int i = 0; i * Tile::lanes < waves_.team_blocks(); ++i) {
      const int y = (i * Tile::lanes + gpu::lane()) / waves_.across;
      const int x = i * Tile::lanes + gpu::lane() - y * waves_.across;
      if (y < block_.y && x < block_.x) corners.before |= 1u << i;
      if (y > block_.y && x < block_.x) corners.after |= 1u << i;
    }
    for (int t = first_; t < block_.tiles; t += Tile::gatherers) {
      gpu::wait_in_turn(shared_.reduced, t);
      gather_totals(t, corners);
      gpu::wait_in_turn(shared_.rows_ready, t);
      gpu::wait_in_turn(shared_.columns_ready, t);
      if (t > 0) gpu::wait_in_turn(shared_.ready, t - 1);
      put_together(t);
      shared_.ready[t % Tile::slots].arrive();
    }
  }

 private:
  static constexpr int own = Shared::pairs / column_threads;  ///< pairs of columns of a thread
  static constexpr int loads = 8;
  static_assert(loads % own == 0);
  static constexpr int lane_rows = (Tile::rows + Tile::lanes - 1) / Tile::lanes;  ///< of the tile
  static constexpr int row_lanes = Tile::rows / lane_rows;

  /// @brief The lane's totals to the left and above: in this wave, and when the block's next tile
  /// is scanned.
  struct Corners {
    unsigned before = 0;
    unsigned after = 0;
  };

  /// @brief Leaves the sums above in this wave in `above`, and those over the whole wave in
  /// `next_above`.
  __device__ void gather_columns(int t, int thread) const {
    const int slot = t % Tile::slots;
    const std::uint32_t tag = block_.tag(t);
    gpu::TaggedWord* const records = block_.team_records(t);
    const auto record = [&](int y) {
      return records + (y * waves_.across + block_.x) * Record::words;
    };
    Pair before[own], all[own];
    const auto pair = [&](int k) { return thread + k * column_threads; };
#pragma unroll
    for (int k = 0; k < own; ++k) {
#pragma unroll
      for (int g = 0; g < Tile::groups; ++g)
        all[k] +=
            *reinterpret_cast<const Pair*>(&shared_.column_sums[slot][g][pair(k) * Pair::count]);
      if (waves_.down > 1)
        gpu::Tagged<Pair>::publish(record(block_.y) + Record::columns + 2 * pair(k), all[k], tag);
    }
    // Of the tiles of the own group, or of groups, from `begin` on, all but the own one.
    const auto gather_from = [&](int words, int begin, int end, int self, const auto& source) {
      const auto other = [&](int i) { return begin + i / own + (begin + i / own >= self); };
      gpu::await_each<Pair, loads>(
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
    gather_from(group > 1 ? Record::group_columns : Record::columns, 0, groups, own_group, last_of);
#pragma unroll
    for (int k = 0; k < own; ++k) {
      *reinterpret_cast<Pair*>(&shared_.above[slot][pair(k) * Pair::count]) = before[k];
      *reinterpret_cast<Pair*>(&shared_.next_above[slot][pair(k) * Pair::count]) = all[k];
    }
  }

  /// @brief Adds what lies above the wave.
  __device__ void put_columns_together(int t, int thread) const {
    const int slot = t % Tile::slots;
    const int previous = (t + Tile::slots - 1) % Tile::slots;
    const bool goes_on = !block_.info(t).first;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      const int column = (thread + k * column_threads) * Pair::count;
      const auto at = [&](V(&sums)[Tile::columns]) {
        return reinterpret_cast<Pair*>(&sums[column]);
      };
      Pair above = *at(shared_.above[slot]);
      if (goes_on) {
        const Pair wave = *at(shared_.next_above[previous]);
        above += wave;
        *at(shared_.next_above[slot]) += wave;
      }
      *at(shared_.above[slot]) = above;
      const V group = gpu::warp_reduce(above.sum());
      if (gpu::lane() == 0)
        shared_.group_above[slot][thread / Tile::lanes + k * (column_threads / Tile::lanes)] =
            group;
    }
  }

  __device__ void gather_rows(int t, int thread) const {
    constexpr int pairs = Tile::rows / Pair::count;
    static_assert(Tile::lanes % pairs == 0);
    constexpr int records_at_once = row_threads / pairs;
    const int slot = t % Tile::slots;
    const std::uint32_t tag = block_.tag(t);
    gpu::TaggedWord* const records =
        block_.team_records(t) + block_.y * waves_.across * Record::words + Record::rows;
    if (thread < pairs && waves_.across > 1) {
      Pair here;
#pragma unroll
      for (int s = 0; s < Tile::segments; ++s)
        here += *reinterpret_cast<const Pair*>(&shared_.row_sums[slot][s][thread * Pair::count]);
      gpu::Tagged<Pair>::publish(records + block_.x * Record::words + 2 * thread, here, tag);
    }
    const int pair = thread % pairs;
    const int first = thread / pairs;
    Pair left;
    gpu::await_each<Pair, 8>(
        (block_.x + records_at_once - 1) / records_at_once, tag,
        [&](int i) { return i * records_at_once + first < block_.x; },
        [&](int i) { return records + (i * records_at_once + first) * Record::words + 2 * pair; },
        [&](int, int, const Pair& sum) { left += sum; });
    left = gpu::warp_reduce<gpu::warp_size, pairs>(left);
    if (gpu::lane() < pairs)
      *reinterpret_cast<Pair*>(&shared_.rows_left[slot][thread / Tile::lanes][pair * Pair::count]) =
          left;
  }

  /// @brief Leaves the sums before in this wave in `left`, and those after in `next_corner`.
  __device__ void gather_totals(int t, const Corners& corners) const {
    const int slot = t % Tile::slots;
    const int team = waves_.team_blocks();
    V before{}, after{};
    if (team > 1) {
      const std::uint32_t tag = block_.tag(t);
      gpu::TaggedWord* const records = block_.team_records(t) + Record::total;
      V total{};
#pragma unroll
      for (int k = 0; k < lane_rows; ++k)
#pragma unroll
        for (int s = 0; s < Tile::segments; ++s)
          if (gpu::lane() < row_lanes)
            total += shared_.row_sums[slot][s][gpu::lane() * lane_rows + k];
      total = gpu::warp_reduce(total);
      if (gpu::lane() < Record::total_copies)
        gpu::Tagged<V>::publish(records + (block_.y * waves_.across + block_.x) * Record::words +
                                    gpu::lane() * Record::value_words,
                                total, tag);
      gpu::await_each<V, 5>(
          (team + Tile::lanes - 1) / Tile::lanes, tag,
          [&](int i) { return i * Tile::lanes + gpu::lane() < team; },
          [&](int i) { return records + (i * Tile::lanes + gpu::lane()) * Record::words; },
          [&](int i, int, const V& sum) {
            if (corners.before >> i & 1) before += sum;
            if (corners.after >> i & 1) after += sum;
          });
      before = gpu::warp_reduce(before);
      after = gpu::warp_reduce(after);
    }
    if (gpu::lane() == 0) {
      shared_.left[slot][0][0] = before;
      shared_.next_corner[slot] = after;
    }
  }

  __device__ void put_together(int t) const {
    const int slot = t % Tile::slots;
    const int previous = (t + Tile::slots - 1) % Tile::slots;
    const bool goes_on = !block_.info(t).first;
    const int lane = gpu::lane();
    const bool has_rows = lane < row_lanes;
    gpu::sync_warp();
    V corner = shared_.left[slot][0][0];
    if (goes_on) corner += shared_.next_corner[previous];
    const V after = shared_.next_corner[slot];
    gpu::sync_warp();

    V rows[lane_rows] = {};      // left of the segment, not yet summed up downwards
    V all_left[lane_rows] = {};  // left of the segment, down to the row
    if (has_rows) {
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) {
        const int row = lane * lane_rows + k;
#pragma unroll
        for (int w = 0; w < shared_.row_warps; ++w) rows[k] += shared_.rows_left[slot][w][row];
      }
    }
    constexpr int segment_groups = Tile::segment / SumPair<V>::count / Tile::lanes;
    V above = corner;
#pragma unroll
    for (int s = 0; s < Tile::segments; ++s) {
      if (s > 0) {
#pragma unroll
        for (int b = (s - 1) * segment_groups; b < s * segment_groups; ++b)
          above += shared_.group_above[slot][b];
#pragma unroll
        for (int k = 0; k < lane_rows; ++k)
          rows[k] = has_rows ? shared_.row_sums[slot][s - 1][lane * lane_rows + k] : V();
      }
      sum_downwards(rows);
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) {
        all_left[k] += rows[k];
        if (has_rows) shared_.left[slot][s][lane * lane_rows + k] = above + all_left[k];
      }
      if (s == 0 && lane == row_lanes - 1)
        shared_.next_corner[slot] = corner + all_left[lane_rows - 1] + after;
    }
  }

  /// @brief An inclusive scan of lanes' consecutive values.
  static __device__ void sum_downwards(V (&rows)[lane_rows]) {
#pragma unroll
    for (int k = 1; k < lane_rows; ++k) rows[k] += rows[k - 1];
    const V sum =
        gpu::warp_segmented_scan<row_lanes>(rows[lane_rows - 1], 0, gpu::lane(), gpu::Add());
    if constexpr (lane_rows == 1) {
      rows[0] = sum;
    } else {
      const V before = gpu::value_before(sum);
#pragma unroll
      for (int k = 0; k < lane_rows; ++k) rows[k] += before;
    }
  }

  const TableBlock<Tile>& block_;
  Shared& shared_;
  const TableWaves& waves_;
  int first_;
};

}  // namespace wavescan::Impl::sat

#endif
