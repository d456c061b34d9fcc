// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_PLAN_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_PLAN_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Tile.hpp>

#include <algorithm>

/// @file
/// @brief How the kernel for large images cuts them, and which block takes which tile when.

namespace wavescan::Impl {

/// @brief How long a block takes for a tile, in microseconds: fitted to measurements of some three
/// hundred plans on an H200, to choose among plans there and on similar devices.
template <class Tile>
struct StripsPace {
  static constexpr bool wide_type = sizeof(typename Tile::V) == 8;
  static constexpr bool high = Tile::rows > 32;
  static constexpr bool large = Tile::wide && !Tile::in_place;

  /// @brief However narrow tiles are: a tile passes from warp to warp, whose steps take their time.
  /// Sums of columns, which groups exchange, are twice as many bytes for wide types.
  static double least(Index groups) {
    if (groups == 1) return alone();
    const double for_each = large ? 0.6 : high ? 0.2 : 0.11;
    return alone() + (wide_type ? 0.5 : 0.25) + for_each * double(groups) +
           0.2 * double(std::max<Index>(groups - 4, 0));
  }
  /// @brief If memory is the limit. Parts of lines take longer than as many bytes.
  static double in_memory(Index width, Index groups) {
    const double bytes = double(Tile::rows) * double(width) *
                         double(sizeof(typename Tile::Pixel) + sizeof(typename Tile::T));
    const double in_parts = width % Tile::line == 0 ? 1 : high ? 1.2 : 1.12;
    const double in_groups = groups > 1 ? 1.15 : 1;
    const double in_high_tiles = high ? 1 + 0.02 * double(sizeof(typename Tile::V)) : 1;
    return 3.25e-5 * bytes * in_parts * in_groups * in_high_tiles;
  }
  /// @brief For a panel. Panels of few tiles wait for each other's sums of rows.
  static double panel(Index width, Index groups, Index steps) {
    return double(steps) * std::max(least(groups), in_memory(width, groups)) + 2 / double(steps);
  }

 private:
  static constexpr double alone() {
    if (large) return 1.35;
    if (!wide_type) return high ? 0.77 : 0.63;
    if (high) return 1.02;
    return Tile::wide ? 0.73 : 0.8;
  }
};

/// @brief Who takes which tile.
///
/// A *strip* is as wide as a tile; all are equally wide, so that all blocks have as much to do.
/// `strips` of them make a *panel* of the image, through which they go downwards side by side, in
/// step. Where there are more blocks than strips, the tiles of a strip go to `groups` blocks in
/// turn; where there are more strips than blocks, the panels follow each other.
struct StripsPlan {
  int width = 0;  ///< columns of a strip
  int strips = 0;
  int groups = 0;
  int panels = 0;
  int steps = 0;    ///< tiles of a block in a panel
  double time = 0;  ///< microseconds, about

  int blocks() const { return strips * groups; }
  KOKKOS_FUNCTION int tiles() const { return steps * panels; }

  /// @brief The fastest of the plans for so many blocks.
  template <class Tile>
  static StripsPlan of(Index rows, Index columns, int blocks) {
    const Index bands = ceil_div(rows, Index(Tile::rows));
    const Index fewest = ceil_div(columns, Index(Tile::columns) * blocks);
    StripsPlan best;
    for (Index panels = fewest; panels < fewest + 4; ++panels)
      for (Index groups = 1; groups <= std::min(Index(blocks), bands); ++groups)
        // As narrow as possible, or a little wider so that rows of tiles are whole lines.
        for (const Index unit : {Index(Tile::quantum), Index(Tile::line)}) {
          const Index narrowest = ceil_div(columns, panels * (blocks / groups));
          const Index width = ceil_div(narrowest, unit) * unit;
          if (width > Tile::columns) break;
          const Index strips = ceil_div(ceil_div(columns, width), panels);
          const Index steps = ceil_div(bands, groups);
          const double time = double(panels) * StripsPace<Tile>::panel(width, groups, steps);
          if (best.strips == 0 || time < best.time)
            best = {static_cast<int>(width),  static_cast<int>(strips), static_cast<int>(groups),
                    static_cast<int>(panels), static_cast<int>(steps),  time};
        }
    return best;
  }
};

}  // namespace wavescan::Impl

#endif
