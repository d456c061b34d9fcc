// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_COLUMNS_HOST_LANEELIMINATION_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_LANEELIMINATION_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/columns/WaveScan_BandElimination.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/host/WaveScan_EnqueueLanes.hpp>

#include <algorithm>
#include <limits>

/// @file
/// @brief Thomas' algorithm for several systems on a host, a system in each lane of vectors.
///
/// A division in a chain of operations takes ten times as long as what comes from memory, but as
/// long for all lanes together. Coefficients are read in blocks, of one cache line from each system
/// where systems lie along memory, which are transposed in registers; where neighbouring systems
/// are neighbours in memory, vectors lie there as they are needed.
///
/// What elimination leaves of rows waits in a workspace for the substitution, as vectors: for as
/// many systems at once as keep it in a cache. Of a cyclic system, what its last unknowns are is
/// found on one way back, and the others on a second one. Chunks of a long system are eliminated as
/// cyclic systems are: what is before the first row is the chunk before.

namespace wavescan::Impl::columns {

/// @brief Vectors of a row that wait: x_i by the M unknowns after, M of fill if cyclic, and what is
/// known. A cyclic system's last M unknowns wait, too, once as those before the first row and once
/// as what they are.
template <int M>
constexpr int waiting_numbers(bool cyclic) {
  return (cyclic ? 2 : 1) * M + 1;
}
template <int M>
constexpr Index waiting_rows(Index length, bool cyclic) {
  return length + (cyclic ? 2 * M : 0);
}

/// @brief Systems in lanes, or chunks of one system, one behind the other.
template <class T, int M>
struct LaneSystems : Systems<T, M> {
  Index whole_length = 0;  ///< of the system that is divided into chunks; 0 if lines are systems

