// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_CODES_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_CODES_HPP

#include <impl/WaveScan_Gpu_Bytes.hpp>

#include <cstdint>

/// @file
/// @brief Pixels' codes, each its bin or the number of bins if it has none, and counts, many in a
/// register.

namespace wavescan::Impl::histogram {

/// @brief N values side by side, which move as one word if they are at most 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) PackedValues {
  T value[N];

  /// @brief Adds the same to each.
  __device__ void operator+=(const T& other) {
#pragma unroll
    for (int k = 0; k < N; ++k) value[k] += other;
  }
};
using FourEntries = PackedValues<std::uint32_t, 4>;

/// @brief Four neighbouring codes or counts.
///
/// They are kept in words: the compiler would take smaller types to pieces, and so wait for them,
/// as soon as they are loaded.
/// @tparam U an unsigned integer
template <class U>
struct alignas(4 * sizeof(U)) Four {
  static constexpr int in_word = 4 / static_cast<int>(sizeof(U));
  std::uint32_t word[sizeof(U)] = {};

  /// @brief Sets one that was 0.
  __device__ void set(int k, U value) {
    word[k / in_word] |= std::uint32_t(value) << (32 / in_word * (k % in_word));
  }
  /// @brief One of them, quickly even if only the running program knows which.
  __device__ std::uint32_t get(int k) const {
    if constexpr (sizeof(U) == 1)
      return gpu::permute_bytes(word[0], 0, static_cast<std::uint32_t>(0x4440 + k));
    else if constexpr (sizeof(U) == 2)
      return (k & 2 ? word[1] : word[0]) >> (16 * (k % 2)) & 0xffffu;
    else
      return word[k];
  }
};

/// @brief The bit-sliced codes of 32 neighbouring pixels: a word has one bit of all of them.
///
/// So a few operations find all pixels of a bin, and one instruction counts them. Bits are in the
/// order in which they are easily brought there: those of the pixels 0, 4, ... 28, then 1, 5, ...
template <class Code>
class BitSlicedCodes {
  static constexpr int bits = 8 * static_cast<int>(sizeof(Code));

 public:
  static constexpr int pixels = 32;
  /// Words, because arrays of smaller types are taken to pieces as soon as they are loaded.
  using codes_type = PackedValues<std::uint32_t, bits>;

  BitSlicedCodes() = default;
  __device__ explicit BitSlicedCodes(const codes_type& codes) {
    const std::uint32_t(&words)[bits] = codes.value;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if constexpr (bits == 8) {
        slices_[i] = words[i];
      } else {
        slices_[i] = gpu::permute_bytes(words[2 * i], words[2 * i + 1], 0x6420);
        slices_[8 + i] = gpu::permute_bytes(words[2 * i], words[2 * i + 1], 0x7531);
      }
#pragma unroll
    for (int i = 0; i < bits; i += 8) transpose(slices_ + i);
  }

  /// @brief The pixels with this code.
  __device__ std::uint32_t pixels_with(std::uint32_t code) const { return pixels_like(code, 0); }

  /// @brief The pixels with each of four codes, the first one of which is a multiple of four.
  __device__ void pixels_with_four(std::uint32_t first, std::uint32_t (&found)[4]) const {
    const std::uint32_t all = pixels_like(first, 2);
    found[0] = all & ~slices_[1] & ~slices_[0];
    found[1] = all & ~slices_[1] & slices_[0];
    found[2] = all & slices_[1] & ~slices_[0];
    found[3] = all & slices_[1] & slices_[0];
  }

  /// @brief The pixels up to one of the 32.
  static __device__ std::uint32_t pixels_up_to(int pixel) {
    const int four = pixel / 4;
    return 0x01010101u * ((1u << four) - 1u) | 0x01010101u >> (24 - pixel % 4 * 8) << four;
  }

 private:
  /// @brief The pixels whose codes have the same bits as `code` from `first_bit` on.
  __device__ std::uint32_t pixels_like(std::uint32_t code, int first_bit) const {
    std::uint32_t pixels = ~0u;
#pragma unroll
    for (int b = 0; b < bits; ++b)
      if (b >= first_bit) pixels &= ~(slices_[b] ^ (0u - (code >> b & 1u)));
    return pixels;
  }

  /// @brief Exchanges a byte's bits for the words, in all four bytes.
  static __device__ void transpose(std::uint32_t* words) {
    exchange<4>(words, 0x0f0f0f0fu);
    exchange<2>(words, 0x33333333u);
    exchange<1>(words, 0x55555555u);
  }
  template <int Shift>
  static __device__ void exchange(std::uint32_t* words, std::uint32_t low) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i & Shift) continue;
      const std::uint32_t a = words[i], b = words[i + Shift];
      words[i] = (a & low) | (b << Shift & ~low);
      words[i + Shift] = (a >> Shift & low) | (b & ~low);
    }
  }

  std::uint32_t slices_[bits];
};

/// @brief A row's pixels of a bin among 32, and how many there are to their left.
struct alignas(8) Matches {
  std::uint32_t pixels;
  std::uint32_t before;
  __device__ std::uint32_t up_to(std::uint32_t mask) const {
    return before + gpu::count_bits(pixels & mask);
  }
};

}  // namespace wavescan::Impl::histogram

#endif
