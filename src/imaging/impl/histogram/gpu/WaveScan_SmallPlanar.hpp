// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_SMALLPLANAR_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_SMALLPLANAR_HPP

#include <impl/histogram/gpu/WaveScan_ColumnCounts.hpp>

#include <cstdint>

/// @file
/// @brief Integral histograms of small images, in planes: nothing is counted down the columns
/// beforehand, since warps walk down all rows. The workspace has counts of what lies to the left of
/// every strip of 32 columns.

namespace wavescan::Impl::histogram {

/// @brief Counts of four bins to the left of a strip, for each row.
template <class Work>
__device__ Four<std::uint16_t>* counts_left(const Work& w, int image, int s, int four) {
  const Index strips = SmallSizes::strips(w.columns), fours = SmallSizes::fours(w.bins);
  return reinterpret_cast<Four<std::uint16_t>*>(w.counts) +
         ((image * strips + s) * fours + four) * w.rows;
}

/// @brief A block that bins the pixels of some rows, and counts them along the rows.
///
/// A lane takes a row of a strip, a warp eight rows of four strips. The counts are added up from
/// strip to strip when the rows are complete.
template <class Work>
class RowCounter {
  using coder_type = Coder<Work>;
  using Pixel = typename Work::Pixel;
  using slices_type = BitSlicedCodes<std::uint8_t>;
  using codes_type = typename slices_type::codes_type;
  static constexpr int strip = SmallSizes::strip;
  static constexpr int rows_at_once = SmallSizes::counted_rows;
  static constexpr int strips_at_once = gpu::warp_size / rows_at_once;

 public:
  __device__ RowCounter(const Work& work, char* memory)
      : w_(work),
        strips_(SmallSizes::strips(w_.columns)),
        fours_(SmallSizes::fours(w_.bins)),
        code_of_(work, memory),
        counts_(reinterpret_cast<std::uint32_t*>(memory + coder_type::shared_bytes)) {}

  __device__ void run() const {
    __syncthreads();
    const int parts = (w_.rows + rows_at_once - 1) / rows_at_once;
    const int steps = (strips_ + strips_at_once - 1) / strips_at_once;
    for (Index job = blockIdx.x; job < Index(w_.images) * parts; job += gridDim.x) {
      const int image = static_cast<int>(job / parts);
      const int first_row = static_cast<int>(job % parts) * rows_at_once;
      for (int step = gpu::warp(); step < steps; step += gpu::warps())
        count(image, first_row + lane_row(), step * strips_at_once + gpu::lane() % strips_at_once);
      __syncthreads();
      add_up(image, first_row);
      __syncthreads();
    }
  }

 private:
  static __device__ int lane_row() { return gpu::lane() / strips_at_once; }
  __device__ std::uint32_t* counts(int s, int row) const {
    return counts_ + (s * rows_at_once + row) * SmallSizes::pitch(w_.bins);
  }

  __device__ void count(int image, int row, int s) const {
    if (row >= w_.rows || s >= strips_) return;
    const int column = s * strip;
    const codes_type codes = w_.packed && column + strip <= w_.columns
                                 ? read<true>(image, row, column)
                                 : read<false>(image, row, column);
    *reinterpret_cast<codes_type*>(w_.codes_of(image, row) + column) = codes;
    const slices_type slices(codes);
    std::uint32_t* const to = counts(s, lane_row());
    for (int four = 0; four < fours_; ++four) {
      std::uint32_t pixels[4];
      slices.pixels_with_four(static_cast<std::uint32_t>(4 * four), pixels);
      std::uint32_t found = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) found |= gpu::count_bits(pixels[k]) << 8 * k;
      to[four] = found;
    }
  }

  template <bool Packed>
  __device__ codes_type read(int image, int row, int column) const {
    const Pixel* const from = w_.pixel(image, row, column);
    const Index stride = w_.problem.image.column_stride;
    FourPixels<Pixel> pixels[strip / 4];
#pragma unroll
    for (int i = 0; i < strip / 4; ++i)
      pixels[i].template load<Packed>(from + 4 * i * stride, stride, w_.columns - (column + 4 * i));
    codes_type codes;
#pragma unroll
    for (int i = 0; i < strip / 4; ++i)
      codes.value[i] =
          code_of_.template codes<Packed>(pixels[i], w_.columns - (column + 4 * i)).word[0];
    return codes;
  }

  /// @brief Adds up the counts from strip to strip, a row and four bins a thread.
  __device__ void add_up(int image, int first_row) const {
    const int rows = min(rows_at_once, w_.rows - first_row);
    gpu::for_each_of_block(rows_at_once * fours_, [&](int i) {
      const int row = i % rows_at_once, four = i / rows_at_once;
      if (row >= rows) return;
      Four<std::uint16_t> left;
#pragma unroll 8
      for (int s = 0; s < strips_; ++s) {
        const std::uint32_t found = counts(s, row)[four];
        counts_left(w_, image, s, four)[first_row + row] = left;
        left.word[0] += gpu::permute_bytes(found, 0, 0x4140);
        left.word[1] += gpu::permute_bytes(found, 0, 0x4342);
      }
    });
  }

