// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_COMPANION_HPP
#define WAVESCAN_IMPL_FILTER_COMPANION_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <impl/WaveScan_Lines.hpp>

/// @file
/// @brief A recurrence of order K as one of order 1 of its last K outputs, the newest first: the
/// companion matrix puts a new one in front and drops the oldest.

namespace wavescan::Impl::filter {

template <class T, int K>
KOKKOS_FUNCTION SmallMatrix<T, K> companion(const T* coefficients) {
  SmallMatrix<T, K> matrix{};
  for (int k = 0; k < K; ++k) matrix(0, k) = coefficients[k];
  for (int k = 1; k < K; ++k) matrix(k, k - 1) = T(1);
  return matrix;
}

/// @brief The contribution of an element to the outputs.
template <class T, int K>
struct PushOutput {
  KOKKOS_FUNCTION SmallVector<T, K> operator()(const T& x) const { return {{x}}; }
};
template <class T, int K>
struct NewestOutput {
  KOKKOS_FUNCTION T operator()(const SmallVector<T, K>& outputs) const { return outputs[0]; }
};

/// @brief Companion matrices of coefficients that vary from element to element.
template <class T, int K>
struct CompanionWeights {
  Lines<const T> coefficients[K];
  KOKKOS_FUNCTION SmallMatrix<T, K> operator()(Index line, Index j) const {
    T c[K];
    for (int k = 0; k < K; ++k) c[k] = coefficients[k](line, j);
    return companion<T, K>(c);
  }
};

}  // namespace wavescan::Impl::filter

#endif
