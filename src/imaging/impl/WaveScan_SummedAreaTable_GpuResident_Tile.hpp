// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_TILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_TILE_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Strip.hpp>

#include <algorithm>

/// @file
/// @brief Tiles that blocks keep in registers, and which block has which.

namespace wavescan::Impl {

/// @brief A tile, as wide as a warp: a warp has up to `MostRows` of its rows in registers.
template <class StripType, int MostRows>
struct ResidentTile {
  using Strip = StripType;
  using V = typename Strip::V;
  static constexpr int warps = 16;
  static constexpr int threads = 32 * warps;
  static constexpr int most_rows = MostRows;  ///< of a warp
  static_assert(MostRows % 4 == 0);

  // Which warps ask the other blocks for which sums.
  static constexpr int column_warps = 4;
  static constexpr int row_warps = 8;
  static constexpr int corner_warps = warps - column_warps - row_warps;
  /// Pairs of words that a warp asks for of a tile to the left, and how many tiles it asks at once.
  static constexpr int rows_of_gatherer = most_rows * warps / row_warps;
  static constexpr int row_pairs = rows_of_gatherer / SumPair<V>::count;
  static constexpr int row_parts = 32 / row_pairs;
  static constexpr int column_pairs = Strip::columns / SumPair<V>::count;
  static constexpr int column_parts = 32 * column_warps / column_pairs;
  static_assert(row_pairs * row_parts == 32 && column_pairs % 32 == 0);
  /// Tiles, as a power of two, whose sums are asked for at once; as many are beside each other at
  /// most.
  static constexpr int corner_bits = 6;

  /// Words of the sums over a tile, as they are published.
  static constexpr int value_words = gpu::Tagged<V>::words;
  static constexpr int total_words = 4;  ///< over as many (or half as many) warps' columns
  static_assert(32 * corner_warps == total_words / 2 << corner_bits);
  static constexpr int columns_at = 16;
  static constexpr int rows_at = columns_at + Strip::columns * value_words;
  static constexpr int record_words = rows_at + warps * most_rows * value_words;
};

/// @brief Who takes which tile: a *team* of `across` x `down` blocks takes as many neighbouring
/// tiles of an image at a time, a *wave*, and goes through the image downwards, and through images.
struct ResidentCut {
  Index rows;
  Index columns;
  int across;
  int across_bits;  ///< 1 << across_bits is at least `across`
  int down;
  int teams;
  int waves;         ///< of an image
  int warp_rows;     ///< of a tile, that a warp has
  int least_tiles;   ///< of a block
  int longer_teams;  ///< that do one image more

  KOKKOS_FUNCTION int team_blocks() const { return across * down; }
  KOKKOS_FUNCTION int blocks() const { return team_blocks() * teams; }
  /// @brief The tiles of a block of this team.
  KOKKOS_FUNCTION int tiles(int team) const {
    return least_tiles + (team < longer_teams ? waves : 0);
  }
};

/// @brief Cuts images so that there are few waves, or returns none (`teams` is 0) if they are too
/// wide.
/// @param least of the rows that a warp has
template <class Tile>
ResidentCut resident_cut(Index rows, Index columns, Index images, int blocks, int least) {
  const Index across = ceil_div(columns, Index(Tile::Strip::columns));
  if (across > std::min(blocks, 1 << Tile::corner_bits)) return {};
  const Index most_down = blocks / across;
  const Index waves = ceil_div(rows, most_down * Tile::warps * Tile::most_rows);
  const Index warp_rows = std::max<Index>(least, ceil_div(rows, most_down * waves * Tile::warps));
  const Index down = ceil_div(rows, waves * Tile::warps * warp_rows);
  const Index teams = std::min(images, blocks / (across * down));
  int across_bits = 0;
  while (Index(1) << across_bits < across) ++across_bits;
  return {rows,
          columns,
          static_cast<int>(across),
          across_bits,
          static_cast<int>(down),
          static_cast<int>(teams),
          static_cast<int>(waves),
          static_cast<int>(warp_rows),
          static_cast<int>(images / teams * waves),
          static_cast<int>(images % teams)};
}

/// @brief In the waves that follow each other, blocks wait for the whole team, so that nobody is
/// more than one wave ahead.
using ResidentRing = SumRingOf<2>;

/// @brief What the kernel is told.
template <class Tile>
struct ResidentTask {
  typename Tile::Strip::Problem problem;
  ResidentCut cut;
  ResidentRing ring;
  bool image_whole;  ///< chunks of pixels, where they are all in the image, can be loaded at once
};

template <class Tile>
struct ResidentShared {
  using Strip = typename Tile::Strip;
  using V = typename Tile::V;
  /// Of the block's next tile; each lane's own.
  typename Strip::Word next[Tile::most_rows][Tile::threads];
  /// Sums over the warps' rows, then over those of the warps above.
  alignas(16) V columns[Tile::warps][Strip::columns];
  /// What all tiles above add, in parts.
  alignas(16) V above[Tile::column_parts][Strip::columns];
  /// What all tiles to the left add in the rows down to each of a gatherer's, and all its rows.
  V left[Tile::row_warps][Tile::rows_of_gatherer];
  V rows[Tile::row_warps];
  /// What lies above and to the left, in parts.
  V corner[Tile::corner_warps];
};

}  // namespace wavescan::Impl

#endif
