// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_ENQUEUE_HPP
#define WAVESCAN_IMPL_SCAN_ENQUEUE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Scan_Chunks.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Scan_SideBySide.hpp>

namespace wavescan::Impl {

/// @brief Chooses the way to do a scan and enqueues it on `exec`.
template <ExecutionSpace Exec, class Recurrence, class In>
void enqueue_scan(const Exec& exec, const ScanProblem<Recurrence, In>& problem,
                  const ChunkShape& shape,
                  const ChunkWorkspace<Exec, typename Recurrence::value_type,
                                       typename Recurrence::segment_type>& workspace) {
  if (prefers_side_by_side(exec, problem))
    scan_side_by_side(exec, problem);
  else
    scan_chunks(exec, problem, shape, workspace);
}

}  // namespace wavescan::Impl

#endif
