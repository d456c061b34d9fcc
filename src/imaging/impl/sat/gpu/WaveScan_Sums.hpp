// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_SUMS_HPP
#define WAVESCAN_IMPL_SAT_GPU_SUMS_HPP

#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The terms of sums, and sums that travel together.

namespace wavescan::Impl::sat {

/// @brief Sums, or their terms, of a lane's neighbouring columns.
template <class V, int N>
struct Sums {
  static constexpr int count = N;
  V value[N] = {};

  __device__ static Sums load(const V* from) {
    Sums loaded;
    gpu::load_values(loaded.value, from);
    return loaded;
  }
  __device__ void store(V* to) const { gpu::store_values(to, value); }

  __device__ Sums& operator+=(const Sums& other) {
#pragma unroll
    for (int i = 0; i < N; ++i) value[i] += other.value[i];
    return *this;
  }
  /// @brief Adds the same to each.
  __device__ Sums& operator+=(const V& other) {
#pragma unroll
    for (int i = 0; i < N; ++i) value[i] += other;
    return *this;
  }
  __device__ V sum() const {
    V all = value[0];
#pragma unroll
    for (int i = 1; i < N; ++i) all += value[i];
    return all;
  }
  /// @brief Returns the sum by additions that need not wait for each other.
  __device__ V sum_of_pairs() const {
    if constexpr (N == 4)
      return (value[0] + value[1]) + (value[2] + value[3]);
    else
      return sum();
  }
  /// @brief Turns a row's terms into sums along the row of sums along the columns.
  /// @param columns sums over the columns above, to which the row is added
  /// @return the sum along the row
  __device__ V scan(Sums& columns) {
    columns += *this;
    value[0] = columns.value[0];
#pragma unroll
    for (int i = 1; i < N; ++i) value[i] = value[i - 1] + columns.value[i];
    return value[N - 1];
  }
  template <class T>
  __device__ void convert(T (&to)[N]) const {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = static_cast<T>(value[i]);
  }
};
/// @brief Sums that travel in two words.
template <class V>
using SumPair = Sums<V, 8 / static_cast<int>(sizeof(V))>;
/// @brief Sums of the columns that a lane has beside each other.
template <class V>
using SumChunk = Sums<V, 16 / static_cast<int>(sizeof(V))>;

/// @brief The terms of pixels.
template <class Types, int N>
__device__ Sums<typename Types::V, N> terms(const typename Types::Pixel (&pixels)[N]) {
  Sums<typename Types::V, N> all;
#pragma unroll
  for (int e = 0; e < N; ++e) all.value[e] = TermOf<Types>()(pixels[e]);
  return all;
}
/// @brief The terms of a lane's neighbouring pixels, which lie in shared memory.
template <class Types>
__device__ auto load_terms(const typename Types::Pixel* from) {
  typename Types::Pixel pixels[SumChunk<typename Types::V>::count];
  gpu::load_values(pixels, from);
  return terms<Types>(pixels);
}

/// @brief Turns terms of some rows, as wide as the warp, into the table of those: its lanes' own
/// sums, and those of the lanes before.
template <int Rows, class V, int N>
__device__ void scan_rows_of_warp(Sums<V, N>* rows, Sums<V, N>& columns) {
  V sums[Rows];
#pragma unroll
  for (int i = 0; i < Rows; ++i) sums[i] = rows[i].scan(columns);
  gpu::warp_inclusive_scan(sums);
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
    const V others = gpu::shuffle_up(sums[i], 1);
    if (gpu::lane() > 0) rows[i] += others;
  }
}

}  // namespace wavescan::Impl::sat

#endif
