// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BLOCKSWEEPS_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BLOCKSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <WaveScan_StencilMatrix.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief SOR of several unknowns a point: a plane is a wavefront loop of small vectors, whose
/// weights are small matrices.

namespace wavescan::Impl::block_sor {

/// @brief The number type, vector type and size of a matrix of blocks.
template <class Matrix>
struct BlockTraits;
template <class T, int B>
struct BlockTraits<SmallMatrix<T, B>> {
  using number = T;
  using vector = SmallVector<T, B>;
  static constexpr int size = B;
};
template <class M>
concept BlockMatrix = StencilMatrix<M> && requires {
  typename BlockTraits<typename M::value_type>::number;
};

/// @brief Inverts by elimination with partial pivoting. Entries that are not finite stand for none.
template <class T, int B>
KOKKOS_FUNCTION SmallMatrix<T, B> inverted(SmallMatrix<T, B> a) {
  SmallMatrix<T, B> inverse = AffineMaps<T, B>().one();
  for (int k = 0; k < B; ++k) {
    int pivot = k;
    for (int r = k + 1; r < B; ++r)
      if (Kokkos::abs(a(r, k)) > Kokkos::abs(a(pivot, k))) pivot = r;
    const T factor = T(1) / a(pivot, k);
    for (int c = 0; c < B; ++c) {
      Kokkos::kokkos_swap(a(pivot, c), a(k, c));
      Kokkos::kokkos_swap(inverse(pivot, c), inverse(k, c));
      a(k, c) *= factor;
      inverse(k, c) *= factor;
    }
    for (int r = 0; r < B; ++r) {
      if (r == k) continue;
      const T multiple = a(r, k);
      for (int c = 0; c < B; ++c) {
        a(r, c) -= multiple * a(k, c);
        inverse(r, c) -= multiple * inverse(k, c);
      }
    }
  }
  return inverse;
}

/// @brief The equations solved for their points, and relaxed; `center` gets the right-hand side's.
template <class Arrays, class T>
struct SetBlockCoefficients {
  Arrays a, c;
  T omega;

  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    set(sor::NeighboursOf<Arrays>(), at...);
  }

 private:
  template <sor::StencilPoint... Each, class... At>
  KOKKOS_FUNCTION void set(sor::StencilPoints<Each...>, At... at) const {
    auto factor = inverted(a.center(at...));
    constexpr int size = BlockTraits<decltype(factor)>::size;
    const AffineMaps<T, size> maps;
    ((sor::entry<Each>(c)(at...) =
          scaled(maps.compose(sor::entry<Each>(a)(at...), factor), -omega)),
     ...);
    c.center(at...) = scaled(factor, omega);
  }
  template <class Matrix>
  KOKKOS_FUNCTION static Matrix scaled(Matrix m, T by) {
    for (auto& row : m.entry)
      for (T& entry : row) entry *= by;
    return m;
  }
};

/// @brief Whether a block of coefficients has an entry that is not finite.
template <class Array>
struct NotFinite {
  Array blocks;
  template <class... At>
  KOKKOS_FUNCTION bool operator()(At... at) const {
    bool finite = true;
    for (const auto& row : blocks(at...).entry)
      for (const auto entry : row) finite = finite && Kokkos::isfinite(entry);
    return !finite;
  }
};

/// @brief One sweep of a plane, or of all in two dimensions.
/// @tparam Planes whether there are planes before and behind
template <class T, int B, bool Planes>
struct BlockLoop {
  using algebra_type = AffineMaps<T, B>;
  using Vector = SmallVector<T, B>;
  using Blocks = Grid<const SmallMatrix<T, B>>;
  using Vectors = Grid<const Vector>;
  static constexpr bool exact = true;

  T keep;  ///< 1 - omega
  Blocks left, up, right, down, front, back, rhs;
  Vectors b, before, behind;

