// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SOR_HPP
#define WAVESCAN_MPI_SOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_MPI_SOROptions.hpp>
#include <WaveScan_SOR.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_ExtendedRows.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_RowNorms.hpp>
#include <impl/WaveScan_MPI_SORPasses.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Arguments.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Solve.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief SOR in natural order on grids whose rows are distributed over processes.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, section IV (the loop).

namespace wavescan::mpi {

/// @brief A plan for SOR on distributed arrays, which owns workspace and a communicator.
///
/// Every process holds a block of m rows of unknowns (any number, also 0), in an array of (m+2) x
/// (n+2) with a halo; blocks follow each other in the order of ranks. Rows of the halo between two
/// blocks are written: a call leaves the neighbours' values there. The halo above the first block
/// that has rows and below the last one, and its columns, hold boundary values.
///
/// Results are bit for bit those of wavescan::SOR on the whole array, on any number of processes
/// and for any distribution. Norms do not depend on these either, so a solve takes the same sweeps
/// everywhere; from those of wavescan::sor_residual they may differ by rounding. Coefficients are
/// the same everywhere (SORCoefficients). All functions are collective, see mpi::Scan.
///
/// Cost, for a pass of T sweeps (SOROptions::depth), with blocks of m rows: T sweeps over
/// m + T - 1 rows, in Speculation over as many more as blocks overlap, and two copies of the block;
/// one message of T rows to the process above and T of one row each to the one below, in
/// Speculation instead one of the overlap's rows and one of T; and one reduction of 208 bytes. With
/// P processes the pipeline takes the time of P - 1 sweeps of a block to fill, once a call.
///
/// Memory: an array like x with the extra rows, for each direction; likewise for a right-hand side
/// and a byte a point for a mask; for `solve` one more (SOROptions::restore).
///
/// @tparam Exec execution space
/// @tparam T    float or double
template <ExecutionSpace Exec, class T>
class SOR {
 public:
  using value_type = T;

  /// @param comm    communicator, which the plan duplicates
  /// @param exec    instance that all calls use
  /// @param rows    rows of this process' x with its halo, m + 2
  /// @param columns columns of x with its halo, the same on all processes
  /// @param options order, scheme, depth; the same on all processes
  /// @throws std::invalid_argument if rows is less than 2, a size or an option is negative, or if
  /// processes differ in what has to be the same
  SOR(MPI_Comm comm, const Exec& exec, std::int64_t rows, std::int64_t columns,
      const SOROptions& options = {});

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<2> X>
  static SOR like(MPI_Comm comm, const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto grid = grid_of(x);
    return SOR(comm, exec, grid.rows, grid.columns, options);
  }

  /// @brief Does `count` sweeps and waits for them. See wavescan::sor_sweeps.
  template <WritableView X, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const SORCoefficients<T>& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) {
    const auto problem = agreed_problem("mpi::sor_sweeps", x, coefficients, inputs, count);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::sor_sweeps");
    run(problem, count);
    refresh_halo(problem.x);
  }

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve. `control` is the same on
  /// all processes; `control.progress` is called on all where it is set, and the solve goes on if
  /// all agree.
  template <WritableView X, class Rhs = NoInput, class Mask = NoInput>
  SolveReport solve(const X& x, const SORCoefficients<T>& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {});

  /// @brief The norm of the residual, after x's halo has been brought up to date. See
  /// wavescan::sor_residual.
  template <WritableView X, class Rhs = NoInput, class Mask = NoInput>
  double residual(const X& x, const SORCoefficients<T>& coefficients,
                  const SORInputs<Rhs, Mask>& inputs = {},
                  ResidualNorm norm = ResidualNorm::RootMeanSquare) {
    const auto problem =
        agreed_problem("mpi::sor_residual", x, coefficients, inputs, static_cast<int>(norm));
    refresh_halo(problem.x);
    return residual_norm(problem, norm);
  }

  /// @brief Passes in which speculation failed, so that they were done again: many mean that the
  /// overlap is too small.
  std::int64_t repeated_passes() const { return repeated_; }

 private:
  template <class Problem>
  class Iteration;
  using communicator = Impl::mpi::Communicator;

