// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_HOSTPIPELINE_HPP
#define WAVESCAN_IMPL_WAVEFRONT_HOSTPIPELINE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_TilePipeline.hpp>
#include <impl/wavefront/WaveScan_Tiles.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <algorithm>

/// @file
/// @brief The pipeline of tiles on hosts, where a thread alone is a team: in a tile it computes row
/// by row in order, whether tiles are compensated or skewed. Its launch is compiled once for all
/// loops, which takes compilers much less time than one by teams.

namespace wavescan::Impl {

template <class T>
KOKKOS_FUNCTION T draw_ticket(const SingleThread&, T* next) {
  return next_number(next);
}

/// @brief The workspace for arrays of one size, and loops of any type.
template <ExecutionSpace Exec>
class HostPipeline {
  template <class Problem>
  struct Kernel {
    PipelineKernel<SingleThread, SkewedTile<Problem, SingleThread>> pipeline;
    void operator()(const Index) const { pipeline(SingleThread()); }
  };

 public:
  HostPipeline(const Exec& exec, const AlgorithmOptions& options)
      : shape_(options.tile), bands_(ceil_div(options.range.rows(), shape_.rows)) {
    allocate(exec, counters_, "WaveScan::wavefront::progress", bands_ + 1);
  }

  /// @brief Enqueues the loop on `exec`.
  template <class Problem>
  void run(const Exec& exec, const Problem& problem) const {
    set_all(exec, counters_, 0);
    const Kernel<Problem> kernel{{problem, shape_, bands_, counters_.data(), counters_.data() + 1}};
    constexpr double seconds_of_entry = 1.5e-9;
    const Block& range = problem.range;
    enqueue_workers(exec, "WaveScan::wavefront::tile_pipeline",
                    std::min(bands_, resident_teams(exec, 1)),
                    seconds_of_entry * static_cast<double>(range.rows() * range.columns()), kernel);
  }

  void throw_if_stuck() const {}  // waits have no limit

 private:
  TileShape shape_;
  Index bands_;
  Kokkos::View<Index*, typename Exec::memory_space> counters_;
};

}  // namespace wavescan::Impl

#endif
