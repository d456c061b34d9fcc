// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALGEBRAS_HPP
#define WAVESCAN_ALGEBRAS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Operators.hpp>

#include <concepts>
#include <limits>

/// @file
/// @brief Pairs of an accumulation operator and a distribution operator: what a wavefront loop and
/// a weighted scan compute with.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, definition 1 and theorem 1.

namespace wavescan {

/// @brief What a weighted scan and a wavefront loop ask of their pair of operators.
///
/// With the accumulation operator ⋄ and the distribution operator ∘:
/// - `accumulate(a, b)` is a ⋄ b and `zero()` its identity;
/// - `distribute(a, w)` is a ∘ w, the share of the value `a` that the weight `w` hands on;
/// - `compose(w, v)` is the one weight that does what `w` and then `v` do, `one()` the
///   weight that changes nothing, and `power(w, k)` is `w` composed with itself k times.
///
/// Theorem 1 of Hou et al. holds, and all schedules give the same result, if ⋄ is associative and
/// commutative and ∘ either distributes over ⋄ or is the same operator. `check_laws` tests this
/// on samples.
template <class A>
concept Algebra = std::copy_constructible<A> &&
    requires(const A algebra, typename A::value_type a, typename A::weight_type w, std::int64_t k) {
  requires Scannable<typename A::value_type>;
  requires Scannable<typename A::weight_type>;
  { algebra.accumulate(a, a) } -> std::convertible_to<typename A::value_type>;
  { algebra.distribute(a, w) } -> std::convertible_to<typename A::value_type>;
  { algebra.compose(w, w) } -> std::convertible_to<typename A::weight_type>;
  { algebra.power(w, k) } -> std::convertible_to<typename A::weight_type>;
  { algebra.zero() } -> std::convertible_to<typename A::value_type>;
  { algebra.one() } -> std::convertible_to<typename A::weight_type>;
};

/// @brief w composed with itself k times, in O(log k) compositions; one for k == 0.
///
/// Your own algebra can use it for its `power`: `return power_by_squaring(*this, w, k);`
template <class A>
KOKKOS_FUNCTION typename A::weight_type power_by_squaring(const A& algebra,
                                                          typename A::weight_type w,
                                                          std::int64_t k) {
  typename A::weight_type result = algebra.one();
  for (; k > 0; k >>= 1) {
    if (k & 1) result = algebra.compose(result, w);
    if (k > 1) w = algebra.compose(w, w);
  }
  return result;
}

/// @brief (+, ·): linear recurrences, SOR, exponential smoothing.
template <class T>
struct PlusTimes {
  using value_type = T;
  using weight_type = T;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const {
    return wrapping_add(a, b);
  }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    return wrapping_multiply(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const {
    return wrapping_multiply(w, v);
  }
  /// @brief a ∘ w ⋄ b in one operation where the machine has it; see multiply_add.
  KOKKOS_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return multiply_add(a, w, b);
  }
  /// @brief w^k. A power of a finite weight that overflows is capped at the largest finite number:
  /// it then still turns zero into zero, and everything else into something that overflows.
  KOKKOS_FUNCTION T power(const T& w, std::int64_t k) const {
    const T p = power_by_squaring(*this, w, k);
    if constexpr (std::floating_point<T>) {
      constexpr T largest = std::numeric_limits<T>::max();
      const bool finite = w >= -largest && w <= largest;
      if (finite && p > largest) return largest;
      if (finite && p < -largest) return -largest;
    }
    return p;
  }
  KOKKOS_FUNCTION constexpr T zero() const { return T(0); }
  KOKKOS_FUNCTION constexpr T one() const { return T(1); }
};

namespace Impl {

/// @brief (max, +) and (min, +): the extremum `Extremum` accumulates, the sum distributes.
///
/// The identity of an integer extremum is the lowest (largest) value. It absorbs every weight, as
/// minus infinity does, so that it cannot wrap around to a better value.
template <class T, class Extremum>
struct ExtremumPlus {
  using value_type = T;
  using weight_type = T;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const { return Extremum{}(a, b); }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return a + w;
    else
      return a == zero() ? a : wrapping_add(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const { return wrapping_add(w, v); }
  KOKKOS_FUNCTION constexpr T power(const T& w, std::int64_t k) const {
    return wrapping_multiply(w, static_cast<T>(k));
  }
  KOKKOS_FUNCTION constexpr T zero() const { return Extremum{}.identity(); }
  KOKKOS_FUNCTION constexpr T one() const { return T(0); }
};

}  // namespace Impl

/// @brief (max, +): alignment scores, longest paths. Sums wrap around where they leave T's range.
template <class T>
struct MaxPlus : Impl::ExtremumPlus<T, Max<T>> {};

/// @brief (min, +): shortest paths, dynamic time warping. Sums wrap around where they leave T's
/// range.
template <class T>
struct MinPlus : Impl::ExtremumPlus<T, Min<T>> {};

/// @brief (max, ·) on numbers >= 0: most probable paths (Viterbi).
template <class T>
struct MaxTimes {
  using value_type = T;
  using weight_type = T;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const { return a < b ? b : a; }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    return wrapping_multiply(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const {
    return wrapping_multiply(w, v);
  }
  KOKKOS_FUNCTION T power(const T& w, std::int64_t k) const {
    return power_by_squaring(*this, w, k);
  }
  KOKKOS_FUNCTION constexpr T zero() const { return T(0); }
  KOKKOS_FUNCTION constexpr T one() const { return T(1); }
};

/// @brief (or, and): reachability.
template <class T>
struct OrAnd {
  using value_type = T;
  using weight_type = T;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const { return T(a || b); }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const { return T(a && w); }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const { return T(w && v); }
  KOKKOS_FUNCTION constexpr T power(const T& w, std::int64_t k) const { return k > 0 ? w : one(); }
  KOKKOS_FUNCTION constexpr T zero() const { return T(false); }
  KOKKOS_FUNCTION constexpr T one() const { return T(true); }
};

/// @brief The second case of theorem 1: one commutative operator both accumulates and distributes.
/// @tparam Op an Operator that commutes: Plus, Times, Max, Min, And, Or, Xor, or your own
template <Operator Op>
struct SameOperator {
  using value_type = typename Op::value_type;
  using weight_type = value_type;
  Op op{};
  KOKKOS_FUNCTION constexpr value_type accumulate(const value_type& a, const value_type& b) const {
    return op(a, b);
  }
  KOKKOS_FUNCTION constexpr value_type distribute(const value_type& a, const value_type& w) const {
    return op(a, w);
  }
  KOKKOS_FUNCTION constexpr value_type compose(const value_type& w, const value_type& v) const {
    return op(w, v);
  }
  KOKKOS_FUNCTION value_type power(const value_type& w, std::int64_t k) const {
    return power_by_squaring(*this, w, k);
  }
  KOKKOS_FUNCTION constexpr value_type zero() const { return op.identity(); }
  KOKKOS_FUNCTION constexpr value_type one() const { return op.identity(); }
};

namespace Impl {

/// @brief a ∘ w ⋄ b, in the one operation that an algebra may offer for it (`advance`).
template <Algebra A>
KOKKOS_FORCEINLINE_FUNCTION typename A::value_type advance(const A& algebra,
                                                           const typename A::value_type& a,
                                                           const typename A::weight_type& w,
                                                           const typename A::value_type& b) {
  if constexpr (requires { algebra.advance(a, w, b); })
    return algebra.advance(a, w, b);
  else
    return algebra.accumulate(algebra.distribute(a, w), b);
}

}  // namespace Impl
}  // namespace wavescan

#endif
