// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_BANDROWS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_BANDROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Reciprocal.hpp>
#include <impl/columns/WaveScan_BandElimination.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/gpu/WaveScan_Chunk.hpp>
#include <impl/columns/gpu/WaveScan_OwnChunk.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Rows of band matrices, in registers.

namespace wavescan::Impl::columns {

/// @brief Rows of a chunk, of which a thread has 2 M + 1 numbers each in registers.
template <class T>
inline constexpr int chunk_rows = sizeof(T) == 4 ? 16 : 8;

/// @brief Most threads of a block (measured on an H200).
template <class T, int M>
inline constexpr int most_band_threads = M == 1           ? 512
                                         : sizeof(T) == 4 ? 256
                                                          : most_threads_of_many_registers;

/// @brief Arguments of a kernel for bands.
template <class T, int M>
struct BandParameters : ChunkedSystems {
  Matrices<T, M> matrices;
  Lines<const T> right;
  Lines<T> x;
  /// Of contiguous systems: all lines of a tile are one run of memory, in every array; and the
  /// reciprocal of the length, times 2^20, where a tile has several lines.
  bool dense = false;
  std::uint32_t reciprocal = 0;
};

/// @brief Numbers that are not needed as they are in memory: those that reach beyond the ends.
template <class T, int M>
struct EndNumbers {
  T lower[M][M], upper[M][M];  ///< of x_{i-1-j}, or x_{i+1+j}; of the row so far from the end

  template <class Own>
  __device__ EndNumbers(const BandParameters<T, M>& p, const Own& own) {
#pragma unroll
    for (int j = 0; j < M; ++j)
#pragma unroll
      for (int r = 0; r <= j; ++r) {
        lower[j][r] = upper[j][r] = T(0);
        if (!p.cyclic || !own.is_there || r >= p.extents.length) continue;
        if (own.is_first) lower[j][r] = p.matrices.beyond_ends(-1 - j, own.line, r);
        if (own.is_last)
          upper[j][r] = p.matrices.beyond_ends(1 + j, own.line, p.extents.length - 1 - r);
      }
  }
};

/// @brief The chunk of a band that a thread has.
/// @tparam Factored whether matrices have been factorized
/// @tparam Whole    whether chunks of all threads have K rows
template <class Number, int Reach, bool Factored, bool Whole>
struct BandRows {
  using T = Number;
  using Parameters = BandParameters<T, Reach>;
  static constexpr int M = Reach;
  static constexpr int most_threads = most_band_threads<T, M>;
  /// On a multiprocessor.
  static constexpr int threads_with_registers = M == 1 || sizeof(T) == 4 ? most_threads : 384;
  static constexpr int K = chunk_rows<T>;
  static constexpr int arrays = 2 * M + 2;  ///< diagonals, and right-hand sides
  using Own = OwnChunk<K, Whole>;

  const Parameters& p;
  Chunk<T, K, M> chunk;

  __device__ explicit BandRows(const Parameters& given) : p(given) {}

  /// @brief Loads the rows and eliminates in them.
  __device__ Ends<T, M> eliminate(const Own& own) {
    const EndNumbers<T, M> ends(p, own);
    T numbers[arrays][K];  // all are on their way before the first one is needed
    const Index line = own.is_there ? own.line : p.extents.lines - 1;
#pragma unroll
    for (int i = 0; i < arrays; ++i) {
      const T* from = &array(p, i)(line, own.row(0));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        numbers[i][k] = number_of<false>(i, k, own, ends, [&] { return *from; });
        from += array(p, i).stride;
      }
    }
    // The branch in a division keeps the compiler from starting the loads as late as it can. Only
    // floats in whole chunks are faster without it (H200, by 8 to 26 %).
    using First = std::conditional_t<sizeof(T) == 4 && Whole, gpu::Reciprocal, Invert>;
    return eliminate_in<First>(chunk, own.missing, [&](int i, int k) { return numbers[i][k]; });
  }
  /// @brief Stores all unknowns.
  __device__ void substitute(const Own& own, const Column<T, M>& before,
                             const Column<T, M>& last) const {
    T* to = &p.x(own.line, own.row(K - 1));
    chunk.substitute(before, last, [&](int k, T x) {
      if (own.has(k)) *to = x;
      to -= p.x.stride;
    });
  }

  static __device__ const Lines<const T>& array(const Parameters& p, int i) {
    return i <= 2 * M ? p.matrices.diagonal[i] : p.right;
  }

  /// @brief The number of array i for row k of K: what `load()` finds in memory, or a substitute.
  /// @tparam Always whether there is something to find, even if it is not needed
  template <bool Always, class Load>
  static __device__ T number_of(int i, int k, const Own& own, const EndNumbers<T, M>& ends,
                                const Load& load) {
    T number = number_of_no_row<T, M>(i);
    bool in_memory = own.has(k);
    if (!Factored && i < M && own.is_first) {
      const int j = M - 1 - i;
#pragma unroll
      for (int r = 0; r <= j; ++r)
        if (k == own.missing + r) {
          number = ends.lower[j][r];
          in_memory = false;
        }
    }
    const int j = i - M - 1, r = K - 1 - k;
    if (!Factored && i > M && i <= 2 * M && r <= j && own.is_last && (r == 0 || own.has(k))) {
      number = ends.upper[j][r];
      in_memory = false;
    }
    if constexpr (Always) {
      const T found = load();
      return in_memory ? found : number;
    } else {
      if (in_memory) number = load();
      return number;
    }
  }

  /// @brief A row, divided by its pivot, of which `number(array)` returns the numbers.
  template <class Inverse = gpu::Reciprocal, class Of>
  static __device__ FactoredBandRow<T, M> factored_row(const ForwardElimination<T, M>& before,
                                                       const Of& number) {
    if constexpr (Factored) {
      FactoredBandRow<T, M> row;
      row.inverse = number(M);
#pragma unroll
      for (int j = 0; j < M; ++j) {
        row.lower[j] = number(M - 1 - j);
        row.upper[j] = number(M + 1 + j);
      }
      return row;
    } else {
      return before.factor(number, Inverse());
    }
  }

  /// @brief Eliminates within a chunk, whose numbers `number(array, k)` returns.
  /// @tparam First inverts the first pivot
  template <class First = gpu::Reciprocal, class Of>
  static __device__ Ends<T, M> eliminate_in(Chunk<T, K, M>& chunk, int missing, const Of& number) {
    const auto row_of = [&](int k, const ForwardElimination<T, M>& before) {
      const auto of_row = [&](int i) { return number(i, k); };
      return k == 0 ? factored_row<First>(before, of_row) : factored_row(before, of_row);
    };
    return chunk.eliminate(missing, row_of, [&](int k) { return number(arrays - 1, k); });
  }
};

}  // namespace wavescan::Impl::columns

#endif
