// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_PROBLEM_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

#include <concepts>
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

/// @brief Stands for the type of squares where none are summed up.
struct NoSquares {};

/// @brief What every way of computing summed-area tables is given: images of one size at equal
/// distances, and as many tables, which are inclusive.
///
/// A table may be its image (the same elements, in place). Grids have any strides: a table's rows
/// and columns may be exchanged if those of its image and squares are (`transposed`).
/// @tparam S element type of the tables of squared pixels, which are computed in the same pass
template <class Pixel, class T, class S = NoSquares>
struct TableProblem {
  static constexpr bool has_squares = !std::same_as<S, NoSquares>;

  Grid<const Pixel> image;  ///< the first one
  Grid<T> table;
  Grid<S> squares{};  ///< without data if there are none
  Index images = 1;
  Index image_stride = 0;  ///< elements from one image to the next
  Index table_stride = 0;
  Index squares_stride = 0;

  /// @brief The problem of one image.
  KOKKOS_FUNCTION TableProblem of_image(Index m) const {
    TableProblem one = *this;
    one.image.data += m * image_stride;
    one.table.data += m * table_stride;
    if constexpr (has_squares) one.squares.data += m * squares_stride;
    one.images = 1;
    return one;
  }
};

template <class Pixel, class T, class S>
TableProblem<Pixel, T, S> transposed(const TableProblem<Pixel, T, S>& p) {
  return {transposed(p.image), transposed(p.table), transposed(p.squares), p.images,
          p.image_stride,      p.table_stride,      p.squares_stride};
}

/// @brief Whether a table's rows run along memory, rather than its columns.
template <class Pixel, class T, class S>
bool runs_along_rows(const TableProblem<Pixel, T, S>& p) {
  return p.table.column_stride <= p.table.row_stride;
}

}  // namespace wavescan::Impl

#endif
