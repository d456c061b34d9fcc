// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_LOOP_HPP
#define WAVESCAN_LOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>

#include <concepts>
#include <cstdint>

/// @file
/// @brief The description of a wavefront loop that all schedules run.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, definition 1 (equation I).

namespace wavescan {

/// @brief What a wavefront asks of a loop.
///
/// Every entry is computed from its left, upper and upper-left neighbour:
///
///     A(i,j) = accumulate(distribute(A(i,j-1), weight), partial(i, j, A(i-1,j), A(i-1,j-1), old))
///
/// A loop is a small trivially copyable struct with
/// - `algebra_type`: an Algebra, or an Operator if one operator both accumulates and distributes;
///   its object comes from a member `algebra()` if there is one, else it is default-constructed;
/// - `partial(i, j, up, up_left, old)`: everything but the left neighbour's share. `old(i, j)`
///   reads entries that are not updated yet: row i from column j on, and row i+1 from column j on;
/// - `weight()`, a constant, or `weight(i, j)`. A loop of an Operator may leave it out, which
///   means the identity;
/// - optionally `boundary(i, j)`: the value of neighbours outside the array (i == -1 or j == -1).
///   Without it they are the algebra's zero, and entries of column 0 are their partial values.
///
/// Indices are std::int64_t. All members are KOKKOS_FUNCTION and const.
template <class L>
concept WavefrontLoop = std::copy_constructible<L> &&
    (Algebra<typename L::algebra_type> ||
     Operator<typename L::algebra_type>)&&requires(const L loop, std::int64_t i,
                                                   typename L::algebra_type::value_type v,
                                                   Grid<typename L::algebra_type::value_type> old) {
  { loop.partial(i, i, v, v, old) } -> std::convertible_to<typename L::algebra_type::value_type>;
};

namespace Impl {

template <class L>
concept HasConstantWeight = requires(const L loop) {
  loop.weight();
};
template <class L>
concept HasEntryWeight = requires(const L loop, Index i) {
  loop.weight(i, i);
};
template <class L>
concept HasBoundary = requires(const L loop, Index i) {
  loop.boundary(i, i);
};

template <class L>
using LoopValue = typename L::algebra_type::value_type;

/// @brief The algebra object of a loop; an Operator stays one where the loop has no weights.
template <WavefrontLoop L>
KOKKOS_FUNCTION auto loop_algebra(const L& loop) {
  const auto declared = [&] {
    if constexpr (requires { loop.algebra(); })
      return loop.algebra();
    else
      return typename L::algebra_type{};
  }();
  constexpr bool weighted = HasConstantWeight<L> || HasEntryWeight<L>;
  if constexpr (Operator<typename L::algebra_type> && weighted)
    return SameOperator<typename L::algebra_type>{declared};
  else
    return declared;
}

}  // namespace Impl
}  // namespace wavescan

#endif
