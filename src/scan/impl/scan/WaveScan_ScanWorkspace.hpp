// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SCANWORKSPACE_HPP
#define WAVESCAN_IMPL_SCAN_SCANWORKSPACE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_InterleavedBatch.hpp>
#include <impl/scan/WaveScan_ReduceThenScan.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_ScanSelection.hpp>
#include <impl/scan/host/WaveScan_HostScan.hpp>
#include <impl/segmented/host/WaveScan_OffsetHeads.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/scan/gpu/WaveScan_GpuScan.hpp>
#endif

#include <cstddef>

namespace wavescan::Impl {

/// @brief The kernels for scans that a device has of its own, and their workspace: by default none.
template <class Exec, class Value, class Segment>
struct BackendScan {
  BackendScan() = default;
  BackendScan(const Exec&, LineExtents) {}
  static constexpr Index multiprocessors() { return 0; }
  template <class Problem>
  static ScanRequest request(const Problem& problem) {
    return {problem.extents, {}, {problem.accessors_are_adjacent()}};
  }
  template <class Problem>
  void enqueue(const Exec&, const Problem&, ScanAlgorithm) const {}
  std::size_t bytes() const { return 0; }
};

#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class Value, class Segment>
struct BackendScan<gpu::Device, Value, Segment> : GpuScan<Segment> {
  using GpuScan<Segment>::GpuScan;
};
#endif

/// @brief Whether a device has kernels that tell heads of segments by flags or keys as they lie in
/// memory (`enqueue_tiles`).
template <class Exec>
inline constexpr bool tells_heads_by_values = vendor_of<Exec> == Vendor::Nvidia;

/// @brief Workspace of the algorithms for scans of one size: allocated once, by the plans.
template <ExecutionSpace Exec, class Value, class Segment>
class ScanWorkspace {
 public:
  ScanWorkspace() = default;
  ScanWorkspace(const Exec& exec, LineExtents extents)
      : teams_(resident_teams(exec, 4)),
        shape_(ChunkShape::choose(exec, extents, sizeof(Segment))),
        chunks_(exec, extents, shape_),
        backend_(exec, extents) {}

  template <class Recurrence, class In>
  ScanAlgorithm algorithm(const ScanProblem<Recurrence, In>& problem) const {
    return select_algorithm(backend_.request(problem), {backend_.multiprocessors(), teams_});
  }

  template <class Recurrence, class In>
  void enqueue(const Exec& exec, const ScanProblem<Recurrence, In>& problem) const {
    switch (const ScanAlgorithm selected = algorithm(problem)) {
      case ScanAlgorithm::InterleavedBatch:
        return scan_interleaved(exec, problem);
      case ScanAlgorithm::ReduceThenScan:
        return reduce_then_scan(exec, problem, shape_, chunks_);
      default:
        return backend_.enqueue(exec, problem, selected);
    }
  }

  const auto& backend() const { return backend_; }

  std::size_t bytes() const { return chunks_.bytes() + backend_.bytes(); }

 private:
  Index teams_ = 1;
  ChunkShape shape_;
  ReduceThenScanWorkspace<Exec, Value, Segment> chunks_;
  BackendScan<Exec, Value, Segment> backend_;
};

/// @brief The host has ways of its own for everything.
template <ExecutionSpace Exec, class Value, class Segment>
  requires runs_on_host<Exec>
class ScanWorkspace<Exec, Value, Segment> : public HostScan<Exec, Value> {
 public:
  using HostScan<Exec, Value>::HostScan;
};

// What a plan asks of its workspace, in functions that users may find compiled: see
// WaveScan_Instantiations.hpp. To declare them takes no more than the names of the types.

template <class Workspace, ExecutionSpace Exec>
Workspace make_workspace(const Exec& exec, LineExtents extents) {
  return {exec, extents};
}
/// @param heads of a host's segments, that are still to be set
template <class Workspace, ExecutionSpace Exec, class Problem>
void enqueue_scan(const Workspace& workspace, const Exec& exec, const Problem& problem,
                  [[maybe_unused]] const OffsetHeads& heads = {}) {
  if constexpr (runs_on_host<Exec>)
    workspace.enqueue(exec, problem, heads);
  else
    workspace.enqueue(exec, problem);
}

}  // namespace wavescan::Impl

#endif
