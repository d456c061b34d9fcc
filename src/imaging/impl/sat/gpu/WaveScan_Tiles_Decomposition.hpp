// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TILES_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_SAT_GPU_TILES_DECOMPOSITION_HPP

#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

/// @file
/// @brief The decomposition of images of any alignment into tiles, and their order.

namespace wavescan::Impl::sat {

/// @brief Sizes of a tile and of what a block keeps of it.
///
/// The warps that work on a tile lie beside each other in *segments*, in which a lane has `chunk`
/// consecutive elements, and below each other in *groups* of rows.
/// @tparam Lanes of a warp: 64 are those of GPUs with 64 KiB of shared memory for a block
template <class Types, int Columns, int Lanes = gpu::warp_size>
struct TableTile : Types {
  using typename Types::Pixel, typename Types::T, typename Types::V;
  /// Of an entry, or, where shared memory is small, of a sum.
  static constexpr int bytes = static_cast<int>(Lanes == 64 ? sizeof(V) : sizeof(T));

  static constexpr int columns = Columns;
  static constexpr int lanes = Lanes;
  static constexpr int chunk = std::min(16 / static_cast<int>(sizeof(V)), columns / lanes);
  /// Lanes store two elements at least.
  static constexpr bool is_wide_enough = chunk >= 2;
  static constexpr int segment = lanes * chunk;
  static constexpr int segments = columns / segment;
  /// About as many bytes in every tile; twice as many elements where they come as single bytes. A
  /// lane gathers 8 bytes of the rows' sums.
  static constexpr int rows =
      std::clamp((sizeof(Pixel) == 1 ? 2 : 1) * (lanes == 64 ? 8192 : 16384) / bytes / columns, 8,
                 256 / static_cast<int>(sizeof(V)));
  static constexpr int warps = std::max(std::min(4, rows / 4), segments);
  static constexpr int groups = warps / segments;
  static constexpr int group_rows = rows / groups;
  static constexpr int quads = group_rows / 4;  ///< a warp does four rows at a time
  static_assert(groups * segments == warps && quads * 4 * groups == rows);

  /// How many tiles are reduced, and scanned, at the same time.
  static constexpr int at_once = 256 / lanes / warps;
  /// A row in shared memory begins where its 16-byte word does in global memory.
  static constexpr int row_bytes = columns * static_cast<int>(sizeof(Pixel)) + 16;
  static constexpr int stage_bytes = rows * row_bytes;
  /// Tiles between their reduction and the end of their scan.
  static constexpr int slots = lanes == 64 ? 4 : 6;
  /// How many tiles' sums are gathered at the same time: the answers take longer than a tile. A
  /// slot is taken again after the tile that follows its last one has been put together.
  static constexpr int gatherers = columns == 64 ? 3 : 2;
  static_assert(slots > gatherers);
  /// How many tiles' loads are started at the same time: a warp starts those of the rows one after
  /// the other.
  static constexpr int loaders = rows > 16 && lanes == 32 ? 3 : 2;
};

/// @brief The words of the sums over a tile, as a block publishes them: where which begin.
template <class Tile>
struct SumRecord {
  static constexpr int value_words = static_cast<int>(sizeof(typename Tile::V)) / 4;
  static constexpr int total = 0;
  /// Copies of the total fill a sector, so that L2 need not fetch the rest of it from memory.
  static constexpr int total_copies = 4 / value_words;
  static constexpr int rows = 16;  // a line of its own
  static constexpr int columns = rows + (Tile::rows * value_words + 15) / 16 * 16;
  static constexpr int group_columns = columns + Tile::columns * value_words;
  static constexpr int words = group_columns + Tile::columns * value_words;
  /// After as many tiles of a block, a record's place is used again. A block publishes at most
  /// `slots` tiles ahead of its own scan, which waits for the totals of the whole team, so nobody
  /// is further behind than twice that.
  static constexpr int places = 16;
  static_assert(places >= 2 * Tile::slots);
};

/// @brief The assignment of tiles to blocks.
///
/// A *team* of `across` x `down` blocks takes as many neighbouring tiles of an image at a time, a
/// *wave* as wide as the image, and goes through the image downwards. There is no order among the
/// blocks of a team: each knows the sums over its own tiles, and asks the others for the sums over
/// theirs.
struct TableWaves {
  Index rows;
  Index columns;
  Index images;
  int used_columns;  ///< of a tile
  int across;
  int down;
  int teams;  ///< 0: images are too wide for tiles of this size
  int waves;  ///< of an image
  /// Blocks below each other publish the sums of `group` tiles together, where there are many.
  int group;

  KOKKOS_FUNCTION int team_blocks() const { return across * down; }
  int blocks() const { return team_blocks() * teams; }
  /// @brief The tiles of a block of this team.
  KOKKOS_FUNCTION int tiles(int team) const {
    return static_cast<int>((images - team + teams - 1) / teams) * waves;
  }

  /// @brief An estimate of the time for tiles of this size, for comparisons; endless if there are
  /// none.
  double time(int height, int width) const {
    if (teams == 0) return std::numeric_limits<double>::infinity();
    return double(tiles(0)) * height * (used_columns + width / 8);
  }

  /// @brief The quickest waves of tiles of `height` x `width` for so many blocks.
  static TableWaves of(const TableShape& shape, int blocks, int height, int width);
};

inline TableWaves TableWaves::of(const TableShape& shape, int blocks, int height, int width) {
  const auto& [images, rows, columns] = shape;
  constexpr Index line = 32;  // tiles begin at multiples of this
  const Index bands = ceil_div(rows, Index(height));
  TableWaves best{};
  for (Index down = 1; down <= std::min<Index>(bands, blocks); ++down) {
    const Index narrowest =
        ceil_div(ceil_div(columns, std::max<Index>(blocks / down, 1)), line) * line;
    if (narrowest > width) break;
    for (const Index used : {narrowest, Index(width)}) {
      const int across = int(ceil_div(columns, used)), steps = int(ceil_div(bands, down));
      const int used_down = int(ceil_div(bands, Index(steps)));
      const int teams = int(std::min<Index>(images, blocks / (across * used_down)));
      TableWaves w{rows, columns, images, int(used), across, used_down, teams, steps, 1};
      // With more than a few blocks below each other, sums of groups are fewer words.
      if (w.down > 16)
        while (w.group * w.group < w.down) ++w.group;
      if (w.time(height, width) < best.time(height, width)) best = w;
    }
  }
  return best;
}

}  // namespace wavescan::Impl::sat

#endif
