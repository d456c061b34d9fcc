// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_TABLEPROBLEM_HPP
#define WAVESCAN_IMPL_SAT_TABLEPROBLEM_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace wavescan::Impl::sat {

/// @brief Stands for the type of squares where none are summed up.
struct NoSquares {};

/// @brief Images of one size, of which tables are computed at once.
struct TableShape {
  Index images = 0;
  Index rows = 0;
  Index columns = 0;

  Index pixels() const { return rows * columns; }  ///< of an image
  TableShape transposed() const { return {images, columns, rows}; }
};

/// @brief Types of pixels, entries and sums, and the terms of the sums: pixels or, in a table of
/// squares, their squares, as numbers of the table. Integers wrap around.
/// @tparam SumType a wider one than the table's if sums are rounded to entries
template <class PixelType, class TableType, bool Squared = false, class SumType = TableType>
struct TableTypes {
  using Pixel = PixelType;
  using T = TableType;
  using V = typename std::conditional_t<WrappingInteger<SumType>, std::make_unsigned<SumType>,
                                        std::type_identity<SumType>>::type;
  static constexpr bool squared = Squared;
  static constexpr bool wide_sums = sizeof(V) > sizeof(T);
};

/// @brief The term of a sum that a pixel is.
template <class Types>
struct TermOf {
  using V = typename Types::V;
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const typename Types::Pixel& pixel) const {
    const auto v = static_cast<V>(static_cast<typename Types::T>(pixel));
    return Types::squared ? wrapping_multiply(v, v) : v;
  }
};

/// @brief The type in which sums in type T are kept if double is asked for.
template <class T>
using WideSum =
    std::conditional_t<std::floating_point<T> && (sizeof(T) < sizeof(double)), double, T>;

/// @brief The sums above an image that continues another one: over each column there, and over the
/// columns up to it. Without `columns` there is nothing above.
///
/// Both can be read as far as a word of 16 bytes with a column in it.
template <class T>
struct SumsAbove {
  const T* columns = nullptr;
  const T* up_to = nullptr;
};

/// @brief The arguments of every algorithm for summed-area tables: images of one size at equal
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
  SumsAbove<T> above{};  ///< one image only; not all algorithms take it

  /// @brief The problem of one image.
  KOKKOS_FUNCTION TableProblem of_image(Index m) const {
    TableProblem one = *this;
    one.image.data += m * image_stride;
    one.table.data += m * table_stride;
    if constexpr (has_squares) one.squares.data += m * squares_stride;
    one.images = 1;
    return one;
  }
  /// @brief The end of the last image's pixels, if rows run along memory.
  const Pixel* end_of_images() const {
    return image.data + (images - 1) * image_stride + (image.rows - 1) * image.row_stride +
           image.columns;
  }
  /// @brief The problems of the two tables.
  TableProblem<Pixel, T> of_sums() const {
    return {image, table, {}, images, image_stride, table_stride, 0, above};
  }
  TableProblem<Pixel, S> of_squares() const {
    return {image, squares, {}, images, image_stride, squares_stride};
  }
};
template <class Types>
using ProblemOf = TableProblem<typename Types::Pixel, typename Types::T>;

/// @brief Enqueues tables, and tells whether they have what is above the image.
template <class Pixel, class T, class S = NoSquares>
using Algorithm = std::function<bool(const TableProblem<Pixel, T, S>&)>;

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

}  // namespace wavescan::Impl::sat

#endif
