// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_SIDEBYSIDE_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_SIDEBYSIDE_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_CodePlanes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Cut.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_LeftCounts.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief A block that writes 32 bins of some columns of a band of rows, where bins are contiguous.
///
/// The warps lie side by side. First they find what their rows have to the left of their columns;
/// then each writes its columns alone, a *strip* of 32 at a time. A lane has four neighbouring bins
/// of every few columns, as many as make up the warp: an entry is the one above it, in a register,
/// plus what the row has before the strip, plus the strip's pixels up to the column.
template <class Counts, class T>
class SideBySideWriter {
  using bands_type = HistogramBands<Counts>;
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;
  using planes_type = CodePlanes<code_type>;
  using codes_type = typename planes_type::codes_type;
  using four = PackedValues<std::uint32_t, 4>;
  using four_counts = FourCounts<count_type>;

 public:
  static constexpr int strip = planes_type::pixels;
  static constexpr int bins_at_once = gpu::warp_size;

  static constexpr bool along_rows = false;  ///< neighbours in memory

  static Index shared_bytes(int warps, const bands_type& bands, const HistogramCut&) {
    return next_piece_bytes + warps * warp_bytes +
           LeftCounts<Counts>::bytes(warps, bands.band_rows);
  }
  /// @brief How many rows of a band so much shared memory is enough for.
  static int most_rows(int warps, Index bytes) {
    return static_cast<int>(
        (bytes - next_piece_bytes - warps * warp_bytes) / LeftCounts<Counts>::row_bytes(warps) - 1);
  }

  __device__ SideBySideWriter(const bands_type& bands, const HistogramOut<T>& out,
                              const HistogramCut& cut, const gpu::WorkQueue& queue, char* memory)
      : bands_(bands),
        out_(out),
        cut_(cut),
        queue_(queue),
        warps_(static_cast<int>(blockDim.x) / gpu::warp_size),
        next_piece_(reinterpret_cast<Index*>(memory)),
        rows_(reinterpret_cast<planes_type*>(memory + next_piece_bytes + gpu::warp() * warp_bytes)),
        columns_(reinterpret_cast<std::uint32_t*>(rows_ + strip)),
        left_(bands, memory + next_piece_bytes + warps_ * warp_bytes) {
    const int fours = (min(bands.bins, bins_at_once) + 3) / 4;
    fours_ = fours <= 1 ? 1 : fours <= 2 ? 2 : fours <= 4 ? 4 : 8;
    four_ = gpu::lane() % fours_;
    column_ = gpu::lane() / fours_;
#pragma unroll
    for (int k = 0; k < most_steps; ++k)
      up_to_[k] = planes_type::pixels_up_to((k * strip / fours_ + column_) % strip);
  }

  __device__ void run() {
    Index piece = blockIdx.x;
    while (piece < queue_.pieces) {
      const gpu::TaggedWord ticket = threadIdx.x == 0 ? queue_.draw() : 0;
      write(piece);
      __syncthreads();
      if (threadIdx.x == 0) *next_piece_ = queue_.piece(ticket);
      __syncthreads();
      piece = *next_piece_;
    }
  }

 private:
  static constexpr int next_piece_bytes = 16;
  static constexpr int columns_at_once = 4;  ///< of all bins
  static constexpr int warp_bytes =
      strip * static_cast<int>(sizeof(planes_type)) + columns_at_once * bins_at_once * 4;
  static constexpr int most_steps = 8;  ///< of a strip, as many as pixels have fours of bins

  __device__ void write(Index piece) {
    const int chunks = (bands_.bins + bins_at_once - 1) / bins_at_once;
    const int segments = (bands_.columns + cut_.segment - 1) / cut_.segment;
    place_ = HistogramPiece(bands_, chunks * segments, piece);
    first_bin_ = place_.part % chunks * bins_at_once;
    const int first_column = place_.part / chunks * cut_.segment;
    const int columns = min(cut_.segment, bands_.columns - first_column);
    const int begin = first_column + share_begin(columns, gpu::warp());
    const int end = min(first_column + share_begin(columns, gpu::warp() + 1), bands_.columns);
    left_.find(place_, first_bin_, begin, end, share_begin(first_column, gpu::warp()),
               share_begin(first_column, gpu::warp() + 1));
    std::uint32_t corner = left_.of_all_above(gpu::warp())[gpu::lane()];
    [[maybe_unused]] const bool whole_lanes =
        out_.aligned && fours_ == most_steps && first_bin_ + bins_at_once <= bands_.bins;
    codes_type next;
    if (begin < end) next = load(begin, 0);
    for (int j = begin; j < end; j += strip) {
      four entries[most_steps];
      corner = add_up(j, corner, entries);
      for (int row = 0; row < place_.rows; row += strip) {
        gpu::sync_warp();
        rows_[gpu::lane()] = planes_type(next);
        gpu::sync_warp();
        if (row + strip < place_.rows)
          next = load(j, row + strip);
        else if (j + strip < end)
          next = load(j + strip, 0);
        if constexpr (sizeof(T) == 4)
          if (whole_lanes && j + strip <= bands_.columns) {
            write_rows<true>(j, row, entries);
            continue;
          }
        write_rows<false>(j, row, entries);
      }
    }
  }

  /// @brief Where a warp's share of some columns begins.
  __device__ int share_begin(int columns, int warp) const {
    const int strips = (columns + strip - 1) / strip;
    return static_cast<int>(Index(strips) * warp / warps_) * strip;
  }

