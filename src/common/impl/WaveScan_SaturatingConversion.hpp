// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SATURATINGCONVERSION_HPP
#define WAVESCAN_IMPL_SATURATINGCONVERSION_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <limits>

/// @file
/// @brief Conversions of floating-point numbers to integers, with a result for every number: C++
/// leaves undefined what becomes of those that the integer's type does not hold.

namespace wavescan::Impl {

/// @brief The first step: x, or where T is an integer, the end of T's range that is nearest to x,
/// the lower one for NaN. For integers of 64 bits, the upper end is one more than the largest of
/// them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double confined_to(double x) {
  if constexpr (std::integral<T>) {
    constexpr double least = static_cast<double>(Kokkos::Experimental::finite_min_v<T>);
    constexpr double largest = static_cast<double>(Kokkos::Experimental::finite_max_v<T>);
    x = x > least ? x : least;  // NaN, too
    return x < largest ? x : largest;
  } else {
    return x;
  }
}

/// @brief The second step: the first one's result as type T, towards 0 where T is an integer.
/// Compilers vectorise both steps in loops of their own, but not in one.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T from_confined(double x) {
  if constexpr (std::integral<T> &&
                std::numeric_limits<T>::digits > std::numeric_limits<double>::digits) {
    constexpr T most = Kokkos::Experimental::finite_max_v<T>;
    constexpr double beyond = static_cast<double>(most);
    return x < beyond ? static_cast<T>(x) : most;
  } else {
    return static_cast<T>(x);
  }
}

/// @brief The first step, after x is rounded to nearest (halves away from 0) where T is an integer;
/// the second step is to follow.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double rounded_within(double x) {
  // The largest number below 1/2: with 1/2 itself, the sum could be rounded up to the next integer.
  constexpr double almost_half = 0x1.fffffffffffffp-2;
  if constexpr (std::integral<T>) x += Kokkos::copysign(almost_half, x);
  return confined_to<T>(x);
}

/// @brief A number as type T, rounded to nearest where T is an integer.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_to(double x) {
  return from_confined<T>(rounded_within<T>(x));
}

/// @brief A number as type T: as by static_cast, but with a result for every number.
template <class T, class From>
KOKKOS_FORCEINLINE_FUNCTION T converted_to(From x) {
  if constexpr (std::integral<T> && std::floating_point<From>)
    return from_confined<T>(confined_to<T>(static_cast<double>(x)));
  else
    return static_cast<T>(x);
}

}  // namespace wavescan::Impl

#endif
