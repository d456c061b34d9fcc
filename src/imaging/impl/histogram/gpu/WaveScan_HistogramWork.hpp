// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_HISTOGRAMWORK_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_HISTOGRAMWORK_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_StreamingStore.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/histogram/WaveScan_HistogramProblem.hpp>
#include <impl/histogram/gpu/WaveScan_Codes.hpp>
#include <impl/histogram/gpu/WaveScan_HistogramSchemes.hpp>

#include <cstdint>

/// @file
/// @brief The arguments of kernels of integral histograms, and their tasks.

namespace wavescan::Impl::histogram {

/// @brief Types of codes and counts, for up to max_narrow_bins and max_narrow_rows and for more.
struct Narrow {
  using code_type = std::uint8_t;
  using count_type = std::uint16_t;
};
struct Wide {
  using code_type = std::uint16_t;
  using count_type = std::uint32_t;
};

/// @brief The problem, how it is divided, and the workspace: every pixel's code, and of every band
/// but an image's first, bin by bin, how many pixels of each column lie above it.
template <class PixelType, class BinningType, class Types, class Count>
struct Work {
  using Pixel = PixelType;
  using Binning = BinningType;
  using T = Count;
  using code_type = typename Types::code_type;
  using count_type = typename Types::count_type;

  Problem<Pixel, Binning, T> problem;
  bool packed;   ///< four pixels are aligned like PackedValues
  bool aligned;  ///< four neighbours of a histogram, from any fourth on, can be stored as one
  int bins;
  int rows;
  int columns;
  int images;
  Decomposition decomposition;
  Index pitch;  ///< columns, rounded up
  code_type* codes;
  count_type* counts;
  gpu::GridBarrier barrier;
  gpu::WorkQueue queue;

  __device__ code_type* codes_of(int image, int row) const {
    return codes + (image * code_rows(rows) + row) * pitch;
  }
  /// @brief Counts of the columns above a band, which is not the first.
  __device__ count_type* counts_above(int image, int band, int bin) const {
    return counts + ((Index(image) * (decomposition.bands - 1) + band - 1) * bins + bin) * pitch;
  }
  __device__ const Pixel* pixel(int image, int row, int column) const {
    return &problem.image(row, column) + image * problem.image_stride;
  }
  __device__ T* entry(int image, int bin, int row, int column) const {
    return &problem.histogram(bin, row, column) + image * problem.histogram_stride;
  }
};

/// @brief Clears a multiple of four counters.
__device__ inline void clear_in_block(std::uint32_t* counters, int count) {
  gpu::for_each_of_block(count / 4,
                         [=](int i) { reinterpret_cast<FourEntries*>(counters)[i] = {}; });
}

template <class T>
__device__ void store_four(T* to, const FourEntries& entries) {
  PackedValues<T, 4> values;
#pragma unroll
  for (int k = 0; k < 4; ++k) values.value[k] = static_cast<T>(entries.value[k]);
  gpu::store_streaming(to, values);
}

/// @brief The part of a histogram that a team of warps writes at a time.
struct Task {
  int image;
  int band;
  int first_row;
  int rows;
  int part;  ///< of the band

  Task() = default;
  /// Parts of the same band follow each other: they read the same codes.
  template <class Work>
  __device__ Task(const Work& w, int parts, Index task) {
    part = static_cast<int>(task % parts);
    task /= parts;
    band = static_cast<int>(task % w.decomposition.bands);
    image = static_cast<int>(task / w.decomposition.bands);
    first_row = band * w.decomposition.band_rows;
    rows = min(w.decomposition.band_rows, w.rows - first_row);
  }
};

}  // namespace wavescan::Impl::histogram

#endif
