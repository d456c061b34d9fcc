// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_THOMAS_HPP
#define WAVESCAN_IMPL_COLUMNS_THOMAS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_Equations.hpp>
#include <impl/columns/WaveScan_Systems.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Thomas' algorithm: a thread for each system. A cyclic system is one chunk between its
/// last unknown and itself.

namespace wavescan::Impl::columns {

/// @brief The rows of matrices, divided by their pivots one after the other.
template <class T>
struct MatrixRows {
  Matrices<T> m;
  Index length;

  /// @param before of the row before
  KOKKOS_FORCEINLINE_FUNCTION FactoredRow<T> operator()(Index line, Index i,
                                                        const Equation<T>& before) const {
    const T lower = i == 0 ? m.lower_of_first(line) : m.lower(line, i);
    const T upper = i == length - 1 ? m.upper_of_last(line) : m.upper(line, i);
    return FactoredRow<T>::of(lower, m.diagonal(line, i), upper, before);
  }
};

/// @brief Finds x_i = known_i - fill_i x_last - upper_i x_{i+1}, where x holds what is known.
/// @param fill of cyclic systems; none if they are not
template <class T, class U>
KOKKOS_FUNCTION void substitute_back(Index line, Index length, const Lines<U>& upper,
                                     const Lines<U>& fill, const Lines<T>& x) {
  const bool cyclic = fill.data != nullptr;
  const Index last = length - 1;
  T after = x(line, last), outside(0);
  if (cyclic) {
    auto first = Equation<T>::is_right();
    for (Index i = last - 1; i >= 0; --i)
      first = eliminate_after({fill(line, i), upper(line, i), x(line, i)}, first);
    const Equation<T> e{fill(line, last), upper(line, last), after};
    const Equation<T> ring = Ends<T>{e, first}.beside(first);
    after = outside = ring.known / (T(1) + ring.left + ring.right);
    x(line, last) = after;
  }
  for (Index i = last - 1; i >= 0; --i) {
    after = x(line, i) - upper(line, i) * after;
    if (cyclic) after -= fill(line, i) * outside;
    x(line, i) = after;
  }
}

/// @brief Solves a system for each thread. Neighbouring threads take neighbouring systems.
template <class T>
struct Thomas {
  MatrixRows<T> rows;
  Lines<const T> right;
  Lines<T> x;
  Lines<T> upper;  ///< c_i / u_i
  Lines<T> fill;   ///< of cyclic systems; none if they are not

  KOKKOS_FUNCTION void operator()(Index line) const {
    const bool cyclic = fill.data != nullptr;
    // Not cyclic, the row before the first one says that an unknown there is zero.
    Equation<T> e{cyclic ? T(-1) : T(0), T(0), T(0)};
    for (Index i = 0; i < rows.length; ++i) {
      e = eliminate_before(e, rows(line, i, e), right(line, i));
      x(line, i) = e.known;
      upper(line, i) = e.right;
      if (cyclic) fill(line, i) = e.left;
    }
    substitute_back(line, rows.length, upper, fill, x);
  }
};

/// @brief Factorizes a chunk for each thread: that of the same number of neighbouring systems by
/// neighbouring threads.
template <class T>
struct Factorize {
  MatrixRows<T> rows;
  Lines<T> lower, inverse, upper;
  Lines<T> fill;  ///< of cyclic systems of one chunk; else none
  Index lines;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index line = item % lines;
    const int chunk = static_cast<int>(item / lines);
    const Index begin = chunks.begin(chunk), end = begin + chunks.rows(chunk);
    Equation<T> e = Equation<T>::is_left();
    for (Index i = begin; i < end; ++i) {
      const FactoredRow<T> row = rows(line, i, e);
      e = eliminate_before(e, row, T(0));
      lower(line, i) = row.lower;
      inverse(line, i) = row.inverse;
      upper(line, i) = row.upper;
      if (fill.data != nullptr) fill(line, i) = e.left;
    }
  }
};

/// @brief Solves systems whose matrices have been factorized in one chunk, a thread each.
template <class T>
struct Substitute {
  Factors<T> factors;
  Lines<const T> right;
  Lines<T> x;
  Index length;

  KOKKOS_FUNCTION void operator()(Index line) const {
    T before(0);
    for (Index i = 0; i < length; ++i) {
      before = factors.inverse(line, i) * right(line, i) - factors.lower(line, i) * before;
      x(line, i) = before;
    }
    substitute_back(line, length, factors.upper, factors.fill, x);
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
