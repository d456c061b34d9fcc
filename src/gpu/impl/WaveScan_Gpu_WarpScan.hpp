// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_WARPSCAN_HPP
#define WAVESCAN_IMPL_GPU_WARPSCAN_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

/// @file
/// @brief Inclusive scans over the lanes of a warp, in log2(lanes) steps (Hillis and Steele).
///
/// Operators are associative and called as op(left, right), in the order of the lanes: they need
/// not commute. All lanes of the warp call a scan, those whose values do not count, too. Several
/// values at a time are several scans whose steps alternate, so that shuffles need not wait for
/// each other. Numbers of lanes are powers of two.

namespace wavescan::Impl::gpu {

/// @brief Adds values of any type that has a +=.
struct Add {
  template <class V>
  __device__ V operator()(const V& left, V right, int = 0) const {
    right += left;
    return right;
  }
};

/// @brief Scans several values over every `Lanes` consecutive lanes.
template <int Lanes = warp_size, int N, class V, class Op = Add>
__device__ void warp_inclusive_scan(V (&values)[N], const Op& op = {}) {
#pragma unroll
  for (int step = 1; step < Lanes; step *= 2) {
    const bool belongs = lane() % Lanes >= step;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const V left = shuffle_up(values[i], step);
      if (belongs) values[i] = op(left, values[i]);
    }
  }
}

/// @brief Scans a value.
template <int Lanes = warp_size, class V, class Op = Add>
__device__ V warp_inclusive_scan(const V& value, const Op& op = {}) {
  V values[1] = {value};
  warp_inclusive_scan<Lanes>(values, op);
  return values[0];
}

/// @brief Scans a value over segments of lanes.
///
/// @param first the first lane of the lane's segment
/// @param lane  the own one; where blocks have several dimensions it is not gpu::lane()
/// @param op    called as op(left, right, j), where right is of 2^j lanes if the segment has them
/// @tparam Lanes    only so many lanes hold values
/// @tparam Unrolled steps: one, where an operator is so long that code leaves its cache
template <int Lanes = warp_size, int Unrolled = warp_steps, class V, class Op>
__device__ V warp_segmented_scan(V value, int first, int lane, const Op& op) {
#pragma unroll Unrolled
  for (int j = 0; 1 << j < Lanes; ++j) {
    const V left = shuffle_up(value, 1 << j);
    if (lane - (1 << j) >= first) value = op(left, value, j);
  }
  return value;
}

/// @brief Scans segments of recurrences, for whose join the weight of the right one must be known.
///
/// @param arithmetic joins segments: join(left, right, weight of right)
/// @param first      the first lane whose value belongs to the lane's line
/// @param weights    of the lengths of 1, 2, 4, ... lanes
template <int Lanes = warp_size, int Unrolled = warp_steps, class Arithmetic, class V,
          class Weights>
__device__ V warp_weighted_scan(const Arithmetic& arithmetic, const V& value, int first,
                                const Weights& weights) {
  return warp_segmented_scan<Lanes, Unrolled>(value, first, lane(),
                                              [&](const V& left, const V& right, int j) {
                                                return arithmetic.join(left, right, weights[j]);
                                              });
}

/// @brief The last lane up to the own one in which a segment starts; 0 if there is none.
__device__ inline int segment_begin(LaneMask starts) {
  const LaneMask here = starts & lanes_up_to_own();
  return here == 0 ? 0 : highest_lane(here);
}

/// @brief Adds the value of the lane `step` before, if it is one of the `Lanes` that belong
/// together. The shuffle itself tells whether it is, which saves the comparison and the register
/// for the lane's number.
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

/// @brief Sums up, as warp_inclusive_scan does, where registers are few.
template <int Lanes, int Rows, int Columns, class V>
__device__ void warp_inclusive_sum(V (&values)[Rows][Columns]) {
#pragma unroll
  for (int step = 1; step < Lanes; step *= 2)
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int c = 0; c < Columns; ++c) add_lane_before<Lanes>(values[r][c], step);
}

/// @brief The value of the lane before, 0 in lane 0.
template <class V>
__device__ V value_before(const V& own) {
  const V before = shuffle_up(own, 1);
  return lane() == 0 ? V() : before;
}

}  // namespace wavescan::Impl::gpu

#endif
