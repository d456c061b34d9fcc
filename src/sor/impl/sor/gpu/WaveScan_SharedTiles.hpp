// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_SHAREDTILES_HPP
#define WAVESCAN_IMPL_SOR_GPU_SHAREDTILES_HPP

#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/gpu/WaveScan_Decomposition.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

/// @file
/// @brief What a pass in place copies before it begins: old values that a block may read when
/// another one has overwritten them. The pass itself keeps the others.

namespace wavescan::Impl::sor {

/// @brief The shared rows, or columns, of all seams, one seam after the other.
template <class V, bool Rows>
struct CopyShared {
  Decomposition decomp;
  Grid<const V> from;
  Grid<V> to;
  bool only_halo;  ///< all else is zero
  int width = 0;   ///< of a seam, at most

  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    const int across = static_cast<int>(Rows ? i : j);
    const int seam = across / width;
    const auto span = Rows ? decomp.shared_rows(seam) : decomp.shared_columns(seam);
    const int place = span.begin + across % width;
    if (place >= span.end) return;
    const Index row = Rows ? place : i, column = Rows ? j : place;
    const bool inside = row > 0 && row <= decomp.m && column > 0 && column <= decomp.n;
    to(row, column) = only_halo && inside ? V(0) : from(row, column);
  }
};

/// @brief Enqueues the copy.
template <class V>
void copy_shared(const Kokkos::Cuda& exec, const Decomposition& decomp, const Grid<V>& from,
                 const Grid<V>& to, bool only_halo) {
  CopyShared<V, true> rows{decomp, read_only(from), to, only_halo};
  for (int k = 0; k <= decomp.row_blocks; ++k)
    rows.width = std::max(rows.width, decomp.shared_rows(k).end - decomp.shared_rows(k).begin);
  for_rectangle(exec, "WaveScan::sor::shared_rows", 0, Index(decomp.row_blocks + 1) * rows.width,
                from.columns, rows);
  CopyShared<V, false> columns{decomp, read_only(from), to, only_halo};
  for (int k = 0; k <= decomp.column_blocks; ++k)
    columns.width =
        std::max(columns.width, decomp.shared_columns(k).end - decomp.shared_columns(k).begin);
  for_rectangle(exec, "WaveScan::sor::shared_columns", 0, from.rows,
                Index(decomp.column_blocks + 1) * columns.width, columns);
}

}  // namespace wavescan::Impl::sor

#endif