  const Work& w_;
  int strips_;
  int fours_;
  coder_type code_of_;
  std::uint32_t* counts_;  ///< (strip, row, four bins), a byte each
};

/// @brief A block that writes eight bins of a strip of columns, where columns are contiguous.
///
/// Each warp has a bin, each lane a column, whose entry it keeps in a register. It walks down the
/// rows: an entry is the one above it, plus what the row has before the strip, plus the strip's
/// pixels up to the column. Pixels of the next 256 rows are found beforehand, a row a thread, of
/// all bins.
template <class Work>
class SmallPlanarWriter {
  using T = typename Work::T;
  using slices_type = BitSlicedCodes<std::uint8_t>;
  using codes_type = typename slices_type::codes_type;
  static constexpr int strip = SmallSizes::strip;
  static constexpr int bins_at_once = SmallSizes::bins_at_once;

 public:
  __device__ SmallPlanarWriter(const Work& work, char* memory)
      : w_(work),
        matches_(reinterpret_cast<Matches*>(memory)),
        up_to_own_(slices_type::pixels_up_to(gpu::lane())) {}

  __device__ void run() {
    const int strips = SmallSizes::strips(w_.columns);
    const int groups = (w_.bins + bins_at_once - 1) / bins_at_once;
    for (Index task = blockIdx.x; task < Index(w_.images) * strips * groups; task += gridDim.x) {
      first_bin_ = static_cast<int>(task % groups) * bins_at_once;
      strip_ = static_cast<int>(task / groups % strips);
      image_ = static_cast<int>(task / groups / strips);
      write();
    }
  }

 private:
  static constexpr int rows_at_once = SmallSizes::threads;
  /// @brief The inputs of a row.
  struct Row {
    codes_type codes;
    Four<std::uint16_t> left[bins_at_once / 4];
  };

  /// @brief The buffer of some rows: one is written while the other is read.
  __device__ Matches* matches(int first_row, int bin) const {
    return matches_ + ((first_row / rows_at_once & 1) * bins_at_once + bin) * rows_at_once;
  }

  __device__ void write() const {
    const int bin = first_bin_ + gpu::warp();
    const int column = strip_ * strip + gpu::lane();
    const bool inside = bin < w_.bins && column < w_.columns;
    T* to = w_.entry(image_, bin, 0, column);
    std::uint32_t entry = 0;
    Row next = load(0);
    find(0, next);
    if (rows_at_once < w_.rows) next = load(rows_at_once);
    __syncthreads();
    for (int row = 0; row < w_.rows; row += rows_at_once) {
      if (row + rows_at_once < w_.rows) find(row + rows_at_once, next);
      if (row + 2 * rows_at_once < w_.rows) next = load(row + 2 * rows_at_once);
      const Matches* const rows = matches(row, gpu::warp());
      const int count = min(rows_at_once, w_.rows - row);
      constexpr int together = 8;
      int r = 0;
      for (; r + together <= count; r += together)
        write_rows<together>(rows + r, inside, to, entry);
      for (; r < count; ++r) write_rows<1>(rows + r, inside, to, entry);
      __syncthreads();
    }
  }

  /// @brief A row for every lane; the last one again where there are no more.
  __device__ Row load(int first_row) const {
    const int row = min(first_row + static_cast<int>(threadIdx.x), w_.rows - 1);
    Row of;
    of.codes = *reinterpret_cast<const codes_type*>(w_.codes_of(image_, row) + strip_ * strip);
#pragma unroll
    for (int i = 0; i < bins_at_once / 4; ++i) {
      const int four = min(first_bin_ / 4 + i, SmallSizes::fours(w_.bins) - 1);
      of.left[i] = counts_left(w_, image_, strip_, four)[row];
    }
    return of;
  }

  __device__ void find(int first_row, const Row& row) const {
    const slices_type slices(row.codes);
#pragma unroll
    for (int i = 0; i < bins_at_once; i += 4) {
      std::uint32_t pixels[4];
      slices.pixels_with_four(static_cast<std::uint32_t>(first_bin_ + i), pixels);
#pragma unroll
      for (int k = 0; k < 4; ++k)
        matches(first_row, i + k)[threadIdx.x] = {pixels[k], row.left[i / 4].get(k)};
    }
  }

  /// @brief Writes rows of the lane's column, from `to` on.
  template <int Count>
  __device__ void write_rows(const Matches* rows, bool inside, T*& to, std::uint32_t& entry) const {
    std::uint32_t entries[Count];
#pragma unroll
    for (int r = 0; r < Count; ++r) entries[r] = rows[r].up_to(up_to_own_);
#pragma unroll
    for (int r = 0; r < Count; ++r, to += w_.problem.histogram.row_stride) {
      entry = entries[r] += entry;
      if (inside) gpu::store_streaming(to, static_cast<T>(entries[r]));
    }
  }

  const Work& w_;
  Matches* matches_;
  std::uint32_t up_to_own_;  ///< a strip's pixels up to the lane's column
  int image_ = 0;
  int strip_ = 0;
  int first_bin_ = 0;
};

}  // namespace wavescan::Impl::histogram

#endif