  bool takes_part() const { return active_.comm().size() > 0; }
  template <class X, class Rhs, class Mask>
  auto agreed_problem(std::string_view operation, const X& x, const SORCoefficients<T>& c,
                      const SORInputs<Rhs, Mask>& inputs, std::int64_t number);
  template <class Problem>
  void run(const Problem& problem, int count);
  template <class Problem>
  void pass(const Problem& problem, int count, bool backward);
  void refresh_halo(const Grid<T>& x);
  template <class Problem>
  double residual_norm(const Problem& problem, ResidualNorm norm) const;

  Exec exec_;
  communicator comm_;                  ///< all processes
  Impl::mpi::Transport<Exec> active_;  ///< those that have unknowns
  std::int64_t rows_, columns_;
  SOROptions options_;
  Impl::mpi::SorPasses<Exec, T> forward_, backward_;
  Impl::mpi::RowNorms<Exec> norms_;
  typename Impl::mpi::Transport<Exec>::template buffer_type<T> to_above_, to_below_, from_above_,
      from_below_;
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> backup_, before_;
  std::int64_t repeated_ = 0;
};

template <ExecutionSpace Exec, class T>
SOR<Exec, T>::SOR(MPI_Comm comm, const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SOROptions& options)
    : exec_(exec),
      comm_(communicator::duplicate("mpi::SOR", comm)),
      rows_(rows - 2),
      columns_(columns),
      options_(options) {
  const bool has_rows = rows > 2 && columns > 2;
  const std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr const char* plan = "mpi::SOR";
  const auto error = Impl::mpi::exception_of([&] {
    Impl::require(rows >= 2, plan, "rows", "must be at least 2, the rows of the halo", rows);
    Impl::require(columns >= 0, plan, "columns", "must not be negative", columns);
    Impl::require(options.depth >= 0, plan, "depth", "must not be negative", options.depth);
    Impl::require(options.overlap >= -1, plan, "overlap", "must not be negative", options.overlap);
  });
  const std::int64_t least_rows =
      Impl::mpi::Agreement(comm_, plan,
                           {{"operation", Impl::mpi::number_of_call<SOR>(plan)},
                            {"columns", columns},
                            {"order", static_cast<int>(options.order)},
                            {"scheme", static_cast<int>(options.scheme)},
                            {"depth", options.depth},
                            {"overlap", options.overlap},
                            {"restore", options.restore}},
                           error, has_rows ? rows - 2 : none)
          .reach();
  active_ = Impl::mpi::Transport<Exec>(exec, comm_.subset(has_rows));
  Impl::mpi::together(comm_, plan, {}, [&] {
    norms_ = Impl::mpi::RowNorms<Exec>(exec, has_rows ? rows_ : 0);
    if (!has_rows) return;
    forward_ = {active_, rows_, columns_, least_rows, options};
    backward_ = {active_, rows_, columns_, least_rows, options};
    for (auto* buffer : {&to_above_, &to_below_, &from_above_, &from_below_})
      *buffer = active_.template buffer<T>(columns);
  });
}

template <ExecutionSpace Exec, class T>
template <class X, class Rhs, class Mask>
auto SOR<Exec, T>::agreed_problem(std::string_view operation, const X& x,
                                  const SORCoefficients<T>& c, const SORInputs<Rhs, Mask>& inputs,
                                  std::int64_t number) {
  using Problem = decltype(Impl::sor::make_problem<Exec>(operation, "x", x, c, inputs));
  std::optional<Problem> problem;
  std::int64_t bits = 0;
  Impl::for_each_coefficient(c, [&](const char*, T coefficient) {
    bits = bits * 31 + Impl::mpi::bits_of(static_cast<double>(coefficient)) % 1000000007;
  });
  Impl::mpi::together(
      comm_, operation,
      {{"operation", Impl::mpi::number_of_call<Rhs, Mask>(
                         std::string(operation) + (std::same_as<Rhs, NoInput> ? "" : " rhs"))},
       {"coefficients", bits},
       {"count", number}},
      [&] {
        Impl::require(number >= 0, operation, "count", "must not be negative", number);
        const auto grid = grid_of(x);
        Impl::require(grid.rows == rows_ + 2 && grid.columns == columns_, operation, "x",
                      "must have the plan's extents (" + std::to_string(rows_ + 2) + " x " +
                          std::to_string(columns_) + ")",
                      Impl::extents_of(x));
        problem.emplace(Impl::sor::make_problem<Exec>(operation, "x", x, c, inputs));
      });
  return *problem;
}

