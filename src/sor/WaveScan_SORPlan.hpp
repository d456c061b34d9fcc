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
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Arguments.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Sweeper.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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
/// one where no kernel measures updates, or their squares leave the range of double, and nine where
/// a GPU keeps the grid on the chip; for the sweeps a row of values or a counter for each row of
/// tiles; for masks on GPUs an array like x, or in solves with few unknowns some numbers for each
/// of these (a later call whose mask has more of them may allocate).
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
  SOR(const Exec& exec, std::int64_t rows, std::int64_t columns, const SOROptions& options = {})
      : exec_(exec),
        rows_(rows),
        columns_(columns),
        sweeper_(Impl::sor::make_sweeper<Exec, T>(exec, rows, columns, options)) {}

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<2> X>
  static SOR like(const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto grid = grid_of(x);
    return SOR(exec, grid.rows, grid.columns, options);
  }

  /// @brief Enqueues `count` sweeps of x. See wavescan::sor_sweeps.
  /// @throws std::runtime_error if an earlier call got stuck, see SOROptions::stall_seconds
  template <AnyView X, class C = SORCoefficients<T>, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const;

  /// @brief Enqueues `count` sweeps that start from a View, or ZeroGuess, and end in `to`. See
  /// wavescan::sor_sweeps.
  template <StartOfSOR From, AnyView To, class C = SORCoefficients<T>, class Rhs = NoInput,
            class Mask = NoInput>
  void sweeps(const From& from, const To& to, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const;

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve.
  template <AnyView X, class C = SORCoefficients<T>, class Rhs = NoInput, class Mask = NoInput>
  SolveReport solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    const SolveControl& control = {}) const;

  /// @brief Waits for the calls.
  /// @throws std::runtime_error if one of them got stuck, see SOROptions::stall_seconds
  void wait() const {
    exec_.fence("WaveScan::sor::wait");
    throw_if_stuck();
  }

  /// @brief Reports calls that have got stuck by now, without waiting for any.
  /// @throws std::runtime_error if one has, see SOROptions::stall_seconds
  void throw_if_stuck() const { Impl::sor::throw_if_stuck(*sweeper_); }

  /// @brief Makes the workspace for `count` sweeps of arrays like these, so that not even the first
  /// call allocates. Values of x are neither read nor written.
  /// @throws std::invalid_argument as sor_sweeps
  template <AnyView X, class C = SORCoefficients<T>, class Rhs = NoInput, class Mask = NoInput>
  void reserve_sweeps(const X& x, const C& coefficients, int count,
                      const SORInputs<Rhs, Mask>& inputs = {});

  /// @brief Makes the workspace of a solve.
  /// @throws std::invalid_argument as sor_solve
  template <AnyView X, class C = SORCoefficients<T>, class Rhs = NoInput, class Mask = NoInput>
  void reserve_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                     const SolveControl& control = {});

  /// @brief The schedule that is run where sweeps have no kernels of their own: the one asked for,
  /// or what Hybrid chose.
  Schedule schedule() const { return Impl::sor::schedule_of(*sweeper_); }

 private:
  template <class X, class C, class Rhs, class Mask>
  auto checked_problem(std::string_view operation, std::string_view name, const X& x,
                       const C& coefficients, const SORInputs<Rhs, Mask>& inputs) const;

  Exec exec_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::shared_ptr<Impl::sor::Sweeper<Exec, T>> sweeper_;
};

template <ExecutionSpace Exec, class T>
template <class X, class C, class Rhs, class Mask>
auto SOR<Exec, T>::checked_problem(std::string_view operation, std::string_view name, const X& x,
                                   const C& coefficients,
                                   const SORInputs<Rhs, Mask>& inputs) const {
  static_assert(ViewOfRank<X, 2>, "WaveScan: 'x' must be a Kokkos View of rank 2");
  static_assert(std::same_as<typename X::value_type, T>,
                "WaveScan: 'x' must have elements of the plan's type that are not const");
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
template <AnyView X, class C, class Rhs, class Mask>
void SOR<Exec, T>::sweeps(const X& x, const C& coefficients, int count,
                          const SORInputs<Rhs, Mask>& inputs) const {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  const auto problem = checked_problem("sor_sweeps", "x", x, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
  Impl::sor::sweep(*sweeper_, problem, count);
}

template <ExecutionSpace Exec, class T>
template <StartOfSOR From, AnyView To, class C, class Rhs, class Mask>
void SOR<Exec, T>::sweeps(const From& from, const To& to, const C& coefficients, int count,
                          const SORInputs<Rhs, Mask>& inputs) const {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  const auto problem = checked_problem("sor_sweeps", "to", to, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
  if constexpr (std::same_as<From, ZeroGuess>) {
    Impl::sor::sweep_from_zero(*sweeper_, problem, count);
  } else {
    Impl::sor::sweep_from(*sweeper_, Impl::sor::start_of<Exec>("sor_sweeps", from, to), problem,
                          count);
  }
}

template <ExecutionSpace Exec, class T>
template <AnyView X, class C, class Rhs, class Mask>
SolveReport SOR<Exec, T>::solve(const X& x, const C& coefficients,
                                const SORInputs<Rhs, Mask>& inputs,
                                const SolveControl& control) const {
  Impl::sor::require_valid(control);
  const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
  Impl::sor::require_diagonal(problem.coefficients);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_solve");
  return Impl::sor::solve(*sweeper_, problem, control);
}

template <ExecutionSpace Exec, class T>
template <AnyView X, class C, class Rhs, class Mask>
void SOR<Exec, T>::reserve_sweeps(const X& x, const C& coefficients, int count,
                                  const SORInputs<Rhs, Mask>& inputs) {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  Impl::sor::reserve_sweeps(*sweeper_, checked_problem("sor_sweeps", "x", x, coefficients, inputs),
                            count);
}

template <ExecutionSpace Exec, class T>
template <AnyView X, class C, class Rhs, class Mask>
void SOR<Exec, T>::reserve_solve(const X& x, const C& coefficients,
                                 const SORInputs<Rhs, Mask>& inputs, const SolveControl& control) {
  Impl::sor::require_valid(control);
  const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
  Impl::sor::require_diagonal(problem.coefficients);
  Impl::sor::reserve_solve(*sweeper_, problem, control);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/sor/WaveScan_Instantiations.hpp>
#endif

#endif
