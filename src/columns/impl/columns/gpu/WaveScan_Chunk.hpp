// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_CHUNK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_CHUNK_HPP

#include <Kokkos_Core.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

namespace wavescan::Impl::columns {

/// @brief What stands in place of the numbers of a row that there is not: its unknown is the one
/// before, whether the row is factored or not.
template <class T>
__device__ constexpr T number_of_no_row(int array) {
  return array == 0 ? T(-1) : array == 1 ? T(1) : T(0);
}

/// @brief A chunk of at most K rows, in registers: those there are not are the first ones.
template <class T, int K>
struct Chunk {
  Equation<T> row[K];

  /// @param row_of row_of(k, equation of the row before) makes a FactoredRow
  /// @param right right(k) is the right-hand side
  template <class RowOf, class Right>
  __device__ Ends<T> eliminate(int missing, const RowOf& row_of, const Right& right) {
    Equation<T> e = Equation<T>::is_left();
#pragma unroll
    for (int k = 0; k < K; ++k) {
      e = eliminate_before(e, row_of(k, e), right(k));
      row[k] = e;
    }
    Equation<T> first = Equation<T>::is_right();
#pragma unroll
    for (int k = K - 2; k >= 0; --k)
      if (k >= missing) first = eliminate_after(row[k], first);
    return {row[K - 1], first};
  }
  /// @brief Calls take(k, x_k) for all rows, the last one first.
  template <class Take>
  __device__ void substitute(T last_before, T last, const Take& take) const {
    T x = last;
    take(K - 1, x);
#pragma unroll
    for (int k = K - 2; k >= 0; --k) {
      x = row[k].value(last_before, x);
      take(k, x);
    }
  }
};

}  // namespace wavescan::Impl::columns

#endif
