// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SWEEPER_HPP
#define WAVESCAN_IMPL_SOR_SWEEPER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_Schedule.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Components.hpp>
#include <impl/sor/WaveScan_Loop.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_NativeSweeps.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Solve.hpp>

#include <algorithm>
#include <concepts>
#include <memory>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

/// @file
/// @brief What a plan for SOR computes with. Plans know it by a pointer, and call it by the
/// functions at the end: those the library WaveScan::kernels has, and files that call it compile
/// nothing of this.

namespace wavescan::Impl::sor {

/// @brief Sweeps over arrays of one size, and their workspace.
template <ExecutionSpace Exec, class T>
class Sweeper {
 public:
  Sweeper(const Exec& exec, Index rows, Index columns, const SOROptions& options)
      : exec_(exec),
        rows_(rows),
        columns_(columns),
        order_(options.order),
        wavefront_options_(wavefront_options(rows, columns, options)),
        plain_(exec, rows, columns, wavefront_options_),
        restore_(options.restore) {
    if (options.schedule == Schedule::Hybrid)
      special_ = NativeSweeps<Exec, T>(exec, rows, columns, options.stall_seconds);
  }

  Schedule schedule() const { return plain_.schedule(); }

  template <class Problem>
  void sweep(const Problem& problem, int count) const {
    if (count > 0) enqueue(prepared(problem), count);
  }

  template <class Problem>
  void sweep_from_zero(const Problem& problem, int count) const {
    if constexpr (requires { special_.sweep_from_zero(exec_, problem, count, true, true); })
      if (count > 0 && special_.sweep_from_zero(exec_, problem, count, forward(), backward()))
        return;
    if constexpr (encodes_masks && !std::same_as<typename Problem::fixed_type, NoFixedPoints>)
      if (problem.fixed.word != FixedPoints::Word::None && count > 0)
        return enqueue(prepared(problem, true), count);
    clear_unknowns(exec_, problem);
    sweep(problem, count);
  }

  template <class Problem>
  void sweep_from(const Grid<const T>& start, const Problem& problem, int count) const {
    const auto copy = [&] { copy_entries(exec_, "WaveScan::sor::copy", start, problem.x); };
    if (count == 0) return copy();
    const auto prepared_problem = prepared(problem);
    if (sweep_elsewhere(start, prepared_problem, count)) return;
    copy();
    enqueue(prepared_problem, count);
  }

  template <class Problem>
  SolveReport solve(const Problem& problem, const SolveControl& control) const {
    using iteration_type = Iteration<Sweeper, Problem>;
    if constexpr (may_have_components<Problem>)
      if (finds_components(problem, control)) {
        ComponentIteration iteration(exec_, components_, problem, control, forward(), backward(),
                                     restore_);
        return Solver(iteration, control).run();
      }
    iteration_type iteration(*this, problem, control);
    return Solver<iteration_type>(iteration, control).run();
  }

  /// @brief Makes the workspace of sweeps in place.
  template <class Problem>
  void reserve_sweeps(const Problem& problem, int count) {
    reserve(problem, count, false);
  }

  template <class Problem>
  void reserve_solve(const Problem& problem, const SolveControl& control) {
    if constexpr (may_have_components<Problem>)
      if (finds_components(problem, control)) return;
    const bool measures = reserve(problem, std::min(control.check_every, control.max_sweeps), true);
    if (problem.empty()) return;
    if (restore_) backup_.like(exec_, problem.x);
    if (control.criterion == Criterion::Update && !measures) before_.like(exec_, problem.x);
  }

  /// @brief Reports sweeps that have got stuck by now.
  void throw_if_stuck() const {
    plain_.throw_if_stuck();
    for (const LazyWavefront& other : others_) other.report(other.plan.get());
    if constexpr (requires { special_.throw_if_stuck(); }) special_.throw_if_stuck();
  }

