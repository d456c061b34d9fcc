// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_TILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_TILE_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief The tiles into which the GPU cuts an image, and which block takes which one when.

namespace wavescan::Impl {

/// @brief The type in which elements of type T are summed up: integers wrap around.
template <class T>
struct TableSum {
  using type = T;
};
template <std::integral T>
struct TableSum<T> {
  using type = std::make_unsigned_t<T>;
};

/// @brief Sizes of a tile and of what a block keeps of it.
///
/// The warps that work on a tile lie beside each other in *segments*, in which a lane has `chunk`
/// consecutive elements, and below each other in *groups* of rows.
template <class PixelType, class TableType, class SquaresType, int Columns>
struct TableTile {
  using Pixel = PixelType;
  using T = TableType;
  using S = SquaresType;
  using Problem = TableProblem<Pixel, T, S>;
  /// What is summed up: pixels and, perhaps, their squares.
  static constexpr int planes = Problem::has_squares ? 2 : 1;
  static constexpr int widest =
      static_cast<int>(std::max(sizeof(T), Problem::has_squares ? sizeof(S) : std::size_t(1)));

  static constexpr int columns = Columns;
  static constexpr int chunk = std::min(16 / widest, columns / 32);
  static constexpr int segment = 32 * chunk;
  static constexpr int segments = columns / segment;
  /// About as many bytes in every tile; twice as many elements where they come as single bytes.
  static constexpr int rows =
      std::clamp((sizeof(Pixel) == 1 ? 32768 : 16384) / widest / columns, 8, 256 / widest);
  static constexpr int warps = std::max(4, segments);
  static constexpr int groups = warps / segments;
  static constexpr int group_rows = rows / groups;
  static constexpr int quads = group_rows / 4;  ///< a warp does four rows at a time
  static_assert(groups * segments == warps && quads * 4 * groups == rows);

  /// How many tiles are reduced, and scanned, at the same time.
  static constexpr int at_once = 8 / warps;
  /// A row in shared memory begins where its 16-byte word does in global memory.
  static constexpr int row_bytes = columns * static_cast<int>(sizeof(Pixel)) + 16;
  static constexpr int stage_bytes = rows * row_bytes;
  /// Tiles between their reduction and the end of their scan.
  static constexpr int slots = columns * widest >= 4096 ? 3 : 6;
  /// How many tiles' sums are gathered at the same time: the answers take longer than a tile. A
  /// slot is taken again after the tile that follows its last one has been put together.
  static constexpr int gathers = columns == 64 ? 3 : 2;
  static_assert(slots > gathers);
  /// How many tiles' loads are started at the same time: a warp starts those of the rows one after
  /// the other.
  static constexpr int loaders = rows > 16 ? 3 : 2;
};

/// @brief Who takes which tile.
///
/// A *team* of `across` x `down` blocks takes as many neighbouring tiles of an image at a time, a
/// *wave*, and goes through the image downwards or, where images are wide and low, rightwards.
/// There is no order among the blocks of a team: each knows the sums over its own tiles, and asks
/// the others for the sums over theirs.
struct TableWaves {
  Index rows;
  Index columns;
  Index images;
  int strip;  ///< columns of a tile that are used
  int across;
  int down;
  int teams;
  int waves;  ///< of an image
  bool rightwards;
  /// Blocks below each other hand the sums of `group` tiles on together, where there are many.
  int group;

  KOKKOS_FUNCTION int team_blocks() const { return across * down; }
  int blocks() const { return team_blocks() * teams; }
  /// @brief The tiles of a block of this team.
  KOKKOS_FUNCTION int tiles(int team) const {
    return static_cast<int>((images - team + teams - 1) / teams) * waves;
  }
};

/// @brief Chooses waves, or returns none (`teams` is 0) if tiles of this size do not suit.
/// @param height,width of a tile
inline TableWaves table_waves(Index rows, Index columns, Index images, int blocks, int height,
                              int width) {
  TableWaves best{};
  const Index bands = ceil_div(rows, Index(height));
  const auto consider = [&](Index strip, Index across, Index down, bool rightwards) {
    const Index steps =
        rightwards ? ceil_div(ceil_div(columns, strip), across) : ceil_div(bands, down);
    if (!rightwards) down = ceil_div(bands, steps);
    const Index teams = std::min(images, blocks / (across * down));
    TableWaves w{rows,
                 columns,
                 images,
                 static_cast<int>(strip),
                 static_cast<int>(across),
                 static_cast<int>(down),
                 static_cast<int>(teams),
                 static_cast<int>(steps),
                 rightwards,
                 1};
    // With more than a few blocks below each other, sums of groups are fewer words.
    if (down > 16)
      while (w.group * w.group < down) ++w.group;
    const auto time = [&](const TableWaves& v) {
      return Index(v.tiles(0)) * (v.strip + width / 8);
    };
    if (best.teams == 0 || time(w) < time(best)) best = w;
  };
  constexpr Index line = 32;  // strips begin at multiples of this
  const Index most_strips = blocks;
  if (ceil_div(columns, Index(width)) <= most_strips) {
    for (Index down = 1; down <= std::min<Index>(bands, blocks); ++down) {
      const Index strip =
          ceil_div(ceil_div(columns, std::max<Index>(blocks / down, 1)), line) * line;
      if (strip > width) break;
      for (const Index s : {strip, Index(width)}) {
        const Index across = ceil_div(columns, s);
        if (across * down <= blocks) consider(s, across, down, false);
      }
    }
  } else if (bands <= blocks) {
    consider(width, blocks / bands, bands, true);
  }
  return best;
}

}  // namespace wavescan::Impl

#endif
