// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_INTERLEAVEDBATCH_HPP
#define WAVESCAN_IMPL_SCAN_INTERLEAVEDBATCH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>

/// @file
/// @brief Scans of many lines: every line is scanned in order, by a thread of its own. Memory is
/// read once and written once.

namespace wavescan::Impl {

template <class Recurrence, class In>
struct InterleavedScan {
  ScanProblem<Recurrence, In> problem;

  KOKKOS_FUNCTION void operator()(const Index line) const {
    problem.finish(problem.scan_serially(problem.carry_in(line), line, 0, problem.extents.length),
                   line);
  }
};

/// @brief Enqueues the scan on `exec`.
template <ExecutionSpace Exec, class Recurrence, class In>
void scan_interleaved(const Exec& exec, const ScanProblem<Recurrence, In>& problem) {
  Kokkos::parallel_for(
      "WaveScan::scan::side_by_side",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, problem.extents.lines),
      InterleavedScan<Recurrence, In>{problem});
}

}  // namespace wavescan::Impl

#endif
