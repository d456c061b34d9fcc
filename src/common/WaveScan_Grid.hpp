// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_GRID_HPP
#define WAVESCAN_GRID_HPP

#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <cstdint>

namespace wavescan {

/// @brief A two-dimensional array with any strides, negative ones too.
///
/// Views of any layout become this one type inside a wavefront. It does not own its memory: the
/// View it was made from must live until the work on it is done.
template <class T>
struct Grid {
  using value_type = T;
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + j * column_stride];
  }
};

/// @brief The elements of a View of rank 2 as a Grid.
template <ViewOfRank<2> V>
Grid<typename V::value_type> grid_of(const V& view) {
  return {view.data(), static_cast<std::int64_t>(view.extent(0)),
          static_cast<std::int64_t>(view.extent(1)), static_cast<std::int64_t>(view.stride(0)),
          static_cast<std::int64_t>(view.stride(1))};
}

/// @brief A Grid as it is.
template <class T>
Grid<T> grid_of(const Grid<T>& grid) {
  return grid;
}

/// @brief A grid of the same elements with both indices counted from the other end: entry (i, j) of
/// the result is entry (rows-1-i, columns-1-j). A backward sweep is a forward sweep of it.
template <class T>
Grid<T> reversed(const Grid<T>& grid) {
  if (grid.rows == 0 || grid.columns == 0) return grid;
  return {&grid(grid.rows - 1, grid.columns - 1), grid.rows, grid.columns, -grid.row_stride,
          -grid.column_stride};
}

template <ViewOfRank<2> V>
Grid<typename V::value_type> reversed(const V& view) {
  return reversed(grid_of(view));
}

/// @brief The transposed grid: the same elements with rows and columns exchanged.
template <class T>
Grid<T> transposed(const Grid<T>& grid) {
  return {grid.data, grid.columns, grid.rows, grid.column_stride, grid.row_stride};
}

template <ViewOfRank<2> V>
Grid<typename V::value_type> transposed(const V& view) {
  return transposed(grid_of(view));
}

}  // namespace wavescan

#endif
