// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PIECES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PIECES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>

namespace wavescan::Impl {

/// @brief The histograms that are written.
template <class T>
struct HistogramOut {
  T* data;
  Index image_stride;
  Index bin_stride;
  Index row_stride;
  Index column_stride;
  bool aligned;  ///< four neighbours in memory, from any fourth on, can be stored as one

  __device__ T* entry(int image, int bin, int row, int column) const {
    return data + image * image_stride + bin * bin_stride + row * row_stride +
           column * column_stride;
  }
};

/// @brief A part of a band of rows, which is written at a time.
struct HistogramPiece {
  int image;
  int band;
  int first_row;
  int rows;
  int part;

  HistogramPiece() = default;
  /// Parts of the same band follow each other: they read the same codes.
  template <class Counts>
  __device__ HistogramPiece(const HistogramBands<Counts>& bands, int parts, Index piece) {
    part = static_cast<int>(piece % parts);
    piece /= parts;
    band = static_cast<int>(piece % bands.bands);
    image = static_cast<int>(piece / bands.bands);
    first_row = band * bands.band_rows;
    rows = min(bands.band_rows, bands.rows - first_row);
  }
};

}  // namespace wavescan::Impl

#endif
