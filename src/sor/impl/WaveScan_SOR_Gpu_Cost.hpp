// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_COST_HPP
#define WAVESCAN_IMPL_SOR_GPU_COST_HPP

#include <impl/WaveScan_SOR_Gpu_Cut.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// @file
/// @brief What passes cost that are cut in some way.

namespace wavescan::Impl {

/// @brief What decides how fast a cut is; times in nanoseconds.
struct SORGpuMachine {
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
  double relay;     ///< of a tile from one pass to the next

  /// @brief Steps by which a group is behind the one above: a band looks for its neighbour's
  /// progress a stride ahead.
  int lag(const SORCut& cut) const { return cut.stack * (SORCut::band_rows + 2 * stride); }

  /// @brief Bands for which a warp copies.
  int tiles(const SORCut& cut) const {
    const int copiers = std::min(cut.warps, warps - cut.warps);
    return (cut.warps + copiers - 1) / copiers;
  }

  /// @brief Of a step of all tickets.
  double copied(const SORCut& cut, int tickets) const {
    return memory * cut.warps * tickets / multiprocessors;
  }

  double step(const SORCut& cut) const {
    const int of_scheduler = (cut.warps + 3) / 4;
    const double step = std::max(latency, issue * of_scheduler) + handover * of_scheduler / stride;
    // While a slot is refilled the steps live on the other ones.
    const int lane_lag = SORCut::band_rows + cut.sweeps + stride;
    const double spare = (cut.slots - 1) * cut.chunk - lane_lag;
    return step + std::max(0.0, refill - spare * step) / cut.chunk;
  }
};

/// @brief The longer of two times, and somewhat more if they are alike.
inline double sor_longer(double a, double b) { return std::cbrt(a * a * a + b * b * b); }

/// @brief How fast the tickets of a cut are done; times in nanoseconds.
struct SORGpuPace {
  double along;   ///< a ticket takes its group
  double behind;  ///< by which a group begins, and ends, after the one above
  double lag;     ///< from a group's first band to its last
  double copied;  ///< memory takes for all tickets
  int tickets;

  SORGpuPace(const SORCut& cut, const SORGpuMachine& machine)
      : tickets(cut.groups_of(0) + (cut.row_blocks > 1 ? cut.groups_of(cut.row_blocks - 1) : 0) +
                (cut.row_blocks > 2 ? (cut.row_blocks - 2) * cut.groups_of(1) : 0)) {
    tickets *= cut.teams / cut.row_blocks;
    const double step = machine.step(cut);
    // Steps at the ends of a row look at masks, and take longer.
    const double masked = 2.4 * (SORCut::band_rows + cut.sweeps + cut.chunk);
    // Groups of a block that are under way at once hold each other up.
    const double at_once =
        std::min(1.0 * cut.most_groups, 1.0 * machine.multiprocessors / cut.teams);
    const double held_up = 1 + 0.05 * std::clamp(at_once - 1, 0.0, 1.0);
    along = (cut.steps() + masked) * step * held_up;
    lag = machine.lag(cut) * step;
    behind = lag + machine.hop;
    copied = machine.copied(cut, tickets) * (cut.steps() + masked);
  }
};

/// @brief An estimate of the time of a pass, as if tickets came in rounds: rather too low.
inline double sor_estimate(const SORCut& cut, const SORGpuMachine& machine) {
  const SORGpuPace pace(cut, machine);
  const double rounds = std::ceil(static_cast<double>(pace.tickets) / machine.multiprocessors);
  const double chain = (cut.most_groups - 1) * pace.behind + pace.along;
  return sor_longer(std::max(rounds * pace.along, chain), pace.copied) + pace.lag;
}

/// @brief What the simulation of a pass keeps in mind.
struct SORGpuTimes {
  struct Group {
    double begin;
    double end;
  };
  std::vector<Group> above;  ///< of each block
  std::vector<double> free;  ///< of each block of threads: when it has its next ticket
};

/// @brief The time of a pass if each block of threads takes its tickets in turn, and each group
/// follows the one above it in its block.
inline double sor_cost(const SORCut& cut, const SORGpuMachine& machine, SORGpuTimes& times) {
  const SORGpuPace pace(cut, machine);
  const int at_once = std::min(machine.multiprocessors, cut.tickets());
  using Group = SORGpuTimes::Group;
  auto& [above, free] = times;
  above.assign(static_cast<std::size_t>(cut.teams), Group{-pace.behind, 0});
  free.assign(static_cast<std::size_t>(at_once), 0.0);
  double last = 0;
  int turn = 0;
  for (int group = 0; group < cut.most_groups; ++group)
    for (int block = 0; block < cut.teams; ++block, turn = turn + 1 == at_once ? 0 : turn + 1) {
      if (group >= cut.groups_of(block / cut.column_blocks)) continue;
      Group& g = above[static_cast<std::size_t>(block)];
      double& mine = free[static_cast<std::size_t>(turn)];
      g.begin = std::max(mine, g.begin + pace.behind);
      g.end = std::max(g.begin + pace.along, g.end + pace.behind);
      mine = g.end;
      last = std::max(last, g.end);
    }
  return sor_longer(last, pace.copied) + pace.lag;
}

/// @brief The same for passes that follow each other: they take as long as the last of them needs
/// to get to the end, or as all of them need with all multiprocessors busy.
inline double sor_relay_cost(const SORCut& cut, const SORGpuMachine& machine) {
  const double step =
      sor_longer(sor_longer(machine.step(cut), machine.copied(cut, machine.multiprocessors)),
                 machine.tile * machine.tiles(cut) / cut.chunk);
  const double along = cut.steps() * step;
  const double lag = machine.lag(cut) * step;
  const double pass_lag =
      (cut.chunk + SORCut::band_rows + cut.sweeps + machine.stride) * step + machine.relay;
  const double last =
      (cut.most_groups - 1) * (lag + machine.hop) + (cut.passes - 1) * pass_lag + along;
  return sor_longer(last, along * cut.tickets() / machine.multiprocessors) + lag;
}

}  // namespace wavescan::Impl

#endif
