// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_ALGORITHMS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_ALGORITHMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/wavefront/WaveScan_HostPipeline.hpp>
#include <impl/wavefront/WaveScan_RowSweep.hpp>
#include <impl/wavefront/WaveScan_TilePipeline.hpp>
#include <impl/wavefront/WaveScan_Tiles.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/wavefront/gpu/WaveScan_GpuWavefront.hpp>
#endif

/// @file
/// @brief The code that runs each schedule on each execution space.

namespace wavescan::Impl {

/// @brief The algorithms of any device.
template <ExecutionSpace Exec, class Problem>
struct WavefrontAlgorithms {
  using row_sweep = RowSweep<Exec, Problem>;
  using compensated = TilePipeline<Exec, Problem, CompensatedTile>;
  using skewed = TilePipeline<Exec, Problem, SkewedTile>;
};

/// @brief The algorithms of hosts.
template <ExecutionSpace Exec, class Problem>
  requires runs_on_host<Exec>
struct WavefrontAlgorithms<Exec, Problem> {
  using row_sweep = RowSweep<Exec, Problem>;
  using compensated = HostPipeline<Exec>;
  using skewed = HostPipeline<Exec>;
};

#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class Problem>
  requires(sizeof(typename Problem::value_type) <= largest_gpu_value<Problem::up_right>)
struct WavefrontAlgorithms<gpu::Device, Problem> : GpuAlgorithms<Problem> {};
#endif

}  // namespace wavescan::Impl

#endif
