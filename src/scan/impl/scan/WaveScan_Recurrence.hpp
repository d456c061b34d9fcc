// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_RECURRENCE_HPP
#define WAVESCAN_IMPL_SCAN_RECURRENCE_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Lines.hpp>

/// @file
/// @brief The recurrences that scans solve, as the few functions that a parallel scan is built
/// from.
///
/// A recurrence takes the state s and the element x_j to the next state. A *segment* sums up what a
/// run of consecutive elements does to whatever state enters it; segments join associatively, which
/// is all the parallelism there is. Two recurrences exist:
/// - plain:    s_j = op(s_{j-1}, x_j); a segment is a value.
/// - weighted: s_j = (s_{j-1} ∘ w_j) ⋄ x_j; a segment is a weight W and a value X that take s to
///   (s ∘ W) ⋄ X (Hou et al., equation II-2 and theorem 1).

namespace wavescan::Impl {

template <Operator Op>
struct PlainRecurrence {
  using value_type = typename Op::value_type;
  using segment_type = value_type;
  Op op;

  KOKKOS_FUNCTION value_type identity() const { return op.identity(); }

  /// @brief The state after x, the element j of `line`, arrived at state s.
  KOKKOS_FORCEINLINE_FUNCTION value_type advance(const value_type& s, const value_type& x, Index,
                                                 Index) const {
    return op(s, x);
  }

  /// @brief The segment of elements [begin, end) of `line`; not empty.
  template <class In>
  KOKKOS_FUNCTION segment_type reduce(const In& in, Index line, Index begin, Index end) const {
    value_type s = static_cast<value_type>(in(line, begin));
    for (Index j = begin + 1; j < end; ++j) s = op(s, static_cast<value_type>(in(line, j)));
    return s;
  }

  KOKKOS_FUNCTION segment_type join(const segment_type& a, const segment_type& b) const {
    return op(a, b);
  }

  /// @brief The state that leaves a segment which state s entered, or which nothing entered.
  KOKKOS_FUNCTION value_type leave(const value_type& s, const segment_type& b) const {
    return op(s, b);
  }
  KOKKOS_FUNCTION value_type leave(const segment_type& b) const { return b; }
};

/// @brief A weight that is the same at every element.
template <class W>
struct ConstantWeight {
  W value;
  KOKKOS_FORCEINLINE_FUNCTION W operator()(Index, Index) const { return value; }
};

template <class W>
inline constexpr bool is_constant_weight = false;
template <class W>
inline constexpr bool is_constant_weight<ConstantWeight<W>> = true;

/// @brief The effect of a run of elements on a state: s becomes (s ∘ weight) ⋄ value.
template <Algebra A>
struct WeightedSegment {
  typename A::weight_type weight;
  typename A::value_type value;
};

/// @brief The weighted recurrence. In the second case of theorem 1, where ∘ is ⋄, a segment's value
/// holds the weights of all its elements but the first, so its weight is that of the first alone.
/// @tparam Weight ConstantWeight or Lines of weights
template <Algebra A, class Weight>
struct WeightedRecurrence {
  using value_type = typename A::value_type;
  using weight_type = typename A::weight_type;
  using segment_type = WeightedSegment<A>;
  A algebra;
  Weight weight;

  KOKKOS_FUNCTION value_type identity() const { return algebra.zero(); }

  KOKKOS_FORCEINLINE_FUNCTION value_type advance(const value_type& s, const value_type& x,
                                                 Index line, Index j) const {
    return Impl::advance(algebra, s, static_cast<weight_type>(weight(line, j)), x);
  }

  template <class In>
  KOKKOS_FUNCTION segment_type reduce(const In& in, Index line, Index begin, Index end) const {
    value_type s = static_cast<value_type>(in(line, begin));
    weight_type w = static_cast<weight_type>(weight(line, begin));
    for (Index j = begin + 1; j < end; ++j) {
      s = advance(s, static_cast<value_type>(in(line, j)), line, j);
      if constexpr (!is_constant_weight<Weight> && !is_same_operator<A>)
        w = algebra.compose(w, static_cast<weight_type>(weight(line, j)));
    }
    if constexpr (is_constant_weight<Weight> && !is_same_operator<A>)
      w = algebra.power(w, end - begin);
    return {w, s};
  }

  KOKKOS_FUNCTION segment_type join(const segment_type& a, const segment_type& b) const {
    if constexpr (is_same_operator<A>)
      return {a.weight, leave(a.value, b)};
    else
      return {algebra.compose(a.weight, b.weight), leave(a.value, b)};
  }
  KOKKOS_FUNCTION value_type leave(const value_type& s, const segment_type& b) const {
    return Impl::advance(algebra, s, b.weight, b.value);
  }
  KOKKOS_FUNCTION value_type leave(const segment_type& b) const { return b.value; }
};

}  // namespace wavescan::Impl

#endif
