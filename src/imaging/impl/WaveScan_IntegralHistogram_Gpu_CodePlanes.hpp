// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODEPLANES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODEPLANES_HPP

#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief The codes of 32 neighbouring pixels, bit by bit: a word has one bit of all of them.
///
/// So a few operations find all pixels of a bin, and one instruction counts them. Bits are in the
/// order in which they are easily brought there: those of the pixels 0, 4, ... 28, then 1, 5, ...
template <class Code>
class CodePlanes {
  static constexpr int bytes = static_cast<int>(sizeof(Code));
  static constexpr int bits = 8 * bytes;

 public:
  static constexpr int pixels = 32;
  /// Words, because arrays of smaller types are taken to pieces as soon as they are loaded.
  using codes_type = PackedValues<std::uint32_t, bits>;

  CodePlanes() = default;
  __device__ explicit CodePlanes(const codes_type& codes) {
    const std::uint32_t(&words)[bits] = codes.value;
    if constexpr (bytes == 1) {
#pragma unroll
      for (int i = 0; i < 8; ++i) planes_[i] = words[i];
      transpose(planes_);
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        planes_[i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x6420);
        planes_[8 + i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x7531);
      }
      transpose(planes_);
      transpose(planes_ + 8);
    }
  }

  /// @brief The pixels with this code.
  __device__ std::uint32_t pixels_with(std::uint32_t code) const {
    std::uint32_t mask = ~0u;
#pragma unroll
    for (int b = 0; b < bits; ++b) mask &= ~(planes_[b] ^ (0u - (code >> b & 1u)));
    return mask;
  }

  /// @brief The pixels with each of four codes, the first one of which is a multiple of four.
  __device__ void pixels_with_four(std::uint32_t first, std::uint32_t (&found)[4]) const {
    std::uint32_t all = ~0u;
#pragma unroll
    for (int b = 2; b < bits; ++b) all &= ~(planes_[b] ^ (0u - (first >> b & 1u)));
    found[0] = all & ~planes_[1] & ~planes_[0];
    found[1] = all & ~planes_[1] & planes_[0];
    found[2] = all & planes_[1] & ~planes_[0];
    found[3] = all & planes_[1] & planes_[0];
  }

  /// @brief The pixels up to one of the 32.
  static __device__ std::uint32_t pixels_up_to(int pixel) {
    const int four = pixel / 4;
    return 0x01010101u * ((1u << four) - 1u) | 0x01010101u >> (24 - pixel % 4 * 8) << four;
  }

 private:
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

  std::uint32_t planes_[bits];
};

}  // namespace wavescan::Impl

#endif
