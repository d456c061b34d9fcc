// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_BANDRING_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_BANDRING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/gpu/WaveScan_ColumnBlocks.hpp>

#include <bit>
#include <cstddef>

/// @file
/// @brief A band of rows on its way through shared memory.

namespace wavescan::Impl {

/// @brief Some columns of a band's rows, and of the row below, which a warp computes in place.
///
/// Chunks of columns are fetched, a row by neighbouring lanes, long before they are needed, and
/// written when all rows are done; then their place is free for later ones. A row's entries lie one
/// after another and rows are a multiple of 128 bytes apart: lanes that work on neighbouring
/// columns of neighbouring rows find them in different banks.
///
/// @tparam Rows   rows of the band; one more is fetched
/// @tparam Chunk  columns that are moved at once, a power of two
/// @tparam Chunks that there is room for, a power of two
template <class T, int Rows, int Chunk, int Chunks>
class BandRing {
 public:
  static constexpr int pitch = Chunk * Chunks;
  static constexpr std::size_t bytes = (Rows + 1) * pitch * sizeof(T);
  /// Entries that a lane moves at once.
  static constexpr int unit = sizeof(T) < 16 ? static_cast<int>(std::bit_floor(16 / sizeof(T))) : 1;
  using Blocks = ColumnBlocks<T, unit>;

  /// @param first   row of the band in the Grid
  /// @param rows    of the band that there are
  /// @param fetched rows of which old values are fetched, up to one more
  __device__ BandRing(const Blocks& blocks, unsigned char* shared, Index first, int rows,
                      int fetched)
      : blocks_(blocks),
        data_(reinterpret_cast<T*>(shared)),
        first_row_(first),
        row_(gpu::lane() / per_row),
        block_(gpu::lane() % per_row),
        rows_(rows),
        fetched_rows_(fetched),
        rows_at_once_(at_once * blocks.grid.row_stride),
        fetch_place_(blocks.place(first + row_, block_)),
        write_place_(blocks.place(first + row_, block_)) {}

  /// @brief An entry of a row, its column counted from the origin of the blocks.
  __device__ __forceinline__ T& entry(int row, int column) const {
    return data_[row * pitch + (column & (pitch - 1))];
  }

  /// @brief Starts to copy the next chunk's old values.
  ///
  /// One block more than there are: a lane in the last column may read its right neighbours.
  __device__ void fetch() {
    const int block = fetch_chunk_ * per_row + block_;
    const bool there = block <= blocks_.count && blocks_.column(block) < blocks_.grid.columns;
    const bool whole = there && blocks_.whole(block);
    if (gpu::any(whole)) {
      T* const slot = &entry(row_, block * unit);
      const T* place = fetch_place_;
#pragma unroll
      for (int row = 0; row <= Rows; row += at_once) {
        Blocks::fetch(whole && row + row_ < fetched_rows_, slot + row * pitch, place);
        place += rows_at_once_;
      }
    }
    const gpu::LaneMask parts = gpu::ballot(there && !whole);
    if (parts) fetch_entries(parts);
    ++fetch_chunk_;
    fetch_place_ += Chunk * blocks_.grid.column_stride;
    gpu::commit_async_copies();
  }
  /// @brief Waits until all but the last `Pending` chunks have come, for all lanes.
  template <int Pending>
  __device__ void wait() const {
    gpu::wait_for_async_copies<Pending>();
    gpu::sync_warp();
  }

  /// @brief Writes the next chunk's entries that are in the range.
  __device__ void write() {
    const int block = write_chunk_ * per_row + block_;
    const bool whole = written_whole(block);
    if (gpu::any(whole)) {
      const T* const slot = &entry(row_, block * unit);
      T* place = write_place_;
#pragma unroll
      for (int row = 0; row < Rows; row += at_once * batch) {
        T entries[batch][unit];
#pragma unroll
        for (int k = 0; k < batch; ++k)
          Blocks::read(slot + (row + k * at_once) * pitch, entries[k]);
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          if (whole && row + k * at_once + row_ < rows_) Blocks::write(place, entries[k]);
          place += rows_at_once_;
        }
      }
    }
    const gpu::LaneMask parts = gpu::ballot(block < blocks_.count && !whole);
    if (parts) write_entries(parts);
    ++write_chunk_;
    write_place_ += Chunk * blocks_.grid.column_stride;
  }

