// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_STATEVECTOR_HPP
#define WAVESCAN_IMPL_FILTER_STATEVECTOR_HPP

#include <WaveScan_Arithmetic.hpp>

/// @file
/// @brief States of filters, and the matrices that move them on.

namespace wavescan::Impl::filter {

/// @brief a * b + c, in one operation for numbers that devices have.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T accumulated(T a, T b, T c) {
  if constexpr (sizeof(T) <= sizeof(double))
    return multiply_add(a, b, c);
  else
    return a * b + c;
}

/// @brief What a filter remembers between two samples.
template <class T, int K>
struct StateVector {
  T value[K];
};

/// @brief What becomes of a state over some samples that are zero.
template <class T, int K>
struct StateMatrix {
  T entry[K][K];

  /// @brief matrix * state + added.
  KOKKOS_FORCEINLINE_FUNCTION StateVector<T, K> advance(const StateVector<T, K>& state,
                                                        StateVector<T, K> added) const {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = 0; r < K; ++r)
      for (int c = 0; c < K; ++c)
        added.value[r] = accumulated(entry[r][c], state.value[c], added.value[r]);
    return added;
  }
};

}  // namespace wavescan::Impl::filter

#endif
