// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR_HPP
#define WAVESCAN_SOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_Schedule.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SOR_Backup.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Residual.hpp>
#include <impl/WaveScan_SOR_Special.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Successive over-relaxation (SOR) in natural order on a rectangular grid.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, section IV.
///
/// The unknowns are the interior of x, an array of (m+2) x (n+2): the outermost rows and columns
/// are a halo that holds boundary values and is never written. Its four corners are never used. An
/// x with less than 3 rows or columns has no unknowns, and nothing is done.

namespace wavescan {

/// @brief The order in which a sweep visits the points.
enum class SweepOrder {
  Forward,   ///< row by row from the first point to the last
  Backward,  ///< from the last point to the first
  Symmetric  ///< a forward pass and then a backward one; both together count as one sweep
};

/// @brief The order's name: "forward", "backward", "symmetric".
inline const char* to_string(SweepOrder order) {
  switch (order) {
    case SweepOrder::Forward:
      return "forward";
    case SweepOrder::Backward:
      return "backward";
    case SweepOrder::Symmetric:
      return "symmetric";
  }
  return "unknown";
}

/// @brief How SOR is run; what is left out is chosen.
struct SOROptions {
  SweepOrder order = SweepOrder::Forward;
  /// Serial and TileSkewed give the same bits; the others differ from them by rounding.
  Schedule schedule = Schedule::Hybrid;
  std::int64_t tile_rows = 0;     ///< rows of a tile; 0: chosen
  std::int64_t tile_columns = 0;  ///< columns of a tile; 0: chosen
  /// A solve that diverges puts x back to the last good check, from a copy of the m x n unknowns
  /// that the plan keeps. Without it x is left diverged, and the memory is saved.
  bool restore = true;
};

/// @brief Stands for an input that is not there.
struct NoInput {};

/// @brief The optional inputs of SOR: `SORInputs().rhs(b).mask(fixed)`.
template <class Rhs = NoInput, class Mask = NoInput>
class SORInputs {
 public:
  SORInputs() = default;
  SORInputs(const Rhs& rhs, const Mask& mask) : rhs_(rhs), mask_(mask) {}

  /// @brief Right-hand side b: a View with the extents and the value type of x. Its halo is not
  /// read, and nor are fixed points. Without it b is zero.
  template <ViewOfRank<2> B>
  SORInputs<B, Mask> rhs(const B& b) const {
    return {b, mask_};
  }

  /// @brief Points to hold fixed: a View of bool or any integral type with the extents of x. Where
  /// it is not zero x keeps its value bit for bit. Its halo is not read.
  template <ViewOfRank<2> M>
  SORInputs<Rhs, M> mask(const M& fixed) const {
    return {rhs_, fixed};
  }

  const Rhs& rhs() const { return rhs_; }
  const Mask& mask() const { return mask_; }

 private:
  Rhs rhs_{};
  Mask mask_{};
};

/// @brief A plan for SOR on arrays of one size, which owns the workspace.
///
/// Calls allocate no device memory. One plan must not be used from two instances at a time.
///
/// Memory: for `solve` a copy of the unknowns (see SOROptions::restore); for the sweeps a row of
/// values or a counter for each row of tiles.
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
  /// @throws std::invalid_argument if a size is negative
  SOR(const Exec& exec, std::int64_t rows, std::int64_t columns, const SOROptions& options = {});

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<2> X>
  static SOR like(const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto grid = grid_of(x);
    return SOR(exec, grid.rows, grid.columns, options);
  }

  /// @brief Enqueues `count` sweeps. See wavescan::sor_sweeps.
  template <class X, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const SORCoefficients<T>& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const;

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve.
  template <class X, class Rhs = NoInput, class Mask = NoInput>
  SolveReport solve(const X& x, const SORCoefficients<T>& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {},
                    const SolveControl& control = {}) const;

  /// @brief The schedule that is run: the one asked for, or what Hybrid chose.
  Schedule schedule() const { return plain_.schedule(); }

 private:
  using problem_type = Impl::SORProblem<T>;

  static WavefrontOptions wavefront_options(std::int64_t rows, std::int64_t columns,
                                            const SOROptions& options);
  template <class X>
  void require_plan_extents(std::string_view operation, const X& x) const;
  void enqueue(const problem_type& problem, int count) const;
  void enqueue_pass(const problem_type& problem) const;
  SolveReport iterate(const problem_type& problem, const SolveControl& control) const;

