// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORPLAN_HPP
#define WAVESCAN_SORPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <WaveScan_Schedule.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Arguments.hpp>
#include <impl/sor/WaveScan_Components.hpp>
#include <impl/sor/WaveScan_Loop.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_NativeSweeps.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Solve.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// @brief A plan for SOR, which owns the workspace.

namespace wavescan {

/// @brief A plan for SOR on arrays of one size, which owns the workspace.
///
/// Calls allocate nothing, neither memory of the device nor of the host, once a call like them has
/// been made, or announced by `reserve_sweeps` or `reserve_solve`: a call with the same layout, no
/// more sweeps, and coefficients and inputs of the same kinds. (The history of a solve, and what
/// Kokkos itself needs for a launch, such as its label, are in the host's memory.) One plan must
/// not be used from two instances, nor from two threads, at a time; two plans may be.
///
/// Memory: for `solve` an array like x (see SOROptions::restore), with Criterion::Update another
/// one where no kernel measures updates, and nine where a GPU keeps the grid on the chip; for the
/// sweeps a row of values or a counter for each row of tiles; for masks on GPUs an array like x, or
/// in solves with few unknowns some numbers for each of these (a later call whose mask has more of
/// them may allocate).
///
/// @tparam Exec execution space
/// @tparam T    float or double
template <ExecutionSpace Exec, class T>
class SOR {
  static_assert(std::same_as<T, float> || std::same_as<T, double>,
                "WaveScan: SOR works on float or double");

 public:
  using value_type = T;

  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of x with its halo, m + 2
  /// @param columns columns of x with its halo, n + 2
  /// @param options order, schedule, tile size
  /// @throws std::invalid_argument if a size is negative, or the schedule is not exact
  SOR(const Exec& exec, std::int64_t rows, std::int64_t columns, const SOROptions& options = {});

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<2> X>
  static SOR like(const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto grid = grid_of(x);
    return SOR(exec, grid.rows, grid.columns, options);
  }

  /// @brief Enqueues `count` sweeps of x. See wavescan::sor_sweeps.
  /// @throws std::runtime_error if an earlier call got stuck, see SOROptions::stall_seconds
  template <WritableView X, CoefficientsOfSOR<T> C = SORCoefficients<T>, class Rhs = NoInput,
            class Mask = NoInput>
  void sweeps(const X& x, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const;

  /// @brief Enqueues `count` sweeps that start from a View, or ZeroGuess, and end in `to`. See
  /// wavescan::sor_sweeps.
  template <StartOfSOR From, WritableView To, CoefficientsOfSOR<T> C = SORCoefficients<T>,
            class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const From& from, const To& to, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const;

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve.
  template <WritableView X, CoefficientsOfSOR<T> C = SORCoefficients<T>, class Rhs = NoInput,
            class Mask = NoInput>
  SolveReport solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    const SolveControl& control = {}) const;

  /// @brief Waits for the calls.
  /// @throws std::runtime_error if one of them got stuck, see SOROptions::stall_seconds
  void wait() const {
    exec_.fence("WaveScan::sor::wait");
    throw_if_stuck();
  }

  /// @brief Makes the workspace for `count` sweeps of arrays like these, so that not even the first
  /// call allocates. Values of x are neither read nor written.
  /// @throws std::invalid_argument as sor_sweeps
  template <WritableView X, CoefficientsOfSOR<T> C = SORCoefficients<T>, class Rhs = NoInput,
            class Mask = NoInput>
  void reserve_sweeps(const X& x, const C& coefficients, int count,
                      const SORInputs<Rhs, Mask>& inputs = {});

  /// @brief Makes the workspace of a solve.
  /// @throws std::invalid_argument as sor_solve
  template <WritableView X, CoefficientsOfSOR<T> C = SORCoefficients<T>, class Rhs = NoInput,
            class Mask = NoInput>
  void reserve_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                     const SolveControl& control = {});

  /// @brief The schedule that is run where sweeps have no kernels of their own: the one asked for,
  /// or what Hybrid chose.
  Schedule schedule() const { return plain_.schedule(); }

