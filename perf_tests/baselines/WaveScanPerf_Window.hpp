// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_WINDOW_HPP
#define WAVESCAN_PERF_WINDOW_HPP

#include <WaveScan_Loop.hpp>
#include <cstddef>
#include <cstdint>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>
#include <type_traits>

/// @file
/// @brief What the tiled baselines share: a tile with its halo in scratch memory, and the
/// computation on it in the order of anti-diagonals.

namespace wavescan::Perf {

using Impl::Index;

/// @brief A tile and one entry around it in scratch memory, addressed by the array's indices. The
/// strides decide whether it lies there by rows or by anti-diagonals.
template <class T>
struct Window {
  using value_type = T;
  T* data;
  Index row, column;  ///< indices of the entry that `data` points to
  int row_stride, column_stride;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index i, Index j) const {
    return data[static_cast<int>(i - row) * row_stride +
                static_cast<int>(j - column) * column_stride];
  }
};

/// @brief Whether a loop reads old values: a tile need not be loaded for one that says it does not.
template <class L>
KOKKOS_FUNCTION constexpr bool reads_old() {
  if constexpr (requires { L::reads_old; })
    return L::reads_old;
  else
    return true;
}

/// @brief load(k) and store(k, value) for k = begin, begin + stride, ... below end, several loads
/// at a time, so that they wait for memory together.
template <class I, class Load, class Store>
KOKKOS_FORCEINLINE_FUNCTION void copy_overlapped(std::type_identity_t<I> begin, I end,
                                                 std::type_identity_t<I> stride, const Load& load,
                                                 const Store& store) {
  constexpr int together = 8;
  I k = begin;
  for (; k + (together - 1) * stride < end; k += together * stride) {
    decltype(load(k)) values[together];
    for (int u = 0; u < together; ++u) values[u] = load(k + u * stride);
    for (int u = 0; u < together; ++u) store(k + u * stride, values[u]);
  }
  for (; k < end; k += stride) store(k, load(k));
}

/// @brief The entries of a window that a team computes in lockstep: a thread for each row, each
/// thread one column behind the one above.
struct Lockstep {
  Index first_row;
  int rows;            ///< not more than the team's threads
  Index first_column;  ///< of the first row in step 0
  Index steps;
  Index column_begin;  ///< columns outside [column_begin, column_end) are left out
  Index column_end;
};

template <class Problem, class Team>
KOKKOS_FUNCTION void run_in_lockstep(const Problem& problem, const Team& team,
                                     const Window<typename Problem::value_type>& window,
                                     const Lockstep& work) {
  using T = typename Problem::value_type;
  const int rank = team.team_rank();
  const bool takes_part = rank < work.rows;
  const int row = takes_part ? rank : 0;
  const Index i = work.first_row + row;
  Index j = work.first_column - row;
  Index begin = j < work.column_begin ? work.column_begin : j;
  if (begin > j + work.steps) begin = j + work.steps;
  T left = window(i, begin - 1), up_left = window(i - 1, begin - 1);
  bool has_left = begin > 0 || Impl::HasBoundary<typename Problem::loop_type>;
  for (Index step = 0; step < work.steps; ++step, ++j) {
    if (takes_part && j >= work.column_begin && j < work.column_end) {
      const T up = window(i - 1, j);
      const T partial = problem.partial(i, j, {up_left, up}, window);
      left = has_left ? problem.recurrence.advance(left, partial, i, j) : partial;
      has_left = true;
      window(i, j) = left;
      up_left = up;
    }
    team.team_barrier();
  }
}

}  // namespace wavescan::Perf

#endif
