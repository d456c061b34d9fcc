// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SCAN_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SCAN_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

namespace wavescan::Impl {

/// @brief One of the warps that put the tiles of the table together.
template <class Tile>
class StripsTableScanner {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;
  static constexpr int chunks = Tile::chunks;
  static constexpr int warp_rows = Tile::warp_rows;

 public:
  __device__ StripsTableScanner(const StripsBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), rows_(warp) {}

  __device__ void run() {
    const StripsPlan& plan = block_.task.plan;
    for (int t = 0, step = 0; t < block_.tiles(); ++t, ++step) {
      if (step == plan.steps) {
        step = 0;
        corner_ = V();
#pragma unroll
        for (int c = 0; c < chunks; ++c) others_[c] = {};
      }
      scan(t, plan.groups > 1);
      gpu::order_before_bulk_copies();
      block_.arrive(block_.shared.scanned[t % StripsShared<Tile>::stages]);
    }
  }

 private:
  __device__ void scan(int t, bool groups) {
    const int slot = block_.slot(t);
    V columns[chunks][chunk];
    V y[warp_rows][chunks][chunk];
    V sums[warp_rows][chunks];
    block_.wait(block_.shared.stacked, t);
    load_columns(t, slot, groups, columns);
    // Sums over the columns, and of these along each row as far as the lane has them.
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        V x[chunk], sum = V();
        rows_.load(x, block_.stage(t), r, c);
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          columns[c][e] += x[e];
          sum += columns[c][e];
          y[r][c][e] = sum;
        }
        sums[r][c] = sum;
      }
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
#pragma unroll
      for (int r = 0; r < warp_rows; ++r)
#pragma unroll
        for (int c = 0; c < chunks; ++c) {
          const V left = gpu::shuffle_up(sums[r][c], step);
          if (gpu::lane() >= step) sums[r][c] += left;
        }
    block_.wait(block_.shared.followed, t);
    if (groups) corner_ += block_.shared.left_of_others[slot];
    if constexpr (!Tile::in_place)
      if (t >= Tile::out_stages) block_.wait(block_.shared.out_free, t - Tile::out_stages);
    auto* const out = reinterpret_cast<V*>(block_.out_stage(t));
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
      V left = corner_ + block_.shared.left[slot][rows_.first + r];
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        V before = gpu::shuffle_up(sums[r][c], 1);
        if (gpu::lane() == 0) before = V();
        before += left;
        if (c + 1 < chunks) left += gpu::broadcast(sums[r][c], 31);
#pragma unroll
        for (int e = 0; e < chunk; ++e) y[r][c][e] += before;
        store_values(out + rows_.place(r, c), y[r][c]);
      }
    }
    corner_ += block_.shared.left[slot][Tile::rows - 1];
    if (block_.task.tail.begin < block_.task.tail.table.columns) store_tail(t, out);
  }

  /// @brief Stores the table's tail in the warp's rows, a row a lane.
  __device__ void store_tail(int t, const V* tile) const {
    const auto& [table, begin] = block_.task.tail;
    const StripsPlace place = block_.place(t);
    const Index column = begin - place.column, row = place.row + rows_.first + gpu::lane();
    if (column < 0 || column >= Tile::columns) return;
    gpu::sync_warp();
    if (gpu::lane() >= warp_rows || row >= table.rows) return;
    const V* const from = tile + (rows_.first + gpu::lane()) * Tile::columns + column;
    for (Index e = 0; begin + e < table.columns; ++e)
      table(row, begin + e) = static_cast<typename Tile::T>(from[e]);
  }

  /// @brief The sums of the columns over all rows above the warp's.
  __device__ void load_columns(int t, int slot, bool groups, V (&columns)[chunks][chunk]) {
#pragma unroll
    for (int c = 0; c < chunks; ++c)
      load_values(columns[c], &block_.shared.columns[slot][warp_][rows_.column(c)]);
    if (!groups) return;
    block_.wait(block_.shared.gathered, t);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      V others[chunk];
      load_values(others, &block_.shared.others[slot][rows_.column(c)]);
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        others_[c].value[e] += others[e];
        columns[c][e] += others_[c].value[e];
      }
    }
  }

  const StripsBlock<Tile>& block_;
  int warp_;
  StripsRows<Tile> rows_;
  V corner_ = V();                    ///< over all above the tile and to the left
  StripsChunk<Tile> others_[chunks];  ///< over the other groups' tiles above
};

}  // namespace wavescan::Impl

#endif
