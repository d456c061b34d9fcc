// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_TILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_TILE_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Rings.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief How the kernel for tall images cuts them, and what blocks keep in shared memory.

namespace wavescan::Impl {

/// @brief What does not depend on an image's size.
/// @tparam Squared the pixels' squares are summed up
template <class PixelType, class TableType, bool Squared = false>
struct TallTile {
  using Pixel = PixelType;
  using T = TableType;
  using V = typename TableSum<T>::type;

  static constexpr bool squared = Squared;
  static constexpr int warps = 8;                                 ///< that share a tile
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< a lane's neighbours in a row
  static constexpr int strip_columns = 32 * chunk;                ///< a warp's at most
  static constexpr Index most_columns = warps * strip_columns;
  static constexpr int most_rows = 8;  ///< of a section: a lane has them in registers
  static_assert(most_rows * chunk * sizeof(Pixel) % 16 == 0, "tiles begin at whole words");
  /// Warps that sum up columns over the tiles of a wave.
  static constexpr int scanners = 2;
  /// The table's tile takes the place of the image's in shared memory.
  static constexpr bool in_place = sizeof(Pixel) == sizeof(T);
  static constexpr int out_stages = in_place ? 0 : 5;
};

/// @brief Who takes which tile, and which part of it.
///
/// A *tile* is a number of whole rows. Blocks take tiles in turn: each one tile of a *wave*. A row
/// is cut into *strips*, if it is too wide for a warp, and the tile into *sections* of rows, one
/// for each of the warps of a strip, or several beside each other in a warp if rows are short.
struct TallPlan {
  Index rows = 0;
  int columns = 0;
  int blocks = 0;
  int tiles = 0;
  int waves = 0;
  int tile_rows = 0;
  int section_rows = 0;
  int chunks = 0;  ///< of a row: the units in which sums of columns travel
  int strips = 0;
  int level_bits = 0;    ///< 1 << level_bits warps are above each other in a strip
  int lanes = 0;         ///< of a warp that a row takes: a power of two
  gpu::RingSize stages;  ///< tiles that are in shared memory at the same time
  gpu::RingSize slots;   ///< tiles between their reduction and the end of their scan

  /// @brief How many tiles there are in a wave.
  KOKKOS_FUNCTION int tiles_of(int wave) const {
    const int left = tiles - wave * blocks;
    return left < blocks ? left : blocks;
  }
  /// @brief How many of a tile's rows are in the image.
  KOKKOS_FUNCTION int rows_of(int tile) const {
    const Index left = rows - Index(tile) * tile_rows;
    return static_cast<int>(left < tile_rows ? left : tile_rows);
  }

  /// @brief The plan for so many blocks at most; there are no stages if tiles would be too large.
  template <class Tile>
  static TallPlan of(Index rows, Index columns, Index blocks);
};

/// @brief What a block has in shared memory after its tiles.
template <class Tile>
struct TallShared {
  using V = typename Tile::V;
  static constexpr int most_stages = 16;
  static constexpr int limit = 227 * 1024;

  /// @brief What there is the same number of whatever the plan.
  struct Fixed {
    gpu::Barrier arrived[most_stages];
    gpu::Barrier scanned[most_stages];
    gpu::Barrier out_free[std::max(Tile::out_stages, 1)];
    gpu::Barrier reduced[most_stages];
    /// The strips' warps have told the sums over their rows, of this tile or the next one.
    gpu::Barrier told[Tile::warps];
    alignas(16) V strips[2][Tile::warps][Tile::most_rows];
    /// Scanners have handed on the sums of their columns.
    gpu::Barrier handed[Tile::scanners];
    alignas(16) V scanned_sums[Tile::scanners][Tile::chunk];
    std::uint32_t first_tag;
  };

  /// @brief Bytes of a tile, of the image's and the table's, and where the rest begins.
  struct Layout {
    int pixel_bytes;
    int table_bytes;
    int out;   ///< the table's tiles
    int sums;  ///< over the columns of each warp's sections
    int fixed;
    int bytes;

    KOKKOS_FUNCTION explicit Layout(const TallPlan& p) {
      const int elements = p.tile_rows * p.columns;
      pixel_bytes = elements * static_cast<int>(sizeof(typename Tile::Pixel));
      table_bytes = elements * static_cast<int>(sizeof(typename Tile::T));
      out = p.stages.places() * pixel_bytes;
      sums = out + Tile::out_stages * table_bytes;
      fixed = sums + p.slots.places() * sums_bytes;
      bytes = fixed + static_cast<int>(sizeof(Fixed));
    }
  };
  static constexpr int strip_bytes = Tile::strip_columns * static_cast<int>(sizeof(V));
  static constexpr int sums_bytes = Tile::warps * strip_bytes;
};

template <class Tile>
TallPlan TallPlan::of(Index rows, Index columns, Index blocks) {
  TallPlan p;
  p.rows = rows;
  p.columns = static_cast<int>(columns);
  p.chunks = static_cast<int>(ceil_div(columns, Index(Tile::chunk)));
  p.lanes = p.strips = 1;
  while (p.lanes < std::min(p.chunks, 32)) p.lanes *= 2;
  while (p.strips * 32 < p.chunks) p.strips *= 2;
  while (p.strips << p.level_bits < Tile::warps) ++p.level_bits;
  const int sections = (32 / p.lanes) << p.level_bits;
  // Where a warp reads several sections at a time, an odd number of rows is between them, so that
  // they are in different banks.
  p.section_rows = p.lanes <= 4 ? Tile::most_rows - 1 : Tile::most_rows;
  p.tile_rows = sections * p.section_rows;
  const Index tiles = ceil_div(rows, Index(p.tile_rows));
  p.blocks = static_cast<int>(std::min(blocks, tiles));
  p.tiles = static_cast<int>(tiles);
  p.waves = static_cast<int>(ceil_div(tiles, Index(p.blocks)));
  using Layout = typename TallShared<Tile>::Layout;
  for (int stages = TallShared<Tile>::most_stages; stages >= 3; --stages) {
    p.stages = gpu::RingSize(stages);
    p.slots = gpu::RingSize(std::min(stages, 5));
    if (Layout(p).bytes <= TallShared<Tile>::limit) return p;
  }
  p.stages = {};
  return p;
}

}  // namespace wavescan::Impl

#endif
