// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_SHORTPAIR_HPP
#define WAVESCAN_IMPL_GPU_SHORTPAIR_HPP

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Two integers of 16 bits in a word, and operations on both at once (CUDA).
///
/// From compute capability 9.0 on, sums and maxima take one instruction (DPX), at half the rate of
/// ordinary ones. What the unit for floating-point numbers can do it does, beside them: as numbers
/// of 16 bits, patterns from 0 to 2047 are k 2^-24, so sums of them are exact.

namespace wavescan::Impl::gpu {

/// @brief A lower and an upper number, in two's complement.
using ShortPair = std::uint32_t;

/// @brief The largest number on which the operations called exact below work.
inline constexpr int largest_exact_short = 2047;

__device__ inline ShortPair short_pair(int lower, int upper) {
  return static_cast<std::uint32_t>(lower & 0xffff) | static_cast<std::uint32_t>(upper) << 16;
}
__device__ inline int lower_short(ShortPair pair) { return static_cast<std::int16_t>(pair); }
__device__ inline int upper_short(ShortPair pair) { return static_cast<std::int16_t>(pair >> 16); }

__device__ inline ShortPair max_of(ShortPair a, ShortPair b) { return __vmaxs2(a, b); }
__device__ inline ShortPair max_of(ShortPair a, ShortPair b, ShortPair c) {
  return __vimax3_s16x2(a, b, c);
}
/// @brief max(a + b, c)
__device__ inline ShortPair add_and_max(ShortPair a, ShortPair b, ShortPair c) {
  return __viaddmax_s16x2(a, b, c);
}

/// @brief The maxima of numbers without a sign.
__device__ inline ShortPair unsigned_max_of(ShortPair a, ShortPair b, ShortPair c) {
  return __vimax3_u16x2(a, b, c);
}

/// @brief A number of less than 2048 as what may be added to a pair of exact numbers: a sign and an
/// absolute value.
__device__ inline std::uint32_t short_addend(int value) {
  return value < 0 ? 0x8000u | static_cast<std::uint32_t>(-value)
                   : static_cast<std::uint32_t>(value);
}
__device__ inline ShortPair short_addends(int lower, int upper) {
  return short_addend(lower) | short_addend(upper) << 16;
}
__device__ inline __half2 as_halves(ShortPair pair) {
  __half2 halves;
  std::memcpy(&halves, &pair, sizeof pair);
  return halves;
}
__device__ inline ShortPair as_shorts(__half2 halves) {
  ShortPair pair;
  std::memcpy(&pair, &halves, sizeof pair);
  return pair;
}
/// @brief Adds addends to exact numbers; the sums must be exact, too.
__device__ inline ShortPair add_exactly(ShortPair pair, ShortPair addends) {
  return as_shorts(__hadd2(as_halves(pair), as_halves(addends)));
}
/// @brief Adds addends to exact numbers; sums less than 0 become 0.
__device__ inline ShortPair add_and_clamp(ShortPair pair, ShortPair addends) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return as_shorts(__hmax2(__hadd2(as_halves(pair), as_halves(addends)), as_halves(0)));
#else
  return as_shorts(__hfma2_relu(as_halves(pair), as_halves(0x3c003c00u), as_halves(addends)));
#endif
}

/// @brief Byte `byte`, best a constant, of one word and of another, with their signs. (Not by
/// __byte_perm, which knows no signs.)
__device__ inline ShortPair signed_bytes(std::uint32_t lower, std::uint32_t upper, int byte) {
  const unsigned low = static_cast<unsigned>(byte), high = 4 + low, sign = 8;
  ShortPair pair;
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(pair)
      : "r"(lower), "r"(upper), "r"(low | (sign | low) << 4 | high << 8 | (sign | high) << 12));
  return pair;
}
/// @brief The bytes of four words as a matrix, transposed.
__device__ inline void transpose_bytes(std::uint32_t (&words)[4]) {
  const std::uint32_t a = __byte_perm(words[0], words[1], 0x5140),
                      b = __byte_perm(words[0], words[1], 0x7362),
                      c = __byte_perm(words[2], words[3], 0x5140),
                      d = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(a, c, 0x5410);
  words[1] = __byte_perm(a, c, 0x7632);
  words[2] = __byte_perm(b, d, 0x5410);
  words[3] = __byte_perm(b, d, 0x7632);
}
/// @brief The lower numbers of two pairs, and the upper ones.
__device__ inline ShortPair lower_shorts(ShortPair a, ShortPair b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ inline ShortPair upper_shorts(ShortPair a, ShortPair b) {
  return __byte_perm(a, b, 0x7632);
}
/// @brief The upper number of `a` and the lower of `b`, in the other order in the word.
__device__ inline ShortPair upper_and_lower_shorts(ShortPair a, ShortPair b) {
  return __byte_perm(a, b, 0x5432);
}

}  // namespace wavescan::Impl::gpu

#endif
