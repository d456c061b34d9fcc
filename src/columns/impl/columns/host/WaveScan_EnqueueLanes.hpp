// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_HOST_ENQUEUELANES_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_ENQUEUELANES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>

#include <algorithm>

/// @file
/// @brief Assignment of systems to a host's threads, which solve them in the lanes of vectors; sets
/// of systems take turns.

namespace wavescan::Impl::columns {

/// @brief The number of systems that a thread solves together. Rows of those that are neighbours in
/// memory should be long, for each lies on a page of its own, and the workspace in the second
/// cache. Those that lie along memory are streams of their own, which should be few.
/// @param bytes of a system's workspace
inline Index systems_together(bool are_neighbours, Index bytes, int lanes) {
  constexpr Index cache = Index(1) << 20;
  if (!are_neighbours) return lanes;
  return std::clamp<Index>(cache / bytes / 64 * 64, 64, 256);  // of any vector, all lanes
}

/// @brief Numbers of all threads' workspaces, at most.
/// @param numbers of a system's workspace
template <class T, ExecutionSpace Exec>
Index most_lane_numbers(const Exec& exec, Index numbers) {
  return exec.concurrency() * systems_together(true, numbers * static_cast<Index>(sizeof(T)), 0) *
         numbers;
}

/// @brief Systems in the lanes of vectors: from `first` on, perhaps fewer than there are lanes.
struct LaneSet {
  Index first, count;
  Index together;  ///< systems of all sets that take turns
};

/// @brief Results of the elimination of a set's rows that the substitution needs.
template <class T>
struct WaitingRows {
  T* data;
  Index pitch;
  T* of(Index row) const { return data + row * pitch; }
};

/// @brief Solves systems from `first` on, `count` of them: all sets eliminate some rows, then the
/// next ones, and substitute them in turn.
/// @tparam Elimination  a target's; if it `closes_rings`, its `close_ring` follows on elimination
///                      where systems are cyclic
/// @param workspace     `waiting_vectors` for each row of each set, and those of `close_ring`
template <class Elimination, class S, class T>
void solve_sets(const S& s, Index first, Index count, T* workspace) {
  constexpr Index lanes = Elimination::lanes, rows = Elimination::rows;
  const Index last = (s.extents.length - 1) / rows * rows, sets = ceil_div(count, lanes),
              of_set = Elimination::waiting_vectors(s) * lanes;
  const auto for_each_set = [&](const auto& act) {
    for (Index set = 0; set < sets; ++set)
      act(LaneSet{first + set * lanes, std::min(lanes, count - set * lanes), count},
          WaitingRows<T>{workspace + set * of_set, sets * of_set});
  };
  for (Index row = 0; row <= last; row += rows)
    for_each_set([&](const LaneSet& set, const WaitingRows<T>& waiting) {
      Elimination::eliminate(s, set, row, waiting);
    });
  if constexpr (Elimination::closes_rings)
    if (s.matrices.cyclic)
      for_each_set([&](const LaneSet&, const WaitingRows<T>& waiting) {
        Elimination::close_ring(s.extents.length, waiting);
      });
  for (Index row = last; row >= 0; row -= rows)
    for_each_set([&](const LaneSet& set, const WaitingRows<T>& waiting) {
      Elimination::substitute(s, set, row, waiting);
    });
}

/// @brief A target's elimination, for callers that are compiled once for all targets.
template <class S, class T>
struct AnyLanes {
  int lanes;  ///< systems side by side
  void (*solve)(const S&, Index first, Index count, T* workspace);
};

#if defined(WAVESCAN_HAS_VECTORS)
/// @brief The best target's elimination.
/// @tparam Elimination of a target, whose systems are `Given`
/// @tparam Factored    whether matrices have been factorized
template <template <class, class, int, bool> class Elimination, class T, int M, bool Factored>
auto best_lanes() {
  return dispatch([](auto target) {
    using OfTarget = Elimination<decltype(target), T, M, Factored>;
    using S = typename OfTarget::Given;
    return AnyLanes<S, T>{OfTarget::lanes, &solve_sets<OfTarget, S, T>};
  });
}
#endif

/// @brief Enqueues the solution of systems in lanes; each thread takes as many systems as others.
/// @param are_neighbours whether neighbouring systems are neighbours in memory
/// @param numbers        of a system's workspace
/// @param memory         of `most_lane_numbers`; or null: it is allocated
template <ExecutionSpace Exec, class S, class T>
void enqueue_lanes(const Exec& exec, const AnyLanes<S, T>& elimination, const S& s,
                   bool are_neighbours, Index numbers, T* memory) {
  const Index lanes = elimination.lanes, lines = s.extents.lines, threads = exec.concurrency(),
              share = ceil_div(ceil_div(lines, lanes), threads) * lanes,
              together =
                  std::min(systems_together(are_neighbours, numbers * static_cast<Index>(sizeof(T)),
                                            elimination.lanes),
                           share);
  const auto solve = [&](T* workspace) {
    enqueue_each(exec, "WaveScan::columns::lanes", threads, [=](Index thread) {
      const Index end = std::min(lines, (thread + 1) * share);
      for (Index first = thread * share; first < end; first += together)
        elimination.solve(s, first, std::min(together, end - first),
                          workspace + thread * together * numbers);
    });
  };
  if (memory) return solve(memory);
  solve(kept_array<T>(exec, "WaveScan::columns::lanes", threads * together * numbers)->data());
}

}  // namespace wavescan::Impl::columns

#endif
