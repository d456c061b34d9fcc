// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PLAN_HPP
#define WAVESCAN_IMPL_SOR_GPU_PLAN_HPP

#include <impl/WaveScan_SOR_Gpu_Choice.hpp>

#include <algorithm>
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

/// @brief A launch: passes of fused sweeps, the last of which may have fewer.
struct SORGpuStage {
  int fused;
  int sweeps;  ///< of all passes
  bool backward;
  SORMeasured measured = SORMeasured::Nothing;  ///< in its last sweep

  int passes() const { return (sweeps + fused - 1) / fused; }
};

struct SORGpuPlan {
  std::vector<SORGpuStage> stages;
  double cost = 0;  ///< estimated time in nanoseconds
};

/// @brief True if there is a kernel that measures after the last sweep of a stage, and it pays.
///
/// For residuals it is a kernel with a further sweep. On an H200 a pass of their own is faster than
/// that where passes follow each other in a launch, and after eight fused sweeps of doubles.
template <class V>
constexpr bool sor_can_measure(int fused, int passes, SORMeasured what) {
  if (fused == 2) return false;  // spares the compiler a kernel
  return what != SORMeasured::Residuals || (passes == 1 && fused * sizeof(V) <= 32);
}

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
      const SORGpuPlan relays = in_relays(count);
      if ((tuning_.passes > 1 && !relays.stages.empty()) || relays.cost < plan.cost) plan = relays;
    }
    for (SORGpuStage& stage : plan.stages) stage.backward = backward;
    return plan;
  }

  /// @brief The same with a last stage that adds up updates.
  SORGpuPlan best_with_updates(int count, bool backward) const {
    SORGpuPlan plan = best(count, backward);
    if (const SORGpuStage& last = plan.stages.back();
        !can_measure(last, SORMeasured::Updates) || last.sweeps % last.fused != 0) {
      plan = {};
      for (int fused = 8; fused >= 1; fused /= 2) {
        const SORGpuStage pass{fused, fused, backward};
        if (fused > tuning_.most_fused || fused > count || !can_measure(pass, SORMeasured::Updates))
          continue;
        SORGpuPlan other = count > fused ? best(count - fused, backward) : SORGpuPlan{};
        other.stages.push_back(pass);
        other.cost += cost_of_pass(fused);
        if (plan.stages.empty() || other.cost < plan.cost) plan = other;
      }
    }
    plan.stages.back().measured = SORMeasured::Updates;
    return plan;
  }

  /// @brief The best plan, with a last stage that adds up residuals if there is one that can.
  SORGpuPlan best_with_residuals(int count, bool backward) const {
    SORGpuPlan plan = best(count, backward);
    const auto able = std::find_if(
        plan.stages.rbegin(), plan.stages.rend(),
        [](const SORGpuStage& stage) { return can_measure(stage, SORMeasured::Residuals); });
    if (able == plan.stages.rend()) return plan;
    std::iter_swap(able, plan.stages.rbegin());
    plan.stages.back().measured = SORMeasured::Residuals;
    return plan;
  }

 private:
  static bool can_measure(const SORGpuStage& stage, SORMeasured what) {
    return sor_can_measure<V>(stage.fused, stage.passes(), what);
  }

  /// What launches cost besides their work: three of them with blocks, else one.
  static constexpr double launch = 4000;
  /// Estimates are rather too low for few fused sweeps, so these must promise more than more do.
  static constexpr double worth = 0.9;
  /// Passes that follow each other come to lie ever higher, beyond the rows of the grid.
  static constexpr int most_passes = 64;
  static constexpr double never = std::numeric_limits<double>::infinity();

  SORGpuPlan one_by_one(int count) const {
    SORGpuPlan plan;
    for (int fused = 8; fused >= 1; fused /= 2) {
      if (fused > tuning_.most_fused || fused > count) continue;
      const double cost = cost_of_pass(fused);
      for (; count >= fused; count -= fused) {
        plan.stages.push_back({fused, fused, false});
        plan.cost += cost;
      }
    }
    return plan;
  }

  double cost_of_pass(int fused) const {
    const SORCut& cut = choice_.best(task_(fused, 1));
    return choice_.cost(cut) + (cut.blocks() > 1 ? 3 : 1) * launch;
  }

  /// @brief Stages of about equal length, with as many fused sweeps as pays.
  SORGpuPlan in_relays(int count) const {
    const int most = tuning_.passes > 0 ? std::min(most_passes, tuning_.passes) : most_passes;
    SORGpuPlan best{{}, never};
    for (int fused = 8; fused >= 1; fused /= 2) {
      if (fused > tuning_.most_fused || fused >= 2 * count) continue;
      int passes = divide_up(count, fused);
      passes = divide_up(passes, divide_up(passes, most));
      while (passes > 1 && choice_.whole(task_(fused, passes)).warps == 0)
        passes = divide_up(passes, 2);
      SORGpuPlan plan;
      for (int left = count; left > 0; left -= passes * fused) {
        const SORGpuStage stage{fused, std::min(left, passes * fused), false};
        const SORCut cut = choice_.whole(task_(fused, stage.passes()));
        plan.cost += (cut.warps > 0 ? choice_.cost(cut) : never) + launch;
        plan.stages.push_back(stage);
      }
      if (plan.cost < worth * best.cost) best = plan;
      if (tuning_.passes > 0) break;
    }
    return best;
  }
  static int divide_up(int a, int b) { return (a + b - 1) / b; }

  const SORGpuChoice<V>& choice_;
  const SORGpuTuning& tuning_;
  const Task& task_;
};

}  // namespace wavescan::Impl

#endif
