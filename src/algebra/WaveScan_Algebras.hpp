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
/// a weighted scan compute with. Each has the members that the concept Algebra asks for; what is
/// special about one of them is said there. Without a type, as in `PlusTimes{}`, it stands for the
/// algebra of the type that a scan's results have.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, definition 1 and theorem 1.

namespace wavescan {

/// @brief Requirements of weighted scans and wavefront loops on a pair of operators.
///
/// With the accumulation operator ⋄ and the distribution operator ∘:
/// - `accumulate(a, b)` is a ⋄ b and `zero()` its identity;
/// - `distribute(a, w)` is a ∘ w, the share of the value `a` that the weight `w` hands on;
/// - `compose(w, v)` is the one weight that does what `w` and then `v` do, `one()` the
///   weight that changes nothing, and `power(w, k)` is `w` composed with itself k times.
///
/// It may also offer `advance(a, w, b)`, which is (a ∘ w) ⋄ b in one operation, and static
/// constants: `quick_power`, true if `power` costs no more than a composition or two; and
/// `zero_absorbs`, false if zero() ∘ w is not zero() for all weights. Zeros then do not stand for
/// missing elements, which leaves GPUs the slower, general kernels.
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

namespace Impl {

template <std::floating_point T>
inline constexpr T largest_finite = std::numeric_limits<T>::max();

/// @brief A power `p` of the weight `w`. One that overflows although `w` is finite becomes the
/// largest finite number: it then still makes zero of zero, where infinity would make NaN.
template <std::floating_point T>
KOKKOS_INLINE_FUNCTION constexpr T capped_power(const T& w, const T& p) {
  constexpr T largest = largest_finite<T>;
  if (!(w >= -largest && w <= largest)) return p;
  return p > largest ? largest : p < -largest ? -largest : p;
}

/// @brief w^k by multiplication; powers of floating-point numbers are capped.
template <class A>
KOKKOS_FUNCTION typename A::weight_type power_of_factor(const A& algebra,
                                                        const typename A::weight_type& w,
                                                        std::int64_t k) {
  const auto p = power_by_squaring(algebra, w, k);
  if constexpr (std::floating_point<typename A::weight_type>)
    return capped_power(w, p);
  else
    return p;
}

}  // namespace Impl

/// @brief (+, ·): linear recurrences, SOR, exponential smoothing. Integers wrap around.
template <class T = void>
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
  /// @brief w^k, capped at the largest finite number, so that zero stays zero.
  KOKKOS_FUNCTION T power(const T& w, std::int64_t k) const {
    return Impl::power_of_factor(*this, w, k);
  }
  KOKKOS_FUNCTION constexpr T zero() const { return T(0); }
  KOKKOS_FUNCTION constexpr T one() const { return T(1); }
};
template <>
struct PlusTimes<void> {};

