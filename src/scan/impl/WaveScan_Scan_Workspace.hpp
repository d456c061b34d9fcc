// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_WORKSPACE_HPP
#define WAVESCAN_IMPL_SCAN_WORKSPACE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_Chunks.hpp>
#include <impl/WaveScan_Scan_Host.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Scan_SideBySide.hpp>
#if (defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)) || \
    (defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__))
#define WAVESCAN_HAS_GPU_SCANS
#include <impl/WaveScan_Scan_Gpu.hpp>
#endif

#include <cstddef>

namespace wavescan::Impl {

/// @brief The workspace of the way to scan one long line that an execution space has of its own:
/// by default none.
template <class Exec, class Value, class Segment>
struct SpecialScan {
  SpecialScan() = default;
  SpecialScan(const Exec&, LineExtents) {}
  template <class Problem>
  bool enqueue(const Exec&, const Problem&) const {
    return false;
  }
  std::size_t bytes() const { return 0; }
};

#if defined(WAVESCAN_HAS_GPU_SCANS)
template <class Value, class Segment>
struct SpecialScan<gpu::Device, Value, Segment> : GpuScan<Segment> {
  using GpuScan<Segment>::GpuScan;
};
#endif

/// @brief What all ways to do a scan of one size need: chosen and allocated once, by the plans.
template <ExecutionSpace Exec, class Value, class Segment>
class ScanWorkspace {
 public:
  ScanWorkspace() = default;
  ScanWorkspace(const Exec& exec, LineExtents extents)
      : shape_(ChunkShape::choose(exec, extents)),
        chunks_(exec, extents, shape_),
        special_(exec, extents) {}

  /// @brief Chooses the way to do a scan and enqueues it on `exec`.
  template <class Recurrence, class In>
  void enqueue(const Exec& exec, const ScanProblem<Recurrence, In>& problem) const {
    if (special_.enqueue(exec, problem)) return;
    if (prefers_side_by_side(exec, problem))
      scan_side_by_side(exec, problem);
    else
      scan_chunks(exec, problem, shape_, chunks_);
  }

  std::size_t bytes() const { return chunks_.bytes() + special_.bytes(); }

 private:
  ChunkShape shape_;
  ChunkWorkspace<Exec, Value, Segment> chunks_;
  SpecialScan<Exec, Value, Segment> special_;
};

/// @brief The host has ways of its own for everything.
template <ExecutionSpace Exec, class Value, class Segment>
  requires runs_on_host<Exec>
class ScanWorkspace<Exec, Value, Segment> : public HostScan<Exec, Value> {
 public:
  using HostScan<Exec, Value>::HostScan;
};

}  // namespace wavescan::Impl

#endif
