// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_POINTS_HPP
#define WAVESCAN_IMPL_SOR3D_POINTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <type_traits>

/// @file
/// @brief Loops over entries and unknowns in any order; copies, and zeros to start from.

namespace wavescan::Impl::sor3d {

/// @brief The points of a box from `first` on in work items: on hosts rows, on devices some points
/// below each other, and then work items side by side visit a row at once.
template <bool OnHost>
struct Strips {
  static constexpr Index height = 8;
  Index first;
  Index planes;
  Index rows;
  Index columns;

  Index count() const {
    if (planes <= 0 || rows <= 0 || columns <= 0) return 0;
    return planes * (OnHost ? rows : ceil_div(rows, height) * columns);
  }
  /// @brief Calls use(k, i, j) for the points of a strip.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index item, const Use& use) const {
    if constexpr (OnHost) {
      const Index k = first + item / rows;
      const Index i = first + item % rows;
      for (Index j = first; j < first + columns; ++j) use(k, i, j);
    } else {
      const Index strips = ceil_div(rows, height);
      const Index j = first + item % columns;
      const Index strip = item / columns;
      const Index k = first + strip / strips;
      const Index begin = first + strip % strips * height;
      const Index end = Kokkos::min(begin + height, first + rows);
      for (Index i = begin; i < end; ++i) use(k, i, j);
    }
  }
};

template <ExecutionSpace Exec>
auto strips_policy(const Exec& exec, const Strips<runs_on_host<Exec>>& strips) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, strips.count());
}

template <class Function, class Strips>
struct InStrips {
  Function function;
  Strips strips;
  KOKKOS_FUNCTION void operator()(Index item) const { strips.for_each(item, function); }
};

template <ExecutionSpace Exec, class Function>
void for_strips(const Exec& exec, const char* label, const Strips<runs_on_host<Exec>>& strips,
                const Function& function) {
  using Kernel = InStrips<Function, Strips<runs_on_host<Exec>>>;
  if (strips.count() > 0)
    Kokkos::parallel_for(label, strips_policy(exec, strips), Kernel{function, strips});
}

template <class T>
struct CopyEntries {
  Box<const T> from;
  Box<T> to;
  KOKKOS_FUNCTION void operator()(Index k, Index i, Index j) const { to(k, i, j) = from(k, i, j); }
};

/// @brief Enqueues a copy of all entries between arrays of the same extents.
template <ExecutionSpace Exec, class T>
void copy_entries(const Exec& exec, const Box<const T>& from, const Box<T>& to) {
  const CopyEntries<T> copy = has_closer_planes(to) ? CopyEntries<T>{exchanged(from), exchanged(to)}
                                                    : CopyEntries<T>{from, to};
  for_strips(exec, "WaveScan::sor3d::copy", {0, copy.to.planes, copy.to.rows, copy.to.columns},
             copy);
}

/// @brief Copies the halo: of the box seen from one side, the two outermost planes.
template <class T>
struct CopyFaces {
  Box<const T> from;
  Box<T> to;
  KOKKOS_FUNCTION void operator()(Index, Index i, Index j) const {
    to(0, i, j) = from(0, i, j);
    to(from.planes - 1, i, j) = from(from.planes - 1, i, j);
  }
};

/// @brief The box with rows in the place of planes.
template <class T>
Box<T> with_rows_first(const Box<T>& b) {
  return {b.data, b.rows, b.planes, b.columns, b.row_stride, b.plane_stride, b.column_stride};
}

template <ExecutionSpace Exec, class T>
void copy_halo(const Exec& exec, const Box<const T>& from, const Box<T>& to) {
  const auto copy = [&](const CopyFaces<T>& faces) {
    for_strips(exec, "WaveScan::sor3d::copy_halo", {0, 1, faces.to.rows, faces.to.columns}, faces);
  };
  copy({from, to});
  copy({with_rows_first(from), with_rows_first(to)});
  copy({exchanged(from), exchanged(to)});
}

/// @brief Sets all points to zero that are not fixed.
template <class T, class Fixed>
struct ClearUnknowns {
  Box<T> x;
  Fixed fixed;
  KOKKOS_FUNCTION void operator()(Index k, Index i, Index j) const {
    if (!fixed(k, i, j)) x(k, i, j) = T(0);
  }
};

template <ExecutionSpace Exec, class T, class C, class F>
void clear_unknowns(const Exec& exec, const Problem<T, C, F>& problem) {
  const auto p = has_closer_planes(problem.x) ? exchanged(problem) : problem;
  for_strips(exec, "WaveScan::sor3d::clear",
             {1, p.interior_planes(), p.interior_rows(), p.interior_columns()},
             ClearUnknowns<T, F>{p.x, p.fixed});
}

}  // namespace wavescan::Impl::sor3d

#endif
