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

/// @brief What every way of computing an integral histogram is given.
template <class Pixel, class Binning, class Count>
struct HistogramProblem {
  Grid<const Pixel> image;
  Binning binning;
  Planes<Count> histogram;
  KOKKOS_FORCEINLINE_FUNCTION Index bin(Index i, Index j) const {
    return static_cast<Index>(binning(image(i, j)));
  }
};

}  // namespace wavescan::Impl

#endif