  /// @brief A row of a strip for every lane, as long as there are rows.
  __device__ codes_type load(int column, int row) const {
    row = min(row + gpu::lane(), place_.rows - 1);
    return *reinterpret_cast<const codes_type*>(
        bands_.codes_of(place_.image, place_.first_row + row) + column);
  }

  /// @brief The entries of a strip in the row above the band. Each lane adds up a bin.
  /// @param corner the bin's entry to the left of the strip; that of the next strip is returned
  __device__ std::uint32_t add_up(int begin, std::uint32_t corner,
                                  four (&entries)[most_steps]) const {
    const int bin = first_bin_ + gpu::lane();
    const bool none = place_.band == 0 || bin >= bands_.bins;
    four_counts counts[strip / columns_at_once] = {};
    if (!none) {
      const count_type* const above = bands_.counts_above(place_.image, place_.band, bin) + begin;
#pragma unroll
      for (int n = 0; n < strip / columns_at_once; ++n)
        counts[n] = reinterpret_cast<const four_counts*>(above)[n];
    }
#pragma unroll
    for (int first = 0; first < strip; first += columns_at_once) {
      gpu::sync_warp();
#pragma unroll
      for (int k = 0; k < columns_at_once; ++k)
        columns_[k * bins_at_once + gpu::lane()] = corner += counts[first / columns_at_once].get(k);
      gpu::sync_warp();
#pragma unroll
      for (int k = 0; k < most_steps; ++k) {
        const int column = column_of(k) - first;
        if (k < fours_ && column >= 0 && column < columns_at_once)
          entries[k] = reinterpret_cast<const four*>(columns_)[column * bins_at_once / 4 + four_];
      }
    }
    return corner;
  }

  /// @brief The lane's column of a strip in a step.
  __device__ int column_of(int step) const { return step * (gpu::warp_size / fours_) + column_; }

  /// @tparam Whole each lane has four bins of all its columns, which can be stored as one
  template <bool Whole>
  __device__ void write_rows(int begin, int first_row, four (&entries)[most_steps]) const {
    T* to = out_.entry(place_.image, first_bin_ + 4 * four_, place_.first_row + first_row,
                       begin + column_);
    const Index step = gpu::warp_size / fours_ * out_.column_stride;
    const int rows = min(strip, place_.rows - first_row);
#pragma unroll 1
    for (int r = 0; r < rows; ++r, to += out_.row_stride) {
      const planes_type planes = rows_[r];
      std::uint32_t pixels[4];
      planes.pixels_with_four(static_cast<std::uint32_t>(first_bin_ + 4 * four_), pixels);
      four* const lefts = reinterpret_cast<four*>(left_.of_row(gpu::warp(), first_row + r)) + four_;
      four left = *lefts;
      T* entry = to;
#pragma unroll
      for (int k = 0; k < most_steps; ++k, entry += step) {
        if (!Whole && k >= fours_) break;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          entries[k].value[i] +=
              left.value[i] + static_cast<std::uint32_t>(__popc(pixels[i] & up_to_[k]));
        if constexpr (Whole)
          gpu::store_once(entry, as_stored(entries[k]));
        else
          store(entry, begin + column_of(k) - column_, entries[k]);
      }
      gpu::sync_warp();
#pragma unroll
      for (int i = 0; i < 4; ++i) left.value[i] += static_cast<std::uint32_t>(__popc(pixels[i]));
      if (column_ == 0) *lefts = left;
    }
  }

  static __device__ PackedValues<T, 4> as_stored(const four& entry) {
    PackedValues<T, 4> values;
#pragma unroll
    for (int i = 0; i < 4; ++i) values.value[i] = static_cast<T>(entry.value[i]);
    return values;
  }

  /// @brief Stores four bins of a column from `column` on for every lane.
  __device__ void store(T* to, int column, const four& entry) const {
    if constexpr (sizeof(T) == 4)
      if (out_.aligned) {
        if (first_bin_ + 4 * four_ < bands_.bins && column + column_ < bands_.columns)
          gpu::store_once(to, as_stored(entry));
        return;
      }
    // By way of shared memory, so that lanes write neighbours.
    gpu::sync_warp();
    reinterpret_cast<four*>(columns_)[gpu::lane()] = entry;
    gpu::sync_warp();
    T* const first = to - (column_ * out_.column_stride + 4 * four_ * out_.bin_stride);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int n = i * gpu::warp_size + gpu::lane();
      const int bin = n % (4 * fours_);
      const int j = n / (4 * fours_);
      if (first_bin_ + bin < bands_.bins && column + j < bands_.columns)
        gpu::store_once(first + j * out_.column_stride + bin, static_cast<T>(columns_[n]));
    }
  }

  const bands_type& bands_;
  const HistogramOut<T>& out_;
  const HistogramCut& cut_;
  const gpu::WorkQueue& queue_;
  int warps_;
  Index* next_piece_;
  planes_type* rows_;       ///< of a strip, the warp's
  std::uint32_t* columns_;  ///< entries of some columns, the warp's
  LeftCounts<Counts> left_;
  int fours_;                        ///< of bins, that lanes write side by side
  int four_;                         ///< the lane's
  int column_;                       ///< of those written at once, the lane's
  std::uint32_t up_to_[most_steps];  ///< a strip's pixels up to the lane's columns
  HistogramPiece place_;
  int first_bin_ = 0;
};

}  // namespace wavescan::Impl

#endif
