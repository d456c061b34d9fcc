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

/// @brief A number towards zero as an integer; numbers beyond T's range become its least or largest
/// value, NaN becomes 0.
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION T saturated(double x) {
  constexpr T most = Kokkos::Experimental::finite_max_v<T>;
  constexpr double least = static_cast<double>(Kokkos::Experimental::finite_min_v<T>);
  constexpr double largest = static_cast<double>(most);  // for 64 bits, one more than `most`
  if constexpr (std::signed_integral<T>) x = x == x ? x : 0;
  x = x > least ? x : least;  // NaN, too
  if constexpr (std::numeric_limits<T>::digits <= std::numeric_limits<double>::digits)
    return static_cast<T>(x < largest ? x : largest);
  else
    return x < largest ? static_cast<T>(x) : most;
}

/// @brief A number as type T: as by static_cast, but with a result for every number.
template <class T, class From>
KOKKOS_FORCEINLINE_FUNCTION T converted_to(From x) {
  if constexpr (std::integral<T> && std::floating_point<From>)
    return saturated<T>(static_cast<double>(x));
  else
    return static_cast<T>(x);
}

/// @brief A number as type T, rounded to nearest (halves away from 0) where T is an integer, and
/// then with a result for every number.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_to(double x) {
  // The largest number below 1/2: with 1/2 itself, the sum could be rounded up to the next integer.
  constexpr double almost_half = 0x1.fffffffffffffp-2;
  if constexpr (std::integral<T>)
    return saturated<T>(x + Kokkos::copysign(almost_half, x));
  else
    return static_cast<T>(x);
}

}  // namespace wavescan::Impl

#endif
