// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SOLVE_HPP
#define WAVESCAN_IMPL_SOR_SOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_Components.hpp>
#include <impl/sor/WaveScan_LooksAhead.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_Points.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <utility>

/// @file
/// @brief A solve: when it stops, and what it does between two checks, with the arrays or with a
/// list of the unknowns.

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

/// @brief What a solve does with its problem.
///
/// Where sweeps can end in another array than they start from, x and a second array are used in
/// turn, so that the values of the last check remain without a copy; and where the last pass can
/// measure what it does, no other pass looks at the norm. Where sweeps take long to begin, those
/// for several looks are done at once, and looks see copies made on the way. Elsewhere sweeps are
/// done in place, after a copy.
/// @tparam Sweeper whose members it uses
template <class Sweeper, class Problem>
class Iteration {
  using T = typename Problem::value_type;

 public:
  Iteration(const Sweeper& sweeper, const Problem& problem, const SolveControl& control)
      : sweeper_(sweeper),
        problem_(problem),
        swept_(sweeper.prepared(problem)),
        control_(control),
        current_(problem.x),
        next_(problem.x) {}

  /// @brief The norm before the first sweep.
  double look() {
    const double norm = residual_at(problem_.x);
    seen_.add(0, norm);
    return norm;
  }

  /// @brief The norm after `count` more sweeps.
  /// @throws std::runtime_error if they got stuck
  double sweep(int count) {
    const double norm = norm_of_next_look(count);
    seen_.add(count, norm);
    sweeper_.throw_if_stuck();  // the norm has been waited for
    return norm;
  }
  /// @brief Goes on from what the last sweeps gave.
  void keep() { current_ = next_; }

  /// @brief Goes back to what they began with; false if that is lost.
  bool restore() {
    if (sweeper_.restore_ && next_.data == current_.data) copy(other(), current_);
    return sweeper_.restore_;
  }

  /// @brief Brings the values to x.
  void settle() {
    if (current_.data == problem_.x.data) return;
    copy(current_, problem_.x);
    current_ = problem_.x;
  }

 private:
  /// @brief Norms that looks have seen.
  struct Seen {
    int looks = 0;
    int sweeps = 0;
    double first = 0, before_last = 0, last = 0;
    void add(int count, double norm) {
      if (++looks == 1) first = norm;
      sweeps += count;
      before_last = std::exchange(last, norm);
    }
  };

  /// @brief The norm after `count` more sweeps, which may have been done with those of other looks.
  double norm_of_next_look(int count) {
    if constexpr (requires {
                    sweeper_.special_.sweep_for_looks(sweeper_.exec_, swept_, LooksAhead{}, true,
                                                      true);
                  }) {
      if (ahead_.empty()) run_ahead(count);
      if (!ahead_.empty()) {
        const ResidualSum sum = ahead_.front();
        ahead_.erase(ahead_.begin());
        const int look = taken_++;
        next_ = sweeper_.special_.shown(problem_.x, look, control_.criterion);
        if (!sum.lacks_squares(control_.norm)) return sum.norm(control_.norm);
        return control_.criterion == Criterion::Residual
                   ? residual_at(next_)
                   : update_between(sweeper_.special_.shown_before(problem_.x, look), next_);
      }
    }
    return norm_after(count);
  }

  /// @brief Sweeps for several looks at once, where that saves beginning anew for each of them.
  void run_ahead(int count) {
    const auto from = at(current_, swept_);
    ahead_ = sweeper_.special_.sweep_for_looks(
        sweeper_.exec_, from,
        {taken_, looks_ahead(count, from), count, control_.check_every, control_.criterion},
        sweeper_.forward(), sweeper_.backward());
  }

  /// @brief The looks until the solve will have converged, if norms go on to fall as they did.
  /// Before that is known: sweeps that take as long as a launch to begin, for no more than that can
  /// be lost; or all, if there is nothing to converge to.
  template <class P>
  int looks_ahead(int count, const P& p) const {
    const int left = 1 + (control_.max_sweeps - seen_.sweeps - count) / control_.check_every;
    const double goal = std::max(control_.tolerance, control_.relative_tolerance * seen_.first);
    double looks = left;
    if (goal > 0 && seen_.looks < 2)
      looks = std::max(2, sweeper_.special_.sweeps_to_begin(p) / control_.check_every);
    else if (goal > 0 && seen_.last < seen_.before_last)
      looks = std::log(seen_.last / goal) / std::log(seen_.before_last / seen_.last);
    return static_cast<int>(std::clamp(looks, 1.0, static_cast<double>(left)));
  }

  double norm_after(int count) {
    next_ = sweeper_.restore_ ? other() : current_;
    if (const std::optional<double> norm = sweep_to_next(count)) return *norm;
    settle();
    next_ = current_;
    if (sweeper_.restore_) copy(current_, other());
    if (control_.criterion == Criterion::Update) return sweep_and_compare(count);
    sweeper_.enqueue(swept_, count);
    return residual_at(problem_.x);
  }