  /// @brief The coefficient of x_{i+offset}.
  KOKKOS_FUNCTION T number(int offset, Index line, Index i) const {
    const Index n = this->extents.length;
    if (whole_length == 0) return this->matrices.entry(offset, line, i, n);
    const Index column = line * n + i + offset;
    return column < 0 || column >= whole_length ? T(0) : this->matrices.of(offset)(line, i);
  }
};

/// @brief The equations of a lane that other lanes need.
/// @param rows  row j from the last one has rows[j]: by the unknowns after it, by those before the
///              first row, and what is known
/// @param first what the first M unknowns are: by those before, by the last ones, and what is known
template <class T, int M>
Ends<T, M> ends_of_lane(const T (&rows)[M][2 * M + 1], const T (&first)[M][2 * M + 1]) {
  ForwardElimination<T, M> e;
  Equation<T, M> beginning;
  for (int j = 0; j < M; ++j) {
    for (int m = 0; m < M; ++m) {
      e.before[j].upper[m] = -rows[j][m];
      e.before[j].fill[m] = -rows[j][M + m];
      at(beginning.left, j, m) = -first[j][m];
      at(beginning.right, j, m) = -first[j][M + m];
    }
    e.before[j].known = rows[j][2 * M];
    at(beginning.known, j) = first[j][2 * M];
  }
  return {e.last(), beginning};
}

/// @brief The elimination; a target's own is below.
template <class Target, class T, int M, bool Factored>
struct LaneElimination;

}  // namespace wavescan::Impl::columns

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/columns/host/WaveScan_LaneElimination.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::columns {

template <class T, int M, bool Factored>
struct LaneElimination<WAVESCAN_TARGET, T, M, Factored> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  using Given = LaneSystems<T, M>;
  static constexpr int lanes = vector::lanes;
  /// Rows of a block: a cache line of each system.
  static constexpr int rows = 64 / static_cast<int>(sizeof(T));
  static_assert(rows % lanes == 0);
  static constexpr Index blocks_ahead = 4;
  /// Cyclic systems are closed between elimination and substitution.
  static constexpr bool closes_rings = true;

  static Index waiting_vectors(const Given& s) { return waiting_numbers<M>(s.matrices.cyclic); }

  /// @brief Asks for a block of systems that lie along memory before it is read: of these, or of
  /// the next ones. To the processor these are too many streams, and too short ones.
  WAVESCAN_TARGET_INLINED static void fetch_ahead(const Given& s, const LaneSet& set, Index row) {
    Index system = set.first;
    row += blocks_ahead * rows;
    if (row >= s.extents.length) {
      row = std::min(row - s.extents.length, s.extents.length - 1);
      system += set.together;
    }
    if (system + lanes > s.extents.lines) return;
    const auto fetch = [&](const auto& of) {
      if (of.stride == 1)
        for (int lane = 0; lane < lanes; ++lane) __builtin_prefetch(&of(system + lane, row));
    };
    for (const Lines<const T>& of : s.matrices.diagonal) fetch(of);
    fetch(s.right);
    fetch(s.x);
  }

  /// @brief x_i = sum of after[j] x_{i+1+j} + sum of last[m] l[m] + known, where l are the last
  /// ones before the first row.
  struct Row {
    vector after[M], last[M], known;
  };
  /// @brief Rows that wait for the substitution.
  struct Waiting : WaitingRows<T> {
    bool cyclic;
    WAVESCAN_TARGET_INLINED vector known(Index i) const { return vector::load(this->of(i)); }
    WAVESCAN_TARGET_INLINED void store_known(Index i, vector v) const { v.store(this->of(i)); }
    WAVESCAN_TARGET_INLINED void load(Index i, Row& row) const {
      const T* const from = this->of(i);
      row.known = vector::load(from);
      for (int m = 0; m < M; ++m) {
        row.after[m] = vector::load(from + (1 + m) * lanes);
        if (cyclic) row.last[m] = vector::load(from + (1 + M + m) * lanes);
      }
    }
    WAVESCAN_TARGET_INLINED void store(Index i, const Row& row) const {
      T* const to = this->of(i);
      row.known.store(to);
      for (int m = 0; m < M; ++m) {
        row.after[m].store(to + (1 + m) * lanes);
        if (cyclic) row.last[m].store(to + (1 + M + m) * lanes);
      }
    }
  };

  WAVESCAN_TARGET_INLINED static vector multiply_add(vector a, vector x, vector c) {
    if constexpr (vector::fuses)
      return vector::multiply_add(a, x, c);
    else
      return a * x + c;
  }

  /// @brief Reads a block: x[i] has row `row` + i of the systems from `system` on.
  /// @param filling of lanes that have no system: a pivot that traps nothing
  WAVESCAN_TARGET_INLINED static void load(const Lines<const T>& from, Index system, Index systems,
                                           Index row, Index length, T filling, vector (&x)[rows]) {
    if (from.line_stride == 0) {
      for (Index i = 0; i < length; ++i) x[i] = vector::all(from(system, row + i));
    } else if (systems == lanes && from.line_stride == 1) {
      for (Index i = 0; i < length; ++i) x[i] = vector::load(&from(system, row + i));
    } else if (systems == lanes && from.stride == 1 && length == rows) {
      for (int part = 0; part < rows; part += lanes) {
        vector square[lanes];
        WAVESCAN_UNROLL_RUNS
        for (int lane = 0; lane < lanes; ++lane)
          square[lane] = vector::load(&from(system + lane, row + part));
        vector::transpose(square);
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i) x[part + i] = square[i];
      }
    } else {
      alignas(64) T block[rows][lanes];
      for (Index i = 0; i < length; ++i) vector::all(filling).store(block[i]);
      for (Index i = 0; i < length; ++i)
        for (Index lane = 0; lane < systems; ++lane) block[i][lane] = from(system + lane, row + i);
      for (Index i = 0; i < length; ++i) x[i] = vector::load(block[i]);
    }
  }
  WAVESCAN_TARGET_INLINED static void store(const Lines<T>& to, Index system, Index systems,
                                            Index row, Index length, const vector (&x)[rows]) {
    if (systems == lanes && to.line_stride == 1) {
      for (Index i = 0; i < length; ++i) x[i].store(&to(system, row + i));
    } else if (systems == lanes && to.stride == 1 && length == rows) {
      for (int part = 0; part < rows; part += lanes) {
        vector square[lanes];
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i) square[i] = x[part + i];
        vector::transpose(square);
        WAVESCAN_UNROLL_RUNS
        for (int lane = 0; lane < lanes; ++lane) square[lane].store(&to(system + lane, row + part));
      }
    } else {
      alignas(64) T block[rows][lanes];
      for (Index i = 0; i < length; ++i) x[i].store(block[i]);
      for (Index lane = 0; lane < systems; ++lane)
        for (Index i = 0; i < length; ++i) to(system + lane, row + i) = block[i][lane];
    }
  }

  /// @brief Loads a diagonal, whose numbers beyond the ends are zero or another row's.
  WAVESCAN_TARGET_INLINED static void load_diagonal(const Given& s, int offset, Index system,
                                                    Index systems, Index row, Index length,
                                                    vector (&x)[rows]) {
    const Index n = s.extents.length;
    const T filling = offset == 0 ? T(1) : T(0);
    const bool beyond = row + offset < 0 || row + length + offset > n;
    if (Factored || !beyond || !s.matrices.transposed)
      load(s.matrices.of(offset), system, systems, row, length, filling, x);
    if constexpr (!Factored)
      for (Index i = 0; i < (beyond ? length : 0); ++i) {
        const Index column = row + i + offset;
        const bool is_beyond = column < 0 || column >= n;
        const bool in_place = s.matrices.cyclic && s.whole_length == 0;
        if (!s.matrices.transposed && (!is_beyond || in_place)) continue;
        alignas(64) T numbers[lanes];
        for (Index lane = 0; lane < lanes; ++lane)
          numbers[lane] = lane < systems ? s.number(offset, system + lane, row + i) : filling;
        x[i] = vector::load(numbers);
      }
  }

  WAVESCAN_TARGET_FUNCTION static void eliminate(const Given& s, const LaneSet& set, Index row,
                                                 const WaitingRows<T>& memory) {
    fetch_ahead(s, set, row);
    const Waiting waiting{memory, s.matrices.cyclic};
    const Index system = set.first, systems = set.count;
    const Index length = std::min<Index>(rows, s.extents.length - row);
    const vector zero = vector::all(T(0)), one = vector::all(T(1));
    vector a[2 * M + 1][rows], d[rows];
    for (int offset = -M; offset <= M; ++offset)
      load_diagonal(s, offset, system, systems, row, length, a[M + offset]);
    load(s.right, system, systems, row, length, T(0), d);
    Row before[M];  // before[j] of row i - 1 - j
    for (int j = 0; j < M; ++j) {
      for (int m = 0; m < M; ++m) {
        before[j].after[m] = zero;
        before[j].last[m] = waiting.cyclic && m + j == M - 1 ? one : zero;
      }
      before[j].known = zero;
      if (row > 0) waiting.load(row - 1 - j, before[j]);
      for (int m = 0; m < M; ++m) before[j].last[m] = flushed(before[j].last[m]);
    }
    for (Index i = 0; i < length; ++i) {
      vector lower[M], upper[M], pivot = a[M][i];
      for (int j = 0; j < M; ++j) {
        lower[j] = a[M - 1 - j][i];
        upper[j] = a[M + 1 + j][i];
      }
      Row e;
      vector minus;
      if constexpr (Factored) {
        minus = vector::all(T(-1));
        e.known = d[i] * pivot;
      } else {
        for (int j = M - 1; j >= 0; --j)
          for (int t = 0; t < M; ++t) {
            vector& changed = t < j ? lower[j - 1 - t] : t == j ? pivot : upper[t - j - 1];
            changed = multiply_add(lower[j], before[j].after[t], changed);
          }
        const vector inverse = one / pivot;
        minus = zero - inverse;
        e.known = d[i] * inverse;
      }
      for (int m = 0; m < M; ++m) {
        e.after[m] = upper[m] * minus;
        e.last[m] = zero;
      }
      for (int j = 0; j < M; ++j) {
        const vector factor = lower[j] * minus;
        e.known = multiply_add(factor, before[j].known, e.known);
        for (int m = 0; m < M && waiting.cyclic; ++m)
          e.last[m] = multiply_add(factor, before[j].last[m], e.last[m]);
      }
      waiting.store(row + i, e);
      for (int j = M - 1; j > 0; --j) before[j] = before[j - 1];
      before[0] = e;
    }
  }

  /// @brief Sets the smallest numbers to zero: what decays from row to row would become so small
  /// that processors take hundreds of cycles for each number.
  WAVESCAN_TARGET_INLINED static vector flushed(vector x) {
    constexpr T smallest = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    return vector::select(x.magnitude() < vector::all(smallest), vector::all(T(0)), x);
  }

  /// @brief Finds the last unknowns of cyclic systems.
  static void close_ring(Index n, const WaitingRows<T>& waiting) {
    Ends<T, M> ends[lanes];
    find_ends(n, waiting, ends);
    for (int lane = 0; lane < lanes; ++lane) {
      const auto own = solve_ring(ends[lane].beside(ends[lane].first));
      set_last(n, waiting, lane, own, own);
    }
  }
  /// @brief Sets the last unknowns before a lane's first row, and those of the lane.
  static void set_last(Index n, const WaitingRows<T>& waiting, Index lane, Column<T, M> before,
                       Column<T, M> own) {
    for (int m = 0; m < M; ++m) {
      waiting.of(n + m)[lane] = at(before, m);
      waiting.of(n + M + m)[lane] = at(own, m);
    }
  }

  /// @param ends of each lane
  WAVESCAN_TARGET_FUNCTION static void find_ends(Index n, const WaitingRows<T>& memory,
                                                 Ends<T, M>* ends) {
    const Waiting waiting{memory, true};
    const vector zero = vector::all(T(0)), one = vector::all(T(1));
    // Of unknown i + 1 + t, by those before the first row, and by the last ones.
    vector around[M][M], last[M][M], known[M];
    for (int t = 0; t < M; ++t) {
      known[t] = zero;
      for (int m = 0; m < M; ++m) {
        around[t][m] = zero;
        last[t][m] = t == m ? one : zero;
      }
    }
    for (Index i = n - 1 - M; i >= 0; --i) {
      Row row;
      waiting.load(i, row);
      vector by_last[M];
      for (int m = 0; m < M; ++m) by_last[m] = zero;
      for (int t = 0; t < M; ++t) {
        row.known = multiply_add(row.after[t], known[t], row.known);
        for (int m = 0; m < M; ++m) {
          row.last[m] = multiply_add(row.after[t], around[t][m], row.last[m]);
          by_last[m] = multiply_add(row.after[t], last[t][m], by_last[m]);
        }
      }
      for (int t = M - 1; t > 0; --t) {
        known[t] = known[t - 1];
        for (int m = 0; m < M; ++m) {
          around[t][m] = around[t - 1][m];
          last[t][m] = last[t - 1][m];
        }
      }
      known[0] = row.known;
      for (int m = 0; m < M; ++m) {
        around[0][m] = row.last[m];
        last[0][m] = i % rows == 0 ? flushed(by_last[m]) : by_last[m];
      }
    }
    // Lane by lane from here on.
    alignas(64) T first_of[M][2 * M + 1][lanes], row_of[M][2 * M + 1][lanes];
    for (int t = 0; t < M; ++t) {
      Row row;
      waiting.load(n - 1 - t, row);
      known[t].store(first_of[t][2 * M]);
      row.known.store(row_of[t][2 * M]);
      for (int m = 0; m < M; ++m) {
        around[t][m].store(first_of[t][m]);
        last[t][m].store(first_of[t][M + m]);
        row.after[m].store(row_of[t][m]);
        row.last[m].store(row_of[t][M + m]);
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      T first[M][2 * M + 1], end[M][2 * M + 1];
      for (int t = 0; t < M; ++t)
        for (int k = 0; k <= 2 * M; ++k) {
          first[t][k] = first_of[t][k][lane];
          end[t][k] = row_of[t][k][lane];
        }
      ends[lane] = ends_of_lane<T, M>(end, first);
    }
  }

  WAVESCAN_TARGET_FUNCTION static void substitute(const Given& s, const LaneSet& set, Index row,
                                                  const WaitingRows<T>& memory) {
    const Waiting waiting{memory, s.matrices.cyclic};
    const Index n = s.extents.length, length = std::min<Index>(rows, n - row);
    const vector zero = vector::all(T(0));
    vector x[rows], after[M], before[M], own[M];
    // Behind other blocks, the first rows of these have x.
    for (int j = 0; j < M; ++j) {
      after[j] = row + length + j < n ? waiting.known(row + length + j) : zero;
      before[j] = waiting.cyclic ? waiting.known(n + j) : zero;
      own[j] = waiting.cyclic ? waiting.known(n + M + j) : zero;
    }
    for (Index i = length - 1; i >= 0; --i) {
      if (waiting.cyclic && row + i >= n - M) {
        x[i] = own[row + i - (n - M)];
      } else {
        Row e;
        waiting.load(row + i, e);
        vector sum = e.known;
        for (int m = 0; m < M && waiting.cyclic; ++m) sum = multiply_add(e.last[m], before[m], sum);
        // The nearest unknown last: it is what has just been computed. What is after the last row
        // does not matter, whatever is in its place.
        for (int j = M - 1; j >= 0; --j)
          if (waiting.cyclic || row + i + 1 + j < n) sum = multiply_add(e.after[j], after[j], sum);
        x[i] = sum;
      }
      for (int j = M - 1; j > 0; --j) after[j] = after[j - 1];
      after[0] = x[i];
    }
    // For the block before this one.
    for (Index i = 0; i < M && i < length; ++i) waiting.store_known(row + i, x[i]);
    store(s.x, set.first, set.count, row, length, x);
  }
};

}  // namespace wavescan::Impl::columns

#endif
