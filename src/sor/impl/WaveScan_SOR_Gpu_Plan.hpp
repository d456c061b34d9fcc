// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PLAN_HPP
#define WAVESCAN_IMPL_SOR_GPU_PLAN_HPP

#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/WaveScan_SOR_Gpu_Choice.hpp>

#include <algorithm>
#include <limits>

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

/// @brief A launch again and again.
struct SORGpuRun {
  SORGpuStage stage;
  int times;
  bool alternates = false;  ///< each goes in the other direction than the one before
};

/// @brief The launches for some sweeps, in their order.
class SORGpuStages {
 public:
  bool empty() const { return runs_.empty(); }
  int count() const {
    int sum = 0;
    for (const SORGpuRun& run : runs_) sum += run.times;
    return sum;
  }
  int sweeps() const {
    int sum = 0;
    for (const SORGpuRun& run : runs_) sum += run.times * run.stage.sweeps;
    return sum;
  }
  const SORGpuStage& front() const { return runs_.front().stage; }
  SORGpuStage back() const {
    SORGpuStage stage = runs_.back().stage;
    if (runs_.back().alternates && runs_.back().times % 2 == 0) stage.backward = !stage.backward;
    return stage;
  }
  template <class Use>
  void for_each(const Use& use) const {
    for (const SORGpuRun& run : runs_) {
      SORGpuStage stage = run.stage;
      for (int k = 0; k < run.times; ++k) {
        use(stage);
        if (run.alternates) stage.backward = !stage.backward;
      }
    }
  }

  void add(const SORGpuRun& run) {
    if (run.times > 0) runs_.push_back(run);
  }
  void set_backward(bool backward) {
    for (SORGpuRun& run : runs_) run.stage.backward = backward;
  }
  /// @brief Lets the last stage measure.
  void measure(SORMeasured what) {
    SORGpuStage last = back();
    take(&runs_.back());
    last.measured = what;
    runs_.push_back({last, 1});
  }
  /// @brief Moves the last stage for which wanted(stage) to the end; false if there is none.
  template <class Wanted>
  bool move_to_end(const Wanted& wanted) {
    for (SORGpuRun* run = runs_.end(); run != runs_.begin();)
      if (wanted((--run)->stage)) {
        const SORGpuStage stage = run->stage;
        take(run);
        runs_.push_back({stage, 1});
        return true;
      }
    return false;
  }
  /// @brief Makes two of a stage, if one can be halved: as many stages as before and one.
  void split_one() {
    for (SORGpuRun& run : runs_) {
      SORGpuStage half = run.stage;
      if (half.fused % 2 != 0 || half.sweeps % 2 != 0 || half.measured != SORMeasured::Nothing)
        continue;
      half.fused /= 2;
      half.sweeps /= 2;
      take(&run);
      runs_.push_front({half, 2});
      return;
    }
  }

 private:
  void take(SORGpuRun* run) {
    if (--run->times == 0) runs_.erase(run);
  }

  InplaceVector<SORGpuRun, 8> runs_;
};

struct SORGpuPlan {
  SORGpuStages stages;
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
    plan.stages.set_backward(backward);
    return plan;
  }

  /// @brief The same with a last stage that adds up updates.
  SORGpuPlan best_with_updates(int count, bool backward) const {
    SORGpuPlan plan = best(count, backward);
    if (const SORGpuStage last = plan.stages.back();
        !can_measure(last, SORMeasured::Updates) || last.sweeps % last.fused != 0) {
      plan = {};
      for (int fused = 8; fused >= 1; fused /= 2) {
        const SORGpuStage pass{fused, fused, backward};
        if (fused > tuning_.most_fused || fused > count || !can_measure(pass, SORMeasured::Updates))
          continue;
        SORGpuPlan other = count > fused ? best(count - fused, backward) : SORGpuPlan{};
        other.stages.add({pass, 1});
        other.cost += cost_of_pass(fused);
        if (plan.stages.empty() || other.cost < plan.cost) plan = other;
      }
    }
    plan.stages.measure(SORMeasured::Updates);
    return plan;
  }

  /// @brief The best plan, with a last stage that adds up residuals if there is one that can.
  SORGpuPlan best_with_residuals(int count, bool backward) const {
    SORGpuPlan plan = best(count, backward);
    if (plan.stages.move_to_end(
            [](const SORGpuStage& stage) { return can_measure(stage, SORMeasured::Residuals); }))
      plan.stages.measure(SORMeasured::Residuals);
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
      const int times = count / fused;
      plan.stages.add({{fused, fused, false}, times});
      plan.cost += times * cost_of_pass(fused);
      count -= times * fused;
    }
    return plan;
  }

  double cost_of_pass(int fused) const {
    const SORCut cut = choice_.best(task_(fused, 1));
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
      const auto add = [&](int sweeps, int times) {
        if (times == 0) return;
        const SORGpuStage stage{fused, sweeps, false};
        const SORCut cut = choice_.whole(task_(fused, stage.passes()));
        plan.cost += times * ((cut.warps > 0 ? choice_.cost(cut) : never) + launch);
        plan.stages.add({stage, times});
      };
      add(passes * fused, count / (passes * fused));
      add(count % (passes * fused), count % (passes * fused) > 0 ? 1 : 0);
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
