// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR3DPLAN_HPP
#define WAVESCAN_SOR3DPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_ArgumentChecks.hpp>
#include <impl/sor/WaveScan_Solve.hpp>
#include <impl/sor3d/WaveScan_Arguments.hpp>
#include <impl/sor3d/WaveScan_NativeSweeps.hpp>
#include <impl/sor3d/WaveScan_Points.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>
#include <impl/sor3d/WaveScan_SecondArray.hpp>
#include <impl/sor3d/WaveScan_Solve.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// @brief A plan for SOR in three dimensions, which owns the workspace.

namespace wavescan {

template <ExecutionSpace Exec, class T>
class SOR3D;

namespace Impl {
namespace sor3d {
template <ExecutionSpace Exec, class T, class P>
SolveReport solve(const SOR3D<Exec, T>& plan, const P& problem, const SolveControl& control);
}  // namespace sor3d

/// @brief What sweeps in three dimensions may start from.
template <class From>
concept StartOfSOR3D = ViewOfRank<From, 3> || std::same_as<From, ZeroGuess>;
}  // namespace Impl

/// @brief A plan for SOR on arrays of one size in three dimensions, which owns the workspace: see
/// SOR, the plan for two.
///
/// Calls allocate nothing once a call like them has been made, or announced by `reserve_sweeps` or
/// `reserve_solve`. One plan must not be used from two instances, nor from two threads, at a time.
///
/// Memory: for `solve` an array like x (see SOROptions::restore), with Criterion::Update another
/// one; on hosts some rows, and for masks of other types than bytes a byte for each point; on GPUs
/// that sweep along pencils about 0.7 of an array like x, and with a mask another one.
///
/// @tparam Exec execution space
/// @tparam T    float or double
template <ExecutionSpace Exec, class T>
class SOR3D {
  static_assert(std::same_as<T, float> || std::same_as<T, double>,
                "WaveScan: SOR works on float or double");

 public:
  using value_type = T;

  /// @param exec    instance that all calls enqueue on
  /// @param planes  planes of x with its halo, l + 2
  /// @param rows    rows of x with its halo, m + 2
  /// @param columns columns of x with its halo, n + 2
  /// @param options order, restore; the schedule must be hybrid, and tile sizes are not used
  /// @throws std::invalid_argument if a size is negative, or the schedule is another one
  SOR3D(const Exec& exec, std::int64_t planes, std::int64_t rows, std::int64_t columns,
        const SOROptions& options = {})
      : exec_(exec),
        extents_{planes, rows, columns},
        order_(options.order),
        restore_(options.restore) {
    Impl::require(planes >= 0, "SOR3D", "planes", "must not be negative", planes);
    Impl::require(rows >= 0, "SOR3D", "rows", "must not be negative", rows);
    Impl::require(columns >= 0, "SOR3D", "columns", "must not be negative", columns);
    Impl::require(options.stall_seconds >= 0, "SOR3D", "stall_seconds", "must not be negative",
                  options.stall_seconds);
    Impl::require(options.schedule == Schedule::Hybrid, "SOR3D", "schedule", "must be hybrid",
                  to_string(options.schedule));
  }

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<3> X>
  static SOR3D like(const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto box = Impl::sor3d::box_of(x);
    return SOR3D(exec, box.planes, box.rows, box.columns, options);
  }

  /// @brief Enqueues `count` sweeps of x. See wavescan::sor_sweeps.
  template <AnyView X, class C = SORCoefficients3D<T>, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const {
    Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
    const auto problem = checked_problem("sor_sweeps", "x", x, coefficients, inputs);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
    enqueue(problem, problem.x, count);
  }

