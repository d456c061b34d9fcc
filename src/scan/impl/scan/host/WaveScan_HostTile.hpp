// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTTILE_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTTILE_HPP

#include <impl/WaveScan_BlockChain.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// @file
/// @brief Moves of elements between memory and the first-level cache, for host scans.

namespace wavescan::Impl {

/// @brief Copies bytes past the caches, where the machine has such stores, to any address. Other
/// threads see them after `end_streaming()`.
inline void stream_bytes(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
#if defined(__SSE2__)
  // Whole cache lines only: the others are shared with what comes before and after.
  const std::size_t head = std::min(
      bytes, static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(to) % host_cache_line));
  std::memcpy(target, source, head);
  target += head;
  source += head;
  bytes -= head;
  for (; bytes >= host_cache_line; bytes -= host_cache_line) {
    for (int i = 0; i < 4; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target) + i,
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + i));
    target += host_cache_line;
    source += host_cache_line;
  }
#endif
  std::memcpy(target, source, bytes);
}

inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// @brief Some elements of one line or a few, in the first-level cache: where input is converted
/// and output waits until it can be written in one go.
template <class T>
class HostTile {
 public:
  static constexpr Index bytes = 8192;
  static constexpr Index elements = std::max<Index>(bytes / static_cast<Index>(sizeof(T)), 8);

  /// @brief The elements; there is room for one more before the first.
  T* data() { return reinterpret_cast<T*>(buffer_) + before; }

  /// @brief `count` elements from `first` on, converted to T, in order.
  template <class In>
  const T* load(const Lines<In>& in, Index line, Index first, Index count) {
    const In* const from = &in(line, first);
    T* const to = data();
    if (in.stride == 1) {
      constexpr Index several = 16;  // a fixed number, which compilers vectorise readily
      Index j = 0;
      for (; j + several <= count; j += several)
        for (Index k = 0; k < several; ++k) to[j + k] = static_cast<T>(from[j + k]);
      for (; j < count; ++j) to[j] = static_cast<T>(from[j]);
    } else {
      for (Index j = 0; j < count; ++j) to[j] = static_cast<T>(from[j * in.stride]);
    }
    return to;
  }

  template <class Source>
  const T* load(const Source& in, Index line, Index first, Index count) {
    T* const to = data();
    for (Index j = 0; j < count; ++j) to[j] = static_cast<T>(in(line, first + j));
    return to;
  }

  /// @brief Writes `count` elements to a line.
  static void store(const T* from, const Lines<T>& out, Index line, Index first, Index count,
                    bool streaming) {
    T* const to = &out(line, first);
    if (streaming)
      stream_bytes(to, from, static_cast<std::size_t>(count) * sizeof(T));
    else if (out.stride == 1)
      std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
    else
      for (Index j = 0; j < count; ++j) to[j * out.stride] = from[j];
  }

  template <class Target>
  static void store(const T* from, const Target& out, Index line, Index first, Index count, bool) {
    for (Index j = 0; j < count; ++j) out(line, first + j) = from[j];
  }

  /// @brief Writes `lines` lines of `count` elements, which lie in `from` one after the other.
  static void store_lines(const T* from, const Lines<T>& out, Index line, Index lines, Index first,
                          Index count, bool streaming) {
    if (out.line_stride == count && out.stride == 1)
      return store(from, out, line, first, lines * count, streaming);
    for (Index l = 0; l < lines; ++l)
      store(from + l * count, out, line + l, first, count, streaming);
  }

 private:
  static constexpr Index before =
      std::max<Index>(host_cache_line / static_cast<Index>(sizeof(T)), 1);
  /// Bytes, because nothing shall be constructed.
  alignas(T) alignas(host_cache_line) std::byte buffer_[(before + elements) * sizeof(T)];
};

}  // namespace wavescan::Impl

#endif