namespace Impl {

/// @brief (max, +) and (min, +): the extremum `Extremum` accumulates, the sum distributes.
///
/// Zero, the identity of the extremum, is minus (plus) infinity, or an integer's lowest (largest)
/// value. Sums of signed integers that leave the range on the side of zero stop there, which does
/// not let them wrap around to a better value; those that leave it on the other side wrap around.
/// Sums of unsigned integers stop at the largest value.
///
/// So zero absorbs every weight, but for maxima of unsigned integers: there it is 0, which is a
/// number like any other.
template <class T, class Extremum>
struct ExtremumPlus {
  using value_type = T;
  using weight_type = T;
  /// Scans then call `power` rather than compose powers that they know.
  static constexpr bool quick_power = std::floating_point<T> || sizeof(T) <= 4;
  static constexpr bool zero_absorbs = std::is_signed_v<T> || std::same_as<Extremum, Min<T>>;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const { return Extremum{}(a, b); }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return a + w;
    else
      return is_beyond(a, w) ? limit() : wrapping_add(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const { return distribute(w, v); }
  /// @brief a ∘ w ⋄ b: the comparison does not have to wait for the sum, nor the sum for it.
  KOKKOS_FUNCTION constexpr T advance(const T& a, const T& w, const T& b) const {
    if constexpr (std::numeric_limits<T>::has_infinity) {
      return accumulate(a + w, b);
    } else {
      const T sum = accumulate(wrapping_add(a, w), b);
      return is_beyond(a, w) ? accumulate(limit(), b) : sum;
    }
  }
  /// @brief k times w, kept within the range as sums are.
  KOKKOS_FUNCTION constexpr T power(const T& w, std::int64_t k) const {
    if (k == 0) return one();
    if constexpr (std::floating_point<T>)
      return capped_power(w, w * static_cast<T>(k));
    else if (towards_limit(w) && farther_than_limit(distance(w), static_cast<std::uint64_t>(k)))
      return limit();
    else
      return wrapping_multiply(w, static_cast<T>(k));
  }
  KOKKOS_FUNCTION constexpr T zero() const { return Extremum{}.identity(); }
  KOKKOS_FUNCTION constexpr T one() const { return T(0); }

 private:
  static constexpr bool stops_below = std::same_as<Extremum, Max<T>> && std::is_signed_v<T>;

  /// @brief The bound at which integer sums saturate.
  KOKKOS_FUNCTION static constexpr T limit() {
    if constexpr (stops_below)
      return Range<T>::first;
    else
      return Range<T>::last;
  }
  KOKKOS_FUNCTION static constexpr bool towards_limit(const T& w) {
    return stops_below ? w < 0 : w > 0;
  }
  /// @brief Whether a is the limit or a + w lies beyond it. What a is compared with depends on w
  /// alone, so that for a constant weight there is one comparison an element.
  KOKKOS_FUNCTION static constexpr bool is_beyond(const T& a, const T& w) {
    const T next = static_cast<T>(stops_below ? 1 : -1);
    const T last = wrapping_add(  // limit() - w, or next to it
        limit(), towards_limit(w) ? wrapping_subtract(T(0), w) : next);
    return stops_below ? a < last : a > last;
  }
  KOKKOS_FUNCTION static constexpr std::uint64_t distance(const T& w) {
    const auto wide = static_cast<std::uint64_t>(w);  // signed values keep their sign
    return stops_below ? 0 - wide : wide;
  }
  /// @brief Whether k steps of this distance lead beyond the limit.
  KOKKOS_FUNCTION static constexpr bool farther_than_limit(std::uint64_t step, std::uint64_t k) {
    const std::uint64_t whole = distance(limit());
    if constexpr (quick_power) {
      constexpr std::uint64_t plenty = std::uint64_t(1) << 32;  // steps for any distance
      return step * (k < plenty ? k : plenty) > whole;
    } else {
      return k > whole / step;  // the product might not fit
    }
  }
};

}  // namespace Impl

/// @brief (max, +): alignment scores, longest paths.
///
/// The lowest value of a signed integer stands for minus infinity, also where it is an element:
/// sums that fall below the range stay there, and sums above it wrap around. A parallel scan also
/// adds up the weights of whole runs of elements: where these sums fall below the range, results
/// stay exact as long as values are not negative (or the sums of a line's weights fit T).
///
/// Of unsigned integers all values are numbers: 0, the identity of maxima, plus w is w. Sums above
/// the range stay at its largest value.
template <class T = void>
struct MaxPlus : Impl::ExtremumPlus<T, Max<T>> {};
template <>
struct MaxPlus<void> {};

/// @brief (min, +): shortest paths, dynamic time warping.
///
/// The largest value of an integer stands for plus infinity, also where it is an element: sums
/// above the range stay there, and sums below it wrap around. So costs that are not negative come
/// out exactly on lines of any length.
template <class T = void>
struct MinPlus : Impl::ExtremumPlus<T, Min<T>> {};
template <>
struct MinPlus<void> {};

/// @brief (max, ·) on numbers >= 0: most probable paths (Viterbi). Integers wrap around.
template <class T = void>
struct MaxTimes {
  using value_type = T;
  using weight_type = T;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const {
    return Impl::larger(a, b);
  }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    return wrapping_multiply(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const {
    return wrapping_multiply(w, v);
  }
  /// @brief w^k, capped at the largest finite number, so that zero stays zero.
  KOKKOS_FUNCTION T power(const T& w, std::int64_t k) const {
    return Impl::power_of_factor(*this, w, k);
  }
  KOKKOS_FUNCTION constexpr T zero() const { return T(0); }
  KOKKOS_FUNCTION constexpr T one() const { return T(1); }
};
template <>
struct MaxTimes<void> {};

/// @brief (or, and): reachability.
template <class T = void>
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
template <>
struct OrAnd<void> {};

/// @brief The second case of theorem 1: one commutative operator both accumulates and distributes.
///
/// Scans must know it, because an operator need not distribute over itself. So an algebra of your
/// own with `distribute` the same as `accumulate` is written `SameOperator<YourOperator>`.
/// @tparam Op an Operator that commutes: Plus, Times, Max, Min, And, Or, Xor, or your own
template <Operator Op>
struct SameOperator {
  using value_type = typename Op::value_type;
  using weight_type = value_type;
  static constexpr bool zero_absorbs = false;
  Op op{};  ///< does all the work
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

/// @brief True for algebras that declare themselves the second case of theorem 1.
template <class A>
inline constexpr bool is_same_operator = false;
template <class Op>
inline constexpr bool is_same_operator<SameOperator<Op>> = true;

/// @brief Whether no weight turns zero() into anything else, so that it can stand for an element
/// that is missing.
template <class A>
inline constexpr bool zero_absorbs = true;
template <class A>
  requires requires { requires !A::zero_absorbs; }
inline constexpr bool zero_absorbs<A> = false;

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
