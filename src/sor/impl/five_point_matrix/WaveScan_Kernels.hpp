// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FIVE_POINT_MATRIX_KERNELS_HPP
#define WAVESCAN_IMPL_FIVE_POINT_MATRIX_KERNELS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Points.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief What five-point matrices are made of (compressed rows among others) and used for, point
/// by point.

namespace wavescan {

/// @brief A sparse matrix in compressed rows: the members of KokkosSparse::CrsMatrix that are used.
///
/// The entries of row r are values(k) in column graph.entries(k), for k from graph.row_map(r) to
/// before graph.row_map(r + 1).
template <class M>
concept CrsMatrixLike = requires(const M& matrix) {
  { matrix.numRows() } -> std::integral;
  requires ViewOfRank < std::remove_cvref_t<decltype(matrix.graph.row_map)>,
  1 > ;
  requires ViewOfRank < std::remove_cvref_t<decltype(matrix.graph.entries)>,
  1 > ;
  requires ViewOfRank < std::remove_cvref_t<decltype(matrix.values)>,
  1 > ;
};

namespace Impl::five_point_matrix {

/// @brief A five-point matrix in kernels.
template <class T>
struct FivePointGrids {
  Grid<T> center;
  Grid<T> left;
  Grid<T> up;
  Grid<T> right;
  Grid<T> down;
};

/// @brief Finite volumes: a flux through each of four faces.
template <class T>
struct SetDiffusion {
  Grid<const T> k;
  FivePointGrids<T> a;
  T per_area;  ///< 1 / h^2

  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    const T left = face(i, j, i, j - 1);
    const T up = face(i, j, i - 1, j);
    const T right = face(i, j, i, j + 1);
    const T down = face(i, j, i + 1, j);
    a.left(i, j) = -left;
    a.up(i, j) = -up;
    a.right(i, j) = -right;
    a.down(i, j) = -down;
    a.center(i, j) = (left + up) + (right + down);
  }

 private:
  KOKKOS_FUNCTION T face(Index i, Index j, Index neighbour_i, Index neighbour_j) const {
    const T here = k(i, j);
    const T there = k(neighbour_i, neighbour_j);
    const T sum = here + there;
    // Quotient first: a product of two large or two small numbers leaves the range of T.
    return sum == T(0) ? T(0) : per_area * (2 * here * (there / sum));
  }
};

/// @brief Whether the equation of a point cannot be solved for it.
template <class T>
struct NoPivot {
  Grid<const T> center;
  explicit NoPivot(const Grid<T>& diagonal) : center(sor::read_only(diagonal)) {}
  KOKKOS_FUNCTION bool operator()(Index i, Index j) const {
    return center(i, j) == T(0) || !Kokkos::isfinite(center(i, j));
  }
};

/// @brief The equations solved for their points, and relaxed.
template <class T>
struct SetCoefficients {
  FivePointGrids<T> a;
  FivePointGrids<T> c;  ///< center: the coefficient of the right-hand side
  T omega;

  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    const T factor = omega / a.center(i, j);
    c.center(i, j) = factor;
    c.left(i, j) = -factor * a.left(i, j);
    c.up(i, j) = -factor * a.up(i, j);
    c.right(i, j) = -factor * a.right(i, j);
    c.down(i, j) = -factor * a.down(i, j);
  }
};

template <class T>
struct Multiply {
  FivePointGrids<T> a;
  Grid<const T> x;
  Grid<T> y;

  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    const T along_row = a.left(i, j) * x(i, j - 1) + a.right(i, j) * x(i, j + 1);
    const T along_column = a.up(i, j) * x(i - 1, j) + a.down(i, j) * x(i + 1, j);
    y(i, j) = a.center(i, j) * x(i, j) + (along_row + along_column);
  }
};

/// @brief Takes over the row of a point. As a predicate: whether it has other entries than those of
/// the point and its neighbours.
template <class RowMap, class Entries, class Values>
struct ReadCrsRow {
  using T = typename Values::non_const_value_type;
  RowMap row_map;
  Entries entries;
  Values values;
  FivePointGrids<T> a;

  KOKKOS_FUNCTION bool operator()(Index i, Index j) const {
    const Index m = a.center.rows - 2;
    const Index n = a.center.columns - 2;
    const Index row = (i - 1) * n + (j - 1);
    T center{}, left{}, up{}, right{}, down{};
    bool wrong = false;
    const auto end = row_map(row + 1);
    for (auto k = row_map(row); k < end; ++k) {
      const T value = values(k);
      const Index distance = static_cast<Index>(entries(k)) - row;
      if (distance == 0)
        center += value;
      else if (distance == -1 && j > 1)
        left += value;
      else if (distance == 1 && j < n)
        right += value;
      else if (distance == -n && i > 1)
        up += value;
      else if (distance == n && i < m)
        down += value;
      else
        wrong |= value != T(0);
    }
    a.center(i, j) = center;
    a.left(i, j) = left;
    a.up(i, j) = up;
    a.right(i, j) = right;
    a.down(i, j) = down;
    return wrong;
  }
};

template <class Crs, class T>
auto make_read_crs_row(const Crs& crs, const FivePointGrids<T>& a) {
  using RowMap = std::remove_cvref_t<decltype(crs.graph.row_map)>;
  using Entries = std::remove_cvref_t<decltype(crs.graph.entries)>;
  using Values = std::remove_cvref_t<decltype(crs.values)>;
  return ReadCrsRow<RowMap, Entries, Values>{crs.graph.row_map, crs.graph.entries, crs.values, a};
}

}  // namespace Impl::five_point_matrix
}  // namespace wavescan

#endif
