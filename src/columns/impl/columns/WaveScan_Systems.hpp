// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_SYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>

/// @file
/// @brief Systems of band matrices as kernels see them.

namespace wavescan::Impl::columns {

/// @brief Band matrices, one for each line: row i has coefficients of x_{i-M} to x_{i+M}.
template <class T, int M = 1>
struct Matrices {
  static constexpr int diagonals = 2 * M + 1;

  /// Number M + o has the coefficients of x_{i+o}. Of matrices that have been factorized it is what
  /// FactoredBandRow has, the inverse pivot in the middle.
  Lines<const T> diagonal[diagonals];
  /// x_{-1} is the last unknown, and x_n the first one: what reaches beyond the ends matters.
  bool cyclic = false;
  /// Diagonals are shifted: where row i reaches beyond the ends, nothing is at (line, i).
  bool transposed = false;
  Index length = 0;  ///< if cyclic or transposed

  KOKKOS_FORCEINLINE_FUNCTION const Lines<const T>& of(int offset) const {
    return diagonal[M + offset];
  }
  /// @brief The place in memory of the coefficient of x_{i+offset} in cyclic systems, where
  /// i+offset is beyond the ends.
  KOKKOS_FUNCTION const T* place_beyond_ends(int offset, Index line, Index i) const {
    Index place = i;
    if (transposed) {  // it is in memory at place + offset
      while (place + offset < 0) place += length;
      while (place + offset >= length) place -= length;
    }
    return &of(offset)(line, place);
  }
  /// @brief The coefficient of x_{i+offset}, which is beyond the ends.
  KOKKOS_FUNCTION T beyond_ends(int offset, Index line, Index i) const {
    return cyclic ? *place_beyond_ends(offset, line, i) : T(0);
  }
  /// @brief The coefficient of x_{i+offset} in systems of n unknowns.
  KOKKOS_FORCEINLINE_FUNCTION T entry(int offset, Index line, Index i, Index n) const {
    const Index column = i + offset;
    return column < 0 || column >= n ? beyond_ends(offset, line, i) : of(offset)(line, i);
  }
};

/// @brief Matrices as they are, or as they are transposed: row i then has what rows beside it have
/// of column i.
template <class T, int M>
Matrices<T, M> make_matrices(const Lines<const T> (&diagonals)[2 * M + 1], Index length,
                             bool cyclic, bool transposed) {
  Matrices<T, M> m;
  m.cyclic = cyclic;
  m.transposed = transposed;
  m.length = length;
  for (int offset = -M; offset <= M; ++offset) {
    const Lines<const T>& of = diagonals[transposed ? M - offset : M + offset];
    m.diagonal[M + offset] = {of.data + (transposed ? offset * of.stride : 0), of.line_stride,
                              of.stride};
  }
  return m;
}

template <class T, int M = 1>
struct Systems {
  Matrices<T, M> matrices;
  Lines<const T> right;
  Lines<T> x;
  LineExtents extents;
};

/// @brief Systems whose matrices have been factorized: nothing is eliminated where a chunk begins.
template <class T, int M = 1>
struct FactoredSystems {
  Matrices<T, M> factors;
  Lines<const T> right;
  Lines<T> x;
  LineExtents extents;
  Lines<const T> fill[M] = {};  ///< of cyclic systems of one chunk
  T* workspace = nullptr;       ///< of `lane_workspace` numbers, or none
};

}  // namespace wavescan::Impl::columns

#endif