 private:
  static constexpr int per_row = Chunk / unit;              ///< lanes for a row of a chunk
  static constexpr int at_once = gpu::warp_size / per_row;  ///< rows
  static constexpr int batch = Rows / at_once < 4 ? 1 : 4;  ///< of which are read, then written
  static_assert(std::has_single_bit(unsigned(Rows)) && std::has_single_bit(unsigned(Chunk)) &&
                std::has_single_bit(unsigned(Chunks)));
  static_assert(Chunk % unit == 0 && Chunk <= gpu::warp_size && gpu::warp_size % per_row == 0);
  static_assert(Rows % (at_once * batch) == 0);

  /// @brief Whether all entries of a block are in the range and can be moved at once.
  __device__ bool written_whole(int block) const {
    return blocks_.whole(block) && blocks_.first_of(block) == 0 && blocks_.last_of(block) == unit;
  }

  /// @brief Calls f(row, column) for the entries of some columns, which the lanes share so that
  /// neighbours in memory are moved together.
  template <int Columns, class F>
  __device__ void for_entries(int first_column, const F& f) const {
    const Grid<T>& grid = blocks_.grid;
    const bool rows_contiguous = grid.column_stride == 1 || grid.column_stride == -1;
#pragma unroll 4
    for (int e = gpu::lane(); e < Rows * Columns; e += gpu::warp_size) {
      if (rows_contiguous)
        f(e / Columns, first_column + e % Columns);
      else
        f(e % Rows, first_column + e / Rows);
    }
  }
  /// @brief Calls f(row, column) for the entries of those blocks of a chunk that cannot be moved at
  /// once, as far as there are any: all of them, or blocks at the ends of the range.
  /// @param parts the lanes whose blocks are such
  template <class F>
  __device__ void for_parts(int chunk, gpu::LaneMask parts, const F& f) const {
    constexpr gpu::LaneMask row = (gpu::LaneMask(2) << (per_row - 1)) - 1;  // of the first row
    parts &= row;
    if (parts == row) {
      for_entries<Chunk>(chunk * Chunk, f);
      return;
    }
#pragma unroll 1
    for (int block = 0; block < per_row; ++block)
      if (parts >> block & 1) for_entries<unit>(chunk * Chunk + block * unit, f);
  }

  /// @brief Fetches entries of blocks that cannot be fetched at once.
  __device__ void fetch_entries(gpu::LaneMask parts) {
    const int first = fetch_chunk_ * Chunk;
    const T* const origin = blocks_.place(first_row_, 0);
    const auto fetch_entry = [&](int row, int column) {
      const Index j = blocks_.origin + column;
      if (row < fetched_rows_ && j >= 0 && j < blocks_.grid.columns &&
          column / unit <= blocks_.count && !blocks_.whole(column / unit))
        Blocks::fetch_entry(&entry(row, column), origin + row * blocks_.grid.row_stride +
                                                     column * blocks_.grid.column_stride);
    };
    for_parts(fetch_chunk_, parts, fetch_entry);
    if (gpu::lane() < Chunk) fetch_entry(Rows, first + gpu::lane());
  }
  /// @brief Writes entries of blocks that cannot be written at once.
  __device__ void write_entries(gpu::LaneMask parts) {
    T* const origin = blocks_.place(first_row_, 0);
    const int end = static_cast<int>(blocks_.end - blocks_.origin);
    for_parts(write_chunk_, parts, [&](int row, int column) {
      if (row < rows_ && column >= blocks_.lead && column < end && !written_whole(column / unit))
        origin[row * blocks_.grid.row_stride + column * blocks_.grid.column_stride] =
            entry(row, column);
    });
  }

  const Blocks& blocks_;
  T* data_;
  Index first_row_;  ///< of the band, in the Grid
  int row_;          ///< the lane's first of those that are moved at once
  int block_;        ///< its block in them
  int rows_;
  int fetched_rows_;
  Index rows_at_once_;   ///< from one such row to the next
  int fetch_chunk_ = 0;  ///< the chunk that is fetched next
  int write_chunk_ = 0;  ///< the one that is written next
  const T* fetch_place_;
  T* write_place_;
};

}  // namespace wavescan::Impl

#endif
