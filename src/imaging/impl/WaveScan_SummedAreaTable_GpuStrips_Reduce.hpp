// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_REDUCE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_REDUCE_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

namespace wavescan::Impl {

/// @brief One of the warps that sum up the rows and columns of every tile when it arrives.
template <class Tile>
class StripsReducer {
  using V = typename Tile::V;
  static constexpr int chunk = Tile::chunk;
  static constexpr int warp_rows = Tile::warp_rows;
  static constexpr int lanes_a_row = 32 / warp_rows;

 public:
  __device__ StripsReducer(const StripsBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), rows_(warp) {}

  __device__ void run() const {
    for (int t = 0; t < block_.tiles(); ++t) {
      if (t >= Tile::slots) block_.wait_scanned(t - Tile::slots);
      block_.wait_arrived(t);
      gpu::sync_warp();
      reduce(t);
    }
  }

 private:
  __device__ void reduce(int t) const {
    const int slot = block_.slot(t);
    V columns[Tile::chunks][chunk] = {};
    V sums[warp_rows] = {};
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
#pragma unroll
      for (int c = 0; c < Tile::chunks; ++c) {
        V x[chunk];
        rows_.load(x, block_.stage(t), r, c);
#pragma unroll
        for (int e = 0; e < chunk; ++e) columns[c][e] += x[e];
        if constexpr (chunk == 4)
          sums[r] += (x[0] + x[1]) + (x[2] + x[3]);
        else
          sums[r] += x[0] + x[1];
      }
#pragma unroll
    for (int c = 0; c < Tile::chunks; ++c)
      store_values(&block_.shared.columns[slot][warp_][rows_.column(c)], columns[c]);
    block_.arrive(block_.shared.reduced[slot]);
    const V sum = sum_of_each(sums);
    if (gpu::lane() % lanes_a_row == 0) {
      const int row = rows_.first + gpu::lane() / lanes_a_row;
      gpu::Tagged<V>::publish(
          block_.task.ring.row_sums(t, block_.group, block_.strip) + row * gpu::Tagged<V>::words,
          sum, block_.tag(t), block_.access);
    }
  }

  /// @brief The sums over the warp of each row: in lanes i * lanes_a_row and after, that of row i.
  ///
  /// In each step a lane keeps half of its rows and gives the others to its partner.
  static __device__ V sum_of_each(V (&sums)[warp_rows]) {
    int kept = warp_rows;
#pragma unroll
    for (int bit = 16; bit > 0; bit /= 2) {
      if (kept == 1) {
        sums[0] += gpu::shuffle_xor(sums[0], bit);
        continue;
      }
      kept /= 2;
      const bool upper = gpu::lane() & bit;
#pragma unroll
      for (int i = 0; i < warp_rows / 2; ++i)
        if (i < kept) {
          const V given = upper ? sums[i] : sums[i + kept];
          sums[i] = (upper ? sums[i + kept] : sums[i]) + gpu::shuffle_xor(given, bit);
        }
    }
    return sums[0];
  }

  const StripsBlock<Tile>& block_;
  int warp_;
  StripsRows<Tile> rows_;
};

}  // namespace wavescan::Impl

#endif
