// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_WAYS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_WAYS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Wavefront_RowSweep.hpp>
#include <impl/WaveScan_Wavefront_TilePipeline.hpp>
#include <impl/WaveScan_Wavefront_Tiles.hpp>
#if defined(WAVESCAN_HAS_GPU_SCANS)
#include <impl/WaveScan_Wavefront_Gpu.hpp>
#endif

/// @file
/// @brief Which code runs a schedule on which execution space.

namespace wavescan::Impl {

/// @brief The portable ways.
template <ExecutionSpace Exec, class Problem>
struct WavefrontWays {
  using row_sweep = RowSweep<Exec, Problem>;
  using compensated = TilePipeline<Exec, Problem, CompensatedTile>;
  using skewed = TilePipeline<Exec, Problem, SkewedTile>;
};

#if defined(WAVESCAN_HAS_GPU_SCANS)
template <class Problem>
  requires(sizeof(typename Problem::value_type) <= largest_gpu_value)
struct WavefrontWays<gpu::Device, Problem> : GpuWays<Problem> {};
#endif

}  // namespace wavescan::Impl

#endif
