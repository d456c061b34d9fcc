// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_SCAN_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_SCAN_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Block.hpp>

namespace wavescan::Impl {

/// @brief A warp that scans its part of tiles and stores the tables, once all sums are known over
/// what lies above the tile and to the left.
template <class Tile>
class TableScanner {
  using Pixel = typename Tile::Pixel;
  using Shared = TableShared<Tile>;
  static constexpr int chunk = Tile::chunk;

 public:
  __device__ TableScanner(const TableBlock<Tile>& block, int warp)
      : block_(block), part_(warp), first_(warp / Tile::warps) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::at_once) {
      block_.wait_arrived(t);
      block_.wait(block_.shared.ready, t);
      if (block_.info(t).plain_tables)
        scan<true, true>(t);
      else if (block_.info(t).plain_pixels)
        scan<true, false>(t);
      else
        scan<false, false>(t);
    }
  }

 private:
  template <bool PlainPixels, bool PlainTables>
  __device__ void scan(int t) const {
    const TileInfo tile = block_.info(t);  // another tile's once the last pixels are read
    const auto& problem = block_.task.problem;
    scan_plane<PlainPixels, PlainTables, false, !Shared::two>(
        block_.shared.first, t, tile, problem.table.data + tile.table, problem.table.row_stride);
    if constexpr (Shared::two)
      scan_plane<PlainPixels, PlainTables, true, true>(block_.shared.second, t, tile,
                                                       problem.squares.data + tile.squares,
                                                       problem.squares.row_stride);
  }

  /// @tparam Last nothing is read of the tile afterwards
  template <bool PlainPixels, bool PlainTables, bool Square, bool Last, class V, class Out>
  __device__ void scan_plane(const PlaneShared<V, Tile>& plane, int t, const TileInfo& tile,
                             Out* to, Index pitch) const {
    const int slot = t % Tile::slots;
    const int lane = gpu::lane();
    to += part_.row(0) * pitch + part_.segment * Tile::segment;
    V columns[chunk];
    load_values(columns, &plane.above[slot][part_.column()]);
#pragma unroll
    for (int g = 0; g + 1 < Tile::groups; ++g) {
      if (g >= part_.group) break;
      V sums[chunk];
      load_values(sums, &plane.column_sums[slot][g][part_.column()]);
#pragma unroll
      for (int e = 0; e < chunk; ++e) columns[e] += sums[e];
    }
#pragma unroll 1
    for (int quad = 0; quad < Tile::quads; ++quad) {
      Pixel x[4][chunk];
      block_.template read_quad<PlainPixels>(t, part_, quad, x);
      V left[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) left[i] = plane.left[slot][part_.segment][part_.row(quad) + i];
      if (Last && quad == Tile::quads - 1) block_.shared.scanned[t % Shared::stages].arrive();
      V y[4][chunk];
      V sums[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          columns[e] += block_.template term<Square, V>(x[i][e]);
          y[i][e] = e == 0 ? columns[0] : y[i][e - 1] + columns[e];
        }
        sums[i] = y[i][chunk - 1];
      }
      gpu::warp_inclusive_scan(sums);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const V others = gpu::shuffle_up(sums[i], 1);
        if (lane > 0) left[i] += others;
        Out z[chunk];
#pragma unroll
        for (int e = 0; e < chunk; ++e) z[e] = static_cast<Out>(left[i] + y[i][e]);
        const int count = tile.columns - part_.segment * Tile::segment;
        if constexpr (PlainTables)
          store_aligned(to, z, count);
        else if (part_.row(quad) + i < tile.rows)
          store_chunk(to, z, count);
        to += pitch;
      }
    }
  }

  const TableBlock<Tile>& block_;
  TilePart<Tile> part_;
  int first_;
};

}  // namespace wavescan::Impl

#endif
