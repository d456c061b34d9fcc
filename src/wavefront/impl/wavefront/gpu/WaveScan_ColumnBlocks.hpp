// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_COLUMNBLOCKS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_COLUMNBLOCKS_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Reads and writes of a Grid by GPU lanes: in blocks of neighbouring entries of a row.

namespace wavescan::Impl {

/// @brief The argument `old` of a loop's `partial`: the Grid, some entries of which are in
/// registers.
///
/// Loops read entries at fixed distances from (i, j), so after inlining the compiler knows which
/// register is meant; elsewhere the Grid is read.
template <class T, int Rows, int Columns>
struct Window : Grid<T> {
  Index row;     ///< of value[0][0]
  Index column;  ///< of value[0][0]
  T value[Rows][Columns];

  __device__ explicit Window(const Grid<T>& grid) : Grid<T>(grid) {}

  __device__ __forceinline__ T operator()(Index i, Index j) const {
    const Index r = i - row, c = j - column;
    // No jump out of the loop: every place must be a constant one, or registers become memory.
    T found;
    bool here = false;
#pragma unroll
    for (int y = 0; y < Rows; ++y)
#pragma unroll
      for (int x = 0; x < Columns; ++x)
        if (r == y && c == x) {
          found = value[y][x];
          here = true;
        }
    if (!here) found = Grid<T>::operator()(i, j);
    return found;
  }
};

/// @brief The columns of a range, divided into blocks of K, so that a block's entries of a row can
/// be moved at once where rows are contiguous.
template <class T, int K>
struct ColumnBlocks {
  static constexpr int bytes = K * static_cast<int>(sizeof(T));
  /// The bytes that are moved at once: the block, or 16 bytes of it.
  static constexpr int unit = bytes < 16 ? bytes : 16;
  static constexpr bool movable = (unit == 4 || unit == 8 || unit == 16) && bytes % unit == 0;

  Grid<T> grid;
  Index begin;      ///< the first column of the range
  Index end;        ///< the column after the last one
  Index origin;     ///< the first column of block 0, up to K - 1 before the range
  int count;        ///< blocks
  int lead;         ///< entries of block 0 before the range
  int tail;         ///< entries of the last block up to the end of the range
  int whole_begin;  ///< the first block that can be moved at once
  int whole_end;    ///< the block after the last one that can

  ColumnBlocks(const Grid<T>& g, Index column_begin, Index column_end)
      : grid(g), begin(column_begin), end(column_end), origin(column_begin) {
    const auto size = static_cast<Index>(sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(&g(0, begin));
    const bool at_once = movable && g.column_stride == 1 && g.row_stride * size % unit == 0 &&
                         address % sizeof(T) == 0;
    if (at_once) origin -= static_cast<Index>(address % unit) / size;
    count = static_cast<int>(ceil_div(end - origin, K));
    lead = static_cast<int>(begin - origin);
    tail = static_cast<int>(end - column(count - 1));
    whole_begin = at_once && origin >= 0 ? 0 : 1;
    whole_end = at_once ? static_cast<int>((g.columns - origin) / K) : 0;
  }

  KOKKOS_FUNCTION Index column(int block) const { return origin + Index(block) * K; }
  /// @brief Whether all entries of a block lie within the Grid and can be moved at once.
  KOKKOS_FUNCTION bool whole(int block) const { return block >= whole_begin && block < whole_end; }

  /// @brief The place of a block's entries in row i.
  __device__ T* place(Index i, int block) const {
    return grid.data + i * grid.row_stride + column(block) * grid.column_stride;
  }

  /// @brief Starts to copy a whole block to shared memory, if `wanted`.
  static __device__ void fetch(bool wanted, T* slot, const T* place) {
    if constexpr (movable) {
#pragma unroll
      for (int byte = 0; byte < bytes; byte += unit)
        gpu::copy_async_if<unit>(wanted, reinterpret_cast<unsigned char*>(slot) + byte,
                                 reinterpret_cast<const unsigned char*>(place) + byte);
    }
  }
  /// @brief Starts to copy an entry.
  static __device__ void fetch_entry(T* slot, const T* entry) {
    constexpr std::size_t size = sizeof(T);
    if constexpr (size == alignof(T) && (size == 4 || size == 8 || size == 16)) {
      gpu::copy_async<static_cast<int>(size)>(slot, entry);
    } else {
      *slot = *entry;
    }
  }
  /// @brief Starts to copy those entries of any block that lie within the Grid.
  __device__ void fetch_part(T* slot, const T* place, int block) const {
    const Index j = column(block);
#pragma unroll 1
    for (int k = 0; k < K; ++k)
      if (j + k >= 0 && j + k < grid.columns) fetch_entry(slot + k, place + k * grid.column_stride);
  }

  /// @brief The entries of a block that were copied to shared memory.
  static __device__ void read(const T* slot, T* entries) {
    const Block copy = *reinterpret_cast<const Block*>(slot);
#pragma unroll
    for (int k = 0; k < K; ++k) entries[k] = copy.entry[k];
  }

  /// @brief Writes a whole block.
  static __device__ void write(T* place, const T* entries) {
    Block copy;
#pragma unroll
    for (int k = 0; k < K; ++k) copy.entry[k] = entries[k];
    *reinterpret_cast<Block*>(place) = copy;
  }
  /// @brief Writes entries [first, last) of any block.
  __device__ void write_part(T* place, const T* entries, int first, int last) const {
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (k >= first && k < last) place[k * grid.column_stride] = entries[k];
  }

  /// @brief The first entry of a block that is in the range.
  __device__ int first_of(int block) const { return block == 0 ? lead : 0; }
  /// @brief The entry behind the last one that is.
  __device__ int last_of(int block) const {
    return block < count - 1 ? K : block == count - 1 ? tail : 0;
  }

 private:
  /// Moved at once; shared memory for blocks is aligned for it.
  struct alignas(movable ? unit : alignof(T)) Block {
    T entry[K];
  };
};

}  // namespace wavescan::Impl

#endif
