// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_SCAN_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_SCAN_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Reduce.hpp>

namespace wavescan::Impl {

/// @brief One of the warps that put the tiles of the table together.
template <class Tile>
class TallTableScanner {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;
  static constexpr int most_rows = Tile::most_rows;
  using Rows = V[most_rows];

 public:
  __device__ TallTableScanner(const TallBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), part_(block.plan, warp) {}

  __device__ void run() const {
    Prefixes prefixes;
    for (int t = 0; t < block_.tiles; ++t) {
      V columns[chunk] = {};
      block_.wait_reduced(t);
      add_own(t, columns);
      follow(t, prefixes, columns);
      // Perhaps they are there already.
      if (t + 1 < block_.tiles) prefixes.load(block_, place_of_prefixes(t + 1), part_.inside);
      if constexpr (!Tile::in_place)
        if (t >= Tile::out_stages) block_.wait_out_free(t - Tile::out_stages);
      scan(t, columns);
      gpu::order_before_bulk_copies();
      gpu::arrive_as_warp(block_.fixed.scanned[block_.plan.stages.place(t)]);
    }
  }

 private:
  /// @brief The sums over the lane's columns of all tiles above, as found so far.
  struct Prefixes {
    using Pair = SumPair<V>;
    typename gpu::Tagged<Pair>::Found half[2];

    __device__ void load(const TallBlock<Tile>& block, const gpu::TaggedWord* place, bool wanted) {
      half[0].load_if(wanted, place, block.access);
      half[1].load_if(wanted, place + gpu::Tagged<Pair>::words, block.access);
    }
    __device__ bool have_tag(std::uint32_t tag) const {
      return half[0].has_tag(tag) && half[1].has_tag(tag);
    }
    __device__ void add_to(V (&columns)[chunk]) const {
#pragma unroll
      for (int e = 0; e < chunk; ++e)
        columns[e] += half[e / Pair::count].value().value[e % Pair::count];
    }
  };
  __device__ const gpu::TaggedWord* place_of_prefixes(int t) const {
    return block_.task.ring.prefixes(t, block_.number) +
           part_.column / chunk * TallRing<Tile>::chunk_words;
  }
  /// @brief Waits for what lies above the tile.
  __device__ void follow(int t, Prefixes& prefixes, V (&columns)[chunk]) const {
    const std::uint32_t tag = block_.tag(t);
    const auto missing = [&] { return part_.inside && !prefixes.have_tag(tag); };
    for (bool again = missing(); gpu::any(again); again = missing())
      prefixes.load(block_, place_of_prefixes(t), again);
    prefixes.add_to(columns);
  }

  /// @brief Adds the tile's sums over the columns above the lane's section.
  __device__ void add_own(int t, V (&columns)[chunk]) const {
    const TallPlan& plan = block_.plan;
    for (int level = 0; level < part_.level; ++level)
      add_values(columns,
                 block_.sums(t, part_.warp_of(plan, level)) + part_.last_lane(plan) * chunk);
    const int above = gpu::lane() - plan.lanes;
    if (above >= 0) add_values(columns, block_.sums(t, warp_) + above * chunk);
  }

  __device__ void scan(int t, V (&columns)[chunk]) const {
    const TallPlan& plan = block_.plan;
    const char* const stage = block_.stage(t);
    const int first = part_.row * plan.columns + part_.column;
    V y[most_rows][chunk] = {};
    Rows sums, left;
    // What is read twice, or beyond the image's last row, only gets into what is not stored.
    if (part_.inside) {
#pragma unroll
      for (int i = 0; i < most_rows; ++i)
        load_tall_pixels<Tile>(y[i], stage, first + min(i, plan.section_rows - 1) * plan.columns);
    }
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
      sums[i] = V(0);
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        columns[e] += y[i][e];
        y[i][e] = sums[i] += columns[e];
      }
    }
    scan_rows(t, sums, left);
    V* const out = reinterpret_cast<V*>(block_.out_stage(t)) + first;
    const int rows = part_.rows_of(plan.rows_of(block_.tile(t)), plan.section_rows);
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
#pragma unroll
      for (int e = 0; e < chunk; ++e) y[i][e] += left[i];
      if (i < rows) store_values(out + i * plan.columns, y[i]);
    }
  }

  /// @brief What lies to the left of the lane's chunk in each of its rows.
  __device__ void scan_rows(int t, Rows& sums, Rows& left) const {
    const TallPlan& plan = block_.plan;
    const int lane = gpu::lane() & (plan.lanes - 1);
    gpu::warp_inclusive_scan(sums, plan.lanes, 1);
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
      left[i] = gpu::shuffle_up(sums[i], 1);
      if (lane == 0) left[i] = V(0);
    }
    if (plan.strips > 1) add_strips(t, sums, left);
  }

  /// @brief Tells the other strips' warps the sums over the own strip's rows, and adds theirs.
  __device__ void add_strips(int t, const Rows& sums, Rows& left) const {
    constexpr int at_once = 16 / static_cast<int>(sizeof(V));
    auto& strips = block_.fixed.strips[t & 1];
    if (gpu::lane() == 31) {
#pragma unroll
      for (int first = 0; first < most_rows; first += at_once) {
        V some[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) some[i] = sums[first + i];
        store_values(&strips[warp_][first], some);
      }
    }
    gpu::Barrier& told = block_.fixed.told[part_.level];
    gpu::arrive_as_warp(told);
    told.wait(t & 1);
    V before[most_rows] = {};
    for (int w = part_.level; w < warp_; w += 1 << block_.plan.level_bits) {
#pragma unroll
      for (int first = 0; first < most_rows; first += at_once) {
        V some[at_once];
        load_values(some, &strips[w][first]);
#pragma unroll
        for (int i = 0; i < at_once; ++i) before[first + i] += some[i];
      }
    }
#pragma unroll
    for (int i = 0; i < most_rows; ++i) left[i] += before[i];
  }

  const TallBlock<Tile>& block_;
  int warp_;
  TallPart<Tile> part_;
};

}  // namespace wavescan::Impl

#endif
