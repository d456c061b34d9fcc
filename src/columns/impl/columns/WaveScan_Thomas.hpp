// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_THOMAS_HPP
#define WAVESCAN_IMPL_COLUMNS_THOMAS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_BandElimination.hpp>
#include <impl/columns/WaveScan_Systems.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Thomas' algorithm: a thread for each system. A cyclic system is one chunk between its
/// last unknowns and itself.

namespace wavescan::Impl::columns {

/// @brief Arrays of a number for each entry, M of them or none.
template <class T, int M>
struct EachOf {
  Lines<T> number[M];
  KOKKOS_FORCEINLINE_FUNCTION bool is_there() const { return number[0].data != nullptr; }
};

/// @brief The rows of matrices, divided by their pivots one after the other.
template <class T, int M>
struct MatrixRows {
  Matrices<T, M> m;
  Index length;

  KOKKOS_FORCEINLINE_FUNCTION FactoredBandRow<T, M> operator()(
      Index line, Index i, const ForwardElimination<T, M>& before) const {
    return before.factor([&](int number) { return m.entry(number - M, line, i, length); });
  }
};

/// @brief The elimination before the first row of a system in one chunk.
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION ForwardElimination<T, M> before_first_row(bool cyclic, Index length) {
  using Forward = ForwardElimination<T, M>;
  if (!cyclic) return Forward::at_begin();
  const int missing = length < M ? M - static_cast<int>(length) : 0;
  auto e = Forward::behind_chunk(missing);
  for (int k = 0; k < missing; ++k) e.push(Forward::no_row(), T(0));
  return e;
}

/// @brief Solves x_i = known_i - fill_i l - upper_i x_{i+1}, ..., where x holds what is known.
/// @param end  what the last rows leave
/// @param fill of cyclic systems; none if they are not
template <class T, int M, class U>
KOKKOS_FUNCTION void substitute_back(const ForwardElimination<T, M>& end, Index line, Index length,
                                     const EachOf<U, M>& upper, const EachOf<U, M>& fill,
                                     const Lines<T>& x) {
  const bool cyclic = fill.is_there();
  const auto row = [&](Index i) {
    BandRow<T, M> r;
    for (int m = 0; m < M; ++m) {
      r.fill[m] = cyclic ? fill.number[m](line, i) : T(0);
      r.upper[m] = upper.number[m](line, i);
    }
    r.known = x(line, i);
    return r;
  };
  Column<T, M> own(T(0));
  T after[M] = {};
  if (cyclic) {
    auto back = BackwardElimination<T, M>::behind_last();
    for (Index i = length - 1 - M; i >= 0; --i) back.push(row(i));
    own = solve_ring(Ends<T, M>{end.last(), back.first}.beside(back.first));
  }
  for (Index i = length - 1; i >= 0; --i) {
    const Index place = M + i - length;  // among the last ones
    const T value =
        cyclic && place >= 0 ? at(own, static_cast<int>(place)) : row(i).value(own, after);
    x(line, i) = value;
    for (int j = M - 1; j > 0; --j) after[j] = after[j - 1];
    after[0] = value;
  }
}

/// @brief Solves a system for each thread. Neighbouring threads take neighbouring systems.
template <class T, int M>
struct Thomas {
  MatrixRows<T, M> rows;
  Lines<const T> right;
  Lines<T> x;
  EachOf<T, M> upper;
  EachOf<T, M> fill;  ///< of cyclic systems; none if they are not

  KOKKOS_FUNCTION void operator()(Index line) const {
    const bool cyclic = fill.is_there();
    auto e = before_first_row<T, M>(cyclic, rows.length);
    for (Index i = 0; i < rows.length; ++i) {
      const BandRow<T, M>& row = e.push(rows(line, i, e), right(line, i));
      x(line, i) = row.known;
      for (int m = 0; m < M; ++m) {
        upper.number[m](line, i) = row.upper[m];
        if (cyclic) fill.number[m](line, i) = row.fill[m];
      }
    }
    substitute_back(e, line, rows.length, upper, fill, x);
  }
};

/// @brief Factorizes a chunk for each thread: that of the same number of neighbouring systems by
/// neighbouring threads.
template <class T, int M>
struct Factorize {
  MatrixRows<T, M> rows;
  EachOf<T, 2 * M + 1> factors;  ///< in the order of diagonals
  EachOf<T, M> fill;             ///< of cyclic systems of one chunk; else none
  Index lines;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index line = item % lines;
    const int chunk = static_cast<int>(item / lines);
    const Index begin = chunks.begin(chunk), end = begin + chunks.rows(chunk);
    auto e = before_first_row<T, M>(true, end - begin);
    for (Index i = begin; i < end; ++i) {
      const FactoredBandRow<T, M> row = rows(line, i, e);
      const BandRow<T, M>& eliminated = e.push(row, T(0));
      factors.number[M](line, i) = row.inverse;
      for (int m = 0; m < M; ++m) {
        factors.number[M - 1 - m](line, i) = row.lower[m];
        factors.number[M + 1 + m](line, i) = row.upper[m];
        if (fill.is_there()) fill.number[m](line, i) = eliminated.fill[m];
      }
    }
  }
};

/// @brief Solves systems whose matrices have been factorized in one chunk, a thread each.
template <class T, int M>
struct Substitute {
  FactoredSystems<T, M> s;

  KOKKOS_FUNCTION void operator()(Index line) const {
    const Index n = s.extents.length;
    EachOf<const T, M> upper, fill;
    for (int m = 0; m < M; ++m) {
      upper.number[m] = s.factors.of(m + 1);
      fill.number[m] = s.fill[m];
    }
    auto e = before_first_row<T, M>(fill.is_there(), n);
    for (Index i = 0; i < n; ++i) {
      FactoredBandRow<T, M> row;
      row.inverse = s.factors.of(0)(line, i);
      for (int m = 0; m < M; ++m) {
        row.lower[m] = s.factors.of(-1 - m)(line, i);
        row.upper[m] = upper.number[m](line, i);
      }
      s.x(line, i) = e.push(row, s.right(line, i)).known;
    }
    substitute_back(e, line, n, upper, fill, s.x);
  }
};

/// @brief Enqueues kernel(0) to kernel(items - 1), a thread each.
template <ExecutionSpace Exec, class Kernel>
void enqueue_each(const Exec& exec, const char* name, Index items, const Kernel& kernel) {
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, items),
                       kernel);
}

}  // namespace wavescan::Impl::columns

#endif
