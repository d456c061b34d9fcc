// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ARITHMETIC_HPP
#define WAVESCAN_ARITHMETIC_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief Arithmetic with a defined result: integers that wrap around, and one spelling of a*b+c.

namespace wavescan {
namespace Impl {

/// @brief Integers other than bool, whose overflow this file defines.
template <class T>
concept WrappingInteger = std::integral<T> && !std::same_as<T, bool>;

/// @brief The unsigned type in which T's arithmetic wraps around: as wide as T, at least unsigned
/// int, because narrower types would be promoted to (overflowing) int.
template <WrappingInteger T>
using WrapType = std::make_unsigned_t<std::common_type_t<T, int>>;

/// @brief `b` if it is NaN, else `other`.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T nan_or(const T& b, const T& other) {
  if constexpr (std::floating_point<T>)
    return b != b ? b : other;  // NOLINT(misc-redundant-expression)
  else
    return other;
}

/// @brief The larger of two values; NaN if one of them is NaN, so that maxima are associative.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T larger(const T& a, const T& b) {
  return nan_or(b, a < b ? b : a);  // the latter is a if a is NaN
}

/// @brief The smaller of two values; NaN if one of them is NaN, so that minima are associative.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T smaller(const T& a, const T& b) {
  return nan_or(b, b < a ? b : a);
}

}  // namespace Impl

/// @brief a + b; integers wrap around modulo 2^bits instead of overflowing.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T wrapping_add(const T& a, const T& b) {
  if constexpr (Impl::WrappingInteger<T>) {
    using U = Impl::WrapType<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

/// @brief a - b; integers wrap around modulo 2^bits instead of overflowing.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T wrapping_subtract(const T& a, const T& b) {
  if constexpr (Impl::WrappingInteger<T>) {
    using U = Impl::WrapType<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return a - b;
  }
}

/// @brief a * b; integers wrap around modulo 2^bits instead of overflowing.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr T wrapping_multiply(const T& a, const T& b) {
  if constexpr (Impl::WrappingInteger<T>) {
    using U = Impl::WrapType<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return a * b;
  }
}

/// @brief a * b + c, rounded in one way throughout a program.
///
/// Floating point uses a fused multiply-add where the target has one in hardware and two roundings
/// where it has none (where, for the same reason, a compiler cannot fuse either). Code written with
/// it therefore gives the same bits in every schedule, whatever contraction the compiler chooses.
template <class T>
KOKKOS_INLINE_FUNCTION T multiply_add(const T& a, const T& b, const T& c) {
  if constexpr (std::floating_point<T>) {
    KOKKOS_IF_ON_DEVICE((return Kokkos::fma(a, b, c);))
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    KOKKOS_IF_ON_HOST((return Kokkos::fma(a, b, c);))
#else
    KOKKOS_IF_ON_HOST((return a * b + c;))
#endif
  } else {
    return wrapping_add(wrapping_multiply(a, b), c);
  }
}

namespace Impl {

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__FMA__)
#define WAVESCAN_LATE_FMA

/// @brief The processor's fused multiply-add, which the compiler may not use by itself.
inline float processor_fma(float a, float b, float c) {
  asm("vfmadd231ss %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
  return c;
}
inline double processor_fma(double a, double b, double c) {
  asm("vfmadd231sd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
  return c;
}
#endif

}  // namespace Impl

/// @brief a * b + c, rounded once wherever the machine that runs can do it: on GPUs, and on every
/// processor with fused multiply-adds, whatever processor the compiler's flags ask for. Elsewhere
/// it is rounded twice.
///
/// For what must have the same bits in the vectors of a late chosen target and in plain loops.
/// `multiply_add` is the better choice where compilers are to vectorise.
template <std::floating_point T>
KOKKOS_INLINE_FUNCTION T fused_multiply_add(const T& a, const T& b, const T& c) {
#if defined(WAVESCAN_LATE_FMA)
  if constexpr (sizeof(T) <= sizeof(double)) {
    KOKKOS_IF_ON_HOST((if (__builtin_cpu_supports("fma")) return Impl::processor_fma(a, b, c);))
  }
#endif
  return multiply_add(a, b, c);
}

}  // namespace wavescan

#endif