 private:
  /// @brief A plan for loops of one type, which the first call makes: calls for other loops do not
  /// compile what it is made of.
  struct LazyWavefront {
    const void* loop;  ///< tells the type
    std::shared_ptr<const void> plan;
    void (*report)(const void*);
  };
  template <class Loop>
  static inline const char type_of_loop = 0;
  static constexpr bool encodes_masks = !Impl::runs_on_host<Exec>;
  using fixed_type =
      std::conditional_t<encodes_masks, Impl::sor::EncodedMask<T>, Impl::sor::FixedPoints>;
  using constant_loop = Impl::sor::ConstantLoop<T>;
  struct NoComponents {};
  using components_type =
      std::conditional_t<encodes_masks, Impl::sor::Components<Exec, T>, NoComponents>;
  template <class Plan, class Problem>
  friend class Impl::sor::Iteration;

  static WavefrontOptions wavefront_options(std::int64_t rows, std::int64_t columns,
                                            const SOROptions& options);
  template <class X, class C, class Rhs, class Mask>
  auto checked_problem(std::string_view operation, std::string_view name, const X& x,
                       const C& coefficients, const SORInputs<Rhs, Mask>& inputs) const;

  /// @brief The problem as kernels of the execution space want it.
  template <class Problem>
  using prepared_type =
      std::conditional_t<encodes_masks,
                         decltype(Impl::sor::with_dense<Problem::dense>(
                             Impl::sor::with_encoded_mask(
                                 std::declval<const Exec&>(), std::declval<const Problem&>(),
                                 std::declval<const Impl::sor::SecondArray<Exec, T>&>()))),
                         Problem>;
  template <class Problem>
  prepared_type<Problem> prepared(const Problem& problem) const;

  bool forward() const { return order_ != SweepOrder::Backward; }
  bool backward() const { return order_ != SweepOrder::Forward; }
  template <class Problem>
  void enqueue(const Problem& problem, int count) const {
    enqueue(problem, count, forward(), backward());
  }
  template <class Problem>
  void enqueue(const Problem& problem, int count, bool forward, bool backward) const;
  template <class Problem>
  SolveReport solve(const Problem& problem, const SolveControl& control) const;
  template <class Problem>
  bool reserve(const Problem& problem, int count, bool measured);
  /// @brief Whether a solve had best visit the unknowns only. Hosts do so in each call.
  template <class Problem>
  bool finds_components(const Problem& problem, const SolveControl& control) const {
    return wavefront_options_.schedule == Schedule::Hybrid &&
           components_.find(exec_, problem, std::min(control.check_every, control.max_sweeps),
                            forward() && backward());
  }
  template <class Problem>
  static constexpr bool may_have_components =
      encodes_masks&& std::same_as<typename Problem::fixed_type, Impl::sor::FixedPoints>&&
          Impl::sor::FivePointProblem<Problem>;