  Exec exec_;
  std::int64_t rows_;
  std::int64_t columns_;
  SweepOrder order_;
  Wavefront<Exec, Impl::SORLoop<T>> plain_;
  Wavefront<Exec, Impl::MaskedSORLoop<T>> masked_;
  Impl::SORBackup<Exec, T> backup_;
  Impl::SpecialSOR<Exec, T> special_;
};

namespace Impl {

/// @brief Checks the arguments of all SOR operations and gathers them.
template <ExecutionSpace Exec, class X, class T, class Rhs, class Mask>
SORProblem<typename X::value_type> sor_problem(std::string_view operation, const X& x,
                                               const SORCoefficients<T>& coefficients,
                                               const SORInputs<Rhs, Mask>& inputs) {
  static_assert(ViewOfRank<X, 2>, "WaveScan: 'x' must be a Kokkos View of rank 2");
  static_assert(std::same_as<typename X::non_const_value_type, T>,
                "WaveScan: 'x' and the coefficients must have one type");
  static_assert(AccessibleFrom<X, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x'");
  require_finite(operation, coefficients);
  SORProblem<typename X::value_type> problem{coefficients, grid_of(x)};
  if constexpr (!std::same_as<Rhs, NoInput>) {
    static_assert(std::same_as<typename Rhs::non_const_value_type, T>,
                  "WaveScan: 'rhs' must have the value type of 'x'");
    static_assert(AccessibleFrom<Rhs, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'rhs'");
    require_same_extents(operation, "rhs", inputs.rhs(), "x", x);
    require_disjoint(operation, "rhs", inputs.rhs(), "x", x);
    problem.rhs = grid_of(typename Rhs::const_type(inputs.rhs()));
  }
  if constexpr (!std::same_as<Mask, NoInput>) {
    static_assert(std::integral<typename Mask::non_const_value_type>,
                  "WaveScan: 'mask' must hold bool or an integral type");
    static_assert(AccessibleFrom<Mask, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'mask'");
    require_same_extents(operation, "mask", inputs.mask(), "x", x);
    require_disjoint(operation, "mask", inputs.mask(), "x", x);
    problem.fixed = FixedPoints::of(grid_of(inputs.mask()));
  }
  return problem;
}

inline void require_valid(const SolveControl& control) {
  const auto check = [](bool holds, const char* argument, const char* expectation, auto actual) {
    require(holds, "sor_solve", argument, expectation, actual);
  };
  check(control.tolerance >= 0, "tolerance", "must not be negative", control.tolerance);
  check(control.relative_tolerance >= 0, "relative_tolerance", "must not be negative",
        control.relative_tolerance);
  check(control.max_sweeps >= 0, "max_sweeps", "must not be negative", control.max_sweeps);
  check(control.check_every > 0, "check_every", "must be positive", control.check_every);
  check(control.divergence_factor >= 1, "divergence_factor", "must be at least 1",
        control.divergence_factor);
}

}  // namespace Impl

template <ExecutionSpace Exec, class T>
WavefrontOptions SOR<Exec, T>::wavefront_options(std::int64_t rows, std::int64_t columns,
                                                 const SOROptions& options) {
  WavefrontOptions wavefront;
  wavefront.schedule = options.schedule;
  wavefront.tile_rows = options.tile_rows;
  wavefront.tile_columns = options.tile_columns;
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
      plain_(exec, rows, columns, wavefront_options(rows, columns, options)),
      masked_(exec, rows, columns, wavefront_options(rows, columns, options)) {
  if (options.restore && rows > 2 && columns > 2)
    backup_ = Impl::SORBackup<Exec, T>(exec, (rows - 2) * (columns - 2));
  if (options.schedule == Schedule::Hybrid)
    special_ = Impl::SpecialSOR<Exec, T>(exec, rows, columns);
}

template <ExecutionSpace Exec, class T>
template <class X>
void SOR<Exec, T>::require_plan_extents(std::string_view operation, const X& x) const {
  static_assert(WritableView<X>, "WaveScan: 'x' must not be const");
  const auto grid = grid_of(x);
  Impl::require(grid.rows == rows_ && grid.columns == columns_, operation, "x",
                "must have the plan's extents (" + std::to_string(rows_) + " x " +
                    std::to_string(columns_) + ")",
                Impl::extents_of(x));
}

template <ExecutionSpace Exec, class T>
template <class X, class Rhs, class Mask>
void SOR<Exec, T>::sweeps(const X& x, const SORCoefficients<T>& coefficients, int count,
                          const SORInputs<Rhs, Mask>& inputs) const {
  Impl::require(count >= 0, "sor_sweeps", "count", "must not be negative", count);
  require_plan_extents("sor_sweeps", x);
  const auto problem = Impl::sor_problem<Exec>("sor_sweeps", x, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
  enqueue(problem, count);
}

template <ExecutionSpace Exec, class T>
template <class X, class Rhs, class Mask>
SolveReport SOR<Exec, T>::solve(const X& x, const SORCoefficients<T>& coefficients,
                                const SORInputs<Rhs, Mask>& inputs,
                                const SolveControl& control) const {
  Impl::require_valid(control);
  require_plan_extents("sor_solve", x);
  const auto problem = Impl::sor_problem<Exec>("sor_solve", x, coefficients, inputs);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_solve");
  return iterate(problem, control);
}

template <ExecutionSpace Exec, class T>
void SOR<Exec, T>::enqueue(const problem_type& problem, int count) const {
  const bool forward = order_ != SweepOrder::Backward;
  if (special_.sweep(exec_, problem, count, forward, order_ != SweepOrder::Forward)) return;
  const problem_type backward = reversed(problem);
  for (int sweep = 0; sweep < count; ++sweep) {
    if (forward) enqueue_pass(problem);
    if (order_ != SweepOrder::Forward) enqueue_pass(backward);
  }
}

template <ExecutionSpace Exec, class T>
void SOR<Exec, T>::enqueue_pass(const problem_type& problem) const {
  const Impl::SORLoop<T> loop{problem.coefficients, problem.rhs};
  if (problem.fixed.word == Impl::FixedPoints::Word::None)
    plain_(loop, problem.x);
  else
    masked_(Impl::MaskedSORLoop<T>{loop, problem.fixed}, problem.x);
}

template <ExecutionSpace Exec, class T>
SolveReport SOR<Exec, T>::iterate(const problem_type& problem, const SolveControl& control) const {
  SolveReport report;
  const auto look = [&](int sweeps) {
    const double residual = Impl::sor_residual_norm(exec_, problem, control.norm);
    report.history.push_back({sweeps, residual});
    return residual;
  };
  const auto stop = [&](StopReason reason) {
    report.reason = reason;
    return report;
  };

  report.initial_residual = report.final_residual = look(0);
  if (!std::isfinite(report.initial_residual)) return stop(StopReason::NonFinite);
  const double goal =
      std::max(control.tolerance, control.relative_tolerance * report.initial_residual);
  const double limit = control.divergence_factor * report.initial_residual;

  while (true) {
    if (report.final_residual <= goal) return stop(StopReason::Converged);
    if (report.sweeps == control.max_sweeps) return stop(StopReason::MaxSweeps);
    if (control.progress && !control.progress(report.sweeps, report.final_residual))
      return stop(StopReason::Cancelled);
    backup_.save(exec_, problem);
    const int count = std::min(control.check_every, control.max_sweeps - report.sweeps);
    enqueue(problem, count);
    const double residual = look(report.sweeps + count);
    const bool diverged = !(std::isfinite(residual) && residual <= limit);
    if (diverged && backup_.keeps()) {
      backup_.restore(exec_, problem);
      return stop(StopReason::Diverged);
    }
    report.sweeps += count;
    report.final_residual = residual;
    if (diverged) return stop(StopReason::Diverged);
  }
}

/// @brief Relaxes x by `count` sweeps of SOR in natural order.
///
/// A forward sweep visits the unknowns row by row and computes, with SORCoefficients c,
///
///     s = c.rhs * b                              (only with a right-hand side)
///     s = multiply_add(c.center, x, s)           (c.center * x without one)
///     s = multiply_add(c.right, x_right, s)
///     s = multiply_add(c.down, x_down, s)
///     s = multiply_add(c.up, x_up, s)            (updated before)
///     x = multiply_add(x_left, c.left, s)        (updated before)
///
/// A backward sweep is the same in the other direction, with left and right, up and down
/// exchanged. Schedules Serial and TileSkewed do these operations and give these bits; the others
/// sum up the left neighbours' shares in another order.
///
/// Enqueues on `exec`; waits only where the deallocation of its small workspace does. Data that are
/// not finite are not looked for. Work: O(m n) a sweep, of 5 multiply-adds a point; memory traffic:
/// x once in and once out, and each input once.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step: mean_of_five, poisson, or your own
/// @param count        number of sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param options      order, schedule, tile size
/// @throws std::invalid_argument if extents differ, an input shares memory with x, a coefficient is
/// not finite or the count is negative
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const Exec& exec, const X& x,
                const SORCoefficients<typename X::non_const_value_type>& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, SOROptions options = {}) {
  options.restore = false;  // nothing is looked at
  SOR<Exec, typename X::non_const_value_type>::like(exec, x, options)
      .sweeps(x, coefficients, count, inputs);
}

/// @brief Relaxes x by sweeps of SOR until the residual is small.
///
/// The residual is that of the linear system behind the coefficients (see sor_residual). It is
/// looked at before the first sweep and then every `control.check_every` sweeps. The solve stops
/// - Converged, when it is at most max(tolerance, relative_tolerance * initial residual);
/// - MaxSweeps, after control.max_sweeps sweeps;
/// - Diverged, when it exceeds divergence_factor * initial residual or is not finite any more; x is
///   then as it was at the check before (see SOROptions::restore);
/// - NonFinite, with x untouched, when it is not finite before the first sweep: NaN or infinity in
///   x, the halo or the right-hand side, or numbers whose squares overflow;
/// - Cancelled, when control.progress returns false.
///
/// Waits for the residual at every check. Work: that of sor_sweeps, and for each check about that
/// of a sweep, a copy of x and one number to the host.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout: the
///                     initial guess, then the solution
/// @param coefficients of the step: poisson, mean_of_five, or your own
/// @param inputs       right-hand side, mask of fixed points
/// @param control      tolerances, limits, progress
/// @param options      order, schedule, tile size
/// @return why it stopped, after how many sweeps, and all residuals
/// @throws std::invalid_argument if extents differ, an input shares memory with x, a coefficient is
/// not finite, a tolerance or max_sweeps is negative, or check_every is not positive
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(const Exec& exec, const X& x,
                      const SORCoefficients<typename X::non_const_value_type>& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  return SOR<Exec, typename X::non_const_value_type>::like(exec, x, options)
      .solve(x, coefficients, inputs, control);
}

/// @brief The norm of the residual of the linear system that SOR relaxes,
///
///     r = b - ((1-center)*x - left*x_left - up*x_up - right*x_right - down*x_down) / rhs
///
/// over all unknowns that are not fixed, in the units of b; where the coefficient rhs is zero, the
/// numerator alone. For poisson(omega, h) this is r = f + Laplace_h(x) whatever omega is. Computed
/// in double, in one pass over x; waits for the result.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step
/// @param inputs       right-hand side, mask of fixed points
/// @param norm         root mean square or maximum
/// @return the norm; zero if there are no unknowns, NaN or infinity if a residual is not finite
/// @throws std::invalid_argument if extents differ, an input shares memory with x, or a coefficient
/// is not finite
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
double sor_residual(const Exec& exec, const X& x,
                    const SORCoefficients<typename X::non_const_value_type>& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_residual");
  return Impl::sor_residual_norm(
      exec, Impl::sor_problem<Exec>("sor_residual", x, coefficients, inputs), norm);
}

/// @brief sor_sweeps on the default instance of the View's execution space.
template <ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const X& x, const SORCoefficients<typename X::non_const_value_type>& coefficients,
                int count, const SORInputs<Rhs, Mask>& inputs = {},
                const SOROptions& options = {}) {
  sor_sweeps(typename X::execution_space(), x, coefficients, count, inputs, options);
}

/// @brief sor_solve on the default instance of the View's execution space.
template <ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(const X& x,
                      const SORCoefficients<typename X::non_const_value_type>& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  return sor_solve(typename X::execution_space(), x, coefficients, inputs, control, options);
}

/// @brief sor_residual on the default instance of the View's execution space.
template <ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
double sor_residual(const X& x,
                    const SORCoefficients<typename X::non_const_value_type>& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  return sor_residual(typename X::execution_space(), x, coefficients, inputs, norm);
}

}  // namespace wavescan

#endif
