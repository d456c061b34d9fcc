// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_SYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>

/// @file
/// @brief Tridiagonal systems as kernels see them.

namespace wavescan::Impl::columns {

/// @brief Matrices, one for each line: a_i x_{i-1} + b_i x_i + c_i x_{i+1}.
template <class T>
struct Matrices {
  Lines<const T> lower, diagonal, upper;
  /// x_{-1} is the last unknown, and x_n the first one: a_0 and the last c matter.
  bool cyclic = false;
  /// Where a_0 and the last c are read: of a transposed matrix, whose diagonals are shifted, at the
  /// other end.
  Index first_lower = 0, last_upper = 0;

  KOKKOS_FORCEINLINE_FUNCTION T lower_of_first(Index line) const {
    return cyclic ? lower(line, first_lower) : T(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION T upper_of_last(Index line) const {
    return cyclic ? upper(line, last_upper) : T(0);
  }
};

/// @brief Matrices as they are, or as they are transposed: row i then has what rows beside it have
/// of column i.
template <class T>
Matrices<T> make_matrices(const Lines<const T>& lower, const Lines<const T>& diagonal,
                          const Lines<const T>& upper, Index length, bool cyclic, bool transposed) {
  if (!transposed) return {lower, diagonal, upper, cyclic, 0, length - 1};
  return {{upper.data - upper.stride, upper.line_stride, upper.stride},
          diagonal,
          {lower.data + lower.stride, lower.line_stride, lower.stride},
          cyclic,
          length,
          -1};
}

template <class T>
struct Systems {
  Matrices<T> matrices;
  Lines<const T> right;
  Lines<T> x;
  LineExtents extents;
};

/// @brief What elimination makes of matrices, for each row: a_i / u_i, 1 / u_i and c_i / u_i, where
/// u_i = b_i - a_i c_{i-1} / u_{i-1} is the pivot, and nothing is eliminated where a chunk begins.
template <class T>
struct Factors {
  Lines<const T> lower, inverse, upper;
  bool cyclic = false;
  Lines<const T> fill = {};  ///< of cyclic systems of one chunk: coefficients of the last unknown
};

/// @brief Systems whose matrices have been factorized.
template <class T>
struct FactoredSystems {
  Factors<T> factors;
  Lines<const T> right;
  Lines<T> x;
  LineExtents extents;
};

}  // namespace wavescan::Impl::columns

#endif
