// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SOLVEITERATION_HPP
#define WAVESCAN_IMPL_SOR_SOLVEITERATION_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_BatchedChecks.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

/// @file
/// @brief A solve: when it stops, and what it does between two checks, with the arrays or, on
/// devices, with a list of the unknowns (see WaveScan_Components.hpp).

namespace wavescan::Impl::sor {

/// @brief The operations of which a solve is made. `check` and `sweep` give the criterion's norm.
template <class I>
concept IterationOf = requires(I& iteration, int count) {
  { iteration.check() } -> std::same_as<double>;       // before the first sweep
  { iteration.sweep(count) } -> std::same_as<double>;  // after so many sweeps, the last one's
  { iteration.keep() } -> std::same_as<void>;          // goes on from there
  { iteration.restore() } -> std::same_as<bool>;  // or goes back; false if that is not possible
  { iteration.commit() } -> std::same_as<void>;   // brings what was kept to the user's array
};

/// @brief Sweeps in groups until a convergence check, or the progress function, says to stop.
template <IterationOf Iteration>
class Solver {
 public:
  Solver(Iteration& iteration, const SolveControl& control)
      : iteration_(iteration), control_(control) {
    report_.criterion = control.criterion;
    report_.initial_residual = report_.final_residual = std::numeric_limits<double>::quiet_NaN();
  }

  WAVESCAN_SELDOM SolveReport run() {
    if (control_.criterion == Criterion::Residual && !begin(0, iteration_.check()))
      return stop(StopReason::NonFinite);
    while (true) {
      if (checked() && report_.final_residual <= goal_) return stop(StopReason::Converged);
      if (report_.sweeps == control_.max_sweeps) return stop(StopReason::MaxSweeps);
      if (checked() && control_.progress) {
        iteration_.commit();
        if (!control_.progress(report_.sweeps, report_.final_residual))
          return stop(StopReason::Cancelled);
      }
      const int count = next_group();
      const double norm = iteration_.sweep(count);
      const int sweeps = report_.sweeps + count;
      const bool good = checked() ? go_on(sweeps, norm) : begin(sweeps, norm);
      if (!good && iteration_.restore()) return stop(bad_);
      iteration_.keep();
      report_.sweeps = sweeps;
      report_.final_residual = norm;
      if (!good) return stop(bad_);
    }
  }

 private:
  bool checked() const { return !report_.history.empty(); }

  /// @brief The sweeps up to the next check: updates have their first one after a single sweep.
  int next_group() const {
    if (!checked()) return 1;
    const int ahead = control_.check_every - report_.sweeps % control_.check_every;
    return std::min(ahead, control_.max_sweeps - report_.sweeps);
  }

  /// @brief The first check; false if the data are not finite.
  bool begin(int sweeps, double norm) {
    report_.history.push_back({sweeps, norm});
    report_.initial_residual = report_.final_residual = norm;
    goal_ = std::max(control_.tolerance, control_.relative_tolerance * norm);
    limit_ = control_.divergence_factor * norm;
    bad_ = StopReason::NonFinite;
    return std::isfinite(norm);
  }

  /// @brief A later check; false if the solve diverges.
  bool go_on(int sweeps, double norm) {
    report_.history.push_back({sweeps, norm});
    bad_ = StopReason::Diverged;
    return std::isfinite(norm) && norm <= limit_;
  }

  SolveReport stop(StopReason reason) {
    iteration_.commit();
    report_.reason = reason;
    return report_;
  }

  Iteration& iteration_;
  const SolveControl& control_;
  SolveReport report_{};
  StopReason bad_ = StopReason::NonFinite;  ///< what a check that was not good means
  double goal_ = 0;
  double limit_ = 0;
};

/// @brief The operations of a solve on its problem.
///
/// x and a second array are used in turn, so that the values of the last check remain; where the
/// last pass can measure what it does, no other pass computes the norm. Where sweeps take long to
/// begin, those for several checks are done at once, with snapshots for them.
/// @tparam Sweeper whose members it uses
template <class Sweeper, class Problem>
class Iteration {
  using T = typename Problem::value_type;
  using Array = ArrayOf<T, Problem::rank>;

 public:
  Iteration(const Sweeper& sweeper, const Problem& problem, const SolveControl& control)
      : sweeper_(sweeper),
        problem_(problem),
        prepared_(sweeper.prepared(problem)),
        control_(control),
        current_(problem.x),
        next_(problem.x) {}

  /// @brief The norm before the first sweep.
  double check() {
    const double norm = residual_at(problem_.x);
    progress_.add(0, norm);
    return norm;
  }

  /// @brief The norm after `count` more sweeps.
  /// @throws std::runtime_error if they got stuck
  double sweep(int count) {
    const double norm = problem_.empty() ? 0 : norm_of_next_check(count);
    progress_.add(count, norm);
    sweeper_.throw_if_stuck();  // the norm has been waited for
    return norm;
  }
  /// @brief Goes on from what the last sweeps gave.
  void keep() { current_ = next_; }

  /// @brief Goes back to what they began with; false if that is lost.
  bool restore() const { return sweeper_.restore_; }

  /// @brief Brings the values to x, and to its halo where that stands for unknowns.
  void commit() {
    if (current_.data != problem_.x.data) copy(interior(current_), interior(problem_.x));
    current_ = problem_.x;
    sweeper_.wrap_halo(problem_.x);
  }

 private:
  using prepared_type =
      decltype(std::declval<const Sweeper&>().prepared(std::declval<const Problem&>()));
  using Can = typename Sweeper::template Can<std::remove_cvref_t<prepared_type>>;

