// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_ROWPARTS_HPP
#define WAVESCAN_IMPL_GPU_ROWPARTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_StreamingStore.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Parts of rows, wherever they begin: loaded to shared memory, read from there by warps,
/// and stored from registers.

namespace wavescan::Impl::gpu {

/// @brief Starts loading elements to shared memory, with the whole 16-byte words in which they
/// lie; returns the bytes that will arrive at the barrier. The few elements in a word that reaches
/// beyond the end of the array are copied at once.
/// @param end of the array, in bytes
template <class T>
__device__ std::uint32_t load_row(const T* first, int count, const char* end, char* to,
                                  Barrier& arrived, std::uint64_t policy) {
  const auto a = reinterpret_cast<std::uintptr_t>(first);
  const auto b = a + static_cast<std::uintptr_t>(count) * sizeof(T);
  const std::uintptr_t from = a & ~std::uintptr_t(15);
  std::uintptr_t until = (b + 15) & ~std::uintptr_t(15);
  if (until > reinterpret_cast<std::uintptr_t>(end)) {
    until = b & ~std::uintptr_t(15);
    for (std::uintptr_t x = until > a ? until : a; x < b; x += sizeof(T))
      *reinterpret_cast<T*>(to + (x - from)) = *reinterpret_cast<const T*>(x);
  }
  const auto bytes = static_cast<std::uint32_t>(until - from);
  if (bytes > 0) bulk_load(to, reinterpret_cast<const void*>(from), bytes, &arrived, policy);
  return bytes;
}

/// @brief The number of arrivals at a barrier when a warp has loaded rows.
inline constexpr int row_arrivals = mover == Mover::Bulk ? warp_size : loading_arrivals;

/// @brief A warp starts loading rows likewise, by any mover, and arrives. What its lanes have
/// written to shared memory before is there as well when the barrier is passed.
/// @tparam Pitch bytes from row to row in shared memory, as many as load_row may write
template <int Pitch, class T>
__device__ void load_rows(const T* first, Index stride, int rows, int count, const char* end,
                          char* to, Barrier& arrived, std::uint64_t policy) {
  static_assert(Pitch % 16 == 0);
  if constexpr (mover == Mover::Bulk) {
    std::uint32_t bytes = 0;
    for (int r = lane(); r < rows && count > 0; r += warp_size)
      bytes += load_row(first + r * stride, count, end, to + r * Pitch, arrived, policy);
    arrived.arrive_expecting(bytes);
  } else {
    sync_warp();  // after what was waited for
    constexpr std::uint32_t words = Pitch / 16;
    const auto all = static_cast<std::uint32_t>(count > 0 ? rows : 0) * words;
    const auto row_of = [&](std::uint32_t i) {
      return reinterpret_cast<std::uintptr_t>(first + static_cast<Index>(i / words) * stride);
    };
    const auto word_of = [&](std::uint32_t i) {
      return (row_of(i) & ~std::uintptr_t(15)) + i % words * 16;
    };
    // Words that hold some of the row, and those of them that reach beyond the array.
    const auto holds = [&](std::uint32_t i) {
      return i < all && word_of(i) < row_of(i) + static_cast<std::uintptr_t>(count) * sizeof(T);
    };
    const auto is_whole = [&](std::uint32_t i) {
      return holds(i) && word_of(i) + 16 <= reinterpret_cast<std::uintptr_t>(end);
    };
    const auto global = [&](std::uint32_t i) { return reinterpret_cast<const uint4*>(word_of(i)); };
    constexpr int batch = mover == Mover::Async ? 1 : 8;
    for (std::uint32_t i = static_cast<std::uint32_t>(lane()); i < all; i += batch * warp_size) {
      uint4 word[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const std::uint32_t k = i + b * warp_size;
        if constexpr (mover == Mover::Async) {
          if (is_whole(k)) copy_async_once(to + k * 16, global(k));
        } else if (is_whole(k)) {
          word[b] = load_streaming(global(k));
        }
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const std::uint32_t k = i + b * warp_size;
        if (mover != Mover::Async && is_whole(k))
          *reinterpret_cast<uint4*>(to + k * 16) = word[b];
        else if (holds(k) && !is_whole(k))
          for (std::uintptr_t x = word_of(k) > row_of(k) ? word_of(k) : row_of(k);
               x < reinterpret_cast<std::uintptr_t>(end); x += sizeof(T))
            *reinterpret_cast<T*>(to + k * 16 + (x - word_of(k))) = *reinterpret_cast<const T*>(x);
      }
    }
    arrive_with_loads(arrived);
  }
}

/// @brief One of two words, never of their addresses: these would keep arrays out of registers.
__device__ inline std::uint32_t select(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = first ? ~0u : 0u;
  return (a & mask) | (b & ~mask);
}

/// @brief Moves a lane's N consecutive values from or to shared memory in the widest words.
template <class V, int N>
__device__ void load_values(V (&to)[N], const V* from) {
  using Word = typename Unit<N* static_cast<int>(sizeof(V))>::Word;
  constexpr int of_word = static_cast<int>(sizeof(Word) / sizeof(V));
  static_assert(N % of_word == 0);
#pragma unroll
  for (int i = 0; i < N / of_word; ++i) {
    const Word word = reinterpret_cast<const Word*>(from)[i];
    std::memcpy(to + i * of_word, &word, sizeof(Word));
  }
}
template <class V, int N>
__device__ void store_values(V* to, const V (&from)[N]) {
  using Word = typename Unit<N* static_cast<int>(sizeof(V))>::Word;
  constexpr int of_word = static_cast<int>(sizeof(Word) / sizeof(V));
  static_assert(N % of_word == 0);
#pragma unroll
  for (int i = 0; i < N / of_word; ++i) {
    Word word;
    std::memcpy(&word, from + i * of_word, sizeof(Word));
    reinterpret_cast<Word*>(to)[i] = word;
  }
}

/// @brief Starts to copy so many aligned bytes to shared memory, or copies them if there are too
/// few to do so. Unless others read them, one need not wait for more than the own copies.
template <int Bytes>
__device__ void copy_own(void* to, const void* from) {
  if constexpr (Bytes >= 4)
    copy_async<Bytes>(to, from);
  else
    std::memcpy(__builtin_assume_aligned(to, Bytes), __builtin_assume_aligned(from, Bytes), Bytes);
}

/// @brief Reads lane's N consecutive elements of a row in shared memory.
/// @tparam Aligned `shift` is 0
/// @param row   of lane 0, at a 16-byte boundary
/// @param shift bytes from there to its first element; the same in all lanes
template <bool Aligned, class T, int N>
__device__ void read_chunk(const char* row, int shift, T (&x)[N]) {
  constexpr int bytes = N * static_cast<int>(sizeof(T));
  const int own_lane = lane();
  if constexpr (Aligned) {
    load_values(x, reinterpret_cast<const T*>(row) + own_lane * N);
  } else if constexpr (bytes < 4) {
#pragma unroll
    for (int e = 0; e < N; ++e)
      x[e] = *reinterpret_cast<const T*>(row + shift + own_lane * bytes + e * int(sizeof(T)));
  } else {
    using Word = typename Unit<bytes>::Word;
    constexpr int words = bytes / 4;
    const Word* const own = reinterpret_cast<const Word*>(row) + shift / bytes + own_lane;
    const int offset = shift % bytes;
    std::uint32_t raw[2 * words];
    const Word first = own[0];
    std::memcpy(raw, &first, bytes);
    if (offset != 0) {
      const Word second = own[1];
      std::memcpy(raw + words, &second, bytes);
#pragma unroll
      for (int step = words / 2; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < 2 * words - step; ++i)
          raw[i] = select(offset & (4 * step), raw[i + step], raw[i]);
      if (sizeof(T) < 4) {
#pragma unroll
        for (int i = 0; i < words; ++i)
          raw[i] = funnel_shift_right(raw[i], raw[i + 1], static_cast<unsigned>(offset) % 4 * 8);
      }
    }
    std::memcpy(x, raw, bytes);
  }
}

/// @brief Stores a row of a warp, N consecutive elements of each lane, of which the first `count`
/// are in the array, in aligned words.
template <class T, int N>
__device__ void store_aligned(T* row, const T (&y)[N], int count) {
  if (lane() * N < count) store_streaming(row + lane() * N, y);
}

/// @brief Stores what store_aligned does to a row whose first element lies `Shift` elements after
/// an aligned word: words are put together from two lanes' elements.
template <int Shift, class T, int N>
__device__ void store_shifted(T* row, const T (&y)[N], int count) {
  const int own_lane = lane();
  const int first = own_lane * N - Shift;
  T z[N];
#pragma unroll
  for (int e = 0; e < Shift; ++e) z[e] = shuffle_up(y[N - Shift + e], 1);
#pragma unroll
  for (int e = Shift; e < N; ++e) z[e] = y[e - Shift];
  if (first >= 0 && first + N <= count) {
    store_streaming(row + first, z);
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e)
      if (first + e >= 0 && first + e < count) row[first + e] = z[e];
  }
  if (Shift > 0 && own_lane == warp_size - 1) {  // what is left of the last lane's
#pragma unroll
    for (int e = N - Shift; e < N; ++e)
      if ((warp_size - 1) * N + e < count) row[(warp_size - 1) * N + e] = y[e];
  }
}

/// @brief Stores what store_aligned does to a row that begins anywhere. All lanes call it.
template <class T, int N>
__device__ void store_chunk(T* row, const T (&y)[N], int count) {
  static_assert(N == 2 || N == 4);
  const auto shift = reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % unsigned(N);
  if (shift == 0)
    store_shifted<0>(row, y, count);
  else if (shift == 1)
    store_shifted<1>(row, y, count);
  else if (N == 4 && shift == 2)
    store_shifted<N / 2>(row, y, count);
  else
    store_shifted<N - 1>(row, y, count);
}

}  // namespace wavescan::Impl::gpu

#endif
