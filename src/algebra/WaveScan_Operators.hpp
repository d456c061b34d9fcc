// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_OPERATORS_HPP
#define WAVESCAN_OPERATORS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>

#include <concepts>
#include <limits>

/// @file
/// @brief Associative operators with an identity (monoids): what a scan accumulates with. Each has
/// the members that the concept Operator asks for, and no others.

namespace wavescan {

/// @brief What a scan asks of an operator.
///
/// An operator names its `value_type` (trivially copyable), combines two values by `op(a, b)`
/// with `a` the earlier one, and has an `identity()` with op(identity(), a) == a. It must be
/// associative; scans keep the order of operands, so it need not commute. One that does may say so
/// by `static constexpr bool commutative = true`, which lets some scans be faster. Operators may
/// hold data (a modulus, say) and are copied to the device. `check_laws` tests the laws on samples.
template <class Op>
concept Operator = std::copy_constructible<Op> && requires(const Op op, typename Op::value_type a) {
  requires Scannable<typename Op::value_type>;
  { op(a, a) } -> std::convertible_to<typename Op::value_type>;
  { op.identity() } -> std::convertible_to<typename Op::value_type>;
};

namespace Impl {

/// @brief True for operators that declare themselves commutative.
template <class Op>
inline constexpr bool commutes = false;
template <class Op>
  requires requires { requires Op::commutative; }
inline constexpr bool commutes<Op> = true;

/// @brief The ends of T's range, infinities where it has them. Constants, because device code must
/// not call the functions of std::numeric_limits.
template <class T>
struct Range {
  using limits = std::numeric_limits<T>;
  static constexpr T first =
      limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
  static constexpr T last = limits::has_infinity ? limits::infinity() : limits::max();
};

}  // namespace Impl

/// @brief Sum. Integers wrap around.
template <class T>
struct Plus {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return wrapping_add(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};

/// @brief Product. Integers wrap around.
template <class T>
struct Times {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return wrapping_multiply(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return T(1); }
};

/// @brief Maximum, NaN if one operand is. Its identity is minus infinity where T has one, else the
/// lowest value.
template <class T>
struct Max {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return Impl::larger(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return Impl::Range<T>::first; }
};

/// @brief Minimum, NaN if one operand is. Its identity is infinity where T has one, else the
/// largest value.
template <class T>
struct Min {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return Impl::smaller(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return Impl::Range<T>::last; }
};

/// @brief Logical and, of T's truth values.
template <class T>
struct LogicalAnd {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(a && b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(true); }
};

/// @brief Logical or, of T's truth values.
template <class T>
struct LogicalOr {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(a || b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(false); }
};

/// @brief Logical exclusive or: the parity of T's truth values.
template <class T>
struct LogicalXor {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(!a != !b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(false); }
};

/// @brief Bitwise and.
template <std::integral T>
struct BitAnd {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a & b); }
  KOKKOS_FUNCTION constexpr T identity() const { return static_cast<T>(~T(0)); }
};

/// @brief Bitwise or.
template <std::integral T>
struct BitOr {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a | b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};

/// @brief Bitwise exclusive or.
template <std::integral T>
struct BitXor {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};

}  // namespace wavescan

#endif
