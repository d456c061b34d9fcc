// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_LAUNCHPLAN_HPP
#define WAVESCAN_IMPL_SOR_GPU_LAUNCHPLAN_HPP

#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/sor/gpu/WaveScan_DecompositionSearch.hpp>

#include <algorithm>
#include <limits>

/// @file
/// @brief The launches by which some sweeps are done: blocks one pass after the other, or a
/// temporal pipeline.
///
/// Passes in blocks (speculation) need not wait for each other's rows, but end before the next one
/// begins, and redo their overlaps. Passes that follow each other in one launch share the time in
/// which the first of them gets going. The former suit few sweeps and relaxation factors that let
/// errors die soon, the latter many sweeps and any factor.

namespace wavescan::Impl::sor {

/// @brief A launch: passes of several sweeps, the last of which may have fewer.
struct PassLaunch {
  int depth;
  int sweeps;                                   ///< of all passes
  Measurement measured = Measurement::Nothing;  ///< in its last sweep

  int passes() const { return (sweeps + depth - 1) / depth; }
};

/// @brief The launches for some sweeps, in their order.
class LaunchSequence {
 public:
  bool empty() const { return runs_.empty(); }
  int count() const {
    int sum = 0;
    for_each([&](const PassLaunch&) { ++sum; });
    return sum;
  }
  int sweeps() const {
    int sum = 0;
    for_each([&](const PassLaunch& launch) { sum += launch.sweeps; });
    return sum;
  }
  const PassLaunch& front() const { return runs_.front().launch; }
  const PassLaunch& back() const { return runs_.back().launch; }
  template <class Use>
  void for_each(const Use& use) const {
    for (const Run& run : runs_)
      for (int k = 0; k < run.times; ++k) use(run.launch);
  }

  void add(const PassLaunch& launch, int times) {
    if (times > 0) runs_.push_back({launch, times});
  }
  /// @brief Moves the last launch for which wanted(launch) to the end, and lets it measure; false
  /// if there is none.
  template <class Wanted>
  bool measure(Measurement what, const Wanted& wanted) {
    for (Run* run = runs_.end(); run != runs_.begin();)
      if (wanted((--run)->launch)) {
        PassLaunch launch = run->launch;
        launch.measured = what;
        take(run);
        add(launch, 1);
        return true;
      }
    return false;
  }
  /// @brief Makes two of a launch, if one can be halved: as many launches as before and one.
  void split_one() {
    for (Run& run : runs_) {
      PassLaunch half = run.launch;
      if (half.depth % 2 != 0 || half.sweeps % 2 != 0 || half.measured != Measurement::Nothing)
        continue;
      half.depth /= 2;
      half.sweeps /= 2;
      take(&run);
      runs_.push_front({half, 2});
      return;
    }
  }

 private:
  struct Run {
    PassLaunch launch;
    int times;
  };
  void take(Run* run) {
    if (--run->times == 0) runs_.erase(run);
  }

  InplaceVector<Run, 8> runs_;
};

struct GpuPlan {
  LaunchSequence launches;
  double cost = 0;  ///< estimated time in nanoseconds
};

/// @brief True if there is a kernel that measures after the last sweep of a stage, and it is faster
/// than a pass that does nothing else.
///
/// For residuals it is a kernel with a further sweep. On an H200 a pass of their own is faster than
/// that where passes follow each other in a launch, and after eight sweeps of doubles at a time.
constexpr bool can_measure_pass(int value_bytes, int depth, int passes, Measurement what) {
  if (depth == 2) return false;  // spares the compiler a kernel
  return what != Measurement::Residuals || (passes == 1 && depth * value_bytes <= 32);
}

/// @brief Finds the best plan for sweeps in one direction.
/// @tparam Task a function (fused, passes) -> GpuTask
template <class Task>
class GpuPlanner {
 public:
  GpuPlanner(const GpuSelection& selection, const GpuTuning& tuning, const Task& task)
      : selection_(selection), tuning_(tuning), task_(task) {}

