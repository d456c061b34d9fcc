// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BOX_HPP
#define WAVESCAN_IMPL_SOR_BOX_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Arrays of two dimensions and of three: Grid, Box, and what they have in common.

namespace wavescan::Impl::sor {

/// @brief A three-dimensional array with any strides, negative ones too: what Grid is in two.
template <class T>
struct Box {
  T* data = nullptr;
  Index planes = 0;
  Index rows = 0;
  Index columns = 0;
  Index plane_stride = 0;
  Index row_stride = 0;
  Index column_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index k, Index i, Index j) const {
    return data[k * plane_stride + i * row_stride + j * column_stride];
  }
};

/// @brief An array of rank 2 or 3.
template <class T, int Rank>
using ArrayOf = std::conditional_t<Rank == 2, Grid<T>, Box<T>>;

template <ViewOfRank<2> V>
Grid<typename V::value_type> array_of(const V& view) {
  return grid_of(view);
}
template <ViewOfRank<3> V>
Box<typename V::value_type> array_of(const V& view) {
  const auto extent = [&](int r) { return static_cast<Index>(view.extent(r)); };
  const auto stride = [&](int r) { return static_cast<Index>(view.stride(r)); };
  return {view.data(), extent(0), extent(1), extent(2), stride(0), stride(1), stride(2)};
}

/// @brief The elements of a box with all indices counted from the other end.
template <class T>
Box<T> reversed(const Box<T>& b) {
  if (b.planes == 0 || b.rows == 0 || b.columns == 0 || b.data == nullptr) return b;
  return {&b(b.planes - 1, b.rows - 1, b.columns - 1),
          b.planes,
          b.rows,
          b.columns,
          -b.plane_stride,
          -b.row_stride,
          -b.column_stride};
}

/// @brief The elements of a box with planes and columns swapped, as transposed(Grid) swaps rows and
/// columns.
template <class T>
Box<T> transposed(const Box<T>& b) {
  return {b.data, b.columns, b.rows, b.planes, b.column_stride, b.row_stride, b.plane_stride};
}

/// @brief An array to be read only.
template <class T>
Grid<const T> read_only(const Grid<T>& g) {
  return {g.data, g.rows, g.columns, g.row_stride, g.column_stride};
}
template <class T>
Box<const T> read_only(const Box<T>& b) {
  return {b.data, b.planes, b.rows, b.columns, b.plane_stride, b.row_stride, b.column_stride};
}

/// @brief Whether the transposed array has the closer elements along its rows.
template <class T>
bool is_transposed_in_memory(const Grid<T>& g) {
  return g.row_stride < g.column_stride;
}
template <class T>
bool is_transposed_in_memory(const Box<T>& b) {
  return b.plane_stride < b.column_stride;
}

/// @brief Whether two arrays have the same strides.
template <class T, class U>
bool have_equal_strides(const Box<T>& a, const Box<U>& b) {
  return a.plane_stride == b.plane_stride && a.row_stride == b.row_stride &&
         a.column_stride == b.column_stride;
}

}  // namespace wavescan::Impl::sor

#endif
