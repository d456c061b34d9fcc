// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SCAN_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SCAN_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

namespace wavescan::Impl {

/// @brief One of the warps that put the tiles of the table together. Tiles go to `sets` of warps in
/// turn: it takes a warp longer to put its rows together than tiles follow each other.
template <class Tile>
class StripsTableScanner {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;
  static constexpr int chunks = Tile::chunks;
  static constexpr int section_rows = Tile::section_rows;

 public:
  __device__ StripsTableScanner(const StripsBlock<Tile>& block, int warp)
      : block_(block),
        set_(warp / Tile::warps),
        warp_(warp % Tile::warps),
        rows_(block.task.plan, warp_) {}

  __device__ void run() const {
    const auto& shared = block_.task.shared;
    gpu::RingTurn stage(shared.stages, set_), slot(shared.slots, set_), out(shared.outs, set_);
    for (int t = set_; t < block_.tiles(); t += Tile::sets) {
      scan(t, block_.stage(stage.place()), slot, out);
      gpu::order_before_bulk_copies();
      gpu::arrive_as_warp(block_.barriers.scanned[stage.place()]);
      stage.advance(Tile::sets);
      slot.advance(Tile::sets);
      out.advance(Tile::sets);
    }
  }

 private:
  __device__ void scan(int t, char* stage, const gpu::RingTurn& slot,
                       const gpu::RingTurn& out) const {
    const StripsSlot<Tile> kept = block_.slot(slot.place());
    V columns[chunks][chunk];
    V y[section_rows][chunks][chunk];
    V sums[section_rows][chunks];
    wait(slot, block_.barriers.stacked);
    load_columns(kept, slot, columns);
    // Sums over the columns, and of these along each row as far as the lane has them.
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        V x[chunk], sum = V();
        rows_.load(x, stage, r, c);
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          columns[c][e] += x[e];
          sum += columns[c][e];
          y[r][c][e] = sum;
        }
        sums[r][c] = rows_.has(c) ? sum : V();
      }
    gpu::warp_inclusive_sum<Tile::lanes>(sums);
    wait(slot, block_.barriers.followed);
    V left[section_rows];
    load_left(kept, left);
    V before[section_rows][chunks];
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        const V others = gpu::shuffle_up(sums[r][c], 1);
        before[r][c] = rows_.lane() == 0 ? left[r] : left[r] + others;
        if (c + 1 < chunks) left[r] += gpu::broadcast(sums[r][c], 31);
      }
    V* tile = reinterpret_cast<V*>(stage);
    if constexpr (!Tile::in_place) {
      out.wait_for_last(block_.barriers.out_free);
      tile = reinterpret_cast<V*>(block_.out(out.place()));
    }
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
#pragma unroll
        for (int e = 0; e < chunk; ++e) y[r][c][e] += before[r][c];
        if (rows_.has(c)) store_values(tile + rows_.place(r, c), y[r][c]);
      }
    if (block_.task.tail.begin < block_.task.tail.table.columns) store_tail(t, tile);
  }

  __device__ static void wait(const gpu::RingTurn& turn, gpu::Barrier* barriers) {
    turn.wait(barriers);
    gpu::sync_warp();
  }

  /// @brief What lies to the left of the strip, down to each row of the section.
  __device__ void load_left(const StripsSlot<Tile>& kept, V (&left)[section_rows]) const {
    constexpr int at_once = 16 / static_cast<int>(sizeof(V));
    static_assert(section_rows % at_once == 0);
#pragma unroll
    for (int first = 0; first < section_rows; first += at_once) {
      V some[at_once];
      load_values(some, kept.left() + rows_.first + first);
#pragma unroll
      for (int i = 0; i < at_once; ++i) left[first + i] = some[i];
    }
  }

  /// @brief Stores the table's tail in the warp's rows, a row a lane.
  __device__ void store_tail(int t, const V* tile) const {
    const auto& [table, begin] = block_.task.tail;
    const StripsPlace place = block_.place({block_.task.plan, t});
    const int width = block_.task.plan.width, in_tile = warp_ * Tile::warp_rows + gpu::lane();
    const Index column = begin - place.column, row = place.row + in_tile;
    if (column < 0 || column >= width) return;
    gpu::sync_warp();
    if (gpu::lane() >= Tile::warp_rows || row >= table.rows) return;
    const V* const from = tile + in_tile * width + column;
    for (Index e = 0; begin + e < table.columns; ++e)
      table(row, begin + e) = static_cast<typename Tile::T>(from[e]);
  }

  /// @brief The sums of the columns over all rows above the section's.
  __device__ void load_columns(const StripsSlot<Tile>& kept, const gpu::RingTurn& slot,
                               V (&columns)[chunks][chunk]) const {
#pragma unroll
    for (int c = 0; c < chunks; ++c)
      load_values(columns[c], kept.columns(rows_.section) + rows_.column(c));
    if (block_.task.plan.groups == 1) return;
    wait(slot, block_.barriers.gathered);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      V others[chunk];
      load_values(others, kept.others() + rows_.column(c));
#pragma unroll
      for (int e = 0; e < chunk; ++e) columns[c][e] += others[e];
    }
  }

  const StripsBlock<Tile>& block_;
  int set_;
  int warp_;
  StripsRows<Tile> rows_;
};

}  // namespace wavescan::Impl

#endif
