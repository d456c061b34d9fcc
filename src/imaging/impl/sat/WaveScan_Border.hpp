// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_BORDER_HPP
#define WAVESCAN_IMPL_SAT_BORDER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Images.hpp>

namespace wavescan::Impl::sat {

/// @brief Zeros in the first row and the first column.
template <class T>
struct FillBorder {
  Images<T> tables;
  KOKKOS_FUNCTION void operator()(const Index n) const {
    const Grid<T>& first = tables.first;
    const Index length = first.rows + first.columns - 1;
    const Index k = n % length;
    const Grid<T> table{first.data + n / length * tables.stride, first.rows, first.columns,
                        first.row_stride, first.column_stride};
    (k < first.rows ? table(k, 0) : table(0, k - first.rows + 1)) = T(0);
  }
};

/// @brief Enqueues zeros for the first rows and columns of tables, which have both.
template <ExecutionSpace Exec, class T>
void fill_border(const Exec& exec, const Images<T>& tables) {
  const Index length = tables.first.rows + tables.first.columns - 1;
  Kokkos::parallel_for(
      "WaveScan::summed_area_table::border",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, tables.count * length),
      FillBorder<T>{tables});
}

}  // namespace wavescan::Impl::sat

#endif
