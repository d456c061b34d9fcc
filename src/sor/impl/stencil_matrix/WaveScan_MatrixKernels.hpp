// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_STENCIL_MATRIX_MATRIXKERNELS_HPP
#define WAVESCAN_IMPL_STENCIL_MATRIX_MATRIXKERNELS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

/// @file
/// @brief The kernels by which matrices of stencils are made (of compressed rows among others) and
/// used, point by point.

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

namespace Impl::stencil_matrix {

using sor::array_of;
using sor::beside;
using sor::entry;
using sor::StencilPoint;
using sor::StencilPoints;

/// @brief The unknowns of an array with a halo, in the order of the equations.
struct Unknowns {
  Index planes = 1;
  Index rows = 0;
  Index columns = 0;

  template <class T>
  static Unknowns of(const Grid<T>& x) {
    return {1, without_halo(x.rows), without_halo(x.columns)};
  }
  template <class T>
  static Unknowns of(const sor::Box<T>& x) {
    return {without_halo(x.planes), without_halo(x.rows), without_halo(x.columns)};
  }
  Index count() const { return planes * rows * columns; }

  KOKKOS_FUNCTION Index equation(Index i, Index j) const { return (i - 1) * columns + (j - 1); }
  KOKKOS_FUNCTION Index equation(Index k, Index i, Index j) const {
    return ((k - 1) * rows + (i - 1)) * columns + (j - 1);
  }
  /// @brief The distance to a neighbour's equation.
  template <StencilPoint Which>
  KOKKOS_FUNCTION Index distance() const {
    return (sor::plane_offset<Which> * rows + sor::row_offset<Which>)*columns +
           sor::column_offset<Which>;
  }
  /// @brief Whether a neighbour of a point is an unknown.
  template <StencilPoint Which>
  KOKKOS_FUNCTION bool has(Index i, Index j) const {
    return within(i + sor::row_offset<Which>, rows) &&
           within(j + sor::column_offset<Which>, columns);
  }
  template <StencilPoint Which>
  KOKKOS_FUNCTION bool has(Index k, Index i, Index j) const {
    return within(k + sor::plane_offset<Which>, planes) && has<Which>(i, j);
  }

 private:
  static Index without_halo(Index extent) { return extent > 2 ? extent - 2 : 0; }
  KOKKOS_FUNCTION static bool within(Index i, Index extent) { return i >= 1 && i <= extent; }
};

/// @brief A function of planes, rows and columns as one of rows and columns.
template <class Function>
struct WithPlanesBelowEachOther {
  Function function;
  Index rows;  ///< of unknowns, in a plane
  KOKKOS_FUNCTION auto operator()(Index i, Index j) const {
    return function(1 + (i - 1) / rows, 1 + (i - 1) % rows, j);
  }
};

/// @brief The first unknown for which a predicate holds, and its equation.
struct FoundUnknown {
  Index equation;
  std::string point;
};
template <ExecutionSpace Exec, class T, class Predicate>
std::optional<FoundUnknown> first_unknown(const Exec& exec, const char* label, const Grid<T>& like,
                                          const Predicate& predicate) {
  const auto found = sor::first_point(exec, label, like.rows, like.columns, predicate);
  if (!found) return std::nullopt;
  return FoundUnknown{Unknowns::of(like).equation(found->i, found->j), to_string(*found)};
}
template <ExecutionSpace Exec, class T, class Predicate>
std::optional<FoundUnknown> first_unknown(const Exec& exec, const char* label,
                                          const sor::Box<T>& like, const Predicate& predicate) {
  const Unknowns unknowns = Unknowns::of(like);
  const auto found =
      sor::first_point(exec, label, unknowns.planes * unknowns.rows + 2, like.columns,
                       WithPlanesBelowEachOther<Predicate>{predicate, unknowns.rows});
  if (!found) return std::nullopt;
  const Index k = 1 + (found->i - 1) / unknowns.rows, i = 1 + (found->i - 1) % unknowns.rows;
  return FoundUnknown{
      unknowns.equation(k, i, found->j),
      "(" + std::to_string(k) + ", " + std::to_string(i) + ", " + std::to_string(found->j) + ")"};
}

/// @brief Finite volumes: a flux through each of four faces.
template <class T, class Arrays>
struct SetDiffusion {
  Grid<const T> k;
  Arrays a;
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
template <class Array>
struct NoPivot {
  Array center;
  template <class... At>
  KOKKOS_FUNCTION bool operator()(At... at) const {
    return center(at...) == 0 || !Kokkos::isfinite(center(at...));
  }
};

/// @brief The equations solved for their points, and relaxed.
template <class T, class Arrays>
struct SetCoefficients {
  Arrays a;
  Arrays c;
  T omega;

  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    set(sor::NeighboursOf<Arrays>(), at...);
  }

