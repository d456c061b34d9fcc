// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PLAN_HPP
#define WAVESCAN_IMPL_SOR_GPU_PLAN_HPP

#include <impl/WaveScan_SOR_Gpu_Choice.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

/// @file
/// @brief By which launches some sweeps are done.
///
/// Passes cut into blocks need not wait for each other's rows, but end before the next one begins,
/// and redo their overlaps. Passes that follow each other in one launch share the time in which the
/// first of them gets going. The former suit few sweeps and relaxation factors that let errors die
/// soon, the latter many sweeps and any factor.

namespace wavescan::Impl {

/// @brief A launch: passes of fused sweeps.
struct SORGpuStage {
  int fused;
  int passes;
  bool backward;
};

struct SORGpuPlan {
  std::vector<SORGpuStage> stages;
  double cost = 0;  ///< estimated time in nanoseconds
};

/// @brief Finds the best plan for sweeps in one direction.
/// @tparam Task a function (fused, passes) -> SORGpuTask
template <class V, class Task>
class SORGpuPlanner {
 public:
  SORGpuPlanner(const SORGpuChoice<V>& choice, const SORGpuTuning& tuning, const Task& task)
      : choice_(choice), tuning_(tuning), task_(task) {}

  SORGpuPlan best(int count, bool backward) const {
    SORGpuPlan plan = one_by_one(count);
    if (tuning_.passes != 1 && tuning_.blocks != 1) {
      const SORGpuPlan relays = in_relays(count, tuning_.most_fused);
      if ((tuning_.passes > 1 && !relays.stages.empty()) || relays.cost < plan.cost) plan = relays;
    }
    for (SORGpuStage& stage : plan.stages) stage.backward = backward;
    return plan;
  }

 private:
  /// What launches cost besides their work: three of them with blocks, else one.
  static constexpr double launch = 4000;
  /// Estimates are rather too low for few fused sweeps, so these must promise more than more do.
  static constexpr double worth = 0.9;
  /// Passes that follow each other come to lie ever higher, beyond the rows of the grid.
  static constexpr int most_passes = 64;

  SORGpuPlan one_by_one(int count) const {
    SORGpuPlan plan;
    for (int fused = 8; fused >= 1; fused /= 2) {
      if (fused > tuning_.most_fused || fused > count) continue;
      const SORCut& cut = choice_.best(task_(fused, 1));
      const double cost = choice_.cost(cut) + (cut.blocks() > 1 ? 3 : 1) * launch;
      for (; count >= fused; count -= fused) {
        plan.stages.push_back({fused, 1, false});
        plan.cost += cost;
      }
    }
    return plan;
  }

  /// @brief Stages of about equal length with as many fused sweeps as pays, and what remains.
  SORGpuPlan in_relays(int count, int most_fused) const {
    SORGpuPlan best{{}, std::numeric_limits<double>::infinity()};
    for (int fused = 8; fused >= 1; fused /= 2) {
      const int passes = count / fused;
      if (fused > most_fused || passes == 0) continue;
      const int most = std::min(most_passes, tuning_.passes > 0 ? tuning_.passes : most_passes);
      int stages = (passes + most - 1) / most;
      SORCut cut = choice_.whole(task_(fused, passes / stages));
      while (cut.warps == 0 && passes / stages > 1) {
        stages = std::min(2 * stages, passes);
        cut = choice_.whole(task_(fused, passes / stages));
      }
      if (cut.warps == 0) continue;
      SORGpuPlan plan;
      if (const int rest = count - stages * cut.passes * fused; rest > 0)
        plan = in_relays(rest, fused);
      plan.stages.insert(plan.stages.begin(), static_cast<std::size_t>(stages),
                         {fused, cut.passes, false});
      plan.cost += stages * (choice_.cost(cut) + launch);
      if (plan.cost < worth * best.cost) best = plan;
      if (tuning_.passes > 0) break;
    }
    return best;
  }

  const SORGpuChoice<V>& choice_;
  const SORGpuTuning& tuning_;
  const Task& task_;
};

}  // namespace wavescan::Impl

#endif
