// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_REDUCE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_REDUCE_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

namespace wavescan::Impl {

/// @brief One of the warps that sum up the rows and columns of every tile when it arrives.
template <class Tile>
class StripsReducer {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;
  static constexpr int section_rows = Tile::section_rows;
  static constexpr int lanes_a_row = Tile::lanes / section_rows;

 public:
  __device__ StripsReducer(const StripsBlock<Tile>& block, int warp)
      : block_(block), rows_(block.task.plan, warp) {}

  __device__ void run() const {
    const auto& shared = block_.task.shared;
    auto& barriers = block_.barriers;
    gpu::RingTurn stage(shared.stages, 0), slot(shared.slots, 0), scanned(shared.stages, 0);
    for (int t = 0; t < block_.tiles(); ++t) {
      if (t >= shared.slots.places()) {
        scanned.wait(barriers.scanned);
        scanned.advance();
      }
      stage.wait(barriers.arrived);
      gpu::sync_warp();
      reduce(t, block_.stage(stage.place()), slot.place());
      stage.advance();
      slot.advance();
    }
  }

 private:
  __device__ void reduce(int t, const char* stage, int slot) const {
    V columns[Tile::chunks][chunk] = {};
    V sums[section_rows] = {};
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < Tile::chunks; ++c) {
        V x[chunk];
        rows_.load(x, stage, r, c);
#pragma unroll
        for (int e = 0; e < chunk; ++e) columns[c][e] += x[e];
        V sum = x[0] + x[1];
        if constexpr (chunk == 4) sum += x[2] + x[3];
        sums[r] += rows_.has(c) ? sum : V();
      }
#pragma unroll
    for (int c = 0; c < Tile::chunks; ++c)
      if (rows_.has(c))
        store_values(block_.slot(slot).columns(rows_.section) + rows_.column(c), columns[c]);
    gpu::arrive_as_warp(block_.barriers.reduced[slot]);
    const V sum = gpu::warp_sum_of_each<Tile::lanes>(sums);
    if (rows_.lane() % lanes_a_row == 0) {
      const int row = rows_.first + rows_.lane() / lanes_a_row;
      gpu::Tagged<V>::publish(
          block_.task.ring.row_sums(t, block_.group, block_.strip) + row * gpu::Tagged<V>::words,
          sum, block_.tag(t), block_.access);
    }
  }

  const StripsBlock<Tile>& block_;
  StripsRows<Tile> rows_;
};

}  // namespace wavescan::Impl

#endif
