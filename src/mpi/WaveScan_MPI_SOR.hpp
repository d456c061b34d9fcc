// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SOR_HPP
#define WAVESCAN_MPI_SOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_MPI_SOROptions.hpp>
#include <WaveScan_SOR.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_ExtendedBlock.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_ProcessGrid.hpp>
#include <impl/WaveScan_MPI_RowNorms.hpp>
#include <impl/WaveScan_MPI_SORPasses.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORArguments.hpp>
#include <impl/sor/WaveScan_SolveIteration.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief SOR in natural order on grids that are distributed over processes.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, section IV (the loop).

namespace wavescan::mpi {

/// @brief A plan for SOR on distributed arrays, which owns workspace and a communicator.
///
/// Every process holds a block of m x n unknowns in an array of (m+2) x (n+2) with a halo. Blocks
/// are blocks of rows, which follow each other in the order of ranks, or, with
/// SOROptions::process_columns, those of a grid of processes, which is numbered row by row: then m
/// is the same in a row of processes, and n in a column of them. Both may be 0. The halo between
/// blocks is written: a call leaves the neighbours' values there. The halo at the edges of the
/// whole array holds boundary values.
///
/// Results are bit for bit those of wavescan::SOR on the whole array, on any number of processes
/// and for any distribution. Norms do not depend on these either, so a solve takes the same sweeps
/// everywhere; from those of wavescan::sor_residual they may differ by rounding. Coefficients are
/// the same everywhere (SORCoefficients), and inputs are given to all processes or to none. All
/// functions are collective, see mpi::Scan.
///
/// Cost, for a pass of T sweeps (SOROptions::depth) on blocks of m rows: in Speculation one message
/// of the overlap's rows and one of T rows to each neighbour, then one of a row for each sweep, a
/// reduction of 208 bytes, and sweeps over T - 1 rows more and as many as blocks overlap. They are
/// fused as those of one process. Blocks of columns have the same for columns, and begin two or
/// three widths of a register earlier, on GPUs up to 67 columns. In the pipeline of hosts, of
/// blocks of at least T and two bands more, one message of T rows to the process above, and one of
/// a row for each sweep to the one below; in grids of processes one of the edges to all neighbours
/// after up to 16 passes, for which two passes are waited, and one of two values for each row and
/// sweep to the right; sweeps are fused; it takes the time of a pass of a block for each process to
/// fill, once a call. Elsewhere, and where that takes longer, sweeps are done one by one, with a
/// message after each, and it takes the time of a sweep for each process. Norms take one reduction
/// more, and where columns are distributed a message of a sum for each row from each process to the
/// next.
///
/// Memory: an array like x with the extra rows and columns (not with the plan's own array, nor on
/// one process), in speculation one more, for each direction; likewise one for a right-hand side
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
  /// @param columns columns of x with its halo, n + 2
  /// @param options order, scheme, depth, process columns; the same on all processes
  /// @throws std::invalid_argument if rows or columns is less than 2, an option is negative, the
  /// number of processes is no multiple of options.process_columns, or if processes differ in what
  /// has to be the same: columns, with blocks of columns those of a column of processes, and rows
  /// those of a row
  SOR(MPI_Comm comm, const Exec& exec, std::int64_t rows, std::int64_t columns,
      const SOROptions& options = {});

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<2> X>
  static SOR like(MPI_Comm comm, const Exec& exec, const X& x, const SOROptions& options = {}) {
    const auto grid = grid_of(x);
    return SOR(comm, exec, grid.rows, grid.columns, options);
  }

  /// @brief The plan's own array for x: zeros at first, the same in every call, and the plan's as
  /// long as nobody else keeps it.
  ///
  /// Around it there is room for what comes from other processes, so that in grids of processes its
  /// rows do not follow each other closely. Forward sweeps of any other array copy it there and
  /// back, which takes as long as a sweep or two; of this one they do not, if the overlap has at
  /// most 1024 rows and columns. If a call throws while it sweeps, the array holds nothing of use.
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> array() {
    if (takes_part()) return forward_.array();
    return {"WaveScan::mpi::array", static_cast<std::size_t>(rows_ + 2),
            static_cast<std::size_t>(columns_)};
  }

  /// @brief Does `count` sweeps and waits for them. See wavescan::sor_sweeps.
  template <WritableView X, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const SORCoefficients<T>& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) {
    const auto problem =
        agreed_problem("mpi::sor_sweeps", x, coefficients, inputs, {"count", count});
    const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::sor_sweeps");
    has_halo_ = false;
    run(problem, count);
    if (!has_halo_) refresh_halo(problem.x);
    exec_.fence("WaveScan::mpi::sor_sweeps");
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
    const auto problem = agreed_problem("mpi::sor_residual", x, coefficients, inputs,
                                        {"norm", static_cast<int>(norm)});
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
                      const SORInputs<Rhs, Mask>& inputs,
                      const Impl::mpi::Agreement::Field& number);
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
  Impl::mpi::SORPasses<Exec, T> forward_, backward_;
  Impl::mpi::RowNorms<Exec> norms_;
  Impl::mpi::Extension halo_;  ///< x with its halo, as an extended block
  Impl::mpi::EdgeExchange<Exec, T> edges_;
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> backup_, before_;
  std::int64_t repeated_ = 0;
  bool has_halo_ = false;  ///< the last sweeps' x
};

