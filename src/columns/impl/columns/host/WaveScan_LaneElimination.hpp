// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_COLUMNS_HOST_LANEELIMINATION_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_LANEELIMINATION_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/columns/WaveScan_Systems.hpp>

#include <algorithm>

/// @file
/// @brief Thomas' algorithm for several tridiagonal systems on a host, a system in each lane of
/// vectors; not for cyclic ones, nor for transposed matrices, which have nothing in memory where
/// the first row's lower entry would be.
///
/// A division in a chain of operations takes ten times as long as what comes from memory, but as
/// long for all lanes together. Coefficients are read in blocks, of one cache line from each system
/// where systems lie along memory, which are transposed in registers; where neighbouring systems
/// are neighbours in memory, vectors lie there as they are needed.
///
/// Ratios and right-hand sides after the elimination wait in a workspace for the substitution, as
/// vectors: for as many systems at once as keep it in a cache.

namespace wavescan::Impl::columns {

/// @brief How many systems a thread solves together. Rows of those that are neighbours in memory
/// should be long, for each lies on a page of its own, and the workspace in the second cache. Those
/// that lie along memory are streams of their own, which should be few.
template <class T>
Index systems_together(bool are_neighbours, Index length, int lanes) {
  constexpr Index cache = Index(1) << 20;
  if (!are_neighbours) return lanes;
  return std::clamp<Index>(cache / (2 * static_cast<Index>(sizeof(T)) * length), 64, 256);
}

/// @brief The elimination; a target's own is below.
template <class Target, class T>
class LaneElimination;

/// @brief A target's elimination, for callers that are compiled once for all targets.
template <class T>
struct AnyLaneElimination {
  int lanes;  ///< systems side by side
  /// Solves systems from `first` on, `count` of them.
  void (*solve)(const Systems<T>&, Index first, Index count, T* workspace);

#if defined(WAVESCAN_HAS_VECTORS)
  static AnyLaneElimination best() {
    return dispatch([](auto target) -> AnyLaneElimination {
      using Lanes = LaneElimination<decltype(target), T>;
      return {Lanes::lanes, &Lanes::solve};
    });
  }
#endif
};

}  // namespace wavescan::Impl::columns

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/columns/host/WaveScan_LaneElimination.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::columns {

template <class T>
class LaneElimination<WAVESCAN_TARGET, T> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;

 public:
  static constexpr int lanes = vector::lanes;

  /// @param workspace 2 * n numbers for each system, and for as many more as fill vectors
  WAVESCAN_TARGET_FUNCTION static void solve(const Systems<T>& s, Index first, Index count,
                                             T* workspace) {
    const Index n = s.extents.length, sets = ceil_div(count, Index(lanes));
    for (Index row = 0; row < n; row += rows)
      for (Index set = 0; set < sets; ++set) {
        fetch_ahead(s, count, first + set * lanes, row);
        eliminate(s, first + set * lanes, lanes_of_set(count, set), row,
                  {workspace + set * 2 * lanes, sets * 2 * lanes});
      }
    for (Index row = (n - 1) / rows * rows; row >= 0; row -= rows)
      for (Index set = 0; set < sets; ++set)
        substitute(s, first + set * lanes, lanes_of_set(count, set), row,
                   {workspace + set * 2 * lanes, sets * 2 * lanes});
  }

 private:
  /// Rows of a block: a cache line of each system.
  static constexpr int rows = 64 / static_cast<int>(sizeof(T));
  static_assert(rows % lanes == 0);
  static constexpr Index blocks_ahead = 4;

  /// @brief Asks for a block of systems that lie along memory before it is read: of these, or of
  /// the next ones. To the processor these are too many streams, and too short ones.
  WAVESCAN_TARGET_INLINED static void fetch_ahead(const Systems<T>& s, Index count, Index system,
                                                  Index row) {
    row += blocks_ahead * rows;
    if (row >= s.extents.length) {
      row = std::min(row - s.extents.length, s.extents.length - 1);
      system += count;
    }
    if (system + lanes > s.extents.lines) return;
    const Lines<const T> arrays[] = {s.matrices.of(-1),
                                     s.matrices.of(0),
                                     s.matrices.of(1),
                                     s.right,
                                     {s.x.data, s.x.line_stride, s.x.stride}};
    for (const Lines<const T>& of : arrays)
      if (of.stride == 1)
        for (int lane = 0; lane < lanes; ++lane) __builtin_prefetch(&of(system + lane, row));
  }

  static Index lanes_of_set(Index count, Index set) {
    return std::min<Index>(lanes, count - set * lanes);
  }

  /// @brief What waits for the substitution: of row i, -c / pivot and the right-hand side.
  struct Waiting {
    T* data;
    Index pitch;
    WAVESCAN_TARGET_INLINED vector ratio(Index i) const { return vector::load(data + i * pitch); }
    WAVESCAN_TARGET_INLINED vector right(Index i) const {
      return vector::load(data + i * pitch + lanes);
    }
    WAVESCAN_TARGET_INLINED void store(Index i, vector ratio, vector right) const {
      ratio.store(data + i * pitch);
      right.store(data + i * pitch + lanes);
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
    if (systems == lanes && from.line_stride == 1) {
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

  WAVESCAN_TARGET_FUNCTION static void eliminate(const Systems<T>& s, Index system, Index systems,
                                                 Index row, const Waiting& waiting) {
    const Index length = std::min<Index>(rows, s.extents.length - row);
    vector a[rows], b[rows], c[rows], d[rows];
    load(s.matrices.of(-1), system, systems, row, length, T(0), a);
    load(s.matrices.of(0), system, systems, row, length, T(1), b);
    load(s.matrices.of(1), system, systems, row, length, T(0), c);
    load(s.right, system, systems, row, length, T(0), d);
    vector ratio = vector::all(T(0)), y = ratio;
    if (row == 0) {
      a[0] = ratio;
    } else {
      ratio = waiting.ratio(row - 1);
      y = waiting.right(row - 1);
    }
    for (Index i = 0; i < length; ++i) {
      const vector inverse = vector::all(T(1)) / multiply_add(a[i], ratio, b[i]);
      const vector minus = vector::all(T(0)) - inverse;
      y = multiply_add(a[i] * minus, y, d[i] * inverse);
      ratio = c[i] * minus;
      waiting.store(row + i, ratio, y);
    }
  }

  WAVESCAN_TARGET_FUNCTION static void substitute(const Systems<T>& s, Index system, Index systems,
                                                  Index row, const Waiting& waiting) {
    const Index n = s.extents.length, length = std::min<Index>(rows, n - row);
    vector x[rows];
    Index i = length - 1;
    // The last c does not matter. Behind other blocks, the row after this one has x.
    vector after = row + length == n ? vector::all(T(0)) : waiting.right(row + length);
    if (row + length == n) {
      after = x[i] = waiting.right(row + i);
      --i;
    }
    for (; i >= 0; --i)
      after = x[i] = multiply_add(waiting.ratio(row + i), after, waiting.right(row + i));
    // For the block before this one.
    waiting.store(row, x[0], x[0]);
    store(s.x, system, systems, row, length, x);
  }
};

}  // namespace wavescan::Impl::columns

#endif