  /// @brief Enqueues `count` sweeps that start from a View, or ZeroGuess, and end in `to`. See
  /// wavescan::sor_sweeps.
  template <Impl::StartOfSOR3D From, AnyView To, class C = SORCoefficients3D<T>,
            class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const From& from, const To& to, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const {
    Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
    auto problem = checked_problem("sor_sweeps", "to", to, coefficients, inputs);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
    if constexpr (std::same_as<From, ZeroGuess>) {
      Impl::sor3d::clear_unknowns(exec_, problem);
      enqueue(problem, problem.x, count);
    } else {
      const auto start = Impl::sor3d::start_of<Exec>("sor_sweeps", from, to);
      const auto x = problem.x;
      problem.x = {const_cast<T*>(start.data), start.planes,     start.rows,         start.columns,
                   start.plane_stride,         start.row_stride, start.column_stride};  // is read
      enqueue(problem, x, count);
    }
  }

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve.
  template <AnyView X, class C = SORCoefficients3D<T>, class Rhs = NoInput, class Mask = NoInput>
  SolveReport solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    const SolveControl& control = {}) const {
    Impl::sor::require_valid(control);
    const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
    Impl::sor3d::require_diagonal(problem.coefficients);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_solve");
    return Impl::sor3d::solve(*this, problem, control);
  }

  /// @brief Waits for the calls.
  void wait() const { exec_.fence("WaveScan::sor3d::wait"); }

  /// @brief Makes the workspace for sweeps of arrays like these, so that not even the first call
  /// allocates. Values of x are neither read nor written.
  /// @throws std::invalid_argument as sor_sweeps
  template <AnyView X, class C = SORCoefficients3D<T>, class Rhs = NoInput, class Mask = NoInput>
  void reserve_sweeps(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {}) {
    sweeps_.reserve(exec_, checked_problem("sor_sweeps", "x", x, coefficients, inputs));
  }

  /// @brief Makes the workspace of a solve.
  /// @throws std::invalid_argument as sor_solve
  template <AnyView X, class C = SORCoefficients3D<T>, class Rhs = NoInput, class Mask = NoInput>
  void reserve_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                     const SolveControl& control = {}) {
    Impl::sor::require_valid(control);
    const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
    Impl::sor3d::require_diagonal(problem.coefficients);
    sweeps_.reserve(exec_, problem);
    if (problem.empty()) return;
    if (restore_) backup_.like(exec_, problem.x);
    if (control.criterion == Criterion::Update) before_.like(exec_, problem.x);
  }

 private:
  template <class Plan, class P>
  friend class Impl::sor3d::Iteration;

  template <class X, class C, class Rhs, class Mask>
  auto checked_problem(std::string_view operation, std::string_view name, const X& x,
                       const C& coefficients, const SORInputs<Rhs, Mask>& inputs) const {
    static_assert(ViewOfRank<X, 3>, "WaveScan: 'x' must be a Kokkos View of rank 3");
    static_assert(std::same_as<typename X::value_type, T>,
                  "WaveScan: 'x' must have elements of the plan's type that are not const");
    const auto box = Impl::sor3d::box_of(x);
    if (std::array{box.planes, box.rows, box.columns} != extents_)
      Impl::reject(operation, name,
                   "must have the plan's extents (" + std::to_string(extents_[0]) + " x " +
                       std::to_string(extents_[1]) + " x " + std::to_string(extents_[2]) + ")",
                   Impl::extents_of(x));
    return Impl::sor3d::make_problem<Exec>(operation, name, x, coefficients, inputs);
  }

  template <class P>
  void enqueue(const P& problem, const Impl::sor3d::Box<T>& to, int count) const {
    enqueue(problem, to, count, order_ != SweepOrder::Backward, order_ != SweepOrder::Forward);
  }
  template <class P>
  void enqueue(const P& problem, const Impl::sor3d::Box<T>& to, int count, bool forward,
               bool backward) const {
    Impl::sor3d::sweep_to(sweeps_, exec_, problem, to, count, forward, backward);
  }

  Exec exec_;
  std::array<std::int64_t, 3> extents_;
  SweepOrder order_;
  bool restore_;
  Impl::sor3d::SecondArray<Exec, T> backup_;  ///< of the last check
  Impl::sor3d::SecondArray<Exec, T> before_;  ///< the last pass
  Impl::sor3d::NativeSweeps<Exec, T> sweeps_;
};

template <ExecutionSpace Exec, class T, class P>
SolveReport Impl::sor3d::solve(const SOR3D<Exec, T>& plan, const P& problem,
                               const SolveControl& control) {
  Iteration<SOR3D<Exec, T>, P> iteration(plan, problem, control);
  return sor::Solver(iteration, control).run();
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/sor3d/WaveScan_Instantiations.hpp>
#endif

#endif