template <ExecutionSpace Exec, class T>
template <class Problem>
void SOR<Exec, T>::run(const Problem& problem, int count) {
  // Those without rows wait here, too, for what the others have to say.
  Impl::mpi::together(comm_, "mpi::sor_sweeps", {}, [&] {
    if (!takes_part()) return;
    if (options_.order != SweepOrder::Symmetric)
      return pass(problem, count, options_.order == SweepOrder::Backward);
    for (int k = 0; k < count; ++k)
      for (const bool backward : {false, true}) pass(problem, 1, backward);
  });
}

template <ExecutionSpace Exec, class T>
template <class Problem>
void SOR<Exec, T>::pass(const Problem& problem, int count, bool backward) {
  if (count > 0) repeated_ += (backward ? backward_ : forward_).sweep(problem, count, backward);
}

/// Rows of the halo between blocks become the neighbours' outermost rows.
template <ExecutionSpace Exec, class T>
void SOR<Exec, T>::refresh_halo(const Grid<T>& x) {
  if (!takes_part()) return;
  using Impl::mpi::grid_in, Impl::mpi::no_rank, Impl::mpi::rows_of;
  constexpr int upwards = 6, downwards = 7;
  const int rank = active_.comm().rank();
  const int above = rank > 0 ? rank - 1 : no_rank;
  const int below = rank + 1 < active_.comm().size() ? rank + 1 : no_rank;
  const auto copy = [&](const Grid<T>& from, const Grid<T>& to) {
    Impl::sor::copy_entries(exec_, "WaveScan::mpi::halo", Impl::sor::read_only(from), to);
  };
  const auto inner = [&](std::int64_t row) {  // corners are never used
    return Grid<T>{&x(row, 1), 1, columns_ - 2, x.row_stride, x.column_stride};
  };
  const auto values = [&](const auto& buffer) { return grid_in(buffer.view(), 1, columns_ - 2); };
  Impl::mpi::Exchange exchange(active_.comm());
  exchange.receive(from_above_, above, downwards);
  exchange.receive(from_below_, below, upwards);
  copy(inner(1), values(to_above_));
  copy(inner(rows_), values(to_below_));
  exchange.send(exec_, to_above_, columns_ - 2, above, upwards);
  exchange.send(exec_, to_below_, columns_ - 2, below, downwards);
  exchange.wait();
  const auto take = [&](const auto& buffer, int from, std::int64_t row) {
    if (from == no_rank) return;
    buffer.received(exec_, columns_ - 2);
    copy(values(buffer), inner(row));
  };
  take(from_above_, above, 0);
  take(from_below_, below, rows_ + 1);
  exec_.fence("WaveScan::mpi::halo");
}

template <ExecutionSpace Exec, class T>
template <class Problem>
double SOR<Exec, T>::residual_norm(const Problem& problem, ResidualNorm norm) const {
  const auto p = Impl::sor::read_only(problem);
  const auto equations = Impl::sor::make_equations(p.coefficients);
  const Impl::sor::ResidualTerms<T, std::remove_const_t<decltype(equations)>> terms{p.x, p.rhs,
                                                                                    equations};
  return norms_.norm(exec_, comm_, terms, p.fixed, p.interior_columns(), norm);
}

/// @brief What a solve does between two checks.
template <ExecutionSpace Exec, class T>
template <class Problem>
class SOR<Exec, T>::Iteration {
 public:
  Iteration(SOR& plan, const Problem& problem, const SolveControl& control)
      : plan_(plan), problem_(problem), control_(control) {}

  double look() const {
    plan_.refresh_halo(problem_.x);
    return plan_.residual_norm(problem_, control_.norm);
  }
  double sweep(int count) const {
    if (plan_.options_.restore) copy(problem_.x, image(plan_.backup_));
    if (control_.criterion == Criterion::Residual) {
      plan_.run(problem_, count);
      return look();
    }
    // The last pass is compared with what was before it.
    plan_.run(problem_, count - 1);
    const bool symmetric = plan_.options_.order == SweepOrder::Symmetric;
    if (symmetric) run_once(false);
    copy(problem_.x, image(plan_.before_));
    run_once(plan_.options_.order != SweepOrder::Forward);
    plan_.refresh_halo(problem_.x);
    const Impl::sor::UpdateTerms<T> terms{Impl::sor::read_only(problem_.x),
                                          Impl::sor::read_only(image(plan_.before_))};
    return plan_.norms_.norm(plan_.exec_, plan_.comm_, terms, problem_.fixed,
                             problem_.interior_columns(), control_.norm);
  }
  void keep() const {}
  bool restore() const {
    if (plan_.options_.restore) copy(image(plan_.backup_), problem_.x);
    return plan_.options_.restore;
  }
  void settle() const { plan_.exec_.fence("WaveScan::mpi::sor_solve"); }