 private:
  template <StencilPoint... Each, class... At>
  KOKKOS_FUNCTION void set(StencilPoints<Each...>, At... at) const {
    const T factor = omega / a.center(at...);
    c.rhs(at...) = factor;
    ((entry<Each>(c)(at...) = -factor * entry<Each>(a)(at...)), ...);
  }
};

template <class Arrays, class From, class To>
struct Multiply {
  Arrays a;
  From x;
  To y;

  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    y(at...) = a.center(at...) * x(at...) + of_neighbours(sor::PointsBefore<Arrays>(), at...);
  }

 private:
  template <StencilPoint... Before, class... At>
  KOKKOS_FUNCTION auto of_neighbours(StencilPoints<Before...>, At... at) const {
    return (... + (entry<Before>(a)(at...) * beside<Before>(x, at...) +
                   entry<opposite(Before)>(a)(at...) * beside<opposite(Before)>(x, at...)));
  }
};

/// @brief Takes over the row of a point. As a predicate: whether it has other entries than those of
/// the point and its neighbours.
template <class RowMap, class Entries, class Values, class Arrays>
struct ReadCrsRow {
  using T = typename Values::non_const_value_type;
  RowMap row_map;
  Entries entries;
  Values values;
  Arrays a;
  Unknowns unknowns;

  template <class... At>
  KOKKOS_FUNCTION bool operator()(At... at) const {
    return read(sor::NeighboursOf<Arrays>(), at...);
  }

 private:
  template <StencilPoint... Each, class... At>
  KOKKOS_FUNCTION bool read(StencilPoints<Each...>, At... at) const {
    const Index row = unknowns.equation(at...);
    typename sor::StencilOf<Arrays>::template with<T> sum{};
    bool wrong = false;
    const auto end = row_map(row + 1);
    for (auto k = row_map(row); k < end; ++k) {
      const T value = values(k);
      const Index distance = static_cast<Index>(entries(k)) - row;
      bool taken = distance == 0;
      if (taken) sum.center += value;
      const auto take = [&](bool is_it, T& own) {
        if (!is_it) return;
        own += value;
        taken = true;
      };
      // An equation belongs to one point, so at most one of them takes it.
      (take(distance == unknowns.template distance<Each>() && unknowns.template has<Each>(at...),
            entry<Each>(sum)),
       ...);
      wrong |= !taken && value != T(0);
    }
    a.center(at...) = sum.center;
    ((entry<Each>(a)(at...) = entry<Each>(sum)), ...);
    return wrong;
  }
};

template <class Crs, class Arrays>
auto make_read_crs_row(const Crs& crs, const Arrays& a, const Unknowns& unknowns) {
  using RowMap = std::remove_cvref_t<decltype(crs.graph.row_map)>;
  using Entries = std::remove_cvref_t<decltype(crs.graph.entries)>;
  using Values = std::remove_cvref_t<decltype(crs.values)>;
  return ReadCrsRow<RowMap, Entries, Values, Arrays>{crs.graph.row_map, crs.graph.entries,
                                                     crs.values, a, unknowns};
}

}  // namespace Impl::stencil_matrix
}  // namespace wavescan

#endif
