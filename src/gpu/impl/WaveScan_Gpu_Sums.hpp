// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_SUMS_HPP
#define WAVESCAN_IMPL_GPU_SUMS_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstdint>

namespace wavescan::Impl::gpu {

/// @brief The sum of a warp's values, in every lane.
__device__ inline std::uint32_t sum_of_lanes(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) value += shuffle_down(value, step);
  return broadcast(value, 0);
#endif
}

/// @brief Adds the value of the lane `step` before, if there is one among the `Lanes` that belong
/// together. The shuffle itself tells whether there is.
template <int Lanes, class V>
__device__ void add_lane_before(V& value, int step) {
#if defined(__CUDA_ARCH__)
  constexpr unsigned segments = (warp_size - Lanes) << 8;
  Words<V> words(value);
  unsigned there = 0;
#pragma unroll
  for (int i = 0; i < Words<V>::count; ++i)
    asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %0, %2, %3, -1; selp.u32 %1, 1, 0, p;}"
                 : "+r"(words.word[i]), "=r"(there)
                 : "r"(step), "n"(segments));
  if (there != 0) value += words.value();
#else
  const V before = shuffle_up(value, step);
  if (lane() % Lanes >= step) value += before;
#endif
}

/// @brief The sum of the values of the lanes up to the own one.
template <class V>
__device__ V sum_of_lanes_up_to_own(V value) {
#pragma unroll
  for (int step = 1; step < warp_size; step *= 2) {
    const V left = shuffle_up(value, step);
    if (lane() >= step) value += left;
  }
  return value;
}

}  // namespace wavescan::Impl::gpu

#endif
