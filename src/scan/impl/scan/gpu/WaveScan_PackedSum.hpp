// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_PACKEDSUM_HPP
#define WAVESCAN_IMPL_SCAN_GPU_PACKEDSUM_HPP

#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>

/// @file
/// @brief Sums of 8- and 16-bit integers, several in a 32-bit word. Sums wrap around, so that
/// signed and unsigned ones have the same bits.

namespace wavescan::Impl {

template <class P>
struct PackedSum {
  static constexpr bool available = false;
};

template <class T>
concept PackableInteger = WrappingInteger<T> && sizeof(T) <= 2;

template <PackableInteger T>
struct PackedSum<ScanTraits<PlainRecurrence<Plus<T>>>> {
  static constexpr bool available = true;
  static constexpr int per_word = 4 / static_cast<int>(sizeof(T));

  template <int N>
  static __device__ T reduce(const T (&x)[N]) {
    static_assert(N % per_word == 0, "whole words");
    std::uint32_t sum[2] = {0, 0};  // two chains of dependent operations
#pragma unroll
    for (int i = 0; i < N / per_word; ++i) {
      if constexpr (sizeof(T) == 1)
        sum[i % 2] = gpu::dot_bytes(word(x, i), 0x01010101u, sum[i % 2]);
      else
        sum[i % 2] = gpu::add_halves(word(x, i), sum[i % 2]);
    }
    return static_cast<T>(sum[0] + sum[1]);
  }

  template <int N>
  static __device__ T scan(T s, const T (&x)[N], T (&y)[N]) {
    // The state so far, in every field of a word that a step adds to.
    std::uint32_t carry = static_cast<std::make_unsigned_t<T>>(s);
    if constexpr (sizeof(T) == 1) carry *= 0x00010001u;
#pragma unroll
    for (int i = 0; i < N / per_word; ++i) {
      const std::uint32_t scanned = step(word(x, i), carry);
      std::memcpy(y + i * per_word, &scanned, 4);
    }
    return y[N - 1];
  }

 private:
  template <int N>
  static __device__ std::uint32_t word(const T (&x)[N], int i) {
    std::uint32_t w;
    std::memcpy(&w, x + i * per_word, 4);
    return w;
  }

  static __device__ std::uint32_t step(std::uint32_t x, std::uint32_t& carry) {
    if constexpr (sizeof(T) == 1) {
      // Bytes 0 and 2 in 16-bit fields, bytes 1 and 3 likewise; one multiplication sums up fields.
      const std::uint32_t even = gpu::permute_bytes(x, 0, 0x4240);
      const std::uint32_t odd = gpu::permute_bytes(x, 0, 0x4341);
      const std::uint32_t pairs = (even + odd) * 0x00010001u + carry;
      carry = gpu::permute_bytes(pairs, 0, 0x4242);
      return gpu::permute_bytes(pairs - odd, pairs, 0x6240);
    } else {
      const std::uint32_t first = carry + x;
      carry = first + (x >> 16);
      return gpu::permute_bytes(first, carry, 0x5410);
    }
  }
};

}  // namespace wavescan::Impl

#endif