 private:
  void run_once(bool backward) const {
    Impl::mpi::together(plan_.comm_, "mpi::sor_solve", {}, [&] {
      if (plan_.takes_part()) plan_.pass(problem_, 1, backward);
    });
  }
  template <class View>
  Grid<T> image(const View& view) const {
    return Impl::mpi::grid_in(view, plan_.rows_ + 2, plan_.columns_);
  }
  void copy(const Grid<T>& from, const Grid<T>& to) const {
    if (plan_.takes_part())
      Impl::sor::copy_entries(plan_.exec_, "WaveScan::mpi::copy",
                              Impl::sor::read_only(Impl::sor::interior(from)),
                              Impl::sor::interior(to));
  }

  SOR& plan_;
  const Problem& problem_;
  const SolveControl& control_;
};

template <ExecutionSpace Exec, class T>
template <WritableView X, class Rhs, class Mask>
SolveReport SOR<Exec, T>::solve(const X& x, const SORCoefficients<T>& coefficients,
                                const SORInputs<Rhs, Mask>& inputs, const SolveControl& control) {
  constexpr const char* operation = "mpi::sor_solve";
  const auto problem = agreed_problem(operation, x, coefficients, inputs, control.check_every);
  const auto make = [&](auto& view) {
    if (view.data() == nullptr && takes_part())
      view = std::remove_reference_t<decltype(view)>(
          Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::mpi::backup"),
          static_cast<std::size_t>(rows_ + 2), static_cast<std::size_t>(columns_));
  };
  const bool updates = control.criterion == Criterion::Update;
  Impl::mpi::together(comm_, operation,
                      {{"tolerance", Impl::mpi::bits_of(control.tolerance)},
                       {"relative_tolerance", Impl::mpi::bits_of(control.relative_tolerance)},
                       {"max_sweeps", control.max_sweeps},
                       {"check_every", control.check_every},
                       {"norm", static_cast<int>(control.norm)},
                       {"divergence_factor", Impl::mpi::bits_of(control.divergence_factor)},
                       {"criterion", static_cast<int>(control.criterion)}},
                      [&] {
                        Impl::sor::require_valid(control);
                        Impl::sor::require_diagonal(problem.coefficients);
                        if (options_.restore) make(backup_);
                        if (updates) make(before_);
                      });
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::sor_solve");
  SolveControl common = control;
  common.progress = [&](int sweeps, double residual) {
    bool go_on = true;
    const auto error = Impl::mpi::exception_of([&] {
      if (control.progress) go_on = control.progress(sweeps, residual);
    });
    return Impl::mpi::Agreement(comm_, operation, {}, error, go_on ? 1 : 0).reach() == 1;
  };
  using iteration_type = Iteration<std::remove_const_t<decltype(problem)>>;
  iteration_type iteration(*this, problem, common);
  SolveReport report = Impl::sor::Solver<iteration_type>(iteration, common).run();
  refresh_halo(problem.x);
  return report;
}

/// @brief Relaxes a distributed x by `count` sweeps of SOR in natural order: see mpi::SOR and
/// wavescan::sor_sweeps. Collective over `comm`; waits.
///
/// @param comm         communicator
/// @param exec         execution space instance
/// @param x            View of float or double, this process' (m+2) x (n+2), any layout
/// @param coefficients of the step
/// @param count        number of sweeps
/// @param inputs       right-hand side, mask of fixed points, of this process' block
/// @param options      order, scheme, depth
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(MPI_Comm comm, const Exec& exec, const X& x,
                const SORCoefficients<SORValue<X>>& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  SOR<Exec, SORValue<X>>::like(comm, exec, x, options).sweeps(x, coefficients, count, inputs);
}

/// @brief Relaxes a distributed x until the residual is small: see mpi::SOR and
/// wavescan::sor_solve. Collective over `comm`.
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(MPI_Comm comm, const Exec& exec, const X& x,
                      const SORCoefficients<SORValue<X>>& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  return SOR<Exec, SORValue<X>>::like(comm, exec, x, options)
      .solve(x, coefficients, inputs, control);
}

}  // namespace wavescan::mpi

#endif
