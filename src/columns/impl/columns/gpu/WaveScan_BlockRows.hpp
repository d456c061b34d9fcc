// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_BLOCKROWS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_BLOCKROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Reciprocal.hpp>
#include <impl/columns/WaveScan_BlockSystems.hpp>
#include <impl/columns/gpu/WaveScan_OwnChunk.hpp>

/// @file
/// @brief Rows of block tridiagonal matrices, in registers.

namespace wavescan::Impl::columns {

/// @brief Block rows of a chunk, as many as fit in registers beside the interface system's.
template <class T, int M>
inline constexpr int chunk_blocks = (M == 2 ? 16 : 8) / static_cast<int>(sizeof(T) / 2);

template <class T>
struct BlockParameters : ChunkedSystems {
  BlockSystems<T> s;
};

/// @brief The chunk of a block tridiagonal system that a thread has: at most K rows of blocks.
/// @tparam Factored whether matrices have been factorized
template <class Number, int Size, bool Factored>
struct BlockRows {
  using T = Number;
  using Parameters = BlockParameters<T>;
  static constexpr int M = Size;
  static constexpr int most_threads = most_threads_of_many_registers;
  static constexpr int threads_with_registers = 256;  ///< on a multiprocessor
  static constexpr int K = chunk_blocks<T, M>;
  using Own = OwnChunk<K, false>;
  using E = Equation<T, M>;
  using S = Square<T, M>;
  using C = Column<T, M>;

  const Parameters& p;
  E row[K];

  __device__ explicit BlockRows(const Parameters& given) : p(given) {}

  /// @brief Loads the rows and eliminates in them.
  __device__ Ends<T, M> eliminate(const Own& own) {
    const Index line = own.is_there ? own.line : p.extents.lines - 1;
    S matrix[3][K];  // all are on their way before the first one is needed
    C known[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      // A row that there is not has the unknowns of the one before.
      matrix[0][k] = S(T(-1));
      matrix[1][k] = S(T(1));
      matrix[2][k] = S(T(0));
      known[k] = C(T(0));
      if (!own.has(k)) continue;
      const Index i = own.row(k);
#pragma unroll
      for (int o = 0; o < 3; ++o)
        matrix[o][k] = Factored ? p.s.diagonal[o].template load<M, M>(line, i)
                                : p.s.template matrix<M>(o, line, i);
      known[k] = p.s.right.template load<M, 1>(line, i);
    }
    E e = E::is_left();
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if constexpr (Factored)
        e = eliminate_before(e, FactoredRow<T, M>{matrix[0][k], matrix[1][k], matrix[2][k]},
                             known[k]);
      else
        e = eliminate_block(e, matrix[0][k], matrix[1][k], matrix[2][k], known[k], true,
                            gpu::Reciprocal());
      row[k] = e;
    }
    E first = E::is_right();
#pragma unroll
    for (int k = K - 2; k >= 0; --k)
      if (own.has(k)) first = eliminate_after(row[k], first);
    return {row[K - 1], first};
  }
  /// @brief Stores all unknowns.
  __device__ void substitute(const Own& own, const C& before, const C& last) const {
    C x = last;
#pragma unroll
    for (int k = K - 1; k >= 0; --k) {
      if (k < K - 1) x = row[k].value(before, x);
      if (own.has(k)) p.s.x.store(own.line, own.row(k), x);
    }
  }
};

}  // namespace wavescan::Impl::columns

#endif
