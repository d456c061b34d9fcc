// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_POINTS_HPP
#define WAVESCAN_IMPL_SOR_POINTS_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Strips.hpp>

#include <optional>
#include <string>

/// @file
/// @brief Kernels over the interior points of arrays of one shape.

namespace wavescan::Impl {

/// @brief A point by its indices in x, halo included.
struct Point {
  Index i = 0;
  Index j = 0;
};

inline std::string to_string(const Point& point) {
  return "(" + std::to_string(point.i) + ", " + std::to_string(point.j) + ")";
}

template <class Function>
struct WithIndicesExchanged {
  Function function;
  KOKKOS_FUNCTION void operator()(Index j, Index i) const { function(i, j); }
};

/// @brief Enqueues function(i, j) for all points, in the order in which `like` lies in memory.
template <ExecutionSpace Exec, class T, class Function>
void for_points(const Exec& exec, const char* label, const Grid<T>& like,
                const Function& function) {
  if (like.column_stride <= like.row_stride)
    for_rectangle(exec, label, 1, like.rows - 2, like.columns - 2, function);
  else
    for_rectangle(exec, label, 1, like.columns - 2, like.rows - 2,
                  WithIndicesExchanged<Function>{function});
}

template <class Predicate>
struct FirstPoint {
  Predicate predicate;
  Index columns;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index& first) const {
    if (predicate(i, j)) first = Kokkos::min(first, i * columns + j);
  }
};

/// @brief The first point in natural order for which predicate(i, j) holds; waits for it.
template <ExecutionSpace Exec, class Predicate>
std::optional<Point> first_point(const Exec& exec, const char* label, Index rows, Index columns,
                                 const Predicate& predicate) {
  if (rows <= 2 || columns <= 2) return std::nullopt;
  Index first = 0;
  Kokkos::parallel_reduce(label, rectangle_policy(exec, 1, rows - 2, columns - 2),
                          FirstPoint<Predicate>{predicate, columns}, Kokkos::Min<Index>(first));
  if (first == Kokkos::reduction_identity<Index>::min()) return std::nullopt;
  return Point{first / columns, first % columns};
}

}  // namespace wavescan::Impl

#endif
