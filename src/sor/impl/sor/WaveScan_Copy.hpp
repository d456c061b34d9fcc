// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_COPY_HPP
#define WAVESCAN_IMPL_SOR_COPY_HPP

#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <algorithm>

/// @file
/// @brief Where sweeps start from: a copy of an array, or zero.

namespace wavescan::Impl::sor {

/// @brief An array without its halo.
template <class T>
Grid<T> interior(const Grid<T>& x) {
  if (x.rows <= 2 || x.columns <= 2) return {};
  return {&x(1, 1), x.rows - 2, x.columns - 2, x.row_stride, x.column_stride};
}

template <class T>
struct CopyEntries {
  Grid<const T> from;
  Grid<T> to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const { to(i, j) = from(i, j); }
};

/// @brief Enqueues a copy of all entries between arrays of the same extents.
template <ExecutionSpace Exec, class T>
void copy_entries(const Exec& exec, const char* label, const Grid<const T>& from,
                  const Grid<T>& to) {
  const CopyEntries<T> copy = to.column_stride <= to.row_stride
                                  ? CopyEntries<T>{from, to}
                                  : CopyEntries<T>{transposed(from), transposed(to)};
  for_rectangle(exec, label, 0, copy.to.rows, copy.to.columns, copy);
}

/// @brief Copies the halo of x, of which nothing else is copied.
template <class V>
struct CopyHalo {
  Grid<const V> from;
  Grid<V> to;
  KOKKOS_FUNCTION void operator()(Index i) const {
    if (i < from.columns) {
      to(0, i) = from(0, i);
      to(from.rows - 1, i) = from(from.rows - 1, i);
    }
    if (i < from.rows) {
      to(i, 0) = from(i, 0);
      to(i, from.columns - 1) = from(i, from.columns - 1);
    }
  }
};

template <ExecutionSpace Exec, class T>
void copy_halo(const Exec& exec, const Grid<T>& from, const Grid<T>& to) {
  Kokkos::parallel_for("WaveScan::sor::copy_halo",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(
                           exec, 0, std::max(from.rows, from.columns)),
                       CopyHalo<T>{read_only(from), to});
}

/// @brief Sets all points to zero that are not fixed.
template <class T>
struct ClearUnknowns {
  Grid<T> x;
  FixedPoints fixed;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    if (!fixed(i, j)) x(i, j) = T(0);
  }
};

template <ExecutionSpace Exec, class T, class C, class F>
void clear_unknowns(const Exec& exec, const Problem<T, C, F>& problem) {
  const auto p = in_memory_order(problem);
  for_rectangle(exec, "WaveScan::sor::clear", 1, p.interior_rows(), p.interior_columns(),
                ClearUnknowns<T>{p.x, p.fixed});
}

}  // namespace wavescan::Impl::sor

#endif
