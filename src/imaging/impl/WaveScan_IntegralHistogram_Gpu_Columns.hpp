// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_COLUMNS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_COLUMNS_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pixels.hpp>

#include <algorithm>
#include <cstdint>

namespace wavescan::Impl {

/// @brief The images, and how they are divided among the blocks that count their columns.
template <class Pixel, class Binning>
struct HistogramImages {
  Grid<const Pixel> image;  ///< the first one
  Index image_stride;
  Binning binning;
  bool packed;        ///< four pixels are aligned like PackedValues
  int group;          ///< columns that a block counts: 4, 8, 16 or 32
  int groups;         ///< of an image
  int counted_bands;  ///< at once
  /// 2^32 / rows of a band, rounded up: divides the rows of the bands that are counted at once.
  std::uint32_t inverse_band_rows;
};

/// @brief A block that bins pixels and counts them down the columns.
///
/// It takes groups of columns, one after the other, and rows of many bands at once: each band has
/// counters in shared memory. Pixels are read once and their codes kept for the writers.
template <class Pixel, class Binning, class Counts>
class ColumnCounter {
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;
  using coder_type = PixelCoder<Pixel, Binning, code_type>;
  using four_pixels = FourPixels<Pixel>;
  using four_codes = FourCodes<code_type>;
  /// Loads of a thread that are under way at once.
  template <bool Packed>
  static constexpr int loads = Packed
                                   ? std::clamp(128 / static_cast<int>(sizeof(four_pixels)), 1, 16)
                                   : 2;

 public:
  static constexpr int table_bytes = (coder_type::shared_bytes + 15) / 16 * 16;
  /// @brief Counters of a band; the last row is for pixels without a bin.
  KOKKOS_FUNCTION static constexpr int counters(int bins, int group) { return (bins + 1) * group; }

  __device__ ColumnCounter(const HistogramImages<Pixel, Binning>& images,
                           const HistogramBands<Counts>& bands, char* memory)
      : images_(images),
        bands_(bands),
        code_of_(images.binning, bands.bins, memory),
        counters_(reinterpret_cast<std::uint32_t*>(memory + table_bytes)),
        band_counters_(counters(bands.bins, images.group)) {}

  __device__ void run() {
    for (int i = static_cast<int>(threadIdx.x); i < images_.counted_bands * band_counters_ / 4;
         i += static_cast<int>(blockDim.x))
      reinterpret_cast<PackedValues<std::uint32_t, 4>*>(counters_)[i] = {};
    __syncthreads();
    for (Index job = blockIdx.x; job < Index(bands_.images) * images_.groups; job += gridDim.x)
      count_group(static_cast<int>(job / images_.groups),
                  static_cast<int>(job % images_.groups) * images_.group);
  }

 private:
  __device__ void count_group(int image, int first_column) {
    const int fours = images_.group / 4;
    const int column = first_column + static_cast<int>(threadIdx.x) % fours * 4;
    const bool packed = images_.packed && column + 4 <= bands_.columns;
    for (int band = 0; band < bands_.bands; band += images_.counted_bands) {
      const int last = min(band + images_.counted_bands, bands_.bands);
      const int first_row = band * bands_.band_rows;
      const int last_row = min(last * bands_.band_rows, bands_.rows);
      if (packed)
        count_rows<true>(image, column, first_row, last_row);
      else
        count_rows<false>(image, column, first_row, last_row);
      __syncthreads();
      hand_out(image, first_column, band, last);
      __syncthreads();
    }
  }

  /// @brief Bins the pixels of some rows. A thread takes four neighbours at a time.
  template <bool Packed>
  __device__ void count_rows(int image, int column, int first_row, int last_row) const {
    const int fours = images_.group / 4;
    const int step = static_cast<int>(blockDim.x) / fours;
    const int thread_row = static_cast<int>(threadIdx.x) / fours;
    std::uint32_t* const counters = counters_ + static_cast<int>(threadIdx.x) % fours * 4;
    int row = first_row + thread_row;
    const Pixel* from = &images_.image(row, column) + image * images_.image_stride;
    const Index stride = step * images_.image.row_stride;
    code_type* to = bands_.codes_of(image, row) + column;
    const Index pitch = step * bands_.pitch;
    while (row < last_row) {
      four_pixels pixels[loads<Packed>];
#pragma unroll
      for (int m = 0; m < loads<Packed>; ++m)  // rather the first row again than a branch
        pixels[m].template load<Packed>(row + m * step < last_row ? from + m * stride : from,
                                        images_.image.column_stride, bands_.columns - column);
      from += loads<Packed> * stride;
#pragma unroll
      for (int m = 0; m < loads<Packed>; ++m, row += step, to += pitch) {
        if (row >= last_row) break;
        four_codes codes;
#pragma unroll
        for (int k = 0; k < 4; ++k)
          codes.set(k, Packed || column + k < bands_.columns ? code_of_(pixels[m].get(k))
                                                             : static_cast<code_type>(bands_.bins));
        *reinterpret_cast<four_codes*>(to) = codes;
        // Threads of neighbouring rows begin with other columns, and so with other banks.
        std::uint32_t* const band = counters + band_of(row - first_row) * band_counters_;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int j = (thread_row + k) % 4;
          atomicAdd(band + static_cast<int>(codes.get(j)) * images_.group + j, 1u);
        }
      }
    }
  }

  /// @brief The band of a row of those that are counted at once.
  __device__ int band_of(int row) const {
    return static_cast<int>(__umulhi(static_cast<std::uint32_t>(row), images_.inverse_band_rows));
  }

  /// @brief Adds up the counts from band to band. The sum stays in the first counters, as what is
  /// above the next bands.
  __device__ void hand_out(int image, int first_column, int first_band, int last_band) const {
    constexpr int bands_at_once = 8;
    for (int i = static_cast<int>(threadIdx.x); i < bands_.bins * images_.group;
         i += static_cast<int>(blockDim.x)) {
      count_type* to = bands_.counts_above(image, first_band + 1, i / images_.group) +
                       first_column + i % images_.group;
      const Index stride = bands_.bins * bands_.pitch;
      std::uint32_t sum = 0;
      for (int first = first_band; first < last_band; first += bands_at_once) {
        std::uint32_t* const counters = counters_ + (first - first_band) * band_counters_ + i;
        std::uint32_t counts[bands_at_once];
#pragma unroll
        for (int m = 0; m < bands_at_once; ++m)
          if (first + m < last_band) {
            counts[m] = counters[m * band_counters_];
            counters[m * band_counters_] = 0;
          }
#pragma unroll
        for (int m = 0; m < bands_at_once; ++m, to += stride)
          if (first + m < last_band) {
            sum += counts[m];
            if (first + m + 1 < bands_.bands) *to = static_cast<count_type>(sum);
          }
      }
      if (last_band < bands_.bands) counters_[i] = sum;
    }
  }

  const HistogramImages<Pixel, Binning>& images_;
  const HistogramBands<Counts>& bands_;
  coder_type code_of_;
  std::uint32_t* counters_;  ///< (band, bin, column)
  int band_counters_;
};

}  // namespace wavescan::Impl

#endif
