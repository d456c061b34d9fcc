// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_REDUCE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_REDUCE_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Block.hpp>

namespace wavescan::Impl {

/// @brief A warp that sums up its part of tiles along rows and columns as soon as they arrive.
template <class Tile>
class TableReducer {
  using Pixel = typename Tile::Pixel;
  static constexpr int chunk = Tile::chunk;

 public:
  __device__ TableReducer(const TableBlock<Tile>& block, int warp)
      : block_(block), part_(warp), first_(warp / Tile::warps) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::at_once) {
      if (t >= Tile::slots) block_.wait_scanned(t - Tile::slots);
      block_.wait_arrived(t);
      if (block_.info(t).plain_pixels)
        reduce<true>(t);
      else
        reduce<false>(t);
      block_.shared.reduced[t % Tile::slots].arrive();
    }
  }

 private:
  template <bool Plain>
  __device__ void reduce(int t) const {
    reduce_plane<Plain, false>(block_.shared.first, t);
    if constexpr (TableShared<Tile>::two) reduce_plane<Plain, true>(block_.shared.second, t);
  }

  template <bool Plain, bool Square, class V>
  __device__ void reduce_plane(PlaneShared<V, Tile>& plane, int t) const {
    const int slot = t % Tile::slots;
    V columns[chunk] = {};
#pragma unroll
    for (int quad = 0; quad < Tile::quads; ++quad) {
      Pixel x[4][chunk];
      block_.template read_quad<Plain>(t, part_, quad, x);
      const auto row = [&](int i) {
        V v[chunk];
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          v[e] = block_.template term<Square, V>(x[i][e]);
          columns[e] += v[e];
        }
        V sum = v[0] + v[1];
        if constexpr (chunk == 4) sum += v[2] + v[3];
        return sum;
      };
      const V rows[] = {row(0), row(1), row(2), row(3)};
      const V sum = gpu::warp_sum_of_each(rows);
      if (gpu::lane() % 8 == 0)
        plane.row_sums[slot][part_.segment][part_.row(quad) + gpu::lane() / 8] = sum;
    }
    store_values(&plane.column_sums[slot][part_.group][part_.column()], columns);
  }

  const TableBlock<Tile>& block_;
  TilePart<Tile> part_;
  int first_;
};

}  // namespace wavescan::Impl

#endif