  template <class P>
  static P at(const Grid<T>& x, P p) {
    p.x = x;
    return p;
  }
  double residual_at(const Grid<T>& x) const {
    return residual_norm(sweeper_.exec_, at(x, problem_), control_.norm);
  }
  /// @brief The one of the two arrays that is not current.
  Grid<T> other() const {
    return current_.data == problem_.x.data ? sweeper_.backup_.like(sweeper_.exec_, problem_.x)
                                            : problem_.x;
  }
  void copy(const Grid<T>& from, const Grid<T>& to) const {
    copy_entries(sweeper_.exec_, "WaveScan::sor::copy", read_only(interior(from)), interior(to));
  }

  /// @brief The norm, if the execution space can sweep from one array to another, and measure.
  /// Updates whose squares a double cannot hold are left to be measured in another way, if what
  /// sweeps began with is still there.
  std::optional<double> sweep_to_next([[maybe_unused]] int count) const {
    [[maybe_unused]] const auto& special = sweeper_.special_;
    [[maybe_unused]] const auto from = at(current_, swept_);
    if constexpr (requires {
                    special.measured_sweep_to(sweeper_.exec_, from, next_, count, true, true,
                                              control_.criterion);
                  }) {
      if (const auto sum =
              special.measured_sweep_to(sweeper_.exec_, from, next_, count, sweeper_.forward(),
                                        sweeper_.backward(), control_.criterion)) {
        if (!sum->lacks_squares(control_.norm)) return sum->norm(control_.norm);
        if (control_.criterion == Criterion::Residual) return residual_at(next_);
        if (next_.data == current_.data) return sum->norm(control_.norm);
      }
    }
    if constexpr (requires { special.sweep_to(sweeper_.exec_, from, next_, count, true, true); }) {
      if (control_.criterion == Criterion::Residual &&
          special.sweep_to(sweeper_.exec_, from, next_, count, sweeper_.forward(),
                           sweeper_.backward()))
        return residual_at(next_);
    }
    return std::nullopt;
  }

  bool symmetric() const { return sweeper_.forward() && sweeper_.backward(); }
  double update_between(const Grid<T>& before, const Grid<T>& x) const {
    return update_norm(sweeper_.exec_, at(x, problem_), before, control_.norm);
  }

  /// @brief The last pass, in place, is compared with a copy from before it, which may have been
  /// made already.
  double sweep_and_compare(int count) const {
    sweeper_.enqueue(swept_, count - 1);
    if (symmetric()) sweeper_.enqueue(swept_, 1, true, false);
    const bool copied = sweeper_.restore_ && count == 1 && !symmetric();
    const Grid<T> before = copied ? other() : sweeper_.before_.like(sweeper_.exec_, problem_.x);
    if (!copied) copy(problem_.x, before);
    sweeper_.enqueue(swept_, 1, !sweeper_.backward(), sweeper_.backward());
    return update_between(before, problem_.x);
  }

  const Sweeper& sweeper_;
  const Problem& problem_;
  const decltype(std::declval<const Sweeper&>().prepared(
      std::declval<const Problem&>())) swept_;  ///< the problem, prepared for sweeps
  const SolveControl& control_;
  Grid<T> current_;  ///< where the values of the last check are
  Grid<T> next_;     ///< and those of the next
  Seen seen_;
  LookSums ahead_;  ///< what looks will measure for which sweeps have been done
  int taken_ = 0;   ///< looks at such sweeps that have been
};

/// @brief An iteration over the components that have been found: see IterationOf.
template <ExecutionSpace Exec, class Problem>
class ComponentIteration {
  using T = typename Problem::value_type;

 public:
  ComponentIteration(const Exec& exec, const Components<Exec, T>& components,
                     const Problem& problem, const SolveControl& control, bool forward,
                     bool backward, bool restores)
      : exec_(exec),
        components_(components),
        problem_(problem),
        control_(control),
        forward_(forward),
        backward_(backward),
        restores_(restores) {}

  double look() const { return norm_after(0, Criterion::Residual); }
  double sweep(int count) const { return norm_after(count, control_.criterion); }
  void keep() {
    current_ = 1 - current_;
    settled_ = false;
  }
  bool restore() const { return restores_; }
  void settle() {
    if (!settled_) components_.unpack(exec_, current_, problem_.x);
    settled_ = true;
  }

 private:
  double norm_after(int count, Criterion criterion) const {
    return components_.sweep(exec_, problem_, current_, 1 - current_, count, forward_, backward_,
                             criterion, control_.norm);
  }

  const Exec& exec_;
  const Components<Exec, T>& components_;
  const Problem& problem_;
  const SolveControl& control_;
  bool forward_;
  bool backward_;
  bool restores_;
  bool settled_ = true;  ///< x has the values of the last check
  int current_ = 0;      ///< the list that has them
};

}  // namespace wavescan::Impl::sor

#endif
