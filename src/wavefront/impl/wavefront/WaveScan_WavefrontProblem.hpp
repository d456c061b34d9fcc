// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_WAVEFRONTPROBLEM_HPP
#define WAVESCAN_IMPL_WAVEFRONT_WAVEFRONTPROBLEM_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>

#include <type_traits>
#include <utility>

namespace wavescan::Impl {

/// @brief A rectangle of entries, half open.
struct Block {
  Index row_begin = 0;
  Index row_end = 0;
  Index column_begin = 0;
  Index column_end = 0;
  KOKKOS_FUNCTION Index rows() const { return row_end - row_begin; }
  KOKKOS_FUNCTION Index columns() const { return column_end - column_begin; }
  /// @brief The nearest of the columns from column_begin to column_end.
  KOKKOS_FUNCTION Index nearest_column(Index j) const {
    return j < column_begin ? column_begin : j > column_end ? column_end : j;
  }
};

/// @brief The values of a loop's inputs for an entry.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION LoopInputs<L> loop_inputs([[maybe_unused]] const L& loop,
                                                      [[maybe_unused]] Index i,
                                                      [[maybe_unused]] Index j) {
  LoopInputs<L> values{};
  if constexpr (HasInputs<L>) {
    const auto inputs = loop.inputs();
    for (int k = 0; k < input_count<L>; ++k) values[k] = inputs[k](i, j);
  }
  return values;
}

/// @brief The weight of an entry, given its inputs.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION auto loop_weight(const L& loop, Index i, Index j,
                                             [[maybe_unused]] const LoopInputs<L>& inputs) {
  if constexpr (HasInputs<L>)
    return loop.weight(i, j, inputs);
  else
    return loop.weight(i, j);
}

/// @brief A loop's weights as a recurrence wants them, counted from entry (row, column) on.
template <class L>
struct LoopWeights {
  L loop;
  Index row;
  Index column;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index i, Index j) const {
    return loop_weight(loop, row + i, column + j, loop_inputs(loop, row + i, column + j));
  }
};

/// @brief The recurrence that runs along every row of a loop, its indices counted from entry
/// (row, column) on.
template <WavefrontLoop L>
KOKKOS_FUNCTION auto row_recurrence(const L& loop, [[maybe_unused]] Index row = 0,
                                    [[maybe_unused]] Index column = 0) {
  const auto algebra = loop_algebra(loop);
  using A = std::remove_const_t<decltype(algebra)>;
  if constexpr (HasConstantWeight<L>) {
    using W = typename A::weight_type;
    return WeightedRecurrence<A, ConstantWeight<W>>{algebra, {static_cast<W>(loop.weight())}};
  } else if constexpr (HasEntryWeight<L>) {
    return WeightedRecurrence<A, LoopWeights<L>>{algebra, {loop, row, column}};
  } else {
    static_assert(Operator<A>,
                  "WaveScan: a loop whose algebra_type is an Algebra needs weight() or "
                  "weight(i, j); only a loop of an Operator may leave it out");
    return PlainRecurrence<A>{algebra};
  }
}

/// @brief The neighbours above an entry, as far as a loop asks for them.
template <class T, bool UpRight>
struct NeighboursAbove {
  T up_left, up;
};
template <class T>
struct NeighboursAbove<T, true> {
  T up_left, up, up_right;
};

/// @brief A loop on an array: what every schedule is given.
template <WavefrontLoop L>
struct WavefrontProblem {
  using loop_type = L;
  using value_type = LoopValue<L>;
  using recurrence_type = decltype(row_recurrence(std::declval<const L&>()));
  static constexpr bool up_right = AsksUpRight<L>;
  /// The number of columns that a row must be behind the row above it.
  static constexpr int lag = up_right ? 2 : 1;
  using Above = NeighboursAbove<value_type, up_right>;

  L loop;
  recurrence_type recurrence;
  Grid<value_type> grid;
  Block range;  ///< entries to compute; all others keep their values

  /// @brief A neighbour's value, which may lie outside the array.
  KOKKOS_FORCEINLINE_FUNCTION value_type neighbour(Index i, Index j) const {
    if (i >= 0 && j >= 0 && (!up_right || j < grid.columns)) return grid(i, j);
    if constexpr (HasBoundary<L>)
      return static_cast<value_type>(loop.boundary(i, j));
    else
      return recurrence.identity();
  }

