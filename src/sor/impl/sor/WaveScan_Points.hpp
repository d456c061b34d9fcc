// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_POINTS_HPP
#define WAVESCAN_IMPL_SOR_POINTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <optional>
#include <string>

/// @file
/// @brief Loops over the entries of a rectangle, and over interior points, in any order.
///
/// Hosts go row by row. On devices each work item visits a strip of a column, and strips side by
/// side are visited at once: Kokkos' ranges of two indices reach a tenth of the bandwidth there.

namespace wavescan::Impl::sor {

/// @brief Entries below each other.
struct ColumnStrip {
  Index column;
  Index begin;  ///< row
  Index end;
};

/// @brief The strips of a rectangle, whose rows and columns both begin at `first`.
template <int Height>
struct ColumnStrips {
  Index first;
  Index rows;
  Index columns;

  Index count() const { return ceil_div(rows, Height) * columns; }
  KOKKOS_FORCEINLINE_FUNCTION ColumnStrip operator()(Index k) const {
    const Index above = k / columns;
    const Index begin = first + above * Height;
    return {first + k - above * columns, begin, Kokkos::min(begin + Height, first + rows)};
  }
};

template <ExecutionSpace Exec, int Height>
auto strips_policy(const Exec& exec, const ColumnStrips<Height>& strips) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, strips.count());
}

/// @brief The entries of a rectangle, row by row.
template <ExecutionSpace Exec>
auto rectangle_policy(const Exec& exec, Index first, Index rows, Index columns) {
  using rank = Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>;
  using policy = Kokkos::MDRangePolicy<Exec, rank, Kokkos::IndexType<Index>>;
  return policy(exec, {first, first}, {first + rows, first + columns});
}

template <class Function>
struct InStrips {
  Function function;
  ColumnStrips<8> strips;
  KOKKOS_FUNCTION void operator()(Index k) const {
    const ColumnStrip strip = strips(k);
    for (Index i = strip.begin; i < strip.end; ++i) function(i, strip.column);
  }
};

/// @brief Enqueues function(i, j) for rows and columns from `first` on.
template <ExecutionSpace Exec, class Function>
void for_rectangle(const Exec& exec, const char* label, Index first, Index rows, Index columns,
                   const Function& function) {
  if (rows <= 0 || columns <= 0) return;
  if constexpr (runs_on_host<Exec>) {
    Kokkos::parallel_for(label, rectangle_policy(exec, first, rows, columns), function);
  } else {
    const InStrips<Function> in_strips{function, {first, rows, columns}};
    Kokkos::parallel_for(label, strips_policy(exec, in_strips.strips), in_strips);
  }
}

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

}  // namespace wavescan::Impl::sor

#endif
