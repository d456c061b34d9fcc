// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_DOTPRODUCTS_HPP
#define WAVESCAN_IMPL_GPU_DOTPRODUCTS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

/// @file
/// @brief Dot products of integers that share a 32-bit word: one instruction where the GPU has it
/// (CUDA, compute capability 6.1 and newer).

namespace wavescan::Impl::gpu {

/// @brief `sum` and the products of the four bytes of `a` and `b`.
__device__ inline std::uint32_t dot_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp4a(a, b, sum);
#else
#pragma unroll
  for (int bit = 0; bit < 32; bit += 8) sum += (a >> bit & 0xff) * (b >> bit & 0xff);
  return sum;
#endif
}

/// @brief `sum` and the two 16-bit halves of `a`.
__device__ inline std::uint32_t add_halves(std::uint32_t a, std::uint32_t sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp2a_lo(a, 0x0101u, sum);
#else
  return sum + (a & 0xffff) + (a >> 16);
#endif
}

}  // namespace wavescan::Impl::gpu

#endif
