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

/// @brief The shared rows of all seams, one seam after the other, and then the shared columns.
template <class V>
struct CopyShared {
  using SharedStrips = StripsFor<Kokkos::Cuda>;
  Decomposition decomp;
  Grid<const V> from;
  Grid<V> to;
  bool only_halo;  ///< all else is zero
  int height = 0;  ///< of a seam between rows, at most
  int width = 0;   ///< and between columns
  SharedStrips rows{}, columns{};
  Index in_rows = 0;  ///< strips

  CopyShared(const Decomposition& given, const Grid<V>& old, const Grid<V>& copy, bool halo)
      : decomp(given), from(read_only(old)), to(copy), only_halo(halo) {
    for (int k = 0; k <= decomp.row_blocks; ++k)
      height = std::max(height, decomp.shared_rows(k).size());
    for (int k = 0; k <= decomp.column_blocks; ++k)
      width = std::max(width, decomp.shared_columns(k).size());
    rows = {0, Index(decomp.row_blocks + 1) * height, from.columns};
    columns = {0, from.rows, Index(decomp.column_blocks + 1) * width};
    in_rows = rows.count();
  }
  Index strips() const { return in_rows + columns.count(); }

  KOKKOS_FUNCTION void operator()(Index k) const {
    if (k < in_rows)
      rows.for_each(k, [this](Index i, Index j) {
        const auto seam = decomp.shared_rows(static_cast<int>(i / height));
        if (i % height < seam.size()) copy(seam.begin + i % height, j);
      });
    else
      columns.for_each(k - in_rows, [this](Index i, Index j) {
        const auto seam = decomp.shared_columns(static_cast<int>(j / width));
        if (j % width < seam.size()) copy(i, seam.begin + j % width);
      });
  }

 private:
  KOKKOS_FUNCTION void copy(Index i, Index j) const {
    const bool inside = i > 0 && i <= decomp.m && j > 0 && j <= decomp.n;
    to(i, j) = only_halo && inside ? V(0) : from(i, j);
  }
};

/// @brief Enqueues the copy.
/// @param only_halo if all else is zero
template <class V>
void copy_shared(const Kokkos::Cuda& exec, const Decomposition& decomp, const Grid<V>& from,
                 const Grid<V>& to, bool only_halo) {
  const CopyShared<V> shared(decomp, from, to, only_halo);
  Kokkos::parallel_for(
      "WaveScan::sor::shared",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<Index>>(exec, 0, shared.strips()),
      shared);
}

}  // namespace wavescan::Impl::sor

#endif
