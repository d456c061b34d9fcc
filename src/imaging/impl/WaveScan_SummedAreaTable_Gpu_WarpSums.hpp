// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_WARPSUMS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_WARPSUMS_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

/// @file
/// @brief Sums over a warp of anything that can be added, in a fixed order.

namespace wavescan::Impl {

/// @brief The sum over as many consecutive lanes as `lanes`, a power of two; they all get it.
template <class V>
__device__ V sum_over_lanes(V sum, int lanes) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    if (step < lanes) sum += gpu::shuffle_xor(sum, step);
  return sum;
}
template <class V>
__device__ V sum_over_warp(V sum) {
  return sum_over_lanes(sum, 32);
}

/// @brief Lanes without these bits get the sums of `low` with their partners, the others of `high`.
template <class V>
__device__ V keep_one_sum(V low, V high, int bits) {
  const bool upper = gpu::lane() & bits;
  const V given = gpu::shuffle_xor(upper ? low : high, bits);
  return (upper ? high : low) + given;
}

/// @brief The sums over the warp of four values; lanes 8i to 8i + 7 get that of value i.
template <class V>
__device__ V sum_of_each(V v0, V v1, V v2, V v3) {
  const V a = keep_one_sum(v0, v2, 16);
  const V b = keep_one_sum(v1, v3, 16);
  return sum_over_lanes(keep_one_sum(a, b, 8), 8);
}

/// @brief The sums over the lanes up to each, of several values at a time.
/// @tparam Lanes as many consecutive lanes, a power of two, are summed up by themselves
template <int Lanes = 32, int N, class V>
__device__ void scan_over_lanes(V (&sums)[N]) {
#pragma unroll
  for (int step = 1; step < Lanes; step *= 2) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const V other = gpu::shuffle_up(sums[i], step);
      if (gpu::lane() % Lanes >= step) sums[i] += other;
    }
  }
}

}  // namespace wavescan::Impl

#endif