  GpuPlan best(int count) const {
    GpuPlan plan = one_by_one(count);
    if (tuning_.passes != 1 && tuning_.blocks != 1) {
      const GpuPlan pipelined = in_pipelines(count);
      if ((tuning_.passes > 1 && !pipelined.launches.empty()) || pipelined.cost < plan.cost)
        plan = pipelined;
    }
    return plan;
  }

  /// @brief The best plan whose last launch measures; for residuals one that does not measure where
  /// a pass of their own is faster.
  GpuPlan best_with(Measurement what, int count) const {
    const auto can_measure = [&](const PassLaunch& launch) {
      return can_measure_pass(selection_.value_bytes(), launch.depth, launch.passes(), what);
    };
    GpuPlan plan = best(count);
    if (const PassLaunch last = plan.launches.back();
        what == Measurement::Updates && (!can_measure(last) || last.sweeps % last.depth != 0)) {
      plan = {};
      for (int depth = 8; depth >= 1; depth /= 2) {
        if (depth > tuning_.max_depth || depth > count || !can_measure({depth, depth})) continue;
        GpuPlan other = count > depth ? best(count - depth) : GpuPlan{};
        other.launches.add({depth, depth}, 1);
        other.cost += cost_of_pass(depth);
        if (plan.launches.empty() || other.cost < plan.cost) plan = other;
      }
    }
    plan.launches.measure(what, can_measure);
    return plan;
  }

 private:
  /// The time that a launch takes besides its work; with blocks there are three launches, else one.
  static constexpr double launch_time = 4000;
  /// Estimates are rather too low for small depths, so these must promise more than more do.
  static constexpr double worth = 0.9;
  /// Passes that follow each other come to lie ever higher, beyond the rows of the grid.
  static constexpr int max_passes = 64;
  static constexpr double never = std::numeric_limits<double>::infinity();

  GpuPlan one_by_one(int count) const {
    GpuPlan plan;
    for (int depth = 8; depth >= 1; depth /= 2) {
      if (depth > tuning_.max_depth || depth > count) continue;
      const int times = count / depth;
      plan.launches.add({depth, depth}, times);
      plan.cost += times * cost_of_pass(depth);
      count -= times * depth;
    }
    return plan;
  }

  double cost_of_pass(int depth) const {
    const SelectedDecomposition best = selection_.best(task_(depth, 1));
    return best.cost + (best.decomp.blocks() > 1 ? 3 : 1) * launch_time;
  }

  /// @brief Stages of about equal length, as deep as is fastest.
  GpuPlan in_pipelines(int count) const {
    const int most = tuning_.passes > 0 ? std::min(max_passes, tuning_.passes) : max_passes;
    GpuPlan best{{}, never};
    for (int depth = 8; depth >= 1; depth /= 2) {
      if (depth > tuning_.max_depth || depth >= 2 * count) continue;
      int passes = divide_up(count, depth);
      passes = divide_up(passes, divide_up(passes, most));
      while (passes > 1 && selection_.whole(task_(depth, passes)).decomp.warps == 0)
        passes = divide_up(passes, 2);
      GpuPlan plan;
      const auto add = [&](int sweeps, int times) {
        if (times == 0) return;
        const PassLaunch launch{depth, sweeps};
        plan.cost += times * (selection_.whole(task_(depth, launch.passes())).cost + launch_time);
        plan.launches.add(launch, times);
      };
      add(passes * depth, count / (passes * depth));
      add(count % (passes * depth), count % (passes * depth) > 0 ? 1 : 0);
      if (plan.cost < worth * best.cost) best = plan;
      if (tuning_.passes > 0) break;
    }
    return best;
  }
  static int divide_up(int a, int b) { return (a + b - 1) / b; }

  const GpuSelection& selection_;
  const GpuTuning& tuning_;
  const Task& task_;
};

}  // namespace wavescan::Impl::sor

#endif
