// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTLOOPS_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTLOOPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_SORLoop.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/wavefront/WaveScan_HostPipeline.hpp>
#include <impl/wavefront/WaveScan_Serial.hpp>

#include <algorithm>
#include <array>

namespace wavescan::Impl::sor {

/// @brief Enqueues sweeps in natural order by a thread.
template <ExecutionSpace Exec, class V, class C, class F>
WAVESCAN_NOT_INLINED void sweep_serially(const Exec& exec, const Problem<V, C, F>& problem,
                                         const SweepRequest& r) {
  for_each_pass(problem, r, [&](const Problem<V, C, F>& p, bool) {
    run_serial(exec, on_unknowns(loop_of(p), p.x));
  });
}

/// @brief Sweeps of arrays of one size on a host, by the loops that describe them: for processors
/// without fused multiply-adds, arrays of which neither dimension is dense, and users who ask for a
/// schedule.
///
/// Not by plans of wavefronts, whose choices are a model's of the machine: only two schedules give
/// the bits, and that of tiles leaves small arrays to one thread by itself.
template <ExecutionSpace Exec, class T>
class HostLoops {
 public:
  HostLoops(const Exec& exec, const std::array<Index, 2>& extents, const SOROptions& options)
      : exec_(exec),
        schedule_(options.schedule != Schedule::Auto ? options.schedule
                  : resident_teams(exec, 1) == 1     ? Schedule::Serial
                                                     : Schedule::TileSkewed),
        pipeline_(exec, pipeline_options(exec, extents, options)) {}

  Schedule schedule() const { return schedule_; }

  /// @brief Enqueues sweeps in place.
  template <class V, class C, class F>
  void sweep(const Problem<V, C, F>& problem, const SweepRequest& r) const {
    if (schedule_ == Schedule::Serial) return sweep_serially(exec_, problem, r);
    for_each_pass(problem, r, [&](const Problem<V, C, F>& p, bool) {
      pipeline_.run(exec_, on_unknowns(loop_of(p), p.x));
    });
  }
  template <class P>
  void reserve(const P&) const {}
  void throw_if_stuck() const {}  // waits have no limit

 private:
  /// @brief Tiles whose rows stay in a core's cache, and of which every thread has one soon.
  static AlgorithmOptions pipeline_options(const Exec& exec, const std::array<Index, 2>& extents,
                                           const SOROptions& options) {
    constexpr Index row_bytes = 16384;
    const Index rows = std::max<Index>(extents[0] - 2, 1), columns = extents[1] - 2;
    const Index of_thread = ceil_div(columns, 2 * resident_teams(exec, 1));
    const Index chosen =
        std::clamp<Index>(of_thread, 64, row_bytes / static_cast<Index>(sizeof(T)));
    const TileShape tile{std::min<Index>(options.tile_rows > 0 ? options.tile_rows : 32, rows),
                         options.tile_columns > 0 ? options.tile_columns : chosen};
    return {{1, 1 + rows, 1, 1 + columns}, tile};
  }

  Exec exec_;
  Schedule schedule_;
  HostPipeline<Exec> pipeline_;
};

}  // namespace wavescan::Impl::sor

#endif
