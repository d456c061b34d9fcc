// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_COLUMNCOUNTS_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_COLUMNCOUNTS_HPP

#include <impl/histogram/gpu/WaveScan_HistogramWork.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// @file
/// @brief The first step of schemes: pixels become codes, which are counted down the columns
/// (along the rows in WaveScan_SmallPlanar.hpp).

namespace wavescan::Impl::histogram {

/// @brief Four neighbouring pixels of a row, in words as Four has them.
template <class Pixel>
struct alignas(PackedValues<Pixel, 4>) FourPixels {
  std::uint32_t word[sizeof(Pixel)];

  __device__ void set(int k, const Pixel& pixel) {
    std::memcpy(reinterpret_cast<char*>(word) + k * sizeof(Pixel), &pixel, sizeof(Pixel));
  }
  __device__ Pixel get(int k) const {
    Pixel pixel;
    std::memcpy(&pixel, reinterpret_cast<const char*>(word) + k * sizeof(Pixel), sizeof(Pixel));
    return pixel;
  }

  /// @param there how many of the pixels there are, if they are not packed
  template <bool Packed>
  __device__ void load(const Pixel* from, Index stride, int there) {
    if constexpr (Packed) {
      *this = *reinterpret_cast<const FourPixels*>(from);
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < there) set(k, from[k * stride]);
    }
  }
};

/// @brief Turns pixels into codes: bytes through a table if they may be looked up, other pixels by
/// the binning itself.
template <class Work>
class Coder {
  using Pixel = typename Work::Pixel;
  using Binning = typename Work::Binning;
  using Code = typename Work::code_type;
  static constexpr bool has_table = may_look_up<Pixel, Binning>;
  static constexpr int values = 256;

 public:
  /// Every lane has a column of words, its own bank, since pixels of a warp differ.
  static constexpr int shared_bytes = has_table ? lookup_bytes : 0;

  /// @brief Makes the coder; all threads of a block do so together, and then wait for each other.
  /// @param memory shared
  __device__ Coder(const Work& work, char* memory)
      : binning_(work.problem.binning),
        bins_(work.bins),
        table_(reinterpret_cast<std::uint32_t*>(memory) + gpu::lane()) {
    if constexpr (has_table) {
      const int warps = static_cast<int>(blockDim.x) / gpu::warp_size;
      for (int first = gpu::warp() * gpu::warp_size; first < values;
           first += warps * gpu::warp_size) {
        const std::uint32_t own =
            code(static_cast<Pixel>(static_cast<std::uint8_t>(first + gpu::lane())));
        for (int i = 0; i < gpu::warp_size; ++i)
          table_[(first + i) * gpu::warp_size] = gpu::broadcast(own, i);
      }
    }
  }

  /// @param there as for load
  template <bool Packed>
  __device__ Four<Code> codes(const FourPixels<Pixel>& pixels, int there) const {
    Four<Code> four;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four.set(k, Packed || k < there ? (*this)(pixels.get(k)) : static_cast<Code>(bins_));
    return four;
  }

 private:
  __device__ Code operator()(const Pixel& pixel) const {
    if constexpr (has_table)
      return static_cast<Code>(table_[static_cast<std::uint8_t>(pixel) * gpu::warp_size]);
    else
      return code(pixel);
  }
  __device__ Code code(const Pixel& pixel) const {
    return static_cast<Code>(bin_or(binning_, pixel, bins_, bins_));
  }

  const Binning& binning_;
  int bins_;
  std::uint32_t* table_;  ///< the lane's column
};

/// @brief A block that bins pixels and counts them down the columns.
///
/// It takes groups of columns, one after the other, and rows of many bands at once: each band has
/// counters in shared memory. Pixels are read once and their codes kept for the writers.
template <class Work>
class ColumnCounter {
  using count_type = typename Work::count_type;
  using coder_type = Coder<Work>;
  using Pixel = typename Work::Pixel;
  using four_codes = Four<typename Work::code_type>;
  /// Loads of a thread that are under way at once.
  template <bool Packed>
  static constexpr int loads = Packed
                                   ? std::clamp(128 / static_cast<int>(sizeof(FourPixels<Pixel>)),
                                                1, 16)
                                   : 2;

