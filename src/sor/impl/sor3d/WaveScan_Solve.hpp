// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_SOLVE_HPP
#define WAVESCAN_IMPL_SOR3D_SOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor3d/WaveScan_Norms.hpp>
#include <impl/sor3d/WaveScan_Points.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>
#include <impl/sor3d/WaveScan_SecondArray.hpp>

namespace wavescan::Impl::sor3d {

/// @brief What a solve does with its problem, see sor::IterationOf. x and a second array are used
/// in turn, so that the values of the last check remain.
template <class Plan, class P>
class Iteration {
  using T = typename P::value_type;

 public:
  Iteration(const Plan& plan, const P& problem, const SolveControl& control)
      : plan_(plan), problem_(problem), control_(control), current_(problem.x), next_(problem.x) {}

  double look() const { return residual_at(problem_.x); }
  double sweep(int count) {
    if (problem_.empty()) return 0;
    next_ = plan_.restore_ ? other() : current_;
    if (control_.criterion == Criterion::Residual) {
      plan_.enqueue(at(current_), next_, count);
      return residual_at(next_);
    }
    return sweep_and_compare(count);
  }
  void keep() { current_ = next_; }
  bool restore() const { return plan_.restore_; }
  void settle() {
    if (current_.data == problem_.x.data) return;
    copy_entries(plan_.exec_, read_only(current_), problem_.x);
    current_ = problem_.x;
  }

 private:
  P at(const Box<T>& x) const {
    P p = problem_;
    p.x = x;
    return p;
  }
  double residual_at(const Box<T>& x) const {
    return residual_norm(plan_.exec_, at(x), control_.norm);
  }
  Box<T> other() const {
    return current_.data == problem_.x.data ? plan_.backup_.like(plan_.exec_, problem_.x)
                                            : problem_.x;
  }

  /// @brief The last pass is compared with what was before it.
  double sweep_and_compare(int count) const {
    const bool symmetric = plan_.order_ == SweepOrder::Symmetric;
    Box<T> before = current_;
    if (count > 1) {
      plan_.enqueue(at(before), next_, count - 1);
      before = next_;
    }
    if (symmetric) {
      plan_.enqueue(at(before), next_, 1, true, false);
      before = next_;
    }
    if (before.data == next_.data) {
      before = plan_.before_.like(plan_.exec_, problem_.x);
      copy_entries(plan_.exec_, read_only(next_), before);
    }
    const bool forward = plan_.order_ == SweepOrder::Forward;
    plan_.enqueue(at(before), next_, 1, forward, !forward);
    return update_norm(plan_.exec_, at(next_), read_only(before), control_.norm);
  }

  const Plan& plan_;
  const P& problem_;
  const SolveControl& control_;
  Box<T> current_;  ///< where the values of the last check are
  Box<T> next_;     ///< and those of the next
};

}  // namespace wavescan::Impl::sor3d

#endif