  /// @brief The plan for the loop of a problem.
  template <class Problem, class Loop = decltype(loop_of(std::declval<const Problem&>()))>
  const Wavefront<Exec, Loop>& wavefront_of(const Problem&) const {
    using plan_type = Wavefront<Exec, Loop>;
    if constexpr (std::same_as<Loop, constant_loop>) {
      return plain_;
    } else {
      const void* const loop = &type_of_loop<Loop>;
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
  template <class Problem>
  bool sweep_elsewhere(const Grid<const T>& from, const Problem& problem, int count) const;
  template <class Problem>
  void sweep_from_zero(const Problem& problem, int count) const;
  /// @brief Reports sweeps that have got stuck by now.
  void throw_if_stuck() const {
    plain_.throw_if_stuck();
    for (const LazyWavefront& other : others_) other.report(other.plan.get());
    if constexpr (requires { special_.throw_if_stuck(); }) special_.throw_if_stuck();
  }

  Exec exec_;
  std::int64_t rows_;
  std::int64_t columns_;
  SweepOrder order_;
  WavefrontOptions wavefront_options_;
  Wavefront<Exec, constant_loop> plain_;
  mutable std::vector<LazyWavefront> others_{};  ///< for other loops than the plain one
  bool restore_;
  Impl::sor::SecondArray<Exec, T> backup_;       ///< of the last check
  Impl::sor::SecondArray<Exec, T> before_;       ///< the last pass
  Impl::sor::SecondArray<Exec, T> encoded_rhs_;  ///< the right-hand side with fixed points
  Impl::sor::NativeSweeps<Exec, T> special_;
  [[no_unique_address]] components_type components_;  ///< of unknowns
};

template <ExecutionSpace Exec, class T>
WavefrontOptions SOR<Exec, T>::wavefront_options(std::int64_t rows, std::int64_t columns,
                                                 const SOROptions& options) {
  Impl::require(options.stall_seconds >= 0, "SOR", "stall_seconds", "must not be negative",
                options.stall_seconds);
  Impl::require(options.schedule == Schedule::Hybrid || is_exact(options.schedule), "SOR",
                "schedule", "must be hybrid, serial or tile-skewed", to_string(options.schedule));
  WavefrontOptions wavefront;
  wavefront.schedule = options.schedule;
  wavefront.tile_rows = options.tile_rows;
  wavefront.tile_columns = options.tile_columns;
  wavefront.stall_seconds = options.stall_seconds;
  wavefront.range =
      rows > 2 && columns > 2 ? IndexRange{1, rows - 1, 1, columns - 1} : IndexRange{};
  return wavefront;
}

template <ExecutionSpace Exec, class T>
SOR<Exec, T>::SOR(const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SOROptions& options)
    : exec_(exec),
      rows_(rows),
      columns_(columns),
      order_(options.order),
      wavefront_options_(wavefront_options(rows, columns, options)),
      plain_(exec, rows, columns, wavefront_options_),
      restore_(options.restore) {
  if (options.schedule == Schedule::Hybrid)
    special_ = Impl::sor::NativeSweeps<Exec, T>(exec, rows, columns, options.stall_seconds);
}

template <ExecutionSpace Exec, class T>
template <class X, class C, class Rhs, class Mask>
auto SOR<Exec, T>::checked_problem(std::string_view operation, std::string_view name, const X& x,
                                   const C& coefficients,
                                   const SORInputs<Rhs, Mask>& inputs) const {
  static_assert(ViewOfRank<X, 2>, "WaveScan: 'x' must be a Kokkos View of rank 2");
  const auto grid = grid_of(x);
  if (grid.rows != rows_ || grid.columns != columns_)
    Impl::reject(operation, name,
                 "must have the plan's extents (" + std::to_string(rows_) + " x " +
                     std::to_string(columns_) + ")",
                 Impl::extents_of(x));
  return Impl::sor::with_dense<Impl::sor::dense_of<X>>(
      Impl::sor::make_problem<Exec>(operation, name, x, coefficients, inputs));
}

template <ExecutionSpace Exec, class T>
template <WritableView X, CoefficientsOfSOR<T> C, class Rhs, class Mask>
void SOR<Exec, T>::sweeps(const X& x, const C& coefficients, int count,
                          const SORInputs<Rhs, Mask>& inputs) const {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  const auto problem = checked_problem("sor_sweeps", "x", x, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
  if (count > 0) enqueue(prepared(problem), count);
}

template <ExecutionSpace Exec, class T>
template <StartOfSOR From, WritableView To, CoefficientsOfSOR<T> C, class Rhs, class Mask>
void SOR<Exec, T>::sweeps(const From& from, const To& to, const C& coefficients, int count,
                          const SORInputs<Rhs, Mask>& inputs) const {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  const auto problem = checked_problem("sor_sweeps", "to", to, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
  if constexpr (std::same_as<From, ZeroGuess>) {
    sweep_from_zero(problem, count);
  } else {
    const auto start = Impl::sor::start_of<Exec>("sor_sweeps", from, to);
    const auto copy = [&] {
      Impl::sor::copy_entries(exec_, "WaveScan::sor::copy", start, problem.x);
    };
    if (count == 0) return copy();
    const auto prepared_problem = prepared(problem);
    if (sweep_elsewhere(start, prepared_problem, count)) return;
    copy();
    enqueue(prepared_problem, count);
  }
}

template <ExecutionSpace Exec, class T>
template <WritableView X, CoefficientsOfSOR<T> C, class Rhs, class Mask>
SolveReport SOR<Exec, T>::solve(const X& x, const C& coefficients,
                                const SORInputs<Rhs, Mask>& inputs,
                                const SolveControl& control) const {
  Impl::sor::require_valid(control);
  const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
  Impl::sor::require_diagonal(problem.coefficients);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_solve");
  return solve(problem, control);
}

template <ExecutionSpace Exec, class T>
template <class Problem>
SolveReport SOR<Exec, T>::solve(const Problem& problem, const SolveControl& control) const {
  using iteration_type = Impl::sor::Iteration<SOR, Problem>;
  if constexpr (may_have_components<Problem>)
    if (finds_components(problem, control)) {
      Impl::sor::ComponentIteration iteration(exec_, components_, problem, control, forward(),
                                              backward(), restore_);
      return Impl::sor::Solver(iteration, control).run();
    }
  iteration_type iteration(*this, problem, control);
  return Impl::sor::Solver<iteration_type>(iteration, control).run();
}

template <ExecutionSpace Exec, class T>
template <WritableView X, CoefficientsOfSOR<T> C, class Rhs, class Mask>
void SOR<Exec, T>::reserve_sweeps(const X& x, const C& coefficients, int count,
                                  const SORInputs<Rhs, Mask>& inputs) {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  reserve(checked_problem("sor_sweeps", "x", x, coefficients, inputs), count, false);
}

template <ExecutionSpace Exec, class T>
template <WritableView X, CoefficientsOfSOR<T> C, class Rhs, class Mask>
void SOR<Exec, T>::reserve_solve(const X& x, const C& coefficients,
                                 const SORInputs<Rhs, Mask>& inputs, const SolveControl& control) {
  Impl::sor::require_valid(control);
  const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
  Impl::sor::require_diagonal(problem.coefficients);
  if constexpr (may_have_components<std::remove_const_t<decltype(problem)>>)
    if (finds_components(problem, control)) return;
  const bool measures = reserve(problem, std::min(control.check_every, control.max_sweeps), true);
  if (problem.empty()) return;
  if (restore_) backup_.like(exec_, problem.x);
  if (control.criterion == Criterion::Update && !measures) before_.like(exec_, problem.x);
}

template <ExecutionSpace Exec, class T>
template <class Problem>
auto SOR<Exec, T>::prepared(const Problem& problem) const -> prepared_type<Problem> {
  if constexpr (encodes_masks)
    return Impl::sor::with_dense<Problem::dense>(
        Impl::sor::with_encoded_mask(exec_, problem, encoded_rhs_));
  else
    return problem;
}

/// @brief Makes the workspace of sweeps in place; true if they can measure what a solve looks at.
template <ExecutionSpace Exec, class T>
template <class Problem>
bool SOR<Exec, T>::reserve(const Problem& problem, [[maybe_unused]] int count,
                           [[maybe_unused]] bool measured) {
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

template <ExecutionSpace Exec, class T>
template <class Problem>
void SOR<Exec, T>::enqueue(const Problem& problem, int count, bool forward, bool backward) const {
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

/// @brief Where the execution space has sweeps from one array to another, halo included, lets them
/// do it. False if it has none, or not for this problem.
template <ExecutionSpace Exec, class T>
template <class Problem>
bool SOR<Exec, T>::sweep_elsewhere([[maybe_unused]] const Grid<const T>& from,
                                   [[maybe_unused]] const Problem& problem,
                                   [[maybe_unused]] int count) const {
  if constexpr (requires { special_.sweep_to(exec_, problem, problem.x, count, true, true); }) {
    Problem start = problem;  // whose x is only read
    start.x = {const_cast<T*>(from.data), from.rows, from.columns, from.row_stride,
               from.column_stride};
    return count > 0 && special_.sweep_to(exec_, start, problem.x, count, forward(), backward());
  } else {
    return false;
  }
}

template <ExecutionSpace Exec, class T>
template <class Problem>
void SOR<Exec, T>::sweep_from_zero(const Problem& problem, int count) const {
  if constexpr (requires { special_.sweep_from_zero(exec_, problem, count, true, true); })
    if (special_.sweep_from_zero(exec_, problem, count, forward(), backward())) return;
  Impl::sor::clear_unknowns(exec_, problem);
  if (count > 0) enqueue(prepared(problem), count);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/sor/WaveScan_Instantiations.hpp>
#endif

#endif
