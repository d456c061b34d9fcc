// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_STATEVECTOR_HPP
#define WAVESCAN_IMPL_FILTER_STATEVECTOR_HPP

#include <WaveScan_Arithmetic.hpp>
#include <impl/WaveScan_Compiler.hpp>

/// @file
/// @brief States of filters, and the matrices that move them on.

namespace wavescan::Impl::filter {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Kokkos::complex<T>> = true;

/// @brief The type of a number's real and imaginary parts.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};

/// @brief a * b + c, in one operation for numbers that devices have.
/// @tparam C the type of b and c, or that of their real and imaginary parts
template <class C, class T>
KOKKOS_FORCEINLINE_FUNCTION T accumulated(C a, T b, T c) {
  if constexpr (is_complex<T> && !is_complex<C>)
    return {accumulated(a, b.real(), c.real()), accumulated(a, b.imag(), c.imag())};
  else if constexpr (!is_complex<T> && sizeof(T) <= sizeof(double))
    return multiply_add(a, b, c);
  else
    return a * b + c;
}

/// @brief The limit on the growth of states before they decay, if they are multiplied by powers of
/// matrices in the samples' own precision: the product is wrong by a rounding unit of that, an
/// error that may grow as much again. Measured, that is up to a quarter of the growth times the
/// error of the loop over samples.
template <class T>
inline constexpr double max_growth = sizeof(typename RealOf<T>::type) <= 4 ? 64 : 1024;
/// @brief The limit on this growth where these products are computed in twice the samples'
/// precision.
inline constexpr double max_growth_of_exact = 1e9;

/// @brief The state of a filter between two samples.
template <class T, int K>
struct StateVector {
  T value[K];
};

/// @brief The effect on a state of some samples that are zero: whole words of GPUs.
template <class C, int K>
struct alignas(16) StateMatrix {
  C entry[K][K];

  /// @brief matrix * state + added.
  /// @tparam Form whose states these are: it says which entries may differ from zero
  template <class Form, class T>
  KOKKOS_FORCEINLINE_FUNCTION StateVector<T, K> advance(const StateVector<T, K>& state,
                                                        StateVector<T, K> added) const {
#if defined(WAVESCAN_DEVICE_PASS)
#pragma unroll
#endif
    for (int r = 0; r < K; ++r)
#if defined(WAVESCAN_DEVICE_PASS)
#pragma unroll
#endif
      for (int c = 0; c < K; ++c)
        if (Form::couples(r, c))
          added.value[r] = accumulated(entry[r][c], state.value[c], added.value[r]);
    return added;
  }
};

}  // namespace wavescan::Impl::filter

#endif
