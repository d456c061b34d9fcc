// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_COPYRUN_HPP
#define WAVESCAN_IMPL_GPU_COPYRUN_HPP

#include <impl/WaveScan_Gpu_TileStream.hpp>

#include <cstdint>

/// @file
/// @brief Runs of bytes on their way from shared or global memory to global memory, wherever they
/// lie between 16-byte boundaries here and there.

namespace wavescan::Impl::gpu {

/// @brief Some threads, at least 32, copy consecutive bytes, 16 at a time but for those at the
/// ends.
/// @param thread of `threads`
/// @tparam Word  the widest words at whose boundaries both begin and end; what else is in the 16
///               bytes in which they end is read, too, and the 16 bytes after them
///
/// Not inlined: beside other code of a kernel its registers and instructions slowed all of that.
template <class Word, class Size>
__device__ __noinline__ void copy_run(char* to, const char* from, Size bytes, Size thread,
                                      Size threads) {
  constexpr int width = sizeof(Word), batch = 4;
  const auto before_boundary = [](const void* p) {
    return static_cast<int>(-reinterpret_cast<std::uintptr_t>(p) % 16);
  };
  const int to_boundary = before_boundary(to);
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
  const int shift = (16 - before_boundary(from)) % 16;
  from -= shift;
#pragma unroll 1
  for (Size v = thread; v < whole; v += batch * threads) {
    Items<char, 16> item[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const Size i = v + b * threads;
      if (i >= whole) break;
      const char* const word = from + i * 16;
      if constexpr (width < 16)
        item[b].load_shifted(word, word + 16, shift);
      else
        item[b].load(word);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const Size i = v + b * threads;
      if (i < whole) item[b].store(to + i * 16);
    }
  }
}

}  // namespace wavescan::Impl::gpu

#endif
