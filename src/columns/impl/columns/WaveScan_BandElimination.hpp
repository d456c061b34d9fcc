// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BANDELIMINATION_HPP
#define WAVESCAN_IMPL_COLUMNS_BANDELIMINATION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Elimination in a chunk of a band matrix: rows reach M unknowns to both sides, 1 of a
/// tridiagonal matrix, 2 of a pentadiagonal one.
///
/// Rows are eliminated one by one, as in Thomas' algorithm, with M numbers of fill each. To others
/// the chunk is a row of blocks: its last M unknowns by those of the chunk before and by the first
/// ones of the chunk after. So the interface system has blocks of M.

namespace wavescan::Impl::columns {

/// @brief x_i + sum of fill[m] l[m] + sum of upper[j] x_{i+1+j} = known, where l are the last M
/// unknowns of the chunk before.
template <class T, int M>
struct BandRow {
  T fill[M], upper[M], known;

  /// @param after x_{i+1+j}
  KOKKOS_FORCEINLINE_FUNCTION T value(const Column<T, M>& l, const T (&after)[M]) const {
    T x = known;
    for (int m = 0; m < M; ++m) x -= fill[m] * at(l, m);
    for (int j = 0; j < M; ++j) x -= upper[j] * after[j];
    return x;
  }
};

/// @brief A row whose pivot is known, and divided by it: `lower[j]` is of x_{i-1-j}, after
/// elimination of all unknowns further away, `upper[j]` of x_{i+1+j}.
template <class T, int M>
struct FactoredBandRow {
  T lower[M], inverse, upper[M];
};

/// @brief Forward elimination, from row to row.
template <class T, int M>
struct ForwardElimination {
  BandRow<T, M> before[M];  ///< of x_{i-1-j}

  /// @brief The elimination before the first row of a system: all of it is zero.
  KOKKOS_FORCEINLINE_FUNCTION static ForwardElimination at_begin() {
    ForwardElimination e;
    for (BandRow<T, M>& row : e.before) {
      for (int m = 0; m < M; ++m) row.fill[m] = row.upper[m] = T(0);
      row.known = T(0);
    }
    return e;
  }
  /// @brief The elimination before the first row of a chunk behind another one.
  /// @param missing rows that come first and stand for none: the unknown of each is that of the row
  ///                M before
  KOKKOS_FORCEINLINE_FUNCTION static ForwardElimination behind_chunk(int missing = 0) {
    ForwardElimination e = at_begin();
    for (int j = 0; j < M; ++j)
      for (int m = 0; m < M; ++m)
        if ((m + 1 + j + missing) % M == 0) e.before[j].fill[m] = T(-1);
    return e;
  }

  /// @brief Divides a row by its pivot.
  /// @param number number(M + o) is the coefficient of x_{i+o}
  template <class Number, class Inverse = Invert>
  KOKKOS_FORCEINLINE_FUNCTION FactoredBandRow<T, M> factor(const Number& number,
                                                           const Inverse& invert = {}) const {
    FactoredBandRow<T, M> row;
    T pivot = number(M);
    for (int j = 0; j < M; ++j) {
      row.lower[j] = number(M - 1 - j);
      row.upper[j] = number(M + 1 + j);
    }
    for (int j = M - 1; j >= 0; --j)
      for (int t = 0; t < M; ++t) {
        const T change = row.lower[j] * before[j].upper[t];
        if (t < j)
          row.lower[j - 1 - t] -= change;
        else if (t == j)
          pivot -= change;
        else
          row.upper[t - j - 1] -= change;
      }
    row.inverse = invert(pivot);
    for (int j = 0; j < M; ++j) {
      row.lower[j] *= row.inverse;
      row.upper[j] *= row.inverse;
    }
    return row;
  }
  KOKKOS_FORCEINLINE_FUNCTION static FactoredBandRow<T, M> no_row() {
    FactoredBandRow<T, M> row;
    for (int j = 0; j < M; ++j) {
      row.lower[j] = j == M - 1 ? T(-1) : T(0);
      row.upper[j] = T(0);
    }
    row.inverse = T(1);
    return row;
  }

  /// @brief Eliminates in the next row.
  KOKKOS_FORCEINLINE_FUNCTION const BandRow<T, M>& push(const FactoredBandRow<T, M>& row, T known) {
    BandRow<T, M> e;
    e.known = row.inverse * known;
    for (int m = 0; m < M; ++m) {
      e.fill[m] = -row.lower[0] * before[0].fill[m];
      e.upper[m] = row.upper[m];
    }
    for (int j = 0; j < M; ++j) {
      e.known -= row.lower[j] * before[j].known;
      if (j == 0) continue;
      for (int m = 0; m < M; ++m) e.fill[m] -= row.lower[j] * before[j].fill[m];
    }
    for (int j = M - 1; j > 0; --j) before[j] = before[j - 1];
    return before[0] = e;
  }

  /// @brief The last M unknowns so far, by those of the chunk before and the first ones after.
  KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> last() const {
    auto e = Equation<T, M>::is_zero();
    for (int j = 0; j < M; ++j) {
      const int r = M - 1 - j;
      const BandRow<T, M>& row = before[j];
      at(e.known, r) = row.known;
      for (int m = 0; m < M; ++m) at(e.left, r, m) = row.fill[m];
      for (int t = j; t < M; ++t) at(e.right, r, t - j) = row.upper[t];
      for (int t = 0; t < j; ++t) {  // of unknowns that are among the last ones, too
        const int of = M - j + t;
        at(e.known, r) -= row.upper[t] * at(e.known, of);
        for (int m = 0; m < M; ++m) {
          at(e.left, r, m) -= row.upper[t] * at(e.left, of, m);
          at(e.right, r, m) -= row.upper[t] * at(e.right, of, m);
        }
      }
    }
    return e;
  }
};

/// @brief Backward elimination, from row to row, from behind the M last rows on: unknowns by the
/// last ones of the chunk before and of this chunk.
template <class T, int M>
struct BackwardElimination {
  Equation<T, M> first;  ///< of the M unknowns from the last row that was pushed on

  KOKKOS_FORCEINLINE_FUNCTION static BackwardElimination behind_last() {
    return {Equation<T, M>::is_right()};
  }
  KOKKOS_FORCEINLINE_FUNCTION void push(const BandRow<T, M>& row) {
    Equation<T, M> e;
    at(e.known, 0) = row.known;
    for (int m = 0; m < M; ++m) {
      at(e.left, 0, m) = row.fill[m];
      at(e.right, 0, m) = -row.upper[0] * at(first.right, 0, m);
    }
    for (int t = 0; t < M; ++t) {
      at(e.known, 0) -= row.upper[t] * at(first.known, t);
      for (int m = 0; m < M; ++m) {
        at(e.left, 0, m) -= row.upper[t] * at(first.left, t, m);
        if (t > 0) at(e.right, 0, m) -= row.upper[t] * at(first.right, t, m);
      }
    }
    for (int r = 1; r < M; ++r) {
      at(e.known, r) = at(first.known, r - 1);
      for (int m = 0; m < M; ++m) {
        at(e.left, r, m) = at(first.left, r - 1, m);
        at(e.right, r, m) = at(first.right, r - 1, m);
      }
    }
    first = e;
  }
};

}  // namespace wavescan::Impl::columns

#endif
