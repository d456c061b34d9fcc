// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_DECOMPOSITION_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <algorithm>
#include <type_traits>

/// @file
/// @brief The decomposition of large images into strips, and the order of their tiles.

namespace wavescan::Impl::sat {

/// @brief Sizes of a tile and of what a block keeps of it.
/// @tparam Bytes of a row of the tile's sums at most: 256, 512 or 1024. Narrow tiles are high, and
///               wide ones low.
template <class Types, int Bytes>
struct StripsTile : Types {
  using typename Types::Pixel, typename Types::T, typename Types::V;

  static constexpr bool wide = Bytes == 1024;
  static constexpr int columns = Bytes / static_cast<int>(sizeof(V));  ///< at most
  static constexpr int chunk = 16 / static_cast<int>(sizeof(V));  ///< a lane's neighbours in a row
  /// Strips are as wide as a multiple of this, so that rows of tiles begin at sectors of L2, and
  /// those of pixels where the copy engine wants it.
  static constexpr int quantum = static_cast<int>(std::max(32 / sizeof(T), 16 / sizeof(Pixel)));
  static constexpr int line = 128 / static_cast<int>(sizeof(T));  ///< of L2
  static constexpr int lanes = std::min(columns / chunk, 32);     ///< side by side in a row
  static constexpr int chunks = columns / (lanes * chunk);        ///< of a lane in a row
  /// The table's tile takes the place of the image's in shared memory.
  static constexpr bool in_place = sizeof(Pixel) == sizeof(T);
  static constexpr int rows = wide && !in_place ? 32 : 16384 / Bytes;
  static constexpr int warps = 4;  ///< that share the rows of a tile
  static constexpr int warp_rows = rows / warps;
  /// Sets of warps, which put tiles of the table together in turn: it takes longer than tiles
  /// follow each other. Tiles that are twice as large take their time, and all registers for one
  /// set.
  static constexpr int sets = wide && !in_place ? 1 : 2;
  /// A warp's lanes take one or two sections of rows, one below the other.
  static constexpr int sections = warps * 32 / lanes;
  static constexpr int section_rows = rows / sections;
  static_assert(lanes == 32 || chunks == 1);

  /// Tiles of the table between their scan and the end of their store.
  static constexpr int outs = in_place ? 0 : wide ? 3 : 4 * sizeof(Pixel) <= sizeof(T) ? 6 : 5;
  /// Tiles between the beginning of their reduction and the end of their scan.
  static constexpr int slots = wide || outs == 5 ? 8 : 12;
};

/// @brief The time that a block takes for a tile, in microseconds: fitted to measurements of some
/// three hundred decompositions on an H200, to select among them there and on similar devices.
template <class Tile>
struct StripsCostModel {
  static constexpr bool wide_type = sizeof(typename Tile::V) == 8;
  static constexpr bool high = Tile::rows > 32;
  static constexpr bool large = Tile::wide && !Tile::in_place;

  /// @brief The least, for narrow tiles: a tile passes from warp to warp, whose steps take their
  /// time. Sums of columns, which groups exchange, are twice as many bytes for wide types.
  static double min_time(Index groups) {
    if (groups == 1) return alone();
    const double for_each = large ? 0.6 : high ? 0.2 : 0.11;
    return alone() + (wide_type ? 0.5 : 0.25) + for_each * double(groups) +
           0.2 * double(std::max<Index>(groups - 4, 0));
  }
  /// @brief The time if memory is the limit. Parts of lines take longer than as many bytes.
  static double in_memory(Index width, Index groups) {
    const double bytes = double(Tile::rows) * double(width) *
                         double(sizeof(typename Tile::Pixel) + sizeof(typename Tile::T));
    const double in_parts = width % Tile::line == 0 ? 1 : high ? 1.2 : 1.12;
    const double in_groups = groups > 1 ? 1.15 : 1;
    const double in_high_tiles = high ? 1 + 0.02 * double(sizeof(typename Tile::V)) : 1;
    return 3.25e-5 * bytes * in_parts * in_groups * in_high_tiles;
  }
  /// @brief The time for a panel. Panels of few tiles wait for each other's sums of rows.
  static double panel(Index width, Index groups, Index steps) {
    return double(steps) * std::max(min_time(groups), in_memory(width, groups)) + 2 / double(steps);
  }

