// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FIVE_POINT_MATRIX_CRS_HPP
#define WAVESCAN_IMPL_FIVE_POINT_MATRIX_CRS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/five_point_matrix/WaveScan_Kernels.hpp>

#include <concepts>
#include <type_traits>

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
