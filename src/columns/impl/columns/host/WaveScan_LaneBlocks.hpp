// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_COLUMNS_HOST_LANEBLOCKS_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_LANEBLOCKS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/columns/WaveScan_BlockSystems.hpp>
#include <impl/columns/host/WaveScan_EnqueueLanes.hpp>

#include <algorithm>

/// @file
/// @brief Thomas' algorithm for several block tridiagonal systems on a host, a system in each lane
/// of vectors: `eliminate_block`, with vectors for numbers.
///
/// What elimination leaves of rows waits in a workspace for the substitution. Cyclic systems are
/// solved by a thread each.

namespace wavescan::Impl::columns {

/// @brief Vectors of a row that wait: what is known, and the block to the right, which factors
/// have.
template <int M, bool Factored>
inline constexpr Index waiting_of_blocks = M + (Factored ? 0 : M * M);

/// @brief The elimination; a target's own is below.
template <class Target, class T, int M, bool Factored>
struct LaneBlocks;

}  // namespace wavescan::Impl::columns

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/columns/host/WaveScan_LaneBlocks.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::columns {

template <class T, int M, bool Factored>
struct LaneBlocks<WAVESCAN_TARGET, T, M, Factored> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  using Given = BlockSystems<T>;
  static constexpr int lanes = vector::lanes;
  static constexpr Index rows = 1;
  static constexpr bool closes_rings = false;

  static Index waiting_vectors(const BlockSystems<T>&) { return waiting_of_blocks<M, Factored>; }

  /// @brief Reads the R x C numbers of row i.
  template <int R, int C>
  WAVESCAN_TARGET_INLINED static void load(const BlockLines<const T>& of, const LaneSet& set,
                                           Index i, vector (&x)[R][C]) {
    const T* const from = of.at(set.first, i);
    const auto offset = [&](int r, int c) { return r * of.row_stride + c * of.column_stride; };
    const bool by_rows = of.row_stride == C && of.column_stride == 1;
    const bool by_columns = of.row_stride == 1 && of.column_stride == R;
    if (of.line_stride == 0) {
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) x[r][c] = vector::all(from[offset(r, c)]);
    } else if (set.count == lanes && of.line_stride == 1) {
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) x[r][c] = vector::load(from + offset(r, c));
    } else if (R * C >= lanes && set.count == lanes && (by_rows || by_columns)) {
      // Numbers of a block are neighbours: squares of them are transposed, of which the last one
      // may overlap with that before.
      vector numbers[R * C < lanes ? lanes : R * C];
      for (int part = 0; part < R * C; part += lanes) {
        const int begin = std::min(part, R * C - lanes);
        vector square[lanes];
        WAVESCAN_UNROLL_RUNS
        for (int lane = 0; lane < lanes; ++lane)
          square[lane] = vector::load(from + lane * of.line_stride + begin);
        vector::transpose(square);
        WAVESCAN_UNROLL_RUNS
        for (int k = 0; k < lanes; ++k) numbers[begin + k] = square[k];
      }
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) x[r][c] = numbers[by_rows ? r * C + c : c * R + r];
    } else {
      alignas(64) T block[R * C][lanes];
      for (Index lane = 0; lane < lanes; ++lane) {
        // Lanes without a system have the first one's.
        const T* const system = from + (lane < set.count ? lane : 0) * of.line_stride;
        for (int r = 0; r < R; ++r)
          for (int c = 0; c < C; ++c) block[r * C + c][lane] = system[offset(r, c)];
      }
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) x[r][c] = vector::load(block[r * C + c]);
    }
  }
  WAVESCAN_TARGET_INLINED static void store(const BlockLines<T>& to, const LaneSet& set, Index i,
                                            const vector (&x)[M]) {
    T* const at = to.at(set.first, i);
    if (set.count == lanes && to.line_stride == 1) {
      for (int r = 0; r < M; ++r) x[r].store(at + r * to.row_stride);
      return;
    }
    alignas(64) T block[M][lanes];
    for (int r = 0; r < M; ++r) x[r].store(block[r]);
    for (Index lane = 0; lane < set.count; ++lane)
      for (int r = 0; r < M; ++r) at[lane * to.line_stride + r * to.row_stride] = block[r][lane];
  }

  WAVESCAN_TARGET_INLINED static void exchange_where(typename vector::integers chosen, vector& a,
                                                     vector& b) {
    const vector old = a;
    a = vector::select(chosen, b, old);
    b = vector::select(chosen, old, b);
  }

  /// @brief b = a^-1 b, as solve_small does it in each lane.
  template <int C>
  WAVESCAN_TARGET_INLINED static void solve_small(vector (&a)[M][M], vector (&b)[M][C]) {
    const vector one = vector::all(T(1));
    for (int k = 0; k < M; ++k) {
      for (int r = k + 1; r < M; ++r) {
        const auto larger = a[k][k].magnitude() < a[r][k].magnitude();
        for (int c = k; c < M; ++c) exchange_where(larger, a[k][c], a[r][c]);
        for (int c = 0; c < C; ++c) exchange_where(larger, b[k][c], b[r][c]);
      }
      const vector pivot = one / a[k][k];
      for (int c = k + 1; c < M; ++c) a[k][c] = a[k][c] * pivot;
      for (int c = 0; c < C; ++c) b[k][c] = b[k][c] * pivot;
      for (int r = 0; r < M; ++r) {
        if (r == k) continue;
        for (int c = k + 1; c < M; ++c) a[r][c] = a[r][c] - a[r][k] * a[k][c];
        for (int c = 0; c < C; ++c) b[r][c] = b[r][c] - a[r][k] * b[k][c];
      }
    }
  }

  /// @param waiting of a row M vectors of what is known, then the block to the right
  WAVESCAN_TARGET_FUNCTION static void eliminate(const BlockSystems<T>& s, const LaneSet& set,
                                                 Index i, const WaitingRows<T>& waiting) {
    T* const row = waiting.of(i);
    const T* const before = i > 0 ? waiting.of(i - 1) : nullptr;
    vector lower[M][M], pivot[M][M], known[M][1];
    if (before) load(s.diagonal[0], set, i, lower);
    load(s.diagonal[1], set, i, pivot);
    load(s.right, set, i, known);
    if constexpr (Factored) {
      for (int r = 0; r < M; ++r) {
        vector sum = pivot[r][0] * known[0][0];
        for (int k = 1; k < M; ++k) sum = sum + pivot[r][k] * known[k][0];
        for (int k = 0; k < M && before; ++k)
          sum = sum - lower[r][k] * vector::load(before + k * lanes);
        sum.store(row + r * lanes);
      }
    } else {
      vector b[M][M + 1];  // the block to the right, and what is known
      if (i < s.extents.length - 1) {
        vector upper[M][M];
        load(s.diagonal[2], set, i, upper);
        for (int r = 0; r < M; ++r)
          for (int c = 0; c < M; ++c) b[r][c] = upper[r][c];
      } else {
        for (int r = 0; r < M; ++r)
          for (int c = 0; c < M; ++c) b[r][c] = vector::all(T(0));
      }
      for (int r = 0; r < M; ++r) {
        b[r][M] = known[r][0];
        for (int k = 0; k < M && before; ++k) {
          b[r][M] = b[r][M] - lower[r][k] * vector::load(before + k * lanes);
          for (int c = 0; c < M; ++c)
            pivot[r][c] =
                pivot[r][c] - lower[r][k] * vector::load(before + (M + k * M + c) * lanes);
        }
      }
      solve_small(pivot, b);
      for (int r = 0; r < M; ++r) {
        b[r][M].store(row + r * lanes);
        for (int c = 0; c < M; ++c) b[r][c].store(row + (M + r * M + c) * lanes);
      }
    }
  }

  /// @param waiting where x takes the place of what is known
  WAVESCAN_TARGET_FUNCTION static void substitute(const BlockSystems<T>& s, const LaneSet& set,
                                                  Index i, const WaitingRows<T>& waiting) {
    T* const row = waiting.of(i);
    const T* const after = i < s.extents.length - 1 ? waiting.of(i + 1) : nullptr;
    vector x[M];
    for (int r = 0; r < M; ++r) x[r] = vector::load(row + r * lanes);
    if (after) {
      vector upper[M][M];
      if constexpr (Factored) {
        load(s.diagonal[2], set, i, upper);
      } else {
        for (int r = 0; r < M; ++r)
          for (int c = 0; c < M; ++c) upper[r][c] = vector::load(row + (M + r * M + c) * lanes);
      }
      for (int r = 0; r < M; ++r) {
        for (int k = 0; k < M; ++k) x[r] = x[r] - upper[r][k] * vector::load(after + k * lanes);
        x[r].store(row + r * lanes);
      }
    }
    store(s.x, set, i, x);
  }
};

}  // namespace wavescan::Impl::columns

#endif
