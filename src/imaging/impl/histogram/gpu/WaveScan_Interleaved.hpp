// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_INTERLEAVED_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_INTERLEAVED_HPP

#include <impl/histogram/gpu/WaveScan_HistogramWork.hpp>

#include <cstdint>

namespace wavescan::Impl::histogram {

/// @brief Counts of 32 bins: in each row of a band to the left of a warp's columns, and above the
/// band.
///
/// The warps of a block count their own columns, and their shares of those to the left of all; then
/// the counts are added up from warp to warp.
template <class Work>
class LeftCounts {
  using four_codes = Four<typename Work::code_type>;
  using four_counts = Four<typename Work::count_type>;
  static constexpr int bins = InterleavedSizes::bins_at_once;
  static constexpr int loads = 8;  ///< of a lane that are under way at once

 public:
  __device__ LeftCounts(const Work& work, char* memory)
      : w_(work), counts_(reinterpret_cast<std::uint32_t*>(memory)) {}

  /// @brief Returns the counts of a row of the band, to the left of a warp's columns.
  __device__ std::uint32_t* of_row(int warp, int row) const {
    return counts_ + (warp * (w_.decomposition.band_rows + 1) + row) * bins;
  }
  /// @brief Returns the counts of everything above the band, to the left of a warp's columns.
  __device__ std::uint32_t* of_all_above(int warp) const {
    return of_row(warp, w_.decomposition.band_rows);
  }

  /// @brief Finds the counts. All warps call it together, each with the columns from `begin` to
  /// `end` of its own and with a share of those to their left. Columns begin at multiples of 4.
  __device__ void find(const Task& place, int first_bin, int begin, int end, int share_begin,
                       int share_end) const {
    clear_in_block(counts_, (block_warps + 1) * (w_.decomposition.band_rows + 1) * bins);
    __syncthreads();
    // Counts of a warp's columns are for those after it.
    count(place, first_bin, gpu::warp() + 1, begin, end);
    count(place, first_bin, 0, share_begin, share_end);
    __syncthreads();
    add_up();
    __syncthreads();
  }

 private:
  __device__ void count(const Task& place, int first_bin, int warp, int begin, int end) const {
    if (begin >= end) return;
    count_rows(place, first_bin, warp, begin, end);
    const int bin = first_bin + gpu::lane();
    if (place.band == 0 || bin >= w_.bins) return;
    const auto* const above = w_.counts_above(place.image, place.band, bin);
    std::uint32_t sum = 0;
    for (int first = begin; first < end; first += 4 * loads) {
      four_counts counts[loads];
#pragma unroll
      for (int m = 0; m < loads; ++m)  // rather the first ones again than a branch
        counts[m] = *reinterpret_cast<const four_counts*>(
            above + (first + 4 * m < end ? first + 4 * m : first));
#pragma unroll
      for (int m = 0; m < loads; ++m)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (first + 4 * m < end) sum += counts[m].get(k);
    }
    atomicAdd(of_all_above(warp) + gpu::lane(), sum);
  }

  /// @brief Counts rows: lanes share a row, four columns each, or some rows if the columns are few.
  __device__ void count_rows(const Task& place, int first_bin, int warp, int begin, int end) const {
    const int fours = (end - begin + 3) / 4;
    const int shift = fours <= 4 ? 2 : fours <= 8 ? 3 : fours <= 16 ? 4 : 5;
    const int step = gpu::warp_size >> shift;
    for (int j = begin + gpu::lane() % (1 << shift) * 4; j < end; j += 4 << shift)
      for (int first = gpu::lane() >> shift; first < place.rows; first += loads * step) {
        four_codes codes[loads];
#pragma unroll
        for (int m = 0; m < loads; ++m) {
          const int row = min(first + m * step, place.rows - 1);
          codes[m] = *reinterpret_cast<const four_codes*>(
              w_.codes_of(place.image, place.first_row + row) + j);
        }
#pragma unroll
        for (int m = 0; m < loads; ++m) {
          if (first + m * step >= place.rows) break;
          std::uint32_t* const counts = of_row(warp, first + m * step);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            const int bin = static_cast<int>(codes[m].get(k)) - first_bin;
            if (bin >= 0 && bin < bins) atomicAdd(counts + bin, 1u);
          }
        }
      }
  }

  __device__ void add_up() const {
    const int all = (w_.decomposition.band_rows + 1) * bins;
    gpu::for_each_of_block(all, [&](int i) {
      std::uint32_t sum = 0;
#pragma unroll
      for (int first = 0; first < block_warps; first += loads) {
        std::uint32_t counts[loads];
#pragma unroll
        for (int m = 0; m < loads; ++m) counts[m] = counts_[(first + m) * all + i];
#pragma unroll
        for (int m = 0; m < loads; ++m) counts_[(first + m) * all + i] = sum += counts[m];
      }
    });
  }

