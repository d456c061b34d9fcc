// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANEROWS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANEROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>

#include <cstdint>

/// @file
/// @brief How a warp stores rows of entries, of which each lane has four neighbours.

namespace wavescan::Impl {

/// @brief Rows of entries that lanes write 16 bytes at a time.
template <class T>
struct AlignedRows {
  T* to;  ///< the lane's
  Index row_stride;
  int rows;
  bool inside;  ///< the lane has columns of the image

  __device__ void store_next(const std::uint32_t (&entries)[4]) {
    PackedValues<T, 4> values;
#pragma unroll
    for (int k = 0; k < 4; ++k) values.value[k] = static_cast<T>(entries[k]);
    if (rows-- > 0 && inside) gpu::store_once(to, values);
    to += row_stride;
  }
};

/// @brief Any others: entries go by way of shared memory, so that lanes write neighbours.
template <class T>
struct UnalignedRows {
  T* to;  ///< the warp's
  Index row_stride;
  int rows;
  int columns;
  std::uint32_t* memory;  ///< the warp's, for a row of entries

  __device__ void store_next(const std::uint32_t (&entries)[4]) {
    if (rows-- <= 0) return;
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) memory[4 * gpu::lane() + k] = entries[k];
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int column = gpu::warp_size * k + gpu::lane();
      if (column < columns) gpu::store_once(to + column, static_cast<T>(memory[column]));
    }
    to += row_stride;
  }
};

}  // namespace wavescan::Impl

#endif
