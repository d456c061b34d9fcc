// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_COSTMODEL_HPP
#define WAVESCAN_IMPL_SOR_GPU_COSTMODEL_HPP

#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// @file
/// @brief The cost model: what a pass takes with some decomposition. docs/pages/sor_design.md says
/// how to refit its constants.

namespace wavescan::Impl::sor {

/// @brief The parameters that decide how fast a decomposition is; times in nanoseconds.
struct CostModel {
  int multiprocessors;
  int stride;       ///< steps between two hand-overs
  int warps;        ///< that relax or copy, of a multiprocessor
  double latency;   ///< of a step, if few warps share a scheduler
  double issue;     ///< of a step, for each warp of a scheduler
  double handover;  ///< from one band to the next, for each warp of a scheduler
  double memory;    ///< of a step, for each warp of a multiprocessor
  double refill;    ///< of a slot: to store it and to load it again
  double hop;       ///< that a row takes from one group to the next
  double tile;      ///< that a tile keeps the warp that copies it, if passes follow each other
  double pass_hop;  ///< of a tile from one pass to the next

  /// @brief Steps by which a group is behind the one above: a band looks for its neighbour's
  /// progress a stride ahead.
  int delay(const Decomposition& decomp) const {
    return decomp.stack * (Decomposition::band_rows + 2 * stride);
  }

  /// @brief Bands for which a warp copies.
  int tiles(const Decomposition& decomp) const {
    const int copiers = std::min(decomp.warps, warps - decomp.warps);
    return (decomp.warps + copiers - 1) / copiers;
  }

  /// @brief The time that memory takes for a step of all tickets.
  double copied(const Decomposition& decomp, int tickets) const {
    return memory * decomp.warps * tickets / multiprocessors;
  }

  double step(const Decomposition& decomp) const {
    const int of_scheduler = (decomp.warps + 3) / 4;
    const double step = std::max(latency, issue * of_scheduler) + handover * of_scheduler / stride;
    // While a slot is refilled the steps live on the other ones.
    const int lane_delay = Decomposition::band_rows + decomp.sweeps + stride;
    const double spare = (decomp.slots - 1) * decomp.chunk - lane_delay;
    return step + std::max(0.0, refill - spare * step) / decomp.chunk;
  }
};

/// @brief The longer of two times, and somewhat more if they are about equal.
inline double longer(double a, double b) { return std::cbrt(a * a * a + b * b * b); }

/// @brief The times that the tickets of a decomposition take, in nanoseconds.
struct PassTimes {
  double along;   ///< a ticket takes its group
  double behind;  ///< by which a group begins, and ends, after the one above
  double delay;   ///< from a group's first band to its last
  double copied;  ///< memory takes for all tickets
  int tickets;

  PassTimes(const Decomposition& decomp, const CostModel& machine)
      : tickets(decomp.groups_of(0) +
                (decomp.row_blocks > 1 ? decomp.groups_of(decomp.row_blocks - 1) : 0) +
                (decomp.row_blocks > 2 ? (decomp.row_blocks - 2) * decomp.groups_of(1) : 0)) {
    tickets *= decomp.teams / decomp.row_blocks;
    const double step = machine.step(decomp);
    // Steps at the ends of a row look at masks, and take longer.
    const double masked = 2.4 * (Decomposition::band_rows + decomp.sweeps + decomp.chunk);
    // Groups of a block that are under way at once hold each other up.
    const double at_once =
        std::min(1.0 * decomp.max_groups, 1.0 * machine.multiprocessors / decomp.teams);
    const double held_up = 1 + 0.05 * std::clamp(at_once - 1, 0.0, 1.0);
    along = (decomp.steps() + masked) * step * held_up;
    delay = machine.delay(decomp) * step;
    behind = delay + machine.hop;
    copied = machine.copied(decomp, tickets) * (decomp.steps() + masked);
  }
};

/// @brief An estimate of the time of a pass, as if tickets came in rounds: rather too low.
inline double estimated_time(const Decomposition& decomp, const CostModel& machine) {
  const PassTimes pass(decomp, machine);
  const double rounds = std::ceil(static_cast<double>(pass.tickets) / machine.multiprocessors);
  const double chain = (decomp.max_groups - 1) * pass.behind + pass.along;
  return longer(std::max(rounds * pass.along, chain), pass.copied) + pass.delay;
}

/// @brief The memory of the simulation of a pass, with room for so many blocks, and blocks of
/// threads: calls of a plan allocate nothing.
struct ScheduleSimulation {
  struct Group {
    double begin;
    double end;
  };
  std::vector<Group> above;  ///< of each block
  std::vector<double> free;  ///< of each block of threads: when it has its next ticket

  ScheduleSimulation() = default;
  ScheduleSimulation(std::size_t blocks, std::size_t multiprocessors)
      : above(blocks), free(multiprocessors) {}
};

/// @brief The time of a pass if each block of threads takes its tickets in turn, and each group
/// follows the one above it in its block.
inline double pass_cost(const Decomposition& decomp, const CostModel& machine,
                        ScheduleSimulation& times) {
  const PassTimes pass(decomp, machine);
  const int at_once = std::min(machine.multiprocessors, decomp.tickets());
  using Group = ScheduleSimulation::Group;
  auto& [above, free] = times;
  const auto teams = static_cast<std::size_t>(decomp.teams);
  const auto threads = static_cast<std::size_t>(at_once);
  if (above.size() < teams) above.resize(teams);
  if (free.size() < threads) free.resize(threads);
  std::fill_n(above.begin(), teams, Group{-pass.behind, 0});
  std::fill_n(free.begin(), threads, 0.0);
  double last = 0;
  int turn = 0;
  for (int group = 0; group < decomp.max_groups; ++group)
    for (int block = 0; block < decomp.teams; ++block, turn = turn + 1 == at_once ? 0 : turn + 1) {
      if (group >= decomp.groups_of(block / decomp.column_blocks)) continue;
      Group& g = above[static_cast<std::size_t>(block)];
      double& mine = free[static_cast<std::size_t>(turn)];
      g.begin = std::max(mine, g.begin + pass.behind);
      g.end = std::max(g.begin + pass.along, g.end + pass.behind);
      mine = g.end;
      last = std::max(last, g.end);
    }
  return longer(last, pass.copied) + pass.delay;
}

/// @brief The time of passes in a temporal pipeline: they take as long as the last of them needs
/// to get to the end, or as all of them need with all multiprocessors busy.
inline double pipeline_cost(const Decomposition& decomp, const CostModel& machine) {
  const double step =
      longer(longer(machine.step(decomp), machine.copied(decomp, machine.multiprocessors)),
             machine.tile * machine.tiles(decomp) / decomp.chunk);
  const double along = decomp.steps() * step;
  const double delay = machine.delay(decomp) * step;
  const double pass_delay =
      (decomp.chunk + Decomposition::band_rows + decomp.sweeps + machine.stride) * step +
      machine.pass_hop;
  const double last =
      (decomp.max_groups - 1) * (delay + machine.hop) + (decomp.passes - 1) * pass_delay + along;
  return longer(last, along * decomp.tickets() / machine.multiprocessors) + delay;
}

}  // namespace wavescan::Impl::sor

#endif
