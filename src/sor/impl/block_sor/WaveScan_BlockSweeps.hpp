// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BLOCKSWEEPS_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BLOCKSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <WaveScan_StencilMatrix.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief SOR of several unknowns a point: a plane is a wavefront loop of small vectors, whose
/// weights are small matrices; planes follow each other.

namespace wavescan::Impl::block_sor {

/// @brief What a matrix of blocks is made of.
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
Grid<T> plane(const Grid<T>& grid, Index) {
  return grid;
}
template <class T>
Grid<T> plane(const sor::Box<T>& box, Index k) {
  return {box.data ? &box(k, 0, 0) : nullptr, box.rows, box.columns, box.row_stride,
          box.column_stride};
}

/// @brief The loop of plane k.
/// @param c coefficients, as Views of matrices, `center` the right-hand side's
template <bool Backward, int B, class T, class Arrays, class X, class Rhs>
auto loop_of(const Arrays& c, const X& x, const Rhs& b, T keep, Index k) {
  constexpr bool planes = std::same_as<X, sor::Box<T>>;
  const auto in_order = [&](const auto& array) {
    return plane(sor::read_only(Backward && array.data ? reversed(array) : array), k);
  };
  const auto coefficient = [&]<sor::StencilPoint Point>() {
    return in_order(sor::entry < Backward ? sor::opposite(Point) : Point > (c));
  };
  using enum sor::StencilPoint;
  BlockLoop<T, B, planes> loop{};
  loop.keep = keep;
  loop.left = coefficient.template operator()<Left>();
  loop.up = coefficient.template operator()<Up>();
  loop.right = coefficient.template operator()<Right>();
  loop.down = coefficient.template operator()<Down>();
  loop.rhs = in_order(c.center);
  loop.b = in_order(b);
  if constexpr (planes) {
    loop.front = coefficient.template operator()<Front>();
    loop.back = coefficient.template operator()<Back>();
    const auto of_x = sor::read_only(Backward ? reversed(x) : x);
    loop.before = plane(of_x, k - 1);
    loop.behind = plane(of_x, k + 1);
  }
  return loop;
}

}  // namespace wavescan::Impl::block_sor

#endif
