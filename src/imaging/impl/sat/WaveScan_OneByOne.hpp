// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_ONEBYONE_HPP
#define WAVESCAN_IMPL_SAT_ONEBYONE_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/sat/WaveScan_Problem.hpp>

#include <optional>

namespace wavescan::Impl::sat {

/// @brief Squares of pixels.
template <class Pixel, class S>
struct SquarePixels {
  Grid<const Pixel> image;
  Grid<S> squares;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    const S x = static_cast<S>(image(i, j));
    squares(i, j) = wrapping_multiply(x, x);
  }
};

/// @brief Tables one after the other, each of them by an algorithm that does a single one: squares
/// are written where their table will be, whose image they are then.
/// @tparam Algorithm `Algorithm<Exec, Pixel, T>` is called with a Grid of pixels and one of entries
template <ExecutionSpace Exec, class Pixel, class T, class S,
          template <class, class, class> class Algorithm>
class TablesOneByOne {
  using Problem = TableProblem<Pixel, T, S>;

 public:
  TablesOneByOne(const Exec& exec, Index rows, Index columns)
      : exec_(exec), sums_(exec, rows, columns) {
    if constexpr (Problem::has_squares) squares_.emplace(exec, rows, columns);
  }

  void enqueue(const Problem& problem) const {
    for (Index m = 0; m < problem.images; ++m) {
      const Problem one = problem.of_image(m);
      if constexpr (Problem::has_squares) {  // first: the table may take the image's place
        Kokkos::parallel_for("WaveScan::summed_area_table::squares",
                             Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<Index>>(
                                 exec_, {0, 0}, {one.image.rows, one.image.columns}),
                             SquarePixels<Pixel, S>{one.image, one.squares});
        const Grid<S>& s = one.squares;
        (*squares_)({s.data, s.rows, s.columns, s.row_stride, s.column_stride}, s);
      }
      sums_(one.image, one.table);
    }
  }

 private:
  struct Nothing {};
  template <class Value, bool Used>
  struct AlgorithmOfSquares {
    using type = Nothing;
  };
  template <class Value>
  struct AlgorithmOfSquares<Value, true> {
    using type = Algorithm<Exec, Value, Value>;
  };

  Exec exec_;
  Algorithm<Exec, Pixel, T> sums_;
  std::optional<typename AlgorithmOfSquares<S, Problem::has_squares>::type> squares_;
};

}  // namespace wavescan::Impl::sat

#endif
