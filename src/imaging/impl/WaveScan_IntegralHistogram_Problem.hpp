// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_PROBLEM_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

namespace wavescan::Impl {

/// @brief Extents of an integral histogram.
struct HistogramExtents {
  Index bins = 0;
  Index rows = 0;
  Index columns = 0;
};

/// @brief An integral histogram of any layout: one Grid for each bin.
template <class T>
struct Planes {
  T* data = nullptr;
  HistogramExtents extents;
  Index bin_stride = 0;
  Index row_stride = 0;
  Index column_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index bin, Index i, Index j) const {
    return data[bin * bin_stride + i * row_stride + j * column_stride];
  }
  KOKKOS_FUNCTION Grid<T> plane(Index bin) const {
    return {data + bin * bin_stride, extents.rows, extents.columns, row_stride, column_stride};
  }
};

template <ViewOfRank<3> V>
Planes<typename V::value_type> planes_of(const V& view) {
  return {view.data(),
          {static_cast<Index>(view.extent(0)), static_cast<Index>(view.extent(1)),
           static_cast<Index>(view.extent(2))},
          static_cast<Index>(view.stride(0)),
          static_cast<Index>(view.stride(1)),
          static_cast<Index>(view.stride(2))};
}

/// @brief Integral histograms at equal distances.
template <class T>
struct Histograms {
  Planes<T> first;
  Index count = 1;
  Index stride = 0;  ///< elements from one histogram to the next
};

/// @brief A View of one histogram (bin, row, column) or of many (image, bin, row, column).
template <class V>
concept HistogramView = ViewOfRank<V, 3> || ViewOfRank<V, 4>;

template <HistogramView V>
Histograms<typename V::value_type> histograms_of(const V& view) {
  if constexpr (V::rank() == 3)
    return {planes_of(view)};
  else
    return {{view.data(),
             {static_cast<Index>(view.extent(1)), static_cast<Index>(view.extent(2)),
              static_cast<Index>(view.extent(3))},
             static_cast<Index>(view.stride(1)),
             static_cast<Index>(view.stride(2)),
             static_cast<Index>(view.stride(3))},
            static_cast<Index>(view.extent(0)),
            static_cast<Index>(view.stride(0))};
}

/// @brief What every way of computing integral histograms is given: images of one size at equal
/// distances, and as many histograms.
///
/// Bins lie in planes or side by side, whatever the histogram's strides say. Pixels whose bin lies
/// outside [0, bins) are not counted.
template <class Pixel, class Binning, class Count>
struct HistogramProblem {
  Grid<const Pixel> image;  ///< the first one
  Binning binning;
  Planes<Count> histogram;  ///< of the first image
  Index images = 1;
  Index image_stride = 0;  ///< elements from one image to the next
  Index histogram_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION Index bin(Index i, Index j) const {
    return static_cast<Index>(binning(image(i, j)));
  }
  /// @brief The problem of one image.
  KOKKOS_FUNCTION HistogramProblem of_image(Index m) const {
    HistogramProblem one = *this;
    one.image.data += m * image_stride;
    one.histogram.data += m * histogram_stride;
    one.images = 1;
    return one;
  }
};

}  // namespace wavescan::Impl

#endif
