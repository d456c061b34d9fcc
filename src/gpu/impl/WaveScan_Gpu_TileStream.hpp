// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TILESTREAM_HPP
#define WAVESCAN_IMPL_GPU_TILESTREAM_HPP

#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <cstdint>

/// @file
/// @brief Tiles of lines in shared memory, wherever the lines begin between 16-byte boundaries: how
/// they come and go, and how threads read and write them.

namespace wavescan::Impl::gpu {

/// @brief A thread's consecutive elements, moved in 16-byte words.
template <class T, int N>
struct alignas(16) Items {
  static_assert(N * sizeof(T) % 16 == 0, "whole 16-byte words");
  T value[N];

  __device__ void load(const char* from) {
#pragma unroll
    for (int i = 0; i < words; ++i) own_words()[i] = reinterpret_cast<const uint4*>(from)[i];
  }

  /// @brief Loads elements that begin `shift` bytes after a 16-byte boundary.
  /// @param last where the 16-byte word lies in which they end
  __device__ void load_shifted(const char* from, const char* last, int shift) {
    alignas(16) std::uint32_t raw[4 * words + 4];
#pragma unroll
    for (int i = 0; i < words; ++i)
      reinterpret_cast<uint4*>(raw)[i] = reinterpret_cast<const uint4*>(from)[i];
    reinterpret_cast<uint4*>(raw)[words] = *reinterpret_cast<const uint4*>(last);
    if (shift & 8) {
#pragma unroll
      for (int i = 0; i < 4 * words + 2; ++i) raw[i] = raw[i + 2];
    }
    if (shift & 4) {
#pragma unroll
      for (int i = 0; i < 4 * words + 1; ++i) raw[i] = raw[i + 1];
    }
    const int bits = shift % 4 * 8;
#pragma unroll
    for (int i = 0; i < 4 * words; ++i)
      reinterpret_cast<std::uint32_t*>(value)[i] = funnel_shift_right(raw[i], raw[i + 1], bits);
  }

  __device__ void store(char* to) {
#pragma unroll
    for (int i = 0; i < words; ++i) reinterpret_cast<uint4*>(to)[i] = own_words()[i];
  }

 private:
  static constexpr int words = static_cast<int>(N * sizeof(T) / 16);
  __device__ uint4* own_words() { return reinterpret_cast<uint4*>(value); }
};

/// @brief A sequence of lines in memory as tiles see it: in bytes from a 16-byte boundary at or
/// before the first element.
///
/// Lines either lie behind each other without gaps, or all begin and end at 16-byte boundaries.
template <class T>
struct TileStream {
  char* base;         ///< the boundary
  Index begin;        ///< of the first element
  Index end;          ///< of the last one, as if there were no gaps
  Index line_bytes;   ///< of a line
  Index pitch_bytes;  ///< from line to line
  double lines_a_byte;

  TileStream() = default;
  /// @param front bytes before the first element that belong to the first tile
  TileStream(const Lines<T>& lines, LineExtents extents, Index front) {
    const auto first = reinterpret_cast<std::uintptr_t>(lines.data) - std::uintptr_t(front);
    base = reinterpret_cast<char*>(first - first % 16);
    begin = front + static_cast<Index>(first % 16);
    const bool packed = extents.lines == 1 || lines.line_stride == extents.length;
    line_bytes = extents.length * (packed ? extents.lines : 1) * Index(sizeof(T));
    pitch_bytes = packed ? line_bytes : lines.line_stride * Index(sizeof(T));
    end = begin + extents.lines * extents.length * Index(sizeof(T));
    lines_a_byte = 1.0 / static_cast<double>(line_bytes);
  }

  /// @brief The line of a byte. Much quicker than the division, of which one thread does many.
  __device__ Index line_of(Index at) const {
    auto line = static_cast<Index>(static_cast<double>(at) * lines_a_byte);
    if (line * line_bytes > at) --line;
    if ((line + 1) * line_bytes <= at) ++line;
    return line;
  }

  /// @brief Bytes from a 16-byte boundary to the first element of every tile.
  KOKKOS_FUNCTION int shift(Index front) const { return static_cast<int>(begin - front); }

  /// @brief Calls copy(global, offset in the window, bytes) for the parts of [from, to), which
  /// begins and ends at 16-byte boundaries, that consist of whole 16-byte words; copy_rest takes
  /// the others, a few bytes at the ends of the sequence.
  template <class Copy, class CopyRest>
  __device__ void for_parts(Index from, Index to, const Copy& copy,
                            const CopyRest& copy_rest) const {
    const bool gaps = pitch_bytes != line_bytes;
    if (from >= begin && to <= end && !gaps) {  // nearly always
      copy(base + from, 0, static_cast<std::uint32_t>(to - from));
      return;
    }
    const Index a = from > begin ? from : begin, b = to < end ? to : end;
    if (a >= b) return;
    const Index bulk_begin = (a + 15) / 16 * 16, bulk_end = b / 16 * 16;
    if (bulk_begin >= bulk_end) {
      copy_rest(base + a, static_cast<int>(a - from), static_cast<int>(b - a));
      return;
    }
    if (a < bulk_begin)
      copy_rest(base + a, static_cast<int>(a - from), static_cast<int>(bulk_begin - a));
    if (bulk_end < b)
      copy_rest(base + bulk_end, static_cast<int>(bulk_end - from), static_cast<int>(b - bulk_end));
    Index line = gaps ? line_of(bulk_begin) : 0;
    Index in_line = bulk_begin - line * line_bytes;
    for (Index at = bulk_begin; at < bulk_end;) {
      Index bytes = bulk_end - at;
      if (gaps && bytes > line_bytes - in_line) bytes = line_bytes - in_line;
      copy(base + line * pitch_bytes + in_line, static_cast<int>(at - from),
           static_cast<std::uint32_t>(bytes));
      at += bytes;
      ++line;
      in_line = 0;
    }
  }
};

/// @brief Loads what of [from, from + bytes) is in the sequence, and returns the bytes that will
/// arrive at the barrier; they may do so before it is told of them.
template <class T, class Act>
__device__ std::uint32_t load_window(const TileStream<T>& stream, Index from, int bytes, char* to,
                                     Barrier& filled, const MovingThread& moving,
                                     BeforeWriting<Act>& ready) {
  std::uint32_t arriving = 0;
  stream.for_parts(
      from, from + bytes,
      [&](const char* global, int offset, std::uint32_t count) {
        arriving += moving.load(to + offset, global, count, filled, ready);
      },
      [&](const char* global, int offset, int count) {
        moving.load_rest(to + offset, global, count, ready);
      });
  return arriving;
}

/// @brief Starts to store what of [from, from + bytes) is in the sequence.
template <class T>
__device__ void start_stores(const TileStream<T>& stream, Index from, int bytes, const char* stage,
                             const MovingThread& moving) {
  stream.for_parts(
      from, from + bytes,
      [&](char* global, int offset, std::uint32_t count) {
        moving.store(global, stage + offset, count);
      },
      [&](char* global, int offset, int count) {
        moving.store_rest(global, stage + offset, count);
      });
}

/// @brief Stores it as one group of stores.
template <class T>
__device__ void store_window(const TileStream<T>& stream, Index from, int bytes, const char* stage,
                             const MovingThread& moving) {
  start_stores(stream, from, bytes, stage, moving);
  commit_stores();
}

}  // namespace wavescan::Impl::gpu

#endif
