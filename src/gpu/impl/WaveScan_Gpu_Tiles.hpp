// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TILES_HPP
#define WAVESCAN_IMPL_GPU_TILES_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Gpu_TileMap.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Rectangles of a Grid whose rows are contiguous, as they are moved (CUDA).
///
/// The copy engine wants row pitches that are multiples of 16 bytes. Of any array of words at least
/// every fourth row has such a pitch, so a rectangle travels as one, two or four tiles: one for
/// each class of its rows, which is a residue of their numbers. Few tiles are better, because the
/// engine takes its time over each. It also wants each row of a tile to begin at a multiple of 16
/// bytes: tiles begin up to 12 bytes early where an array's rows do not, by a number of columns
/// that depends on the row's class. So 16 bytes at a time is how threads move them, too.

namespace wavescan::Impl::gpu {

/// @brief The largest number of classes of rows, and its binary logarithm.
inline constexpr int max_tile_class_bits = 2;
inline constexpr int max_tile_classes = 1 << max_tile_class_bits;

/// @brief A Grid as the mover sees it: `height` rows of each class at a time.
template <class T>
struct Tiles {
  /// Tiles begin at multiples of this.
  static constexpr int alignment = 16 / static_cast<int>(sizeof(T));

  TileMap of_class[max_tile_classes];
  int shift[max_tile_classes];  ///< elements from the aligned address before a row to the row
  int class_bits;               ///< binary logarithm of the number of classes
  int columns;                  ///< by which rectangles follow each other
  int rows;
  int width;
  bool reversed;  ///< the Grid's strides are negative

  KOKKOS_FUNCTION int classes() const { return 1 << class_bits; }
  KOKKOS_FUNCTION int class_of(int row) const {
    return (reversed ? rows - 1 - row : row) & (classes() - 1);
  }
  /// @brief Elements from a tile's begin to column 0 of the row, or to the last column if reversed,
  /// counted modulo the alignment.
  KOKKOS_FUNCTION int lead(int row) const {
    const int s = shift[class_of(row)];
    return reversed ? (s + width - columns) & (alignment - 1) : s;
  }
  /// @brief Returns the number of columns by which tiles move to the left if they are moved to
  /// whole alignments, left being where the columns are lower.
  KOKKOS_FUNCTION int skew(int row) const {
    const int l = lead(row);
    return reversed ? (alignment - l) & (alignment - 1) : l;
  }
  /// @brief True if no row has a lead.
  bool aligned() const {
    for (int row = 0; row < classes(); ++row)
      if (lead(row) != 0) return false;
    return true;
  }

  /// @brief A tile, for the mover.
  struct Place {
    static constexpr int element_bytes = sizeof(T);
    const TileMap* map;
    int x;
    int y;

    /// @brief One that lies outside of the Grid: it is zero, and nothing is read.
    KOKKOS_FUNCTION Place outside() const { return {map, x, 1 << 30}; }
  };
  /// @brief The tile of rows from `row` on and of the columns from `column`, a multiple of
  /// `columns`, on; it begins `skew` columns earlier.
  KOKKOS_FUNCTION Place moved(int row, int column, int height) const {
    const int first = first_row(row, height);
    const int c = first & (classes() - 1);
    const int x =
        reversed ? ((shift[c] + width - columns + alignment - 1) & -alignment) - column : column;
    return {&of_class[c], x, first >> class_bits};
  }
  /// @brief Returns the tile that `moved` does, wide enough to have those columns in spite of its
  /// `lead`.
  KOKKOS_FUNCTION Place widened(int row, int column, int height) const {
    const int first = first_row(row, height);
    const int c = first & (classes() - 1);
    const int x = reversed ? ((shift[c] + width - columns) & -alignment) - column : column;
    return {&of_class[c], x, first >> class_bits};
  }

 private:
  KOKKOS_FUNCTION int first_row(int row, int height) const {
    return reversed ? rows - 1 - row - ((height - 1) << class_bits) : row;
  }
};

/// @brief True if the rows of the Grid are contiguous, in either direction.
template <class T>
bool has_tiles(const Grid<T>& grid) {
  constexpr std::int64_t limit = std::int64_t(1) << 30;
  return (grid.column_stride == 1 && grid.row_stride >= grid.columns && grid.row_stride < limit &&
          grid.rows < limit) ||
         (grid.column_stride == -1 && -grid.row_stride >= grid.columns &&
          -grid.row_stride < limit && grid.rows < limit);
}

/// @brief The tiles of a Grid for which has_tiles.
/// @param rows    of a rectangle, a multiple of the number of classes
/// @param columns by which rectangles follow each other: their rows have 32 to 256 bytes
/// @param lead    how much wider tiles are
template <class T>
Tiles<std::remove_const_t<T>> tiles_of(const Grid<T>& given, int rows, int columns, int lead = 0) {
  using Value = std::remove_const_t<T>;
  static_assert(std::is_same_v<Value, float> || std::is_same_v<Value, double>);
  Tiles<Value> tiles{};
  tiles.columns = columns;
  tiles.reversed = given.column_stride < 0;
  tiles.rows = static_cast<int>(given.rows);
  tiles.width = static_cast<int>(given.columns);
  const Grid<T> grid = tiles.reversed ? wavescan::reversed(given) : given;
  constexpr std::int64_t bytes = sizeof(Value);
  while ((grid.row_stride * bytes << tiles.class_bits) % 16 != 0) ++tiles.class_bits;
  const int classes = tiles.classes();
  for (int c = 0; c < classes; ++c) {
    const auto address = reinterpret_cast<std::uintptr_t>(&grid(c, 0));
    const std::uintptr_t aligned = address / 16 * 16;
    tiles.shift[c] = static_cast<int>((address - aligned) / sizeof(Value));
    // A map has a row and a column at least. That of a class without rows has them in another
    // class, where memory may be read: what tiles bring from there belongs to no row.
    const Index in_class = (grid.rows - c + classes - 1) / classes;
    tiles.of_class[c] = describe_rows<Value>(
        in_class > 0 ? aligned : reinterpret_cast<std::uintptr_t>(grid.data) / 16 * 16,
        in_class > 0 ? in_class : 1, in_class > 0 ? tiles.shift[c] + grid.columns : 1,
        classes * grid.row_stride * bytes, rows / classes, columns + lead,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  }
  return tiles;
}

}  // namespace wavescan::Impl::gpu

#endif
