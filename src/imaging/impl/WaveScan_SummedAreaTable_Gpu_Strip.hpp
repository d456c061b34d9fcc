// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_STRIP_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_STRIP_HPP

#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Alignment.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Rows.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief A part of an image that is as wide as a warp, of whose rows each lane has a few
/// consecutive elements.

namespace wavescan::Impl {

/// @brief Whether an image's rows consist of whole chunks that lie at multiples of their size.
template <int Chunk, class Element>
bool has_whole_chunks(const Grid<Element>& grid, Index images, Index stride) {
  return grid.columns % Chunk == 0 &&
         rows_begin_at<Chunk* static_cast<int>(sizeof(Element))>(grid, images, stride);
}

/// @brief Moves the rows of such a part, and sums them up.
/// @tparam Plain rows consist of whole chunks at multiples of their size: less code, which matters
///               to kernels that run through it once
template <class PixelType, class TableType, bool Plain>
struct TableStrip {
  using Pixel = PixelType;
  using T = TableType;
  using Problem = TableProblem<Pixel, T>;
  using V = typename TableSum<T>::type;
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int columns = 32 * chunk;
  /// A lane's pixels of a row.
  using Word = typename WordOf<chunk* static_cast<int>(sizeof(Pixel))>::type;

  /// @brief Starts to copy the lane's pixels of a row to shared memory. No other thread may read
  /// them there, so that nobody need wait for more than the own copies.
  /// @param count of the pixels that are in the image, if less than the chunk
  /// @param whole the chunk's pixels can be copied at once
  static __device__ void start_load(Word* to, const Pixel* from, int count, bool whole) {
    if (Plain || whole) {
      copy_pixels<sizeof(Word)>(to, from);
    } else {
      Pixel* const pixels = reinterpret_cast<Pixel*>(to);
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        if (e < count)
          copy_pixels<sizeof(Pixel)>(pixels + e, from + e);
        else
          pixels[e] = Pixel(0);
      }
    }
  }

  static __device__ void read(const Word* from, V (&x)[chunk]) {
    Pixel pixels[chunk];
    const Word word = *from;
    std::memcpy(pixels, &word, sizeof(Word));
#pragma unroll
    for (int e = 0; e < chunk; ++e) x[e] = static_cast<V>(static_cast<T>(pixels[e]));
  }

  /// @brief Turns pixels of N rows into tables of the strip: sums along the rows of sums along the
  /// columns.
  /// @param columns sums over the columns above, to which the rows are added
  template <int N>
  static __device__ void scan(V (&x)[N][chunk], V (&columns)[chunk]) {
    V sums[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        columns[e] += x[i][e];
        x[i][e] = e == 0 ? columns[0] : x[i][e - 1] + columns[e];
      }
      sums[i] = x[i][chunk - 1];
    }
    gpu::warp_inclusive_scan(sums);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const V others = gpu::shuffle_up(sums[i], 1);
      if (gpu::lane() > 0) {
#pragma unroll
        for (int e = 0; e < chunk; ++e) x[i][e] += others;
      }
    }
  }

  /// @brief Stores a row of a table. All lanes call it.
  /// @param row   of the strip's first element
  /// @param count of the strip's elements that are in the table
  static __device__ void store(T* row, const V (&x)[chunk], int count) {
    T y[chunk];
#pragma unroll
    for (int e = 0; e < chunk; ++e) y[e] = static_cast<T>(x[e]);
    if constexpr (Plain)
      store_aligned(row, y, count);
    else
      store_chunk(row, y, count);
  }

 private:
  template <int Bytes>
  static __device__ void copy_pixels(void* to, const void* from) {
    if constexpr (Bytes >= 4)
      gpu::copy_async<Bytes>(to, from);
    else
      std::memcpy(__builtin_assume_aligned(to, Bytes), __builtin_assume_aligned(from, Bytes),
                  Bytes);
  }
};

}  // namespace wavescan::Impl

#endif
