// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_HISTOGRAMPROBLEM_HPP
#define WAVESCAN_IMPL_HISTOGRAM_HISTOGRAMPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Images.hpp>

#include <concepts>

namespace wavescan {

template <class T>
struct UniformBins;

namespace Impl::histogram {

/// @brief Extents of an integral histogram.
struct Extents {
  Index bins = 0;
  Index rows = 0;
  Index columns = 0;
};

/// @brief An integral histogram of any layout: one Grid for each bin.
template <class T>
struct Planes {
  T* data = nullptr;
  Extents extents;
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

/// @brief Neighbours in memory: columns of a bin, bins of a pixel, or others.
enum class Order { Other, Planar, Interleaved };

template <class T>
Order order_of(const Planes<T>& h) {
  return h.column_stride == 1 || h.extents.columns == 1 ? Order::Planar
         : h.bin_stride == 1                            ? Order::Interleaved
                                                        : Order::Other;
}

/// @brief A View of one histogram (bin, row, column) or of many (image, bin, row, column).
template <class V>
concept HistogramView = ViewOfRank<V, 3> || ViewOfRank<V, 4>;

template <HistogramView V>
Batch<Planes<typename V::value_type>> histograms_of(const V& view) {
  constexpr int bins = static_cast<int>(V::rank()) - 3;
  const auto extent = [&](int r) { return static_cast<Index>(view.extent(r)); };
  const auto stride = [&](int r) { return static_cast<Index>(view.stride(r)); };
  return {{view.data(),
           {extent(bins), extent(bins + 1), extent(bins + 2)},
           stride(bins),
           stride(bins + 1),
           stride(bins + 2)},
          bins == 1 ? extent(0) : 1,
          bins == 1 ? stride(0) : 0};
}

/// @brief The number of a pixel's bin, or another one if the histogram has no such bin.
template <class Binning, class Pixel>
KOKKOS_FORCEINLINE_FUNCTION Index bin_or(const Binning& binning, const Pixel& pixel, Index bins,
                                         Index none) {
  const auto bin = static_cast<Index>(binning(pixel));
  return bin >= 0 && bin < bins ? bin : none;
}

/// @brief True for binnings that may be asked for pixels that the image doesn't have.
template <class Binning>
inline constexpr bool is_defined_everywhere = false;
template <class T>
inline constexpr bool is_defined_everywhere<UniformBins<T>> = true;

/// @brief Whether the bins of pixels may come from a table of 256, the index an unsigned byte.
template <class Pixel, class Binning>
inline constexpr bool may_look_up = sizeof(Pixel) == 1 && std::integral<Pixel> &&
                                    !std::same_as<Pixel, bool> && is_defined_everywhere<Binning>;

/// @brief The arguments of every algorithm for integral histograms: images of one size at equal
/// distances, and as many histograms, in any order.
///
/// Pixels whose bin lies outside [0, bins) are not counted.
template <class Pixel, class Binning, class Count>
struct Problem {
  Grid<const Pixel> image;  ///< the first one
  Binning binning;
  Planes<Count> histogram;  ///< of the first image
  Index images = 1;
  Index image_stride = 0;  ///< elements from one image to the next
  Index histogram_stride = 0;

  /// @brief The problem of one image.
  KOKKOS_FUNCTION Problem of_image(Index m) const {
    Problem one = *this;
    one.image.data += m * image_stride;
    one.histogram.data += m * histogram_stride;
    one.images = 1;
    return one;
  }
};

}  // namespace Impl::histogram
}  // namespace wavescan

#endif
