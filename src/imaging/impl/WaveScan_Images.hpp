// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_IMAGES_HPP
#define WAVESCAN_IMPL_IMAGES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief Arrays of one size at equal distances.
template <class Array>
struct Batch {
  Array first;
  Index count = 1;
  Index stride = 0;  ///< elements from one to the next
};
template <class T>
using Images = Batch<Grid<T>>;

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

/// @brief Returns the images without their first row and column.
template <class T>
Images<T> without_border(const Images<T>& images) {
  const Grid<T>& g = images.first;
  return {{g.data + g.row_stride + g.column_stride, g.rows - 1, g.columns - 1, g.row_stride,
           g.column_stride},
          images.count,
          images.stride};
}

/// @brief Throws unless a View is of so many images, or is the only one, whose extents are these.
/// @param must what users are told, before the extents
inline void require_images(std::string_view operation, std::string_view argument,
                           const Footprint& view, const char* must, Index images,
                           std::initializer_list<Index> extents) {
  const auto first = view.extent.begin() + (view.rank - extents.size());
  const bool batch = view.rank > extents.size();
  if (std::equal(extents.begin(), extents.end(), first) && images == (batch ? view.extent[0] : 1))
    return;
  std::string expected = batch || images != 1 ? std::to_string(images) : "";
  for (const Index extent : extents)
    expected += (expected.empty() ? "" : " x ") + std::to_string(extent);
  reject(operation, argument, std::string(must) + " (" + expected + ")", extents_of(view));
}

/// @brief Zeros in the first row and the first column.
template <class T>
struct FillBorder {
  Images<T> tables;
  KOKKOS_FUNCTION void operator()(const Index n) const {
    const Grid<T>& first = tables.first;
    const Index length = first.rows + first.columns - 1;
    const Index k = n % length;
    const Grid<T> table{first.data + n / length * tables.stride, first.rows, first.columns,
                        first.row_stride, first.column_stride};
    (k < first.rows ? table(k, 0) : table(0, k - first.rows + 1)) = T(0);
  }
};

/// @brief Enqueues zeros for the first rows and columns of tables, which have both.
template <ExecutionSpace Exec, class T>
void fill_border(const Exec& exec, const Images<T>& tables) {
  const Index length = tables.first.rows + tables.first.columns - 1;
  enqueue_items(exec, "WaveScan::summed_area_table::border", tables.count * length, 4e-9,
                FillBorder<T>{tables});
}

/// @brief Whether an element, and all that lie multiples of the strides after it, begin at
/// multiples of so many bytes.
template <class E>
bool begin_at(std::size_t bytes, const E* first, std::initializer_list<Index> strides) {
  return reinterpret_cast<std::uintptr_t>(first) % bytes == 0 &&
         std::all_of(strides.begin(), strides.end(),
                     [=](Index stride) { return stride * Index(sizeof(E)) % Index(bytes) == 0; });
}
/// @brief Whether all rows of images do, `stride` elements apart.
template <class E>
bool rows_begin_at(std::size_t bytes, const Grid<E>& first, Index images, Index stride) {
  return begin_at(bytes, first.data,
                  {first.rows > 1 ? first.row_stride : 0, images > 1 ? stride : 0});
}

/// @brief An array of the workspace, which holds nothing yet.
template <class T, ExecutionSpace Exec>
Kokkos::View<T*, typename Exec::memory_space> workspace_array(const Exec& exec, const char* name,
                                                              Index size) {
  Kokkos::View<T*, typename Exec::memory_space> array;
  allocate(exec, array, name, size);
  return array;
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
