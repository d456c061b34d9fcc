// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PIXELS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PIXELS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>

#include <cstdint>
#include <cstring>

namespace wavescan::Impl {

/// @brief Four neighbouring pixels of a row.
///
/// They are kept in words, because arrays of smaller types are taken to pieces as soon as they are
/// loaded.
template <class Pixel>
struct alignas(PackedValues<Pixel, 4>) FourPixels {
  std::uint32_t word[sizeof(Pixel)];

  __device__ void set(int k, const Pixel& pixel) {
    std::memcpy(reinterpret_cast<char*>(word) + k * sizeof(Pixel), &pixel, sizeof(Pixel));
  }
  __device__ Pixel get(int k) const {
    Pixel pixel;
    std::memcpy(&pixel, reinterpret_cast<const char*>(word) + k * sizeof(Pixel), sizeof(Pixel));
    return pixel;
  }

  /// @param there how many of the pixels there are, if they are not packed
  template <bool Packed>
  __device__ void load(const Pixel* from, Index stride, int there) {
    if constexpr (Packed) {
      *this = *reinterpret_cast<const FourPixels*>(from);
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < there) set(k, from[k * stride]);
    }
  }
};

}  // namespace wavescan::Impl

#endif
