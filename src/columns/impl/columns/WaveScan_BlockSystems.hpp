// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BLOCKSYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_BLOCKSYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Block tridiagonal systems as kernels see them.

namespace wavescan::Impl::columns {

/// @brief Blocks of a diagonal, or columns of right-hand sides: number (r, c) of block i of line l
/// lies at data[l * line_stride + i * stride + r * row_stride + c * column_stride].
template <class T>
struct BlockLines {
  T* data = nullptr;
  Index line_stride = 0, stride = 0, row_stride = 0, column_stride = 0;
  /// Of a transposed diagonal: block i is where number i + shift would be, around a cyclic system.
  Index shift = 0, period = 0;

  KOKKOS_FORCEINLINE_FUNCTION T* at(Index line, Index i) const {
    i += shift;
    if (period != 0) i = i < 0 ? i + period : i >= period ? i - period : i;
    return data + line * line_stride + i * stride;
  }
  /// @brief R x C numbers.
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION auto load(Index line, Index i) const {
    Coefficients<std::remove_const_t<T>, R, C> m;
    const T* const from = at(line, i);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) m.entry[r][c] = from[r * row_stride + c * column_stride];
    return m;
  }
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION void store(
      Index line, Index i, const Coefficients<std::remove_const_t<T>, R, C>& m) const {
    T* const to = at(line, i);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) to[r * row_stride + c * column_stride] = m.entry[r][c];
  }
};

/// @brief A read-only view of the blocks.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION BlockLines<const T> constant_blocks(const BlockLines<T>& of) {
  return {of.data, of.line_stride, of.stride, of.row_stride, of.column_stride, of.shift, of.period};
}

/// @brief Systems, a line each.
template <class T>
struct BlockSystems {
  BlockLines<const T> diagonal[3];  ///< number 1 + o has the coefficients of x_{i+o}
  BlockLines<const T> right;
  BlockLines<T> x;
  LineExtents extents;
  bool cyclic = false;

  /// @brief Number 1 + o of row i; zero beyond the ends of systems that are not cyclic.
  template <int M>
  KOKKOS_FORCEINLINE_FUNCTION Coefficients<T, M> matrix(int number, Index line, Index i) const {
    const Index column = i + number - 1;
    return cyclic || (column >= 0 && column < extents.length)
               ? diagonal[number].template load<M, M>(line, i)
               : Coefficients<T, M>(T(0));
  }
};

/// @brief Results of a factorization: the numbers of `FactoredRow`; for cyclic systems in one chunk
/// also the coefficients of the last unknown in the rows.
template <class T>
struct BlockFactors {
  BlockLines<T> row[3], left;
};

/// @brief Eliminates x_{i-1} in row i: what is x_i by the unknowns before the first row, where
/// there are any, and by x_{i+1}.
/// @param before the same of x_{i-1}
/// @param with_left whether there is something before the first row
template <class T, int M, class Inverse = Invert>
KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> eliminate_block(
    const Equation<T, M>& before, const Coefficients<T, M>& lower,
    const Coefficients<T, M>& diagonal, const Coefficients<T, M>& upper,
    const Coefficients<T, M, 1>& known, bool with_left, const Inverse& invert = {}) {
  Coefficients<T, M> pivot = diagonal - lower * before.right;
  Equation<T, M> e{before.left, upper, known - lower * before.known};
  if (with_left) {
    e.left = -(lower * before.left);
    solve_small(pivot, invert, e.left, e.right, e.known);
  } else {
    solve_small(pivot, invert, e.right, e.known);
  }
  return e;
}

}  // namespace wavescan::Impl::columns

#endif
