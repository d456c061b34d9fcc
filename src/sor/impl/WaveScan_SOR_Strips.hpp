// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_STRIPS_HPP
#define WAVESCAN_IMPL_SOR_STRIPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>

/// @file
/// @brief Loops over the entries of a rectangle, in any order.
///
/// Hosts go row by row. On devices each work item visits a strip of a column, and strips side by
/// side are visited at once: Kokkos' ranges of two indices reach a tenth of the bandwidth there.

namespace wavescan::Impl {

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

/// @brief The same entries, row by row.
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

}  // namespace wavescan::Impl

#endif