  const Work& w_;
  std::uint32_t* counts_;  ///< (warp, row, bin)
};

/// @brief A block that writes 32 bins of some columns of a band of rows, where bins are contiguous.
///
/// The warps lie side by side. First they find what their rows have to the left of their columns;
/// then each writes its columns alone, a *strip* of 32 at a time. A lane has four neighbouring bins
/// of every few columns, as many as make up the warp: an entry is the one above it, in a register,
/// plus what the row has before the strip, plus the strip's pixels up to the column.
template <class Work>
class InterleavedWriter {
  using T = typename Work::T;
  using slices_type = BitSlicedCodes<typename Work::code_type>;
  using codes_type = typename slices_type::codes_type;
  using four_counts = Four<typename Work::count_type>;
  using Sizes = InterleavedSizes;
  static constexpr int strip = Sizes::strip;
  static constexpr int bins_at_once = Sizes::bins_at_once;
  static constexpr int columns_at_once = Sizes::columns_at_once;
  static constexpr int max_steps = 8;  ///< of a strip, as many as pixels have fours of bins
  static constexpr Index warp_bytes = Sizes::warp_bytes(sizeof(slices_type) == 64);
  static_assert(strip == slices_type::pixels && bins_at_once == gpu::warp_size);

 public:
  __device__ InterleavedWriter(const Work& work, char* memory)
      : w_(work),
        next_task_(reinterpret_cast<Index*>(memory)),
        rows_(
            reinterpret_cast<slices_type*>(memory + Sizes::task_bytes + gpu::warp() * warp_bytes)),
        columns_(reinterpret_cast<std::uint32_t*>(rows_ + strip)),
        left_(work, memory + Sizes::task_bytes + block_warps * warp_bytes) {
    const int fours = (min(w_.bins, bins_at_once) + 3) / 4;
    fours_ = fours <= 1 ? 1 : fours <= 2 ? 2 : fours <= 4 ? 4 : 8;
    four_ = gpu::lane() % fours_;
    column_ = gpu::lane() / fours_;
#pragma unroll
    for (int k = 0; k < max_steps; ++k)
      up_to_[k] = slices_type::pixels_up_to((k * strip / fours_ + column_) % strip);
  }

  __device__ void run() {
    gpu::for_each_task(gpu::Team(block_warps), w_.queue, next_task_,
                       [this](Index task) { write(task); });
  }

 private:
  __device__ void write(Index task) {
    const int groups = (w_.bins + bins_at_once - 1) / bins_at_once;
    const int segments = (w_.columns + w_.decomposition.segment - 1) / w_.decomposition.segment;
    place_ = Task(w_, groups * segments, task);
    first_bin_ = place_.part % groups * bins_at_once;
    const int first_column = place_.part / groups * w_.decomposition.segment;
    const int columns = min(w_.decomposition.segment, w_.columns - first_column);
    const int begin = first_column + share_begin(columns, gpu::warp());
    const int end = min(first_column + share_begin(columns, gpu::warp() + 1), w_.columns);
    left_.find(place_, first_bin_, begin, end, share_begin(first_column, gpu::warp()),
               share_begin(first_column, gpu::warp() + 1));
    std::uint32_t corner = left_.of_all_above(gpu::warp())[gpu::lane()];
    [[maybe_unused]] const bool whole_lanes =
        w_.aligned && fours_ == max_steps && first_bin_ + bins_at_once <= w_.bins;
    codes_type next;
    if (begin < end) next = load(begin, 0);
    for (int j = begin; j < end; j += strip) {
      FourEntries entries[max_steps];
      corner = add_up(j, corner, entries);
      for (int row = 0; row < place_.rows; row += strip) {
        gpu::sync_warp();
        rows_[gpu::lane()] = slices_type(next);
        gpu::sync_warp();
        if (row + strip < place_.rows)
          next = load(j, row + strip);
        else if (j + strip < end)
          next = load(j + strip, 0);
        if constexpr (sizeof(T) == 4)
          if (whole_lanes && j + strip <= w_.columns) {
            write_rows<true>(j, row, entries);
            continue;
          }
        write_rows<false>(j, row, entries);
      }
    }
  }

  /// @brief The first column of a warp's share.
  __device__ int share_begin(int columns, int warp) const {
    const int strips = (columns + strip - 1) / strip;
    return static_cast<int>(Index(strips) * warp / block_warps) * strip;
  }

