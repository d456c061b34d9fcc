// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_IMAGES_HPP
#define WAVESCAN_IMPL_IMAGES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

#include <cstddef>

namespace wavescan::Impl {

/// @brief Images of one size at equal distances.
template <class T>
struct Images {
  Grid<T> first;
  Index count = 1;
  Index stride = 0;  ///< elements from one image to the next
};

/// @brief A View of one image (row, column) or of many (image, row, column).
template <class V>
concept ImageView = ViewOfRank<V, 2> || ViewOfRank<V, 3>;

template <ImageView V>
Images<typename V::value_type> images_of(const V& view) {
  if constexpr (V::rank() == 2)
    return {grid_of(view)};
  else
    return {{view.data(), static_cast<Index>(view.extent(1)), static_cast<Index>(view.extent(2)),
             static_cast<Index>(view.stride(1)), static_cast<Index>(view.stride(2))},
            static_cast<Index>(view.extent(0)),
            static_cast<Index>(view.stride(0))};
}

/// @brief The same images without their first row and column.
template <class T>
Images<T> without_border(const Images<T>& images) {
  const Grid<T>& g = images.first;
  return {{g.data + g.row_stride + g.column_stride, g.rows - 1, g.columns - 1, g.row_stride,
           g.column_stride},
          images.count,
          images.stride};
}

/// @brief A Grid as a View, for what takes Views only.
template <ExecutionSpace Exec, class T>
auto strided_view(const Grid<T>& g) {
  return Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      g.data, Kokkos::LayoutStride(
                  static_cast<std::size_t>(g.rows), static_cast<std::size_t>(g.row_stride),
                  static_cast<std::size_t>(g.columns), static_cast<std::size_t>(g.column_stride)));
}

}  // namespace wavescan::Impl

#endif
