// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ALGORITHM3_HPP
#define WAVESCAN_PERF_ALGORITHM3_HPP

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <WaveScan_Algebras.hpp>
#include <cmath>
#include <cstdint>
#include <support/WaveScanPerf_CudaPeers.hpp>

#include <thrust/scan.h>

/// @file
/// @brief Weighted scans by Thrust in the way of the paper's library-based solutions (Hou et al.,
/// appendix, algorithm 3): a comparator of operands that carry their positions.

namespace wavescan::Perf {

/// @brief A value, its position, and whether it is a partial result, which has its weight already.
template <class T>
struct Operand {
  T value;
  int index;
  bool partial;
};

/// @brief What a weight does to a value, for each pair of operators.
template <class A>
struct WeightRule;

template <>
struct WeightRule<PlusTimes<float>> {
  float weight;
  /// y ∘ weight, k times.
  KOKKOS_FUNCTION float shift(float value, int k) const {
    KOKKOS_IF_ON_DEVICE((return value * __powf(weight, static_cast<float>(k));))
    KOKKOS_IF_ON_HOST((return value * std::pow(weight, static_cast<float>(k));))
  }
  static KOKKOS_FUNCTION float accumulate(float a, float b) { return a + b; }
  /// Undoes the weight that the comparator puts on an element itself.
  KOKKOS_FUNCTION float unshift(float value) const { return value / weight; }
};

template <>
struct WeightRule<MaxPlus<std::int32_t>> {
  std::int32_t weight;
  KOKKOS_FUNCTION std::int32_t shift(std::int32_t value, int k) const { return value + weight * k; }
  static KOKKOS_FUNCTION std::int32_t accumulate(std::int32_t a, std::int32_t b) {
    return a < b ? b : a;
  }
  KOKKOS_FUNCTION std::int32_t unshift(std::int32_t value) const { return value - weight; }
};

template <class T, class Rule>
struct Comparator {
  Rule rule;
  KOKKOS_FUNCTION Operand<T> operator()(const Operand<T>& a, const Operand<T>& b) const {
    const bool in_order = a.index < b.index;
    const Operand<T>& left = in_order ? a : b;
    const Operand<T>& right = in_order ? b : a;
    const int distance = right.index - left.index;
    const T handed_on = rule.shift(left.value, left.partial ? distance : distance + 1);
    const T own = right.partial ? right.value : rule.shift(right.value, 1);
    return {Rule::accumulate(handed_on, own), right.index, true};
  }
};

template <class T, class Rule>
struct Pack {
  const T* x;
  Rule rule;
  KOKKOS_FUNCTION Operand<T> operator()(std::int64_t j) const {
    // The first element is never an operand's right side: it gets its weight here.
    return {j == 0 ? x[j] : rule.unshift(x[j]), static_cast<int>(j), j == 0};
  }
};

struct Unpack {
  template <class T>
  KOKKOS_FUNCTION T operator()(const Operand<T>& operand) const {
    return operand.value;
  }
};

/// @brief y_j = (y_{j-1} ∘ weight) ⋄ x_j; operands are made and taken apart by iterators.
template <class A, class Policy, class T>
void algorithm3_scan(const Policy& policy, const WeightRule<A>& rule, const T* x, std::int64_t n,
                     T* y) {
  const auto operands = computed(Pack<T, WeightRule<A>>{x, rule});
  thrust::inclusive_scan(policy, operands, operands + n,
                         thrust::make_transform_output_iterator(y, Unpack()),
                         Comparator<T, WeightRule<A>>{rule});
}

}  // namespace wavescan::Perf

#endif
#endif