 private:
  /// @brief A plan for loops of one type, which the first call makes: calls for other loops do not
  /// compile what it is made of.
  struct LazyWavefront {
    std::type_index loop;
    std::shared_ptr<const void> plan;
    void (*report)(const void*);
  };
  static constexpr bool encodes_masks = !runs_on_host<Exec>;
  using constant_loop = ConstantLoop<T>;
  struct NoComponents {};
  using components_type = std::conditional_t<encodes_masks, Components<Exec, T>, NoComponents>;
  template <class Owner, class Problem>
  friend class Iteration;

  static WavefrontOptions wavefront_options(Index rows, Index columns, const SOROptions& options) {
    require(options.stall_seconds >= 0, "SOR", "stall_seconds", "must not be negative",
            options.stall_seconds);
    require(options.schedule == Schedule::Hybrid || is_exact(options.schedule), "SOR", "schedule",
            "must be hybrid, serial or tile-skewed", to_string(options.schedule));
    WavefrontOptions wavefront;
    wavefront.schedule = options.schedule;
    wavefront.tile_rows = options.tile_rows;
    wavefront.tile_columns = options.tile_columns;
    wavefront.stall_seconds = options.stall_seconds;
    wavefront.range =
        rows > 2 && columns > 2 ? IndexRange{1, rows - 1, 1, columns - 1} : IndexRange{};
    return wavefront;
  }

  /// @brief The problem as kernels of the execution space want it.
  /// @param from_zero see with_encoded_mask
  template <class Problem>
  auto prepared(const Problem& problem, [[maybe_unused]] bool from_zero = false) const {
    if constexpr (encodes_masks)
      return with_dense<Problem::dense>(with_encoded_mask(exec_, problem, encoded_rhs_, from_zero));
    else
      return problem;
  }

  bool forward() const { return order_ != SweepOrder::Backward; }
  bool backward() const { return order_ != SweepOrder::Forward; }

  /// @brief Enqueues sweeps of a prepared problem.
  template <class Problem>
  void enqueue(const Problem& problem, int count) const {
    enqueue(problem, count, forward(), backward());
  }
  template <class Problem>
  void enqueue(const Problem& problem, int count, bool forward, bool backward) const {
    if constexpr (requires { special_.sweep_to(exec_, problem, problem.x, count, true, true); })
      if (special_.sweep_to(exec_, problem, problem.x, count, forward, backward)) return;
    const auto& wavefront = wavefront_of(problem);
    for (int sweep = 0; sweep < count; ++sweep) {
      if (forward) wavefront(loop_of(problem), problem.x);
      if (backward) {
        const auto from_the_end = reversed(problem);
        wavefront(loop_of(from_the_end), from_the_end.x);
      }
    }
  }

  /// @brief Where the execution space has sweeps from one array to another, halo included, lets
  /// them do it. False if it has none, or not for this problem.
  template <class Problem>
  bool sweep_elsewhere([[maybe_unused]] const Grid<const T>& from,
                       [[maybe_unused]] const Problem& problem, [[maybe_unused]] int count) const {
    if constexpr (requires { special_.sweep_to(exec_, problem, problem.x, count, true, true); }) {
      Problem start = problem;  // whose x is only read
      start.x = {const_cast<T*>(from.data), from.rows, from.columns, from.row_stride,
                 from.column_stride};
      return special_.sweep_to(exec_, start, problem.x, count, forward(), backward());
    } else {
      return false;
    }
  }

  /// @brief Makes the workspace of sweeps in place; true if they can measure what a solve looks at.
  template <class Problem>
  bool reserve(const Problem& problem, [[maybe_unused]] int count, [[maybe_unused]] bool measured) {
    if (problem.empty()) return true;
    const auto prepared_problem = prepared(problem);
    if constexpr (requires {
                    special_.reserve(exec_, prepared_problem, count, true, true, measured);
                  })
      if (special_.reserve(exec_, prepared_problem, count, forward(), backward(), measured))
        return true;
    wavefront_of(prepared_problem);
    return false;
  }

