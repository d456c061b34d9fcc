// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_BANDTILES_HPP
#define WAVESCAN_IMPL_SOR_GPU_BANDTILES_HPP

#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// @brief The tiles of a band.
///
/// A row of a tile that does not begin at a cache line is two requests of half a line each, which
/// take twice as long, and stores then end in parts of sectors. Arrays with a halo have rows of
/// n + 2 values, so that with each row lines begin two values earlier in it. Told that rows are
/// that much shorter, the copy engine follows: a tile is then a parallelogram. Each lane of a warp
/// is at another column anyway.

namespace wavescan::Impl::sor {

/// @brief The tiles of an array's bands: of rows that follow each other if they begin at cache
/// lines, and of a class of rows each if not.
///
/// The threads that copy have little time for a tile, so that here is what they only add up.
template <class V>
struct BandTiles {
  gpu::Tiles<V> tiles;
  TileSkew skew;
  int count;   ///< of a band
  int height;  ///< rows of a tile
  // Rows in memory, and columns of maps.
  int first_row;  ///< of the first tile of band zero
  int row_sign;   ///< -1 if the Grid is reversed
  int next_row;   ///< from a tile to the next one
  int origin[gpu::max_tile_classes];
  int first_skew;  ///< of tiles that begin at lines
  int above;       ///< rows of the map by which bands lie higher than their numbers tell

  KOKKOS_FUNCTION bool line_aligned() const { return skew.run > 0; }

  /// @brief The row in memory at which the tiles of the band from `row` on begin.
  KOKKOS_FUNCTION int begin(int row) const { return first_row + row_sign * row; }
  /// @brief The tile of rows in memory from `row` on, and of the columns from `column`, a multiple
  /// of the tile's width, on.
  /// @param maps of the classes of rows, of this array or of one with the same alignment
  KOKKOS_FUNCTION typename gpu::Tiles<V>::Place tile(const gpu::TileMap* maps, int row,
                                                     int column) const {
    const int c = row & (tiles.classes() - 1);
    return {maps + c, origin[c] + skew.per_row * row + row_sign * column, row >> tiles.class_bits};
  }

  /// @brief The number of columns by which row `i` of a band begins early.
  KOKKOS_FUNCTION int skew_of(int i) const {
    return line_aligned() ? first_skew + skew.per_row * (i % skew.run) : tiles.skew(i - above);
  }
  /// @brief The number of that row among those of the tiles in shared memory, one after the other.
  KOKKOS_FUNCTION int place(int i) const {
    const int tile = line_aligned() ? i / height : i & (tiles.classes() - 1);
    const int row = line_aligned() ? i % height : i >> tiles.class_bits;
    return tile * height + (tiles.reversed ? height - 1 - row : row);
  }
};

/// @brief Values of a cache line.
template <class V>
inline constexpr int line_columns = 128 / static_cast<int>(sizeof(V));

/// @brief The skew by which tiles of a Grid begin at lines; if they cannot, or rows are short,
/// `run` is zero.
template <class T>
TileSkew line_aligned_skew(const Grid<T>& grid) {
  constexpr Index line = line_columns<T>;
  constexpr Index min_rows = 8;
  constexpr Index min_columns = 2 * line;
  const bool reversed = grid.column_stride < 0;
  const Index pitch = reversed ? -grid.row_stride : grid.row_stride;
  const Index per_row = pitch % line;
  if (grid.column_stride * grid.column_stride != 1 || grid.columns < min_columns || per_row == 1 ||
      (per_row > 0 && (line % per_row != 0 || line / per_row < min_rows)) ||
      grid.columns + per_row * grid.rows > std::numeric_limits<int>::max() / 2)
    return {};
  const auto corner =
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(grid.data) / sizeof(T) % line);
  const Index first = reversed ? line - 1 - corner : corner;
  return {static_cast<int>(first), static_cast<int>(per_row),
          static_cast<int>(per_row > 0 ? line / per_row : Decomposition::band_rows)};
}

/// @brief The only map for tiles that begin at lines.
template <class T>
gpu::Tiles<std::remove_const_t<T>> line_aligned_tiles_of(const Grid<T>& given, int columns,
                                                         const TileSkew& skew) {
  using V = std::remove_const_t<T>;
  constexpr Index bytes = sizeof(V);
  gpu::Tiles<V> tiles{};
  tiles.reversed = given.column_stride < 0;
  tiles.rows = static_cast<int>(given.rows);
  tiles.width = static_cast<int>(given.columns);
  tiles.columns = columns;
  const Grid<T> grid = tiles.reversed ? wavescan::reversed(given) : given;
  const auto address = reinterpret_cast<std::uintptr_t>(grid.data);
  tiles.shift[0] = static_cast<int>(address / bytes % line_columns<V>);
  // Rows overlap: each goes on to where the last one ends.
  tiles.of_class[0] = gpu::describe_rows<V>(
      address - static_cast<std::uintptr_t>(tiles.shift[0] * bytes), grid.rows,
      tiles.shift[0] + grid.columns + skew.per_row * (grid.rows - 1),
      (grid.row_stride - skew.per_row) * bytes, skew.run, columns,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  return tiles;
}

/// @brief The tiles of a Grid, which has_tiles.
/// @param columns of a tile
/// @param above   by how many rows bands lie higher here
/// @param without_halo whether tiles end at the halo's rows; what is above the first unknown row
///        has negative places then
template <class T>
BandTiles<std::remove_const_t<T>> band_tiles_of(const Grid<T>& given, int columns,
                                                const TileSkew& skew, int above = 0,
                                                bool without_halo = false) {
  using V = std::remove_const_t<T>;
  const int skipped = without_halo ? 1 : 0;
  const Grid<T> grid{&given(skipped, 0), given.rows - 2 * skipped, given.columns, given.row_stride,
                     given.column_stride};
  BandTiles<V> bands{};
  bands.skew = skew;
  bands.tiles = skew.run > 0 ? line_aligned_tiles_of(grid, columns, skew)
                             : gpu::tiles_of(grid, Decomposition::band_rows, columns);
  const gpu::Tiles<V>& tiles = bands.tiles;
  const int classes = tiles.classes();
  bands.height = skew.run > 0 ? skew.run : Decomposition::band_rows / classes;
  bands.count = Decomposition::band_rows / bands.height;
  const int next = skew.run > 0 ? bands.height : 1;
  const int last = (bands.height - 1) * (skew.run > 0 ? 1 : classes);
  bands.row_sign = tiles.reversed ? -1 : 1;
  bands.next_row = bands.row_sign * next;
  bands.first_row = tiles.reversed ? tiles.rows - 1 - last + above + skipped : -above - skipped;
  bands.above = above + skipped;
  if (skew.run > 0) bands.first_skew = skew.written(0, above);
  for (int c = 0; c < classes; ++c)
    bands.origin[c] =
        skew.run > 0
            ? (tiles.reversed
                   ? tiles.shift[0] + tiles.width + bands.first_skew + skew.per_row * last - columns
                   : tiles.shift[0] - bands.first_skew)
        : tiles.reversed
            ? (tiles.shift[c] + tiles.width - columns + tiles.alignment - 1) & -tiles.alignment
            : 0;
  return bands;
}

}  // namespace wavescan::Impl::sor

#endif