  KOKKOS_FORCEINLINE_FUNCTION SmallMatrix<T, B> weight(Index i, Index j) const {
    return left(i, j);
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION Vector partial(Index i, Index j, const Vector& upper, const Vector&,
                                             const Old& old) const {
    const algebra_type maps;
    Vector sum = old(i, j);
    for (T& number : sum.value) number *= keep;
    if (b.data) sum = maps.advance(b(i, j), rhs(i, j), sum);
    sum = maps.advance(old(i, j + 1), right(i, j), sum);
    sum = maps.advance(old(i + 1, j), down(i, j), sum);
    if constexpr (Planes) {
      sum = maps.advance(behind(i, j), back(i, j), sum);
      sum = maps.advance(before(i, j), front(i, j), sum);
    }
    return maps.advance(upper, up(i, j), sum);
  }
};

template <class T>
KOKKOS_FUNCTION Grid<T> plane(const Grid<T>& grid, Index) {
  return grid;
}
template <class T>
KOKKOS_FUNCTION Grid<T> plane(const sor::Box<T>& box, Index k) {
  return {box.data ? &box(k, 0, 0) : nullptr, box.rows, box.columns, box.row_stride,
          box.column_stride};
}

/// @brief The elements of an array in the order in which a sweep visits them.
template <bool Backward, class Array>
auto in_order_of_sweep(const Array& array) {
  return Backward && array.data ? reversed(array) : array;
}

/// @brief The arguments of a sweep; arrays are in its order.
template <class T, int B, int Rank>
struct BlockSweep {
  using Vector = SmallVector<T, B>;
  using Loop = BlockLoop<T, B, Rank == 3>;
  using Blocks = sor::ArrayOf<const SmallMatrix<T, B>, Rank>;

  T keep;  ///< 1 - omega
  Blocks left, up, right, down, front, back, rhs;
  sor::ArrayOf<const Vector, Rank> b;  ///< without data: zero
  sor::ArrayOf<Vector, Rank> x;

  /// @param c coefficients, whose `center` is the right-hand side's
  template <bool Backward, class Coefficients>
  static BlockSweep of(const Coefficients& c, const decltype(x)& to, const decltype(b)& right_side,
                       T keep) {
    const auto coefficient = [&]<sor::StencilPoint Point>() {
      return in_order_of_sweep<Backward>(
          sor::read_only(sor::entry < Backward ? sor::opposite(Point) : Point > (c)));
    };
    using enum sor::StencilPoint;
    BlockSweep sweep{};
    sweep.keep = keep;
    sweep.left = coefficient.template operator()<Left>();
    sweep.up = coefficient.template operator()<Up>();
    sweep.right = coefficient.template operator()<Right>();
    sweep.down = coefficient.template operator()<Down>();
    if constexpr (Rank == 3) {
      sweep.front = coefficient.template operator()<Front>();
      sweep.back = coefficient.template operator()<Back>();
    }
    sweep.rhs = coefficient.template operator()<Center>();
    sweep.b = in_order_of_sweep<Backward>(right_side);
    sweep.x = in_order_of_sweep<Backward>(to);
    return sweep;
  }

  KOKKOS_FUNCTION WavefrontProblem<Loop> plane(Index k) const {
    using block_sor::plane;
    Loop loop{};
    loop.keep = keep;
    loop.left = plane(left, k);
    loop.up = plane(up, k);
    loop.right = plane(right, k);
    loop.down = plane(down, k);
    loop.rhs = plane(rhs, k);
    loop.b = plane(b, k);
    if constexpr (Rank == 3) {
      loop.front = plane(front, k);
      loop.back = plane(back, k);
      loop.before = read_only(plane(x, k - 1));
      loop.behind = read_only(plane(x, k + 1));
    }
    return {loop, row_recurrence(loop), plane(x, k), {1, x.rows - 1, 1, x.columns - 1}};
  }

 private:
  KOKKOS_FUNCTION static Grid<const Vector> read_only(const Grid<Vector>& g) {
    return {g.data, g.rows, g.columns, g.row_stride, g.column_stride};
  }
};

}  // namespace wavescan::Impl::block_sor

#endif