  /// @brief Norms of the checks so far.
  struct Progress {
    int checks = 0;
    int sweeps = 0;
    double first = 0, before_last = 0, last = 0;
    void add(int count, double norm) {
      if (++checks == 1) first = norm;
      sweeps += count;
      before_last = std::exchange(last, norm);
    }
  };

  /// @brief The norm after `count` more sweeps, which may have been done with those of other
  /// checks.
  double norm_of_next_check(int count) {
    if constexpr (Can::batches_checks) {
      if (batch_.empty() && !sweeper_.periodic_.any()) sweep_batch(count);
      if (!batch_.empty()) {
        const ResidualSum sum = batch_.front();
        batch_.erase(batch_.begin());
        const int number = taken_++;
        next_ = sweeper_.backend_.snapshot(problem_.x, number, control_.criterion);
        if (!sum.lacks_squares(control_.norm)) return sum.norm(control_.norm);
        return control_.criterion == Criterion::Residual
                   ? residual_at(next_)
                   : update_between(sweeper_.backend_.snapshot_before(problem_.x, number), next_);
      }
    }
    return norm_after(count);
  }

  /// @brief Sweeps for several checks at once, where that saves beginning anew for each of them.
  void sweep_batch(int count) {
    const auto from = at(current_, prepared_);
    batch_ = sweeper_.backend_.sweep_with_checks(
        sweeper_.exec_, from,
        {taken_, checks_to_come(count, from), count, control_.check_every, control_.criterion},
        sweeper_.forward(), sweeper_.backward());
  }

  /// @brief The checks until the solve will have converged, if norms go on to fall as they did.
  /// Before that is known: sweeps that take as long as a launch to begin, for no more than that can
  /// be lost; or all, if there is nothing to converge to.
  template <class P>
  int checks_to_come(int count, const P& p) const {
    const int left = 1 + (control_.max_sweeps - progress_.sweeps - count) / control_.check_every;
    const double goal = std::max(control_.tolerance, control_.relative_tolerance * progress_.first);
    double checks = left;
    if (goal > 0 && progress_.checks < 2)
      checks = std::max(2, sweeper_.backend_.sweeps_to_begin(p) / control_.check_every);
    else if (goal > 0 && progress_.last < progress_.before_last)
      checks = std::log(progress_.last / goal) / std::log(progress_.before_last / progress_.last);
    return static_cast<int>(std::clamp(checks, 1.0, static_cast<double>(left)));
  }

  /// @brief Updates whose squares a double cannot hold are measured in another way, if what sweeps
  /// began with is still there.
  WAVESCAN_SELDOM double norm_after(int count) {
    next_ = sweeper_.restore_ ? other() : current_;
    const auto from = at(current_, prepared_);
    const SweepRequest request = sweeper_.request(count);
    const bool updates = control_.criterion == Criterion::Update;
    if (const auto sum = sweeper_.measured_sweep_to(from, next_, request, control_.criterion)) {
      if (!sum->lacks_squares(control_.norm)) return sum->norm(control_.norm);
      if (!updates) return residual_at(next_);
      if (next_.data == current_.data) return sum->norm(control_.norm);
    }
    if (updates) return sweep_and_compare(count);
    sweeper_.sweep_to(from, next_, request);
    return residual_at(next_);
  }

  /// @brief The last pass is compared with what was before it.
  WAVESCAN_SELDOM double sweep_and_compare(int count) const {
    const bool forward = sweeper_.forward(), backward = sweeper_.backward();
    Array before = current_;
    const auto sweep = [&](const SweepRequest& request) {
      sweeper_.sweep_to(at(before, prepared_), next_, request);
    };
    if (count > 1) {
      sweep({count - 1, forward, backward});
      before = next_;
    }
    if (forward && backward) {
      sweep({1, true, false});
      before = next_;
    }
    const bool copied = before.data == next_.data;
    if (copied) {
      before = sweeper_.before_.like(sweeper_.exec_, problem_.x);
      copy(next_, before);
    }
    const Array& from = copied && !Can::sweeps ? next_ : before;
    sweeper_.sweep_to(at(from, prepared_), next_, {1, !backward, backward});
    return update_between(before, next_);
  }

  template <class P>
  static P at(const Array& x, P p) {
    p.x = x;
    return p;
  }
  double residual_at(const Array& x) const {
    sweeper_.wrap_halo(x);
    return residual_norm(sweeper_.exec_, at(x, problem_), control_.norm);
  }
  double update_between(const Array& before, const Array& x) const {
    return update_norm(sweeper_.exec_, at(x, problem_), before, control_.norm);
  }
  /// @brief The one of the two arrays that is not current.
  Array other() const {
    return current_.data == problem_.x.data ? sweeper_.backup_.like(sweeper_.exec_, problem_.x)
                                            : problem_.x;
  }
  void copy(const Array& from, const Array& to) const {
    copy_entries(sweeper_.exec_, "WaveScan::sor::copy", read_only(from), to);
  }

  const Sweeper& sweeper_;
  const Problem& problem_;
  const std::remove_cvref_t<prepared_type> prepared_;  ///< the problem, prepared for sweeps
  const SolveControl& control_;
  Array current_;  ///< where the values of the last check are
  Array next_;     ///< and those of the next
  Progress progress_;
  CheckSums batch_;  ///< what checks will measure for which sweeps have been done
  int taken_ = 0;    ///< checks of such sweeps that have been
};

}  // namespace wavescan::Impl::sor

#endif
