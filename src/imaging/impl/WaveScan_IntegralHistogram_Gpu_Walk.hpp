// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_WALK_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_WALK_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_RowCounts.hpp>

#include <cstdint>

/// @file
/// @brief The integral histograms of small images: nothing is counted down the columns beforehand,
/// since warps walk through all rows.

namespace wavescan::Impl {

/// @brief A block that writes eight bins of a strip of columns, where columns are contiguous.
///
/// Each warp has a bin, each lane a column, whose entry it keeps in a register. It walks down the
/// rows: an entry is the one above it, plus what the row has before the strip, plus the strip's
/// pixels up to the column. Those of the next rows are found before; then every warp takes other
/// rows, and all bins.
template <class T>
class PlaneWalker {
  using planes_type = CodePlanes<SmallCounts::code_type>;
  using codes_type = typename planes_type::codes_type;
  static constexpr int strip = WalkedRows::strip;

 public:
  static constexpr int bins_at_once = 8;
  static constexpr int threads = bins_at_once * gpu::warp_size;
  static constexpr int rows_at_once = threads;
  static Index shared_bytes() { return 2 * bins_at_once * rows_at_once * Index(sizeof(Matches)); }
  /// @brief What blocks do without the others.
  KOKKOS_FUNCTION static Index pieces(const WalkedRows& rows) {
    return Index(rows.bands.images) * rows.strips() * groups(rows);
  }

  __device__ PlaneWalker(const WalkedRows& rows, const HistogramOut<T>& out, char* memory)
      : rows_(rows),
        out_(out),
        matches_(reinterpret_cast<Matches*>(memory)),
        up_to_own_(planes_type::pixels_up_to(gpu::lane())) {}

  __device__ void run() {
    for (Index piece = blockIdx.x; piece < pieces(rows_); piece += gridDim.x) {
      const Index strips = piece / groups(rows_);
      first_bin_ = static_cast<int>(piece % groups(rows_)) * bins_at_once;
      strip_ = static_cast<int>(strips % rows_.strips());
      image_ = static_cast<int>(strips / rows_.strips());
      write();
    }
  }

 private:
  /// @brief A row's pixels of a bin, and how many there are to their left.
  struct alignas(8) Matches {
    std::uint32_t pixels;
    std::uint32_t before;
  };
  /// @brief What is read of a row.
  struct Row {
    codes_type codes;
    WalkedRows::four_counts left[bins_at_once / 4];
  };

  KOKKOS_FUNCTION static int groups(const WalkedRows& rows) {
    return (rows.bands.bins + bins_at_once - 1) / bins_at_once;
  }
  /// @brief Rows that follow each other take turns.
  __device__ Matches* matches(int first_row, int bin) const {
    return matches_ + ((first_row / rows_at_once & 1) * bins_at_once + bin) * rows_at_once;
  }

  __device__ void write() const {
    const int bin = first_bin_ + gpu::warp();
    const int column = strip_ * strip + gpu::lane();
    const bool inside = bin < rows_.bands.bins && column < rows_.bands.columns;
    T* to = out_.entry(image_, bin, 0, column);
    std::uint32_t entry = 0;
    Row next = load(0);
    find(0, next);
    if (rows_at_once < rows_.bands.rows) next = load(rows_at_once);
    __syncthreads();
    for (int row = 0; row < rows_.bands.rows; row += rows_at_once) {
      if (row + rows_at_once < rows_.bands.rows) find(row + rows_at_once, next);
      if (row + 2 * rows_at_once < rows_.bands.rows) next = load(row + 2 * rows_at_once);
      walk(matches(row, gpu::warp()), min(rows_at_once, rows_.bands.rows - row), inside, to, entry);
      __syncthreads();
    }
  }

  /// @brief A row for every lane; the last one again where there are no more.
  __device__ Row load(int first_row) const {
    const int row = min(first_row + static_cast<int>(threadIdx.x), rows_.bands.rows - 1);
    Row of;
    of.codes =
        *reinterpret_cast<const codes_type*>(rows_.bands.codes_of(image_, row) + strip_ * strip);
#pragma unroll
    for (int i = 0; i < bins_at_once / 4; ++i) {
      const int four = min(first_bin_ / 4 + i, rows_.fours() - 1);
      of.left[i] = rows_.counts_left(image_, strip_, four)[row];
    }
    return of;
  }

  __device__ void find(int first_row, const Row& row) const {
    const planes_type planes(row.codes);
#pragma unroll
    for (int i = 0; i < bins_at_once; i += 4) {
      std::uint32_t pixels[4];
      planes.pixels_with_four(static_cast<std::uint32_t>(first_bin_ + i), pixels);
#pragma unroll
      for (int k = 0; k < 4; ++k)
        matches(first_row, i + k)[threadIdx.x] = {pixels[k], row.left[i / 4].get(k)};
    }
  }

  /// @brief Writes rows of the lane's column, from `to` on.
  __device__ void walk(const Matches* rows, int count, bool inside, T*& to,
                       std::uint32_t& entry) const {
    constexpr int together = 8;
    int row = 0;
    for (; row + together <= count; row += together)
      write_rows<together>(rows + row, inside, to, entry);
    for (; row < count; ++row) write_rows<1>(rows + row, inside, to, entry);
  }

  template <int Count>
  __device__ void write_rows(const Matches* rows, bool inside, T*& to, std::uint32_t& entry) const {
    std::uint32_t entries[Count];
#pragma unroll
    for (int r = 0; r < Count; ++r)
      entries[r] = rows[r].before + static_cast<std::uint32_t>(__popc(rows[r].pixels & up_to_own_));
#pragma unroll
    for (int r = 0; r < Count; ++r, to += out_.row_stride) {
      entries[r] += r > 0 ? entries[r - 1] : entry;
      if (inside) gpu::store_once(to, static_cast<T>(entries[r]));
    }
    entry = entries[Count - 1];
  }

  const WalkedRows& rows_;
  const HistogramOut<T>& out_;
  Matches* matches_;
  std::uint32_t up_to_own_;  ///< a strip's pixels up to the lane's column
  int image_ = 0;
  int strip_ = 0;
  int first_bin_ = 0;
};

/// @brief What the kernel for small images is given.
template <class Pixel, class Binning, class T>
struct HistogramWalk {
  HistogramImages<Pixel, Binning> images;
  WalkedRows rows;
  HistogramOut<T> out;
  gpu::GridBarrier barrier;
};

template <class Pixel, class Binning, class T>
__device__ void walk_through(const HistogramWalk<Pixel, Binning, T>& work, char* memory) {
  RowCounter<Pixel, Binning>(work.images, work.rows, memory).run();
  work.barrier.wait();
  PlaneWalker<T>(work.rows, work.out, memory).run();
}

template <class T, class Work>
__global__ void __launch_bounds__(PlaneWalker<T>::threads)
    histogram_walk_kernel(const WAVESCAN_GRID_CONSTANT Work work) {
  extern __shared__ char memory[];
  walk_through(work, memory);
}

}  // namespace wavescan::Impl

#endif
