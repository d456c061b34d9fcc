// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_HOST_ENQUEUELANES_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_ENQUEUELANES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>

#include <algorithm>

/// @file
/// @brief Which of a host's threads solve which systems in the lanes of vectors.

namespace wavescan::Impl::columns {

/// @brief How many systems a thread solves together. Rows of those that are neighbours in memory
/// should be long, for each lies on a page of its own, and the workspace in the second cache. Those
/// that lie along memory are streams of their own, which should be few.
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

/// @brief Each thread solves as many systems as others.
/// @param elimination    solves some systems, as many at once as it has lanes
/// @param are_neighbours whether neighbouring systems are neighbours in memory
/// @param numbers        of a system's workspace
/// @param memory         of `most_lane_numbers`; or null: it is allocated
template <ExecutionSpace Exec, class Elimination, class S, class T>
void enqueue_lanes(const Exec& exec, const Elimination& elimination, const S& s,
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
