// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SOLVE_HPP
#define WAVESCAN_IMPL_SOR_SOLVE_HPP

#include <WaveScan_SORReport.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

namespace wavescan::Impl::sor {

/// @brief What a solve iterates on. `look` and `sweep` give the criterion's norm.
template <class I>
concept IterationOf = requires(I& iteration, int count) {
  { iteration.look() } -> std::same_as<double>;        // before the first sweep
  { iteration.sweep(count) } -> std::same_as<double>;  // after so many sweeps, the last one's
  { iteration.keep() } -> std::same_as<void>;          // goes on from there
  { iteration.restore() } -> std::same_as<bool>;  // or goes back; false if that is not possible
  { iteration.settle() } -> std::same_as<void>;   // lets the user see what was kept
};

/// @brief Sweeps in groups until a look at the norm, or the progress function, says to stop.
template <IterationOf Iteration>
class Solver {
 public:
  Solver(Iteration& iteration, const SolveControl& control)
      : iteration_(iteration), control_(control) {
    report_.criterion = control.criterion;
    report_.initial_residual = report_.final_residual = std::numeric_limits<double>::quiet_NaN();
  }

  SolveReport run() {
    if (control_.criterion == Criterion::Residual && !begin(0, iteration_.look()))
      return stop(StopReason::NonFinite);
    while (true) {
      if (looked() && report_.final_residual <= goal_) return stop(StopReason::Converged);
      if (report_.sweeps == control_.max_sweeps) return stop(StopReason::MaxSweeps);
      if (looked() && control_.progress) {
        iteration_.settle();
        if (!control_.progress(report_.sweeps, report_.final_residual))
          return stop(StopReason::Cancelled);
      }
      const int count = next_group();
      const double norm = iteration_.sweep(count);
      const int sweeps = report_.sweeps + count;
      const bool good = looked() ? go_on(sweeps, norm) : begin(sweeps, norm);
      if (!good && iteration_.restore()) return stop(bad_);
      iteration_.keep();
      report_.sweeps = sweeps;
      report_.final_residual = norm;
      if (!good) return stop(bad_);
    }
  }

 private:
  bool looked() const { return !report_.history.empty(); }

  /// @brief The sweeps up to the next look: updates have their first one after a single sweep.
  int next_group() const {
    if (!looked()) return 1;
    const int ahead = control_.check_every - report_.sweeps % control_.check_every;
    return std::min(ahead, control_.max_sweeps - report_.sweeps);
  }

  /// @brief The first look; false if the data are not finite.
  bool begin(int sweeps, double norm) {
    report_.history.push_back({sweeps, norm});
    report_.initial_residual = report_.final_residual = norm;
    goal_ = std::max(control_.tolerance, control_.relative_tolerance * norm);
    limit_ = control_.divergence_factor * norm;
    bad_ = StopReason::NonFinite;
    return std::isfinite(norm);
  }

  /// @brief A later look; false if the solve diverges.
  bool go_on(int sweeps, double norm) {
    report_.history.push_back({sweeps, norm});
    bad_ = StopReason::Diverged;
    return std::isfinite(norm) && norm <= limit_;
  }

  SolveReport stop(StopReason reason) {
    iteration_.settle();
    report_.reason = reason;
    return report_;
  }

  Iteration& iteration_;
  const SolveControl& control_;
  SolveReport report_{};
  StopReason bad_ = StopReason::NonFinite;  ///< what a look that was not good means
  double goal_ = 0;
  double limit_ = 0;
};

}  // namespace wavescan::Impl::sor

#endif
