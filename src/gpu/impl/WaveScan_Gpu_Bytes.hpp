// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BYTES_HPP
#define WAVESCAN_IMPL_GPU_BYTES_HPP

#include <impl/WaveScan_Compiler.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// @file
/// @brief Bytes and bits of 32-bit words, and integers that share one: each function is an
/// instruction or two of a GPU that has it.

namespace wavescan::Impl::gpu {

/// @brief Four of the eight bytes of two words, `low` first: the hexadecimal digits of the selector
/// are their numbers, the last digit that of the lowest byte.
__device__ inline std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high,
                                              std::uint32_t selector) {
  return __byte_perm(low, high, selector);
}

/// @brief The lower word of two, `low` first, that are shifted right by up to 31 bits.
__device__ inline std::uint32_t funnel_shift_right(std::uint32_t low, std::uint32_t high,
                                                   unsigned bits) {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
  return static_cast<std::uint32_t>((std::uint64_t(high) << 32 | low) >> (bits & 31u));
#else
  return __funnelshift_r(low, high, bits);
#endif
}

/// @brief The number of bits that are set.
__device__ inline std::uint32_t count_bits(std::uint32_t word) {
  return static_cast<std::uint32_t>(__popc(word));
}

/// @brief The product's upper word.
__device__ inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return __umulhi(a, b);
}

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