template <ExecutionSpace Exec, class T>
SOR<Exec, T>::SOR(MPI_Comm comm, const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SOROptions& options)
    : exec_(exec),
      comm_(communicator::duplicate("mpi::SOR", comm)),
      rows_(rows - 2),
      columns_(columns),
      options_(options) {
  constexpr const char* plan = "mpi::SOR";
  using Passes = Impl::mpi::SORPasses<Exec, T>;
  Impl::mpi::together(comm_, plan,
                      {{"operation", Impl::mpi::number_of_call<SOR>(plan)},
                       {"order", static_cast<int>(options.order)},
                       {"scheme", static_cast<int>(options.scheme)},
                       {"depth", options.depth},
                       {"overlap", options.overlap},
                       {"restore", options.restore},
                       {"process_columns", options.process_columns}},
                      [&] {
                        const auto at_least = [&](const std::string& name, std::int64_t value,
                                                  std::int64_t least) {
                          Impl::require(value >= least, plan, name,
                                        "must be at least " + std::to_string(least), value);
                        };
                        at_least("rows", rows, 2);
                        at_least("columns", columns, 2);
                        at_least("depth", options.depth, 0);
                        at_least("overlap", options.overlap, -1);
                        at_least("process_columns", options.process_columns, 1);
                      });
  const Impl::mpi::ProcessGrid grid(comm_, plan, options.process_columns, rows_, columns_ - 2,
                                    Passes::band(exec, rows_, columns_ - 2));
  active_ = Impl::mpi::Transport<Exec>(exec, comm_.subset(grid.takes_part()));
  Impl::mpi::together(comm_, plan, {}, [&] {
    if (!grid.takes_part()) return;
    forward_ = Passes(active_, grid.rows(), grid.columns(), grid.band(), options);
    backward_ = Passes(active_, grid.rows(), grid.columns(), grid.band(), options);
    halo_ = grid.halo();
    edges_.reserve(active_, halo_);
    norms_ = Impl::mpi::RowNorms<Exec>(active_, rows_, halo_.rank(0, -1), halo_.rank(0, 1));
  });
}

template <ExecutionSpace Exec, class T>
template <class X, class Rhs, class Mask>
auto SOR<Exec, T>::agreed_problem(std::string_view operation, const X& x,
                                  const SORCoefficients<T>& c, const SORInputs<Rhs, Mask>& inputs,
                                  const Impl::mpi::Agreement::Field& number) {
  using Problem = decltype(Impl::sor::make_problem<Exec>(operation, "x", x, c, inputs));
  std::optional<Problem> problem;
  const auto is_given = [](const auto& input) {
    if constexpr (AnyView<std::remove_cvref_t<decltype(input)>>) return input.is_allocated();
    return false;
  };
  std::int64_t bits = 0;
  Impl::sor::for_each_coefficient(c, [&](const auto&, T coefficient) {
    bits = bits * 31 + Impl::mpi::bits_of(static_cast<double>(coefficient)) % 1000000007;
  });
  Impl::mpi::together(
      comm_, operation,
      {{"operation", Impl::mpi::number_of_call<Rhs, Mask>(
                         std::string(operation) + (std::same_as<Rhs, NoInput> ? "" : " rhs"))},
       {"coefficients", bits},
       {"rhs", is_given(inputs.rhs())},
       {"mask", is_given(inputs.mask())},
       number},
      [&] {
        Impl::require(number.value >= 0, operation, number.name, "must not be negative",
                      number.value);
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
  if (count == 0) return;
  auto& passes = backward ? backward_ : forward_;
  repeated_ += passes.sweep(problem, count, backward);
  has_halo_ = passes.has_halo();
}

/// The halo between blocks becomes the neighbours' outermost rows and columns.
template <ExecutionSpace Exec, class T>
void SOR<Exec, T>::refresh_halo(const Grid<T>& x) {
  if (!takes_part()) return;
  edges_.refresh(active_, halo_, x, true);
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

/// @brief The work of a solve between two checks.
template <ExecutionSpace Exec, class T>
template <class Problem>
class SOR<Exec, T>::Iteration {
 public:
  Iteration(SOR& plan, const Problem& problem, const SolveControl& control)
      : plan_(plan), problem_(problem), control_(control) {}

  double check() const {
    plan_.refresh_halo(problem_.x);
    return plan_.residual_norm(problem_, control_.norm);
  }
  double sweep(int count) const {
    if (plan_.options_.restore) copy(problem_.x, image(plan_.backup_));
    if (control_.criterion == Criterion::Residual) {
      plan_.run(problem_, count);
      return check();
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
  void commit() const { plan_.exec_.fence("WaveScan::mpi::sor_solve"); }

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
  const Impl::Calling calling(operation);
  const auto problem =
      agreed_problem(operation, x, coefficients, inputs, {"check_every", control.check_every});
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
  const Impl::Calling calling("mpi::sor_sweeps");
  SOR<Exec, SORValue<X>>::like(comm, exec, x, options).sweeps(x, coefficients, count, inputs);
}

/// @brief Relaxes a distributed x until the residual is small: see mpi::SOR and
/// wavescan::sor_solve. Collective over `comm`.
template <ExecutionSpace Exec, ViewOfRank<2> X, class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(MPI_Comm comm, const Exec& exec, const X& x,
                      const SORCoefficients<SORValue<X>>& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  const Impl::Calling calling("mpi::sor_solve");
  return SOR<Exec, SORValue<X>>::like(comm, exec, x, options)
      .solve(x, coefficients, inputs, control);
}

}  // namespace wavescan::mpi

#endif