  /// @brief The state that enters row i at column j: the left neighbour, if there is one.
  KOKKOS_FORCEINLINE_FUNCTION State<value_type> entering(Index i, Index j) const {
    return {neighbour(i, j - 1), has_left(j)};
  }
  /// @brief Whether entries of column j have a left neighbour.
  KOKKOS_FORCEINLINE_FUNCTION bool has_left(Index j) const { return j > 0 || HasBoundary<L>; }

  /// @brief The neighbours above an entry.
  KOKKOS_FORCEINLINE_FUNCTION Above above(Index i, Index j) const {
    if constexpr (up_right)
      return {neighbour(i - 1, j - 1), neighbour(i - 1, j), neighbour(i - 1, j + 1)};
    else
      return {neighbour(i - 1, j - 1), neighbour(i - 1, j)};
  }
  /// @brief The neighbours above the left neighbour of an entry, as far as they are the entry's
  /// own, too.
  KOKKOS_FORCEINLINE_FUNCTION Above above_left_of(Index i, Index j) const {
    const value_type up_left = neighbour(i - 1, j - 1);
    if constexpr (up_right)
      return {up_left, up_left, neighbour(i - 1, j)};
    else
      return {up_left, up_left};
  }
  /// @brief The neighbours above an entry, given those above its left neighbour.
  KOKKOS_FORCEINLINE_FUNCTION Above above(Index i, Index j, const Above& of_left) const {
    if constexpr (up_right)
      return {of_left.up, of_left.up_right, neighbour(i - 1, j + 1)};
    else
      return {of_left.up, neighbour(i - 1, j)};
  }

  KOKKOS_FORCEINLINE_FUNCTION value_type partial(Index i, Index j, const Above& above) const {
    return partial(i, j, above, grid);
  }
  /// @param old reads the grid's entries in any way
  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION value_type partial(Index i, Index j, const Above& above,
                                                 const Old& old) const {
    return partial(i, j, above, old, inputs(i, j));
  }

  KOKKOS_FORCEINLINE_FUNCTION LoopInputs<L> inputs(Index i, Index j) const {
    return loop_inputs(loop, i, j);
  }
  /// @param inputs those of the entry, which may have been read long before
  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION value_type
  partial(Index i, Index j, const Above& above, const Old& old,
          [[maybe_unused]] const LoopInputs<L>& inputs) const {
    const auto call = [&](const auto&... rest) {
      if constexpr (up_right)
        return loop.partial(i, j, above.up, above.up_left, above.up_right, rest...);
      else
        return loop.partial(i, j, above.up, above.up_left, rest...);
    };
    if constexpr (HasInputs<L>)
      return static_cast<value_type>(call(old, inputs));
    else
      return static_cast<value_type>(call(old));
  }
  /// @brief The entry, from its left neighbour and its partial value.
  KOKKOS_FORCEINLINE_FUNCTION value_type
  advance(const value_type& left, const value_type& x, Index i, Index j,
          [[maybe_unused]] const LoopInputs<L>& inputs) const {
    if constexpr (HasEntryWeight<L>) {
      using weight_type = typename recurrence_type::weight_type;
      return Impl::advance(recurrence.algebra, left,
                           static_cast<weight_type>(loop_weight(loop, i, j, inputs)), x);
    } else {
      return recurrence.advance(left, x, i, j);
    }
  }

  /// @brief Computes columns [begin, end) of row i in order, from partial values to results.
  KOKKOS_FUNCTION void run_row(Index i, Index begin, Index end) const {
    State<value_type> left = entering(i, begin);
    Above neighbours = above_left_of(i, begin);
    for (Index j = begin; j < end; ++j) {
      neighbours = above(i, j, neighbours);
      left = finish(left, partial(i, j, neighbours), i, j);
    }
  }

  /// @brief Adds the left neighbour's share to a partial value and stores the entry.
  KOKKOS_FORCEINLINE_FUNCTION State<value_type> finish(const State<value_type>& left,
                                                       const value_type& partial_value, Index i,
                                                       Index j) const {
    const value_type value =
        left.present ? recurrence.advance(left.value, partial_value, i, j) : partial_value;
    grid(i, j) = value;
    return {value, true};
  }
};

}  // namespace wavescan::Impl

#endif
