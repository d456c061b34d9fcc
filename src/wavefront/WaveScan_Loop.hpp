// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_LOOP_HPP
#define WAVESCAN_LOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

/// @file
/// @brief The description of a wavefront loop that all schedules run.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, definition 1 (equation I).

namespace wavescan {

/// @brief An array that a loop reads besides its own, or a value that stands for all its entries.
template <class T>
struct LoopInput {
  Grid<const T> values{};  ///< without data: the constant
  T constant{};

  KOKKOS_FORCEINLINE_FUNCTION T operator()(std::int64_t i, std::int64_t j) const {
    return values.data ? values(i, j) : constant;
  }
};

namespace Impl {

template <class L>
using LoopValue = typename L::algebra_type::value_type;

template <class L>
concept HasInputs = requires(const L loop) {
  loop.inputs();
};
/// @brief The number of arrays that a loop reads besides its own.
template <class L>
inline constexpr int input_count = 0;
template <HasInputs L>
inline constexpr int input_count<L> =
    static_cast<int>(decltype(std::declval<L>().inputs())::size());
/// @brief The values of a loop's inputs for an entry.
template <class L>
using LoopInputs = Kokkos::Array<LoopValue<L>, input_count<L>>;

template <class Inputs, class Value>
inline constexpr bool are_inputs_of = false;
template <class Value, std::size_t Count>
inline constexpr bool are_inputs_of<Kokkos::Array<LoopInput<Value>, Count>, Value> = true;

/// @brief `partial` of a loop that asks for two neighbours above, or for `up_right` too.
template <class L, class... UpRight>
concept HasPartialOf = !HasInputs<L> && requires(const L loop, Index i, LoopValue<L> v,
                                                 Grid<LoopValue<L>> old, UpRight... up_right) {
  { loop.partial(i, i, v, v, up_right..., old) } -> std::convertible_to<LoopValue<L>>;
};
template <class L, class... UpRight>
concept HasPartialFromInputsOf = HasInputs<L> &&
    are_inputs_of<decltype(std::declval<const L&>().inputs()), LoopValue<L>> &&
    requires(const L loop, Index i, LoopValue<L> v, Grid<LoopValue<L>> old, LoopInputs<L> inputs,
             UpRight... up_right) {
  { loop.partial(i, i, v, v, up_right..., old, inputs) } -> std::convertible_to<LoopValue<L>>;
};
/// @brief Whether a loop asks for the upper right neighbour.
template <class L>
concept AsksUpRight = HasPartialOf<L, LoopValue<L>> || HasPartialFromInputsOf<L, LoopValue<L>>;
template <class L>
concept HasPartial = HasPartialOf<L> || HasPartialOf<L, LoopValue<L>>;
template <class L>
concept HasPartialFromInputs = HasPartialFromInputsOf<L> || HasPartialFromInputsOf<L, LoopValue<L>>;

template <class L>
concept HasConstantWeight = requires(const L loop) {
  loop.weight();
};
template <class L>
concept HasWeightWithoutInputs = requires(const L loop, Index i) {
  loop.weight(i, i);
};
template <class L>
concept HasWeightFromInputs = HasInputs<L> &&
    requires(const L loop, Index i, LoopInputs<L> inputs) {
  loop.weight(i, i, inputs);
};
template <class L>
concept HasEntryWeight = HasWeightWithoutInputs<L> || HasWeightFromInputs<L>;

/// @brief Whether all members that get the inputs take them.
template <class L>
concept TakesItsInputs = HasPartialFromInputs<L> &&
    (HasWeightFromInputs<L> || !HasWeightWithoutInputs<L>);

}  // namespace Impl

/// @brief The requirements of a wavefront on its loop.
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
///   Without it they are the algebra's zero, and entries of column 0 are their partial values;
/// - optionally a further neighbour: `partial(i, j, up, up_left, up_right, old)` also gets
///   A(i-1,j+1). Such a loop runs in the schedules Serial, RowSweep and TileSkewed, of which Auto
///   chooses the exact ones; TileCompensated is refused. `boundary(i, j)` is then also asked for
///   j == columns, and `old` may read row i+1 from column j-1 on;
/// - optionally `inputs()`: a Kokkos::Array of LoopInput, arrays of the extents and the value type
///   of A of which only the entries (i, j) are read for A(i, j). `partial` and `weight(i, j)` get
///   what is there as a further, last argument, a Kokkos::Array of values. Kernels whose steps wait
///   for each other fetch inputs ahead;
/// - optionally `exact`, a static constant that is true: only the schedules that give the bits of
///   Serial are compiled, Auto chooses among them, and others are refused.
///
/// Indices are std::int64_t. All members are KOKKOS_FUNCTION and const.
template <class L>
concept WavefrontLoop = std::copy_constructible<L> &&
    (Algebra<typename L::algebra_type> ||
     Operator<typename L::algebra_type>)&&(Impl::HasPartial<L> || Impl::TakesItsInputs<L>);

namespace Impl {

/// @brief Whether only schedules that give the bits of Serial may run a loop.
template <class L>
inline constexpr bool is_exact_loop = false;
template <class L>
  requires requires { L::exact; }
inline constexpr bool is_exact_loop<L> = L::exact;

template <class L>
concept HasBoundary = requires(const L loop, Index i) {
  loop.boundary(i, i);
};

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
