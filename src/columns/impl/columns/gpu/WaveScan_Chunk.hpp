// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_CHUNK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_CHUNK_HPP

#include <Kokkos_Core.hpp>
#include <impl/columns/WaveScan_BandElimination.hpp>

namespace wavescan::Impl::columns {

/// @brief The numbers of a row that does not exist: its unknown is the one M rows before, whether
/// the row is factored or not.
template <class T, int M>
__device__ constexpr T number_of_no_row(int array) {
  return array == 0 ? T(-1) : array == M ? T(1) : T(0);
}

/// @brief A chunk of at most K rows, in registers: those there are not are the first ones.
template <class T, int K, int M>
struct Chunk {
  BandRow<T, M> row[K];

  /// @param row_of row_of(k, elimination so far) makes a FactoredBandRow
  /// @param right right(k) is the right-hand side
  template <class RowOf, class Right>
  __device__ Ends<T, M> eliminate(int missing, const RowOf& row_of, const Right& right) {
    auto e = ForwardElimination<T, M>::behind_chunk(missing);
#pragma unroll
    for (int k = 0; k < K; ++k) row[k] = e.push(row_of(k, e), right(k));
    return ends(missing, e);
  }
  /// @param e after all rows
  __device__ Ends<T, M> ends(int missing, const ForwardElimination<T, M>& e) const {
    return ends(missing, e, [&](int k) { return row[k]; });
  }
  /// @param row_at row_at(k) is row k, wherever that has been kept
  template <class RowAt>
  static __device__ Ends<T, M> ends(int missing, const ForwardElimination<T, M>& e,
                                    const RowAt& row_at) {
    auto back = BackwardElimination<T, M>::behind_last();
#pragma unroll
    for (int k = K - 1 - M; k >= 0; --k)
      if (k >= missing) back.push(row_at(k));
    return {e.last(), back.first};
  }

  /// @brief Calls take(k, x_k) for all rows, the last one first.
  template <class Take>
  __device__ void substitute(const Column<T, M>& before, const Column<T, M>& own,
                             const Take& take) const {
    substitute(before, own, take, [&](int k) { return row[k]; });
  }
  template <class Take, class RowAt>
  static __device__ void substitute(const Column<T, M>& before, const Column<T, M>& own,
                                    const Take& take, const RowAt& row_at) {
    T after[M] = {};
#pragma unroll
    for (int k = K - 1; k >= 0; --k) {
      const T x = k >= K - M ? at(own, k - (K - M)) : row_at(k).value(before, after);
      take(k, x);
#pragma unroll
      for (int j = M - 1; j > 0; --j) after[j] = after[j - 1];
      after[0] = x;
    }
  }
};

}  // namespace wavescan::Impl::columns

#endif
