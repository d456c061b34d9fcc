// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TALL_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_SAT_GPU_TALL_DECOMPOSITION_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_Problem.hpp>

#include <algorithm>

/// @file
/// @brief How tall images are cut into tiles of whole rows, and which block takes which.

namespace wavescan::Impl::sat {

/// @brief What does not depend on an image's size.
template <class Types>
struct TallTile : Types {
  using typename Types::Pixel, typename Types::T;

  static constexpr int warps = 8;                                 ///< that share a tile
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< a lane's neighbours in a row
  static constexpr int strip_columns = 32 * chunk;                ///< a warp's at most
  static constexpr Index max_columns = warps * strip_columns;
  static constexpr int max_rows = 8;  ///< of a section: a lane has them in registers
  static_assert(max_rows * chunk * sizeof(Pixel) % 16 == 0, "tiles begin at whole words");
  /// The table's tile takes the place of the image's in shared memory.
  static constexpr bool in_place = sizeof(Pixel) == sizeof(T);
  static constexpr int outs = in_place ? 0 : 5;
  /// Warps that sum up columns over the tiles of a wave; a block does so for as many chunks at
  /// most.
  static constexpr int scanners = 2;
  /// Lanes of such a warp that take tiles, and of each the tiles.
  static constexpr int scanner_parts = 16;
  static constexpr int part_tiles = 10;
};

/// @brief Who takes which tile, and which part of it.
///
/// A *tile* is a number of whole rows. Blocks take tiles in turn: each one tile of a *wave*. A row
/// is cut into *strips*, if it is too wide for a warp, and the tile into *sections* of rows, one
/// for each of the warps of a strip, or several beside each other in a warp if rows are short.
struct TallTiles {
  Index rows = 0;
  int columns = 0;
  int blocks = 0;  ///< 0: images are not for these tiles
  int tiles = 0;
  int waves = 0;
  int tile_rows = 0;
  int section_rows = 0;
  int chunks = 0;  ///< of a row: the units in which sums of columns travel
  int strips = 0;
  int level_bits = 0;  ///< 1 << level_bits warps are above each other in a strip
  int lanes = 0;       ///< of a warp that a row takes: a power of two

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

  /// @brief Those for so many blocks at most.
  template <class Types>
  static TallTiles of(Index rows, Index columns, int blocks) {
    using Tile = TallTile<Types>;
    TallTiles t;
    if (rows == 0 || columns == 0 || columns > Tile::max_columns || columns % Tile::chunk != 0)
      return t;
    t.rows = rows;
    t.columns = static_cast<int>(columns);
    t.chunks = static_cast<int>(columns / Tile::chunk);
    t.lanes = t.strips = 1;
    while (t.lanes < std::min(t.chunks, 32)) t.lanes *= 2;
    while (t.strips * 32 < t.chunks) t.strips *= 2;
    while (t.strips << t.level_bits < Tile::warps) ++t.level_bits;
    const int sections = (32 / t.lanes) << t.level_bits;
    // Where a warp reads several sections at a time, an odd number of rows is between them, so that
    // they are in different banks.
    t.section_rows = t.lanes <= 4 ? Tile::max_rows - 1 : Tile::max_rows;
    t.tile_rows = sections * t.section_rows;
    const Index tiles = ceil_div(rows, Index(t.tile_rows));
    t.tiles = static_cast<int>(tiles);
    t.blocks =
        static_cast<int>(std::min<Index>({blocks, Tile::scanner_parts * Tile::part_tiles, tiles}));
    if (t.chunks > Tile::scanners * t.blocks) return {};
    t.waves = static_cast<int>(ceil_div(tiles, Index(t.blocks)));
    return t;
  }
};

}  // namespace wavescan::Impl::sat

#endif