 public:
  __device__ ColumnCounter(const Work& work, char* memory)
      : w_(work),
        code_of_(work, memory),
        counters_(reinterpret_cast<std::uint32_t*>(memory + coder_type::shared_bytes)),
        // The last row is for pixels without a bin.
        band_counters_((work.bins + 1) * work.decomposition.group) {}

  __device__ void run() {
    clear_in_block(counters_, w_.decomposition.counted_bands * band_counters_);
    __syncthreads();
    for (Index job = blockIdx.x; job < Index(w_.images) * w_.decomposition.groups; job += gridDim.x)
      count_group(static_cast<int>(job / w_.decomposition.groups),
                  static_cast<int>(job % w_.decomposition.groups) * w_.decomposition.group);
  }

 private:
  __device__ void count_group(int image, int first_column) {
    const int fours = w_.decomposition.group / 4;
    const int column = first_column + static_cast<int>(threadIdx.x) % fours * 4;
    const bool packed = w_.packed && column + 4 <= w_.columns;
    for (int band = 0; band < w_.decomposition.bands; band += w_.decomposition.counted_bands) {
      const int last = min(band + w_.decomposition.counted_bands, w_.decomposition.bands);
      const int first_row = band * w_.decomposition.band_rows;
      const int last_row = min(last * w_.decomposition.band_rows, w_.rows);
      if (packed)
        count_rows<true>(image, column, first_row, last_row);
      else
        count_rows<false>(image, column, first_row, last_row);
      __syncthreads();
      add_up(image, first_column, band, last);
      __syncthreads();
    }
  }

  /// @brief Bins the pixels of some rows. A thread takes four neighbours at a time.
  template <bool Packed>
  __device__ void count_rows(int image, int column, int first_row, int last_row) const {
    const int fours = w_.decomposition.group / 4;
    const int step = static_cast<int>(blockDim.x) / fours;
    const int thread_row = static_cast<int>(threadIdx.x) / fours;
    const int there = w_.columns - column;
    std::uint32_t* const counters = counters_ + static_cast<int>(threadIdx.x) % fours * 4;
    int row = first_row + thread_row;
    const Pixel* from = w_.pixel(image, row, column);
    const Index stride = step * w_.problem.image.row_stride;
    auto* to = w_.codes_of(image, row) + column;
    const Index pitch = step * w_.pitch;
    while (row < last_row) {
      FourPixels<Pixel> pixels[loads<Packed>];
#pragma unroll
      for (int m = 0; m < loads<Packed>; ++m)  // rather the first row again than a branch
        pixels[m].template load<Packed>(row + m * step < last_row ? from + m * stride : from,
                                        w_.problem.image.column_stride, there);
      from += loads<Packed> * stride;
#pragma unroll
      for (int m = 0; m < loads<Packed>; ++m, row += step, to += pitch) {
        if (row >= last_row) break;
        const four_codes codes = code_of_.template codes<Packed>(pixels[m], there);
        *reinterpret_cast<four_codes*>(to) = codes;
        // Threads of neighbouring rows begin with other columns, and so with other banks.
        std::uint32_t* const band = counters + band_of(row - first_row) * band_counters_;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int j = (thread_row + k) % 4;
          atomicAdd(band + static_cast<int>(codes.get(j)) * w_.decomposition.group + j, 1u);
        }
      }
    }
  }

  /// @brief The band of a row of those that are counted at once.
  __device__ int band_of(int row) const {
    return static_cast<int>(
        gpu::multiply_high(static_cast<std::uint32_t>(row), w_.decomposition.inverse_band_rows));
  }

  /// @brief Adds up the counts from band to band. The sum stays in the first counters, as what is
  /// above the next bands.
  __device__ void add_up(int image, int first_column, int first_band, int last_band) const {
    constexpr int bands_at_once = 8;
    gpu::for_each_of_block(w_.bins * w_.decomposition.group, [&](int i) {
      count_type* to = w_.counts_above(image, first_band + 1, i / w_.decomposition.group) +
                       first_column + i % w_.decomposition.group;
      const Index stride = w_.bins * w_.pitch;
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
            if (first + m + 1 < w_.decomposition.bands) *to = static_cast<count_type>(sum);
          }
      }
      if (last_band < w_.decomposition.bands) counters_[i] = sum;
    });
  }

  const Work& w_;
  coder_type code_of_;
  std::uint32_t* counters_;  ///< (band, bin, column)
  int band_counters_;
};

}  // namespace wavescan::Impl::histogram

#endif
