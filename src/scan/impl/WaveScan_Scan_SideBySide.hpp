// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SIDEBYSIDE_HPP
#define WAVESCAN_IMPL_SCAN_SIDEBYSIDE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

/// @file
/// @brief Scans of many lines: every line is scanned in order, by a thread of its own. Memory is
/// read once and written once.

namespace wavescan::Impl {

template <class Recurrence, class In>
struct SideBySideScan {
  ScanProblem<Recurrence, In> problem;

  KOKKOS_FUNCTION void operator()(const Index line) const {
    problem.finish(problem.scan_serially(problem.carry_in(line), line, 0, problem.extents.length),
                   line);
  }
};

/// @brief Whether lines are scanned side by side rather than cut into chunks.
///
/// They are if there are enough of them, and neighbouring threads then read neighbouring memory or
/// the lines are too short for a team.
template <ExecutionSpace Exec, class Recurrence, class In>
bool prefers_side_by_side(const Exec& exec, const ScanProblem<Recurrence, In>& problem) {
  return problem.extents.length <= 32 ||
         (problem.ends_are_adjacent() && problem.extents.lines >= resident_teams(exec, 4));
}

/// @brief Enqueues the scan on `exec`.
template <ExecutionSpace Exec, class Recurrence, class In>
void scan_side_by_side(const Exec& exec, const ScanProblem<Recurrence, In>& problem) {
  Kokkos::parallel_for(
      "WaveScan::scan::side_by_side",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, problem.extents.lines),
      SideBySideScan<Recurrence, In>{problem});
}

}  // namespace wavescan::Impl

#endif
