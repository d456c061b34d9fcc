// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_RUN_SWEEPS_HPP
#define WAVESCAN_TEST_SOR_RUN_SWEEPS_HPP

#include <impl/sor/WaveScan_BackendTraits.hpp>

#include <optional>

/// @file
/// @brief Sweeps by HostSweeps, GpuSweeps or ResidentSweeps alone, as the library calls them: it
/// asks for the way, and then enqueues it.

namespace wavescan::Test {

/// @brief Enqueues sweeps from x to `to`, which may be x; false if there is no way to do them.
template <class Sweeps, class Exec, class Problem, class Grid>
bool run_sweeps(const Sweeps& sweeps, const Exec& exec, const Problem& problem, const Grid& to,
                const Impl::sor::SweepRequest& request) {
  const auto way = sweeps.select(exec, problem, to, request);
  if (way.algorithm == SORAlgorithm::None) return false;
  sweeps.run(exec, way, problem, to, request);
  return true;
}

/// @brief The same, and what the last pass measures.
template <class Sweeps, class Exec, class Problem, class Grid>
std::optional<Impl::sor::ResidualSum> run_measured_sweeps(const Sweeps& sweeps, const Exec& exec,
                                                          const Problem& problem, const Grid& to,
                                                          const Impl::sor::SweepRequest& request) {
  const auto way = sweeps.select(exec, problem, to, request);
  if (way.algorithm == SORAlgorithm::None) return std::nullopt;
  return sweeps.run_measured(exec, way, problem, to, request);
}

/// @brief Sweeps by ResidentSweeps; false if the device has no room for all blocks at once.
template <class Sweeps, class Exec, class Problem, class Grid>
bool run_resident_sweeps(const Sweeps& sweeps, const Exec& exec, const Problem& problem,
                         const Grid& to, int count, bool backward = false) {
  const auto layout = sweeps.layout_on(exec, problem);
  if (layout) sweeps.run(exec, problem, to, count, backward, *layout);
  return layout.has_value();
}

}  // namespace wavescan::Test

#endif
