// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_COPYRUN_HPP
#define WAVESCAN_IMPL_GPU_COPYRUN_HPP

#include <impl/WaveScan_Gpu_Bytes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// @file
/// @brief Runs of bytes on their way from shared or global memory to global memory, wherever they
/// lie between 16-byte boundaries here and there.

namespace wavescan::Impl::gpu {

/// @brief 16-byte words that threads copy from `4 * Skip` bytes and `bits` after their boundaries.
/// @param first before the first word, perhaps; by less than there are threads
/// @tparam Bits  whether there may be any
template <int Skip, bool Bits, class Size>
__device__ __forceinline__ void copy_shifted(char* to, const char* from, Size first, Size whole,
                                             Size threads, unsigned bits) {
  constexpr int batch = 4;
#pragma unroll 1
  for (Size v = first; v < whole; v += batch * threads) {
    uint4 item[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      // Each is loaded, if twice: what may not be would stay in registers from before.
      Size i = v + b * threads;
      if (b == 0 && i < 0) i = 0;
      if (i >= whole) i = whole - 1;
      const uint4 low = *reinterpret_cast<const uint4*>(from + i * 16);
      if constexpr (Skip == 0 && !Bits) {
        item[b] = low;
      } else {
        const uint4 high = *reinterpret_cast<const uint4*>(from + i * 16 + 16);
        const std::uint32_t raw[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        const auto word = [&](int k) {
          return Bits ? funnel_shift_right(raw[Skip + k], raw[Skip + k + 1], bits) : raw[Skip + k];
        };
        item[b] = {word(0), word(1), word(2), word(3)};
      }
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const Size i = v + b * threads;
      if ((b > 0 || i >= 0) && i < whole) reinterpret_cast<uint4*>(to)[i] = item[b];
    }
  }
}

/// @brief Copies consecutive bytes by some threads, at least 32: 16 at a time but for those at the
/// ends, and whole cache lines by whole warps.
/// @param thread of `threads`
/// @tparam Word  the widest words at whose boundaries both begin and end; what else is in the 16
///               bytes in which they end is read, too, and the 16 bytes after them
///
/// Not inlined: beside other code of a kernel its registers and instructions slowed all of that.
template <class Word, class Size>
__device__ __noinline__ void copy_run(char* to, const char* from, Size bytes, Size thread,
                                      Size threads) {
  constexpr int width = sizeof(Word);
  const auto after_boundary = [](const void* p, int boundary) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % boundary);
  };
  const int to_boundary = (16 - after_boundary(to, 16)) % 16;
  const int head = bytes < to_boundary ? static_cast<int>(bytes) : to_boundary;
  const Size whole = (bytes - head) / 16;
  if constexpr (width < 16) {
    const int tail = static_cast<int>((bytes - head) % 16);
    if (thread < (head + tail) / width) {
      Size at = thread * width;
      if (at >= head) at += whole * 16;
      *reinterpret_cast<Word*>(to + at) = *reinterpret_cast<const Word*>(from + at);
    }
  }
  from += head;
  to += head;
  const int shift = after_boundary(from, 16), skip = shift / 4;
  const Size first = thread - after_boundary(to, 128) / 16;
  const unsigned bits = shift % 4 * 8;
  constexpr bool any_bits = width < 4;
  from -= shift;
  if (width == 16 || skip == 0)
    copy_shifted<0, any_bits>(to, from, first, whole, threads, bits);
  else if (width == 8 || skip == 2)
    copy_shifted<2, any_bits>(to, from, first, whole, threads, bits);
  else if (skip == 1)
    copy_shifted<1, any_bits>(to, from, first, whole, threads, bits);
  else
    copy_shifted<3, any_bits>(to, from, first, whole, threads, bits);
}

}  // namespace wavescan::Impl::gpu

#endif
