// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_ROWCOUNTS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_ROWCOUNTS_HPP

#include <impl/WaveScan_IntegralHistogram_Gpu_CodePlanes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Columns.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pixels.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief Codes of all pixels, and how many pixels of each bin the rows have to the left of every
/// strip of 32 columns.
struct WalkedRows {
  using four_counts = FourCounts<std::uint16_t>;
  static constexpr int strip = CodePlanes<std::uint8_t>::pixels;
  static constexpr Index most_columns = 65535;

  HistogramBands<SmallCounts> bands;  ///< one for an image
  four_counts* counts;                ///< of four bins

  KOKKOS_FUNCTION int strips() const { return (bands.columns + strip - 1) / strip; }
  KOKKOS_FUNCTION int fours() const { return (bands.bins + 3) / 4; }
  Index count_count() const { return Index(bands.images) * strips() * fours() * bands.rows; }
  /// @brief Counts to the left of a strip, a value for each row.
  __device__ four_counts* counts_left(int image, int s, int four) const {
    return counts + ((Index(image) * strips() + s) * fours() + four) * bands.rows;
  }
};

/// @brief A block that bins the pixels of some rows, and counts them along the rows.
///
/// Lanes take the pixels of 32 columns, 8 rows of four strips a warp. What they count is added up
/// from strip to strip when the rows are complete.
template <class Pixel, class Binning>
class RowCounter {
  using code_type = SmallCounts::code_type;
  using coder_type = PixelCoder<Pixel, Binning, code_type>;
  using planes_type = CodePlanes<code_type>;
  using codes_type = typename planes_type::codes_type;
  using four_counts = WalkedRows::four_counts;
  static constexpr int strip = WalkedRows::strip;
  static constexpr int rows_at_once = 8;
  static constexpr int strips_at_once = gpu::warp_size / rows_at_once;

 public:
  static constexpr int table_bytes = (coder_type::shared_bytes + 15) / 16 * 16;
  static Index shared_bytes(const WalkedRows& rows) {
    return table_bytes + Index(rows.strips()) * rows_at_once * pitch(rows) * 4;
  }

  __device__ RowCounter(const HistogramImages<Pixel, Binning>& images, const WalkedRows& rows,
                        char* memory)
      : images_(images),
        rows_(rows),
        code_of_(images.binning, rows.bands.bins, memory),
        counts_(reinterpret_cast<std::uint32_t*>(memory + table_bytes)) {}

  __device__ void run() const {
    __syncthreads();
    const int parts = (rows_.bands.rows + rows_at_once - 1) / rows_at_once;
    const int steps = (rows_.strips() + strips_at_once - 1) / strips_at_once;
    for (Index job = blockIdx.x; job < Index(rows_.bands.images) * parts; job += gridDim.x) {
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
  /// @brief Words of four counts for a row of a strip: an odd number, for the banks' sake.
  KOKKOS_FUNCTION static int pitch(const WalkedRows& rows) { return rows.fours() | 1; }
  __device__ std::uint32_t* counts(int s, int row) const {
    return counts_ + (s * rows_at_once + row) * pitch(rows_);
  }

  __device__ void count(int image, int row, int s) const {
    if (row >= rows_.bands.rows || s >= rows_.strips()) return;
    const int column = s * strip;
    const codes_type codes = images_.packed && column + strip <= rows_.bands.columns
                                 ? read<true>(image, row, column)
                                 : read<false>(image, row, column);
    *reinterpret_cast<codes_type*>(rows_.bands.codes_of(image, row) + column) = codes;
    const planes_type planes(codes);
    std::uint32_t* const to = counts(s, lane_row());
    for (int four = 0; four < rows_.fours(); ++four) {
      std::uint32_t pixels[4];
      planes.pixels_with_four(static_cast<std::uint32_t>(4 * four), pixels);
      std::uint32_t found = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) found |= static_cast<std::uint32_t>(__popc(pixels[k])) << 8 * k;
      to[four] = found;
    }
  }

  template <bool Packed>
  __device__ codes_type read(int image, int row, int column) const {
    const Grid<const Pixel>& grid = images_.image;
    const Pixel* const from = &grid(row, column) + image * images_.image_stride;
    FourPixels<Pixel> pixels[strip / 4];
#pragma unroll
    for (int i = 0; i < strip / 4; ++i)
      pixels[i].template load<Packed>(from + 4 * i * grid.column_stride, grid.column_stride,
                                      rows_.bands.columns - (column + 4 * i));
    codes_type codes;
#pragma unroll
    for (int i = 0; i < strip / 4; ++i) {
      FourCodes<code_type> four;
#pragma unroll
      for (int k = 0; k < 4; ++k)
        four.set(k, Packed || column + 4 * i + k < rows_.bands.columns
                        ? code_of_(pixels[i].get(k))
                        : static_cast<code_type>(rows_.bands.bins));
      codes.value[i] = four.word;
    }
    return codes;
  }

  /// @brief Adds up the counts from strip to strip, a row and four bins a thread.
  __device__ void add_up(int image, int first_row) const {
    const int rows = min(rows_at_once, rows_.bands.rows - first_row);
    for (int i = static_cast<int>(threadIdx.x); i < rows_at_once * rows_.fours();
         i += static_cast<int>(blockDim.x)) {
      const int row = i % rows_at_once, four = i / rows_at_once;
      if (row >= rows) continue;
      four_counts left{};
#pragma unroll 8
      for (int s = 0; s < rows_.strips(); ++s) {
        const std::uint32_t found = counts(s, row)[four];
        rows_.counts_left(image, s, four)[first_row + row] = left;
        left.word[0] += __byte_perm(found, 0, 0x4140);
        left.word[1] += __byte_perm(found, 0, 0x4342);
      }
    }
  }

  const HistogramImages<Pixel, Binning>& images_;
  const WalkedRows& rows_;
  coder_type code_of_;
  std::uint32_t* counts_;  ///< (strip, row, four bins), a byte each
};

}  // namespace wavescan::Impl

#endif
