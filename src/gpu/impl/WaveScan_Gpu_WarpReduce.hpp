// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_WARPREDUCE_HPP
#define WAVESCAN_IMPL_GPU_WARPREDUCE_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>

#include <cstdint>

/// @file
/// @brief Reductions over the lanes of a warp, in log2(lanes) steps and in a fixed order.
///
/// All lanes of the warp call them. Numbers of lanes and strides are powers of two.

namespace wavescan::Impl::gpu {

/// @brief The order in which lanes' values are joined: sums in floating point depend on it.
enum class LanePairs { FarFirst, NearFirst };

/// @brief The reduction over every `Lanes` consecutive lanes, which all get it.
/// @param op associative and commutative
/// @tparam Stride lanes whose numbers differ by multiples of it have a reduction of their own
template <int Lanes = warp_size, int Stride = 1, LanePairs Pairs = LanePairs::FarFirst, class V,
          class Op = Add>
__device__ V warp_reduce(V value, const Op& op = {}) {
  if constexpr (Pairs == LanePairs::FarFirst) {
#pragma unroll
    for (int bit = Lanes / 2; bit >= Stride; bit /= 2) value = op(shuffle_xor(value, bit), value);
  } else {
#pragma unroll
    for (int bit = Stride; bit < Lanes; bit *= 2) value = op(shuffle_xor(value, bit), value);
  }
  return value;
}

/// @brief The sum over the warp.
__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
  return warp_reduce(value);
#endif
}

/// @brief The largest of the warp's numbers.
__device__ inline int warp_max(int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
  return warp_reduce(value, [](int x, int y) { return x > y ? x : y; });
#endif
}

/// @brief Sums of a lane and its partner: of `low` for lanes without this bit, of `high` for the
/// others.
template <class V>
__device__ V sum_one_of_two(V low, V high, int bit) {
  const bool upper = lane() & bit;
  const V given = shuffle_xor(upper ? low : high, bit);
  return (upper ? high : low) + given;
}

/// @brief The sums of N values over every `Lanes` consecutive lanes: lanes i * Lanes / N and after
/// get that of value i.
///
/// In each step a lane keeps half of its values and gives the others to its partner.
template <int Lanes = warp_size, int N, class V>
__device__ V warp_sum_of_each(const V (&values)[N]) {
  if constexpr (N == 1) {
    return warp_reduce<Lanes>(values[0]);
  } else {
    V kept[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i)
      kept[i] = sum_one_of_two(values[i], values[i + N / 2], Lanes / 2);
    return warp_sum_of_each<Lanes / 2>(kept);
  }
}

/// @brief The reduction over the warp for lane 0; what the others get means nothing.
///
/// @param op associative and called as op(left, right, j), in the order of the lanes, where right
/// is
///           of 2^j lanes; it need not commute
/// @param last what lies in lanes after it does not count
/// @tparam Unrolled steps: one, where an operator is so long that code leaves its cache
template <int Unrolled = warp_steps, class V, class Op>
__device__ V warp_reduce_to_first(V value, int last, const Op& op) {
#pragma unroll Unrolled
  for (int j = 0; 1 << j < warp_size; ++j) {
    const V right = shuffle_down(value, 1 << j);
    if (lane() + (1 << j) <= last) value = op(value, right, j);
  }
  return value;
}

/// @brief The reduction over the warp for lane 0, with a commutative operator: far lanes first.
template <class V, class Op>
__device__ V warp_reduce_to_first(V value, const Op& op) {
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) value = op(value, shuffle_down(value, step));
  return value;
}

/// @brief The reduction for lane 0 over the lanes that have a value, which are the warp's last
/// ones.
/// @param op as above, without j; values that are not present do not count, not even as identities
template <class V, class Op>
__device__ V warp_reduce_present(V value, bool present, const Op& op) {
#pragma unroll
  for (int step = 1; step < warp_size; step *= 2) {
    const V right = shuffle_down(value, step);
    value = present ? op(value, right) : right;
    present |= shuffle_down(static_cast<int>(present), step) != 0;
  }
  return value;
}

}  // namespace wavescan::Impl::gpu

#endif