  template <class Problem>
  static constexpr bool may_have_components = encodes_masks&&
      std::same_as<typename Problem::fixed_type, FixedPoints>&& FivePointProblem<Problem>;
  /// @brief Whether a solve had best visit the unknowns only. Hosts do so in each call.
  template <class Problem>
  bool finds_components(const Problem& problem, const SolveControl& control) const {
    return wavefront_options_.schedule == Schedule::Hybrid &&
           components_.find(exec_, problem, std::min(control.check_every, control.max_sweeps),
                            forward() && backward());
  }

  /// @brief The plan for the loop of a problem.
  template <class Problem, class Loop = decltype(loop_of(std::declval<const Problem&>()))>
  const Wavefront<Exec, Loop>& wavefront_of(const Problem&) const {
    using plan_type = Wavefront<Exec, Loop>;
    if constexpr (std::same_as<Loop, constant_loop>) {
      return plain_;
    } else {
      const std::type_index loop = typeid(Loop);
      auto made = std::find_if(others_.begin(), others_.end(),
                               [loop](const LazyWavefront& other) { return other.loop == loop; });
      if (made == others_.end())
        made = others_.insert(
            made,
            {loop, std::make_shared<const plan_type>(exec_, rows_, columns_, wavefront_options_),
             [](const void* plan) { static_cast<const plan_type*>(plan)->throw_if_stuck(); }});
      return *static_cast<const plan_type*>(made->plan.get());
    }
  }

  Exec exec_;
  Index rows_;
  Index columns_;
  SweepOrder order_;
  WavefrontOptions wavefront_options_;
  Wavefront<Exec, constant_loop> plain_;
  mutable std::vector<LazyWavefront> others_{};  ///< for other loops than the plain one
  bool restore_;
  SecondArray<Exec, T> backup_;       ///< of the last check
  SecondArray<Exec, T> before_;       ///< the last pass
  SecondArray<Exec, T> encoded_rhs_;  ///< the right-hand side with fixed points
  NativeSweeps<Exec, T> special_;
  [[no_unique_address]] components_type components_;  ///< of unknowns
};

/// @name What plans call
/// No members, for to declare one as compiled elsewhere takes its whole class.
/// @{
template <ExecutionSpace Exec, class T>
std::shared_ptr<Sweeper<Exec, T>> make_sweeper(const Exec& exec, Index rows, Index columns,
                                               const SOROptions& options) {
  const Calling calling("SOR");
  return std::make_shared<Sweeper<Exec, T>>(exec, rows, columns, options);
}
template <ExecutionSpace Exec, class T>
Schedule schedule_of(const Sweeper<Exec, T>& sweeper) {
  return sweeper.schedule();
}
template <ExecutionSpace Exec, class T>
void throw_if_stuck(const Sweeper<Exec, T>& sweeper) {
  sweeper.throw_if_stuck();
}
template <ExecutionSpace Exec, class T, class Problem>
void sweep(const Sweeper<Exec, T>& sweeper, const Problem& problem, int count) {
  sweeper.sweep(problem, count);
}
template <ExecutionSpace Exec, class T, class Problem>
void sweep_from_zero(const Sweeper<Exec, T>& sweeper, const Problem& problem, int count) {
  sweeper.sweep_from_zero(problem, count);
}
template <ExecutionSpace Exec, class T, class Problem>
void sweep_from(const Sweeper<Exec, T>& sweeper, const Grid<const T>& start, const Problem& problem,
                int count) {
  sweeper.sweep_from(start, problem, count);
}
template <ExecutionSpace Exec, class T, class Problem>
SolveReport solve(const Sweeper<Exec, T>& sweeper, const Problem& problem,
                  const SolveControl& control) {
  return sweeper.solve(problem, control);
}
template <ExecutionSpace Exec, class T, class Problem>
void reserve_sweeps(Sweeper<Exec, T>& sweeper, const Problem& problem, int count) {
  sweeper.reserve_sweeps(problem, count);
}
template <ExecutionSpace Exec, class T, class Problem>
void reserve_solve(Sweeper<Exec, T>& sweeper, const Problem& problem, const SolveControl& control) {
  sweeper.reserve_solve(problem, control);
}
/// @}

}  // namespace wavescan::Impl::sor

#endif
