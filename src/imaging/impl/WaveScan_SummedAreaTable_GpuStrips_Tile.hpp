// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_TILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_TILE_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief How the kernel for large images cuts them, and which block takes which tile when.

namespace wavescan::Impl {

/// @brief Sizes of a tile and of what a block keeps of it.
/// @tparam Squared the pixels' squares are summed up
/// @tparam Wide    strips are twice as wide: fewer sums of rows travel, and more of columns
template <class PixelType, class TableType, bool Squared = false, bool Wide = false>
struct StripsTile {
  using Pixel = PixelType;
  using T = TableType;
  using V = typename TableSum<T>::type;

  static constexpr bool squared = Squared;
  static constexpr int columns = (Wide ? 1024 : 512) / static_cast<int>(sizeof(T));
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< a lane's neighbours in a row
  static constexpr int chunks = columns / (32 * chunk);           ///< of a lane in a row
  /// The table's tile takes the place of the image's in shared memory.
  static constexpr bool in_place = sizeof(Pixel) == sizeof(T);
  static constexpr int rows = Wide && in_place ? 16 : 32;
  /// Warps that share the rows of a tile: more where its bytes are fewer and so its time is less.
  static constexpr int warps = in_place || Wide ? 4 : 8;
  static constexpr int warp_rows = rows / warps;
  static_assert(rows <= 32, "a row's sum is one lane's");

  static constexpr int pixel_bytes = rows * columns * static_cast<int>(sizeof(Pixel));
  static constexpr int table_bytes = rows * columns * static_cast<int>(sizeof(T));
  static constexpr int out_stages = in_place                         ? 0
                                    : Wide                           ? 3
                                    : 4 * sizeof(Pixel) <= sizeof(T) ? 6
                                                                     : 5;
  /// Tiles between the beginning of their reduction and the end of their scan.
  static constexpr int slots = Wide || (!in_place && out_stages == 5) ? 8 : 12;
};

/// @brief Who takes which tile.
///
/// A *strip* is as wide as a tile. `strips` of them make a *panel* of the image, through which they
/// go downwards side by side, in step. Where there are more blocks than strips, the tiles of a
/// strip go to `groups` blocks in turn; where there are more strips than blocks, the panels follow
/// each other.
struct StripsPlan {
  int strips = 0;
  int groups = 0;
  int panels = 0;
  int steps = 0;  ///< tiles of a block in a panel

  int blocks() const { return strips * groups; }
  KOKKOS_FUNCTION int tiles() const { return steps * panels; }

  /// @brief The best of the plans for so many blocks.
  template <class Tile>
  static StripsPlan of(Index rows, Index columns, int blocks) {
    const Index all = ceil_div(columns, Index(Tile::columns));
    const Index bands = ceil_div(rows, Index(Tile::rows));
    const Index fewest = ceil_div(all, Index(blocks));
    StripsPlan best;
    double most = 0;
    for (Index panels = fewest; panels < fewest + 4 && panels <= all; ++panels) {
      const Index strips = ceil_div(all, panels);
      for (Index groups = 1; groups <= std::min(blocks / strips, bands); ++groups) {
        const Index steps = ceil_div(bands, groups);
        // The more blocks, the more they keep each other waiting for memory; and the more groups,
        // for sums of columns, which are twice as many bytes for wide types.
        const double share = double(strips * groups) / blocks;
        const bool costly = groups > 1 && sizeof(typename Tile::V) == 8 && Tile::chunks == 1;
        const double speed = share * (2.25 - share) * double(26 - std::min<Index>(groups, 25)) *
                             (costly ? 0.8 : 1) * double(all * bands) /
                             double(strips * panels * groups * steps);
        if (speed <= most) continue;
        most = speed;
        best = {static_cast<int>(strips), static_cast<int>(groups), static_cast<int>(panels),
                static_cast<int>(steps)};
      }
    }
    return best;
  }
};

}  // namespace wavescan::Impl

#endif