 private:
  static constexpr double alone() {
    if (large) return 1.35;
    if (!wide_type) return high ? 0.77 : 0.63;
    if (high) return 1.02;
    return Tile::wide ? 0.73 : 0.8;
  }
};

/// @brief The assignment of tiles to blocks.
///
/// A *strip* is as wide as a tile; all are equally wide, so that all blocks have as much to do.
/// `strips` of them make a *panel* of the image, through which they go downwards side by side, in
/// step. Where there are more blocks than strips, the tiles of a strip go to `groups` blocks in
/// turn; where there are more strips than blocks, the panels follow each other.
struct Strips {
  /// One block sums up a row of so many.
  static constexpr int max_strips = 159;

  int width = 0;   ///< columns of a strip
  int strips = 0;  ///< 0: images are too narrow for more than one
  int groups = 0;
  int panels = 0;
  int steps = 0;    ///< tiles of a block in a panel
  double time = 0;  ///< microseconds, about
  int bytes = 0;    ///< of a row of the tile at most

  int blocks() const { return strips * groups; }
  KOKKOS_FUNCTION int tiles() const { return steps * panels; }

  /// @brief The fastest for so many blocks.
  template <class Types>
  static Strips of(const TableShape& shape, int blocks) {
    const Index rows = shape.rows, columns = shape.columns;
    Strips best;
    if (rows == 0 || columns <= StripsTile<Types, 512>::columns || blocks == 0) return best;
    const int used = std::min(blocks, max_strips);
    best.consider<Types, 512>(rows, columns, used);
    if constexpr (has_other_tiles<Types>) {
      best.consider<Types, 256>(rows, columns, used);
      best.consider<Types, 1024>(rows, columns, used);
    }
    return best;
  }
  /// @brief Calls `f` with the tile's std::type_identity.
  template <class Types, class F>
  auto with_tile(const F& f) const {
    if constexpr (has_other_tiles<Types>) {
      if (bytes == 256) return f(std::type_identity<StripsTile<Types, 256>>());
      if (bytes == 1024) return f(std::type_identity<StripsTile<Types, 1024>>());
    }
    return f(std::type_identity<StripsTile<Types, 512>>());
  }

 private:
  template <class Types>
  static constexpr bool has_other_tiles =
      !Types::wide_sums && (sizeof(typename Types::Pixel) == sizeof(typename Types::T) ||
                            (sizeof(typename Types::Pixel) == 1 && sizeof(typename Types::T) == 4));

  template <class Types, int Bytes>
  void consider(Index rows, Index columns, int blocks) {
    using Tile = StripsTile<Types, Bytes>;
    const Index bands = ceil_div(rows, Index(Tile::rows));
    const Index fewest = ceil_div(columns, Index(Tile::columns) * blocks);
    for (Index n = fewest; n < fewest + 4; ++n)
      for (Index g = 1; g <= std::min(Index(blocks), bands); ++g)
        // As narrow as possible, or a little wider so that rows of tiles are whole lines.
        for (const Index unit : {Index(Tile::quantum), Index(Tile::line)}) {
          const Index narrowest = ceil_div(columns, n * (blocks / g));
          const Index w = ceil_div(narrowest, unit) * unit;
          if (w > Tile::columns) break;
          const Index side_by_side = ceil_div(ceil_div(columns, w), n);
          const Index s = ceil_div(bands, g);
          const double t = double(n) * StripsCostModel<Tile>::panel(w, g, s);
          if (strips == 0 || t < time)
            *this = {int(w), int(side_by_side), int(g), int(n), int(s), t, Bytes};
        }
  }
};

}  // namespace wavescan::Impl::sat

#endif
