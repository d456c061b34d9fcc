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
/// the members that the concept Operator asks for, and no others. Without a type, as in `Plus{}` or
/// `Plus<>`, it stands for the operator of the type that a scan's results have.

namespace wavescan {

/// @brief Requirements of scans on an operator.
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
template <class T = void>
struct Plus {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return wrapping_add(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};
template <>
struct Plus<void> {};

/// @brief Product. Integers wrap around.
template <class T = void>
struct Times {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return wrapping_multiply(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return T(1); }
};
template <>
struct Times<void> {};

/// @brief Maximum, NaN if one operand is. Its identity is minus infinity where T has one, else the
/// lowest value.
template <class T = void>
struct Max {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return Impl::larger(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return Impl::Range<T>::first; }
};
template <>
struct Max<void> {};

/// @brief Minimum, NaN if one operand is. Its identity is infinity where T has one, else the
/// largest value.
template <class T = void>
struct Min {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const {
    return Impl::smaller(a, b);
  }
  KOKKOS_FUNCTION constexpr T identity() const { return Impl::Range<T>::last; }
};
template <>
struct Min<void> {};

/// @brief Logical and, of T's truth values.
template <class T = void>
struct LogicalAnd {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(a && b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(true); }
};
template <>
struct LogicalAnd<void> {};

/// @brief Logical or, of T's truth values.
template <class T = void>
struct LogicalOr {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(a || b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(false); }
};
template <>
struct LogicalOr<void> {};

/// @brief Logical exclusive or: the parity of T's truth values.
template <class T = void>
struct LogicalXor {
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(const T& a, const T& b) const { return T(!a != !b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(false); }
};
template <>
struct LogicalXor<void> {};

/// @brief Bitwise and.
template <class T = void>
struct BitAnd {
  static_assert(std::integral<T>, "WaveScan: bits are those of integers");
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a & b); }
  KOKKOS_FUNCTION constexpr T identity() const { return static_cast<T>(~T(0)); }
};
template <>
struct BitAnd<void> {};

/// @brief Bitwise or.
template <class T = void>
struct BitOr {
  static_assert(std::integral<T>, "WaveScan: bits are those of integers");
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a | b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};
template <>
struct BitOr<void> {};

/// @brief Bitwise exclusive or.
template <class T = void>
struct BitXor {
  static_assert(std::integral<T>, "WaveScan: bits are those of integers");
  using value_type = T;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION constexpr T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
  KOKKOS_FUNCTION constexpr T identity() const { return T(0); }
};
template <>
struct BitXor<void> {};

}  // namespace wavescan

#endif
