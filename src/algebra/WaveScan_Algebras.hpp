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

/// @brief What a weighted scan and a wavefront loop ask of their pair of operators.
///
/// With the accumulation operator ⋄ and the distribution operator ∘:
/// - `accumulate(a, b)` is a ⋄ b and `zero()` its identity;
/// - `distribute(a, w)` is a ∘ w, the share of the value `a` that the weight `w` hands on;
/// - `compose(w, v)` is the one weight that does what `w` and then `v` do, `one()` the
///   weight that changes nothing, and `power(w, k)` is `w` composed with itself k times.
///
/// It may also offer `advance(a, w, b)`, which is (a ∘ w) ⋄ b in one operation, and a static
/// constant `quick_power`, true if `power` costs no more than a composition or two.
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
/// value. It absorbs every weight, and so do integer sums that fall beyond it: what leaves the
/// range on the side of zero stays zero and does not wrap around to a better value. Integer sums
/// that leave it on the other side wrap around.
template <class T, class Extremum>
struct ExtremumPlus {
  using value_type = T;
  using weight_type = T;
  /// Scans then call `power` rather than compose powers that they know.
  static constexpr bool quick_power = std::floating_point<T> || sizeof(T) <= 4;
  KOKKOS_FUNCTION constexpr T accumulate(const T& a, const T& b) const { return Extremum{}(a, b); }
  KOKKOS_FUNCTION constexpr T distribute(const T& a, const T& w) const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return a + w;
    else
      return beyond_zero(a, w) ? zero() : wrapping_add(a, w);
  }
  KOKKOS_FUNCTION constexpr T compose(const T& w, const T& v) const { return distribute(w, v); }
  /// @brief a ∘ w ⋄ b: the comparison does not have to wait for the sum, nor the sum for it.
  KOKKOS_FUNCTION constexpr T advance(const T& a, const T& w, const T& b) const {
    if constexpr (std::numeric_limits<T>::has_infinity) {
      return accumulate(a + w, b);
    } else {
      const T sum = accumulate(wrapping_add(a, w), b);
      return beyond_zero(a, w) ? b : sum;
    }
  }
  /// @brief k times w, kept within the range as sums are.
  KOKKOS_FUNCTION constexpr T power(const T& w, std::int64_t k) const {
    if (k == 0) return one();
    if constexpr (std::floating_point<T>)
      return capped_power(w, w * static_cast<T>(k));
    else if (towards_zero(w) && farther_than_zero(distance(w), static_cast<std::uint64_t>(k)))
      return zero();
    else
      return wrapping_multiply(w, static_cast<T>(k));
  }
  KOKKOS_FUNCTION constexpr T zero() const { return Extremum{}.identity(); }
  KOKKOS_FUNCTION constexpr T one() const { return T(0); }

 private:
  static constexpr bool is_max = std::same_as<Extremum, Max<T>>;

  KOKKOS_FUNCTION static constexpr bool towards_zero(const T& w) {
    if constexpr (is_max && std::is_unsigned_v<T>)
      return false;
    else
      return is_max ? w < 0 : w > 0;
  }
  /// @brief Whether a is zero or a + w lies beyond it. The limit depends on w alone, so that for a
  /// constant weight there is one comparison an element.
  KOKKOS_FUNCTION constexpr bool beyond_zero(const T& a, const T& w) const {
    const T next = static_cast<T>(is_max ? 1 : -1);
    const T limit = wrapping_add(
        zero(), towards_zero(w) ? wrapping_subtract(T(0), w) : next);  // zero() - w, or next to it
    return is_max ? a < limit : a > limit;
  }
  KOKKOS_FUNCTION static constexpr std::uint64_t distance(const T& w) {
    const auto wide = static_cast<std::uint64_t>(w);  // signed values keep their sign
    return is_max ? 0 - wide : wide;
  }
  /// @brief Whether k steps of this distance lead beyond zero().
  KOKKOS_FUNCTION constexpr bool farther_than_zero(std::uint64_t step, std::uint64_t k) const {
    const std::uint64_t whole = distance(zero());
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
/// Integer sums that fall below T's range stay at its lowest value, which is minus infinity; sums
/// above it wrap around. A parallel scan also adds up the weights of whole runs of elements: where
/// these sums fall below the range, results stay exact as long as values are not negative (or the
/// sums of a line's weights fit T).
template <class T = void>
struct MaxPlus : Impl::ExtremumPlus<T, Max<T>> {};
template <>
struct MaxPlus<void> {};

/// @brief (min, +): shortest paths, dynamic time warping.
///
/// Integer sums above T's range stay at its largest value, which is plus infinity; sums below it
/// wrap around. So costs that are not negative come out exactly on lines of any length.
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
