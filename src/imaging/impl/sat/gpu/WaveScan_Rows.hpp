// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_ROWS_HPP
#define WAVESCAN_IMPL_SAT_GPU_ROWS_HPP

#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// @file
/// @brief Parts of rows, wherever they begin: loaded to shared memory by bulk copies, read from
/// there by warps, and stored from registers.

namespace wavescan::Impl::sat {

/// @brief Starts loading elements to shared memory, with the whole 16-byte words in which they
/// lie; returns the bytes that will arrive at the barrier. The few elements in a word that reaches
/// beyond the end of the array are copied at once.
/// @param end of the array, in bytes
template <class T>
__device__ std::uint32_t load_row(const T* first, int count, const char* end, char* to,
                                  gpu::Barrier& arrived, std::uint64_t policy) {
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
  if (bytes > 0) gpu::bulk_load(to, reinterpret_cast<const void*>(from), bytes, &arrived, policy);
  return bytes;
}

/// @brief Words of 2, 4 or 8 bytes, and of 16 for all that is longer.
template <int Bytes>
using WordOf = std::conditional_t<
    Bytes == 2, std::uint16_t,
    std::conditional_t<Bytes == 4, std::uint32_t, std::conditional_t<Bytes == 8, uint2, uint4>>>;

/// @brief One of two words, never of their addresses: these would keep arrays out of registers.
__device__ inline std::uint32_t select(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = first ? ~0u : 0u;
  return (a & mask) | (b & ~mask);
}

__device__ inline void words_of(std::uint32_t word, std::uint32_t* to) { to[0] = word; }
__device__ inline void words_of(uint2 word, std::uint32_t* to) { to[0] = word.x, to[1] = word.y; }
__device__ inline void words_of(uint4 word, std::uint32_t* to) {
  to[0] = word.x, to[1] = word.y, to[2] = word.z, to[3] = word.w;
}

/// @brief Moves a lane's N consecutive values from or to shared memory in the widest words.
template <class V, int N>
__device__ void load_values(V (&to)[N], const V* from) {
  using Word = WordOf<N* static_cast<int>(sizeof(V))>;
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
  using Word = WordOf<N* static_cast<int>(sizeof(V))>;
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
    gpu::copy_async<Bytes>(to, from);
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
  const int lane = gpu::lane();
  if constexpr (Aligned) {
    load_values(x, reinterpret_cast<const T*>(row) + lane * N);
  } else if constexpr (bytes < 4) {
#pragma unroll
    for (int e = 0; e < N; ++e)
      x[e] = *reinterpret_cast<const T*>(row + shift + lane * bytes + e * int(sizeof(T)));
  } else {
    using Word = WordOf<bytes>;
    constexpr int words = bytes / 4;
    const Word* const own = reinterpret_cast<const Word*>(row) + shift / bytes + lane;
    const int offset = shift % bytes;
    std::uint32_t raw[2 * words];
    words_of(own[0], raw);
    if (offset != 0) {
      words_of(own[1], raw + words);
#pragma unroll
      for (int step = words / 2; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < 2 * words - step; ++i)
          raw[i] = select(offset & (4 * step), raw[i + step], raw[i]);
      if (sizeof(T) < 4) {
#pragma unroll
        for (int i = 0; i < words; ++i)
          raw[i] =
              gpu::funnel_shift_right(raw[i], raw[i + 1], static_cast<unsigned>(offset) % 4 * 8);
      }
    }
    std::memcpy(x, raw, bytes);
  }
}

/// @brief Stores a lane's consecutive elements, which nobody will read soon, as one word.
template <class T, int N>
__device__ void stream_values(T* to, const T (&from)[N]) {
  using Word = WordOf<N* static_cast<int>(sizeof(T))>;
  Word word;
  std::memcpy(&word, from, sizeof(Word));
  gpu::store_word_once(reinterpret_cast<Word*>(to), word);
}

/// @brief Stores a row of a warp, N consecutive elements of each lane, of which the first `count`
/// are in the array, in aligned words.
template <class T, int N>
__device__ void store_aligned(T* row, const T (&y)[N], int count) {
  if (gpu::lane() * N < count) stream_values(row + gpu::lane() * N, y);
}

/// @brief Stores what store_aligned does to a row whose first element lies `Shift` elements after
/// an aligned word: words are put together from two lanes' elements.
template <int Shift, class T, int N>
__device__ void store_shifted(T* row, const T (&y)[N], int count) {
  const int lane = gpu::lane();
  const int first = lane * N - Shift;
  T z[N];
#pragma unroll
  for (int e = 0; e < Shift; ++e) z[e] = gpu::shuffle_up(y[N - Shift + e], 1);
#pragma unroll
  for (int e = Shift; e < N; ++e) z[e] = y[e - Shift];
  if (first >= 0 && first + N <= count) {
    stream_values(row + first, z);
  } else {
#pragma unroll
    for (int e = 0; e < N; ++e)
      if (first + e >= 0 && first + e < count) row[first + e] = z[e];
  }
  if (Shift > 0 && lane == 31) {  // what is left of the last lane's
#pragma unroll
    for (int e = N - Shift; e < N; ++e)
      if (31 * N + e < count) row[31 * N + e] = y[e];
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

}  // namespace wavescan::Impl::sat

#endif