  /// @brief A row of a strip for every lane, as long as there are rows.
  __device__ codes_type load(int column, int row) const {
    row = min(row + gpu::lane(), place_.rows - 1);
    return *reinterpret_cast<const codes_type*>(w_.codes_of(place_.image, place_.first_row + row) +
                                                column);
  }

  /// @brief The entries of a strip in the row above the band. Each lane adds up a bin.
  /// @param corner the bin's entry to the left of the strip; that of the next strip is returned
  __device__ std::uint32_t add_up(int begin, std::uint32_t corner,
                                  FourEntries (&entries)[max_steps]) const {
    const int bin = first_bin_ + gpu::lane();
    four_counts counts[strip / columns_at_once] = {};
    if (place_.band > 0 && bin < w_.bins) {
      const auto* const above = w_.counts_above(place_.image, place_.band, bin) + begin;
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
      for (int k = 0; k < max_steps; ++k) {
        const int column = column_of(k) - first;
        if (k < fours_ && column >= 0 && column < columns_at_once)
          entries[k] =
              reinterpret_cast<const FourEntries*>(columns_)[column * bins_at_once / 4 + four_];
      }
    }
    return corner;
  }

  /// @brief The lane's column of a strip in a step.
  __device__ int column_of(int step) const { return step * (gpu::warp_size / fours_) + column_; }

  /// @tparam Whole each lane has four bins of all its columns, which can be stored as one
  template <bool Whole>
  __device__ void write_rows(int begin, int first_row, FourEntries (&entries)[max_steps]) const {
    T* to = w_.entry(place_.image, first_bin_ + 4 * four_, place_.first_row + first_row,
                     begin + column_);
    const Index step = gpu::warp_size / fours_ * w_.problem.histogram.column_stride;
    const int rows = min(strip, place_.rows - first_row);
#pragma unroll 1
    for (int r = 0; r < rows; ++r, to += w_.problem.histogram.row_stride) {
      const slices_type slices = rows_[r];
      std::uint32_t pixels[4];
      slices.pixels_with_four(static_cast<std::uint32_t>(first_bin_ + 4 * four_), pixels);
      auto* const lefts =
          reinterpret_cast<FourEntries*>(left_.of_row(gpu::warp(), first_row + r)) + four_;
      FourEntries left = *lefts;
      T* entry = to;
#pragma unroll
      for (int k = 0; k < max_steps; ++k, entry += step) {
        if (!Whole && k >= fours_) break;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          entries[k].value[i] += Matches{pixels[i], left.value[i]}.up_to(up_to_[k]);
        if constexpr (Whole)
          store_four(entry, entries[k]);
        else
          store(entry, begin + column_of(k) - column_, entries[k]);
      }
      gpu::sync_warp();
#pragma unroll
      for (int i = 0; i < 4; ++i) left.value[i] += gpu::count_bits(pixels[i]);
      if (column_ == 0) *lefts = left;
    }
  }

  /// @brief Stores four bins of a column from `column` on for every lane.
  __device__ void store(T* to, int column, const FourEntries& entry) const {
    if constexpr (sizeof(T) == 4)
      if (w_.aligned) {
        if (first_bin_ + 4 * four_ < w_.bins && column + column_ < w_.columns)
          store_four(to, entry);
        return;
      }
    // By way of shared memory, so that lanes write neighbours.
    gpu::sync_warp();
    reinterpret_cast<FourEntries*>(columns_)[gpu::lane()] = entry;
    gpu::sync_warp();
    T* const first = to - (column_ * w_.problem.histogram.column_stride +
                           4 * four_ * w_.problem.histogram.bin_stride);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int n = i * gpu::warp_size + gpu::lane();
      const int bin = n % (4 * fours_);
      const int j = n / (4 * fours_);
      if (first_bin_ + bin < w_.bins && column + j < w_.columns)
        gpu::store_streaming(first + j * w_.problem.histogram.column_stride + bin,
                             static_cast<T>(columns_[n]));
    }
  }

  const Work& w_;
  Index* next_task_;
  slices_type* rows_;       ///< of a strip, the warp's
  std::uint32_t* columns_;  ///< entries of some columns, the warp's
  LeftCounts<Work> left_;
  int fours_;                       ///< of bins, that lanes write side by side
  int four_;                        ///< the lane's
  int column_;                      ///< of those written at once, the lane's
  std::uint32_t up_to_[max_steps];  ///< a strip's pixels up to the lane's columns
  Task place_;
  int first_bin_ = 0;
};

}  // namespace wavescan::Impl::histogram

#endif
