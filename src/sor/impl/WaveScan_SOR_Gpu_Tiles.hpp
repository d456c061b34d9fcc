// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_TILES_HPP
#define WAVESCAN_IMPL_SOR_GPU_TILES_HPP

#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/WaveScan_SOR_Gpu_Cut.hpp>

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

namespace wavescan::Impl {

/// @brief The tiles of an array's bands: of rows that follow each other if they begin at cache
/// lines, and of a class of rows each if not.
template <class V>
struct SORBandTiles {
  static constexpr int line = 128 / static_cast<int>(sizeof(V));

  gpu::Tiles<V> tiles;
  SORLags lags;
  int count;   ///< of a band
  int height;  ///< rows of a tile
  int corner;  ///< of the map, for tiles that begin at lines: the column of entry (0, 0)

  KOKKOS_FUNCTION bool lined() const { return lags.run > 0; }
  /// @brief By how many rows those of a tile are apart.
  KOKKOS_FUNCTION int rows_apart() const { return lined() ? 1 : count; }
  /// @brief The first row of the k-th tile of the band that begins `above` rows above `row`.
  KOKKOS_FUNCTION int row_of_tile(int k, int row, int above) const {
    return row - above + (lined() ? k * height : k);
  }

  /// @brief That tile, of the columns from `column`, a multiple of the tile's width, on.
  KOKKOS_FUNCTION typename gpu::Tiles<V>::Place tile(int k, int row, int above, int column) const {
    if (!lined()) return tiles.moved(row - above + k, column, height);
    const int first = row_of_tile(k, row, above);
    const int column_of_first = column - lags.written(0, above);
    if (!tiles.reversed)
      return {&tiles.of_class[0], corner + column_of_first + lags.shear * first, first};
    const int last = first + height - 1;
    return {&tiles.of_class[0],
            corner - column_of_first + lags.shear * (height - 1) - (line - 1) - lags.shear * last,
            tiles.rows - 1 - last};
  }

  /// @brief By how many columns row `i` of that band begins early.
  KOKKOS_FUNCTION int lag(int row, int above, int i) const {
    return lined() ? lags.written(i, above) : tiles.lag(row - above + i);
  }
  /// @brief Which of the rows of the tiles in shared memory, one after the other, that row is.
  KOKKOS_FUNCTION int place(int i) const {
    const int tile = lined() ? i / height : i & (tiles.classes() - 1);
    const int row = lined() ? i % height : i >> tiles.class_bits;
    return tile * height + (tiles.reversed ? height - 1 - row : row);
  }
};

/// @brief How tiles of a Grid can begin at lines; if they cannot, `run` is zero.
template <class T>
SORLags lined_lags(const Grid<T>& grid) {
  constexpr Index line = 128 / static_cast<Index>(sizeof(T));
  constexpr Index fewest_rows = 8;
  const bool reversed = grid.column_stride < 0;
  const Index pitch = reversed ? -grid.row_stride : grid.row_stride;
  const Index shear = pitch % line;
  if (grid.column_stride * grid.column_stride != 1 || shear == 1 ||
      (shear > 0 && (line % shear != 0 || line / shear < fewest_rows)) ||
      grid.columns + shear * grid.rows > std::numeric_limits<int>::max() / 2)
    return {};
  const auto corner =
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(grid.data) / sizeof(T) % line);
  const Index first = reversed ? line - 1 - corner : corner;
  return {static_cast<int>(first), static_cast<int>(shear),
          static_cast<int>(shear > 0 ? line / shear : SORCut::band_rows)};
}

/// @brief The tiles of a Grid with those lags, which has_tiles.
template <class T>
SORBandTiles<std::remove_const_t<T>> band_tiles_of(const Grid<T>& given, const SORLags& lags) {
  using V = std::remove_const_t<T>;
  constexpr int columns = SORBandTiles<V>::line;
  SORBandTiles<V> bands{};
  bands.lags = lags;
  if (lags.run == 0) {
    bands.tiles = gpu::tiles_of(given, SORCut::band_rows, columns);
    bands.count = bands.tiles.classes();
    bands.height = SORCut::band_rows / bands.count;
    return bands;
  }
  constexpr Index bytes = sizeof(V);
  gpu::Tiles<V>& tiles = bands.tiles;
  tiles.reversed = given.column_stride < 0;
  tiles.rows = static_cast<int>(given.rows);
  tiles.width = static_cast<int>(given.columns);
  tiles.columns = columns;
  bands.height = lags.run;
  bands.count = SORCut::band_rows / bands.height;
  const Grid<T> grid = tiles.reversed ? wavescan::reversed(given) : given;
  const auto address = reinterpret_cast<std::uintptr_t>(grid.data);
  const Index corner = static_cast<Index>(address / bytes) % columns;
  // Rows overlap: each goes on to where the last one ends.
  tiles.of_class[0] =
      gpu::detail::describe_rows<V>(address - static_cast<std::uintptr_t>(corner * bytes),
                                    grid.rows, corner + grid.columns + lags.shear * (grid.rows - 1),
                                    (grid.row_stride - lags.shear) * bytes, bands.height, columns);
  bands.corner = static_cast<int>(
      tiles.reversed ? corner + grid.columns - 1 + lags.shear * (grid.rows - 1) : corner);
  return bands;
}

}  // namespace wavescan::Impl

#endif
