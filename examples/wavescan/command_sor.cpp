// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_SOR.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "numbers.hpp"
#include "poisson_problem.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "solve_report.hpp"
#include "text.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

using wavescan::SweepOrder;

struct SorOptions {
  std::string size, rhs, output, plot, order = "forward";
  std::optional<double> spacing, omega;
  double tolerance = 1e-8;
  int max_sweeps = 100000;
  bool keep = false;
};

const std::map<std::string, SweepOrder> orders{{"forward", SweepOrder::Forward},
                                               {"backward", SweepOrder::Backward},
                                               {"symmetric", SweepOrder::Symmetric}};

PoissonProblem problem_of_file(const std::string& file, std::optional<double> spacing) {
  const auto array = wavescan_io::read_npy(file);
  if (array.shape.size() != 2) throw wavescan_io::FileError(file, "has rank 1, expected 2");
  const std::size_t m = array.shape[0], n = array.shape[1];
  if (m == 0 || n == 0) throw wavescan_io::FileError(file, "is empty");
  PoissonProblem problem{m + 2, n + 2, spacing.value_or(1 / static_cast<double>(n + 1)), {}, {}};
  problem.rhs.assign(problem.rows * problem.columns, 0.0);
  const auto values = array.as<double>();
  for (std::size_t i = 0; i < m; ++i)
    std::copy_n(&values[i * n], n, &problem.rhs[(i + 1) * problem.columns + 1]);
  return problem;
}

std::vector<double> without_halo(const PoissonProblem& problem, const std::vector<double>& u) {
  std::vector<double> inner;
  for (std::size_t i = 1; i + 1 < problem.rows; ++i) {
    const auto row = u.begin() + static_cast<std::ptrdiff_t>(i * problem.columns);
    inner.insert(inner.end(), row + 1, row + static_cast<std::ptrdiff_t>(problem.columns) - 1);
  }
  return inner;
}

struct Solution {
  wavescan::SolveReport report;
  std::vector<double> u;       ///< with the halo; on the first process
  std::string schedule, note;  ///< what ran, and what more there is to say of it
};

Solution solve_alone(const PoissonProblem& problem, const wavescan::SORCoefficients<double>& step,
                     const wavescan::SOROptions& options, const wavescan::SolveControl& control) {
  const DeviceMatrix<double> x("solution", problem.rows, problem.columns);
  const auto rhs = to_device("right-hand side", problem.rhs, problem.rows, problem.columns);
  const auto plan = wavescan::SOR<Exec, double>::like(Exec(), x, options);
  Solution solution;
  solution.report = plan.solve(x, step, wavescan::SORInputs<>().rhs(rhs), control);
  solution.u = to_host(x);
  solution.schedule = to_string(options.schedule);
  // The plan does not tell which of the two they were.
  if (options.schedule == wavescan::Schedule::Auto)
    solution.note = std::string(": sweeps made for this processor, or else ") +
                    to_string(plan.schedule()) + " ones";
  return solution;
}

#if defined(WAVESCAN_TOOL_MPI)
/// @brief Solves the problem with its rows distributed over the processes.
Solution solve_together(const PoissonProblem& problem,
                        const wavescan::SORCoefficients<double>& step, SweepOrder order,
                        const wavescan::SolveControl& control, int processes) {
  const auto block =
      wavescan::mpi::even_block(static_cast<std::int64_t>(problem.rows) - 2, MPI_COMM_WORLD);
  const auto rows = static_cast<std::size_t>(block.count + 2);
  const auto first = problem.rhs.begin() + static_cast<std::ptrdiff_t>(block.first) *
                                               static_cast<std::ptrdiff_t>(problem.columns);
  const std::vector<double> part(first,
                                 first + static_cast<std::ptrdiff_t>(rows * problem.columns));
  const DeviceMatrix<double> x("solution", rows, problem.columns);
  const auto rhs = to_device("right-hand side", part, rows, problem.columns);
  Solution solution;
  solution.report = wavescan::mpi::sor_solve(
      MPI_COMM_WORLD, Exec(), x, step, wavescan::SORInputs<>().rhs(rhs), control, {.order = order});
  solution.schedule = "of " + std::to_string(processes) + " processes";
  // Rows of unknowns to the first process, whose own are in their place by that.
  const auto u = to_host(x);
  solution.u.assign(problem.rows * problem.columns, 0.0);
  const int count = static_cast<int>(block.count), before = static_cast<int>(block.first) + 1;
  std::vector<int> counts(static_cast<std::size_t>(processes)), places(counts);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gather(&before, 1, MPI_INT, places.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(problem.columns), MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  MPI_Gatherv(u.data() + problem.columns, count, row, solution.u.data(), counts.data(),
              places.data(), row, 0, MPI_COMM_WORLD);
  MPI_Type_free(&row);
  return solution;
}
#endif

void run(const SorOptions& options, Session& session) {
  if (options.size.empty() == options.rhs.empty())
    throw std::invalid_argument("expected either --size or --rhs");
  if (options.spacing && options.rhs.empty())
    throw std::invalid_argument("--spacing: goes with --rhs; the problem of --size has width 1");
  if (session.processes > 1) {
    refuse_unused(session, {"--schedule"}, "on several processes");
    if (session.reads_input)
      throw std::invalid_argument("--rhs: several processes do not share standard input");
  }
  std::optional<wavescan_io::OutputFile> output, plot;
  if (session.rank == 0) {
    if (!options.output.empty()) output.emplace(options.output);
    if (!options.plot.empty()) plot.emplace(options.plot);
  }
  PoissonProblem problem;
  if (options.size.empty()) {
    problem = problem_of_file(options.rhs, options.spacing);
  } else {
    const auto [m, n] = parse_size("--size", options.size);
    problem = model_problem(m, n);
  }
  const std::size_t m = problem.rows - 2, n = problem.columns - 2;
  const double omega = options.omega.value_or(
      wavescan::optimal_omega(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n)));

  const auto step = wavescan::poisson<double>(omega, problem.spacing);
  const wavescan::SOROptions sor_options{.order = orders.at(options.order),
                                         .schedule = session.schedule};
  Solution solution;
  {
    std::optional<Progress> progress;
    if (session.rank == 0) progress.emplace("Solving");
    double initial = 0;
    wavescan::SolveControl control;
    control.tolerance = 0;
    control.relative_tolerance = options.tolerance;
    control.max_sweeps = options.max_sweeps;
    control.progress = [&](int sweeps, double residual) {
      if (sweeps == 0) initial = residual;
      if (progress)
        progress->update(solve_fraction(initial, residual, options.tolerance * initial),
                         "residual " + scientific(residual));
      return true;
    };
#if defined(WAVESCAN_TOOL_MPI)
    if (session.processes > 1)
      solution =
          solve_together(problem, step, orders.at(options.order), control, session.processes);
    else
#endif
      solution = solve_alone(problem, step, sor_options, control);
  }
  const wavescan::SolveReport& report = solution.report;
  if (!options.keep) require_convergence(report);
  if (session.rank > 0) return;
  const std::vector<double>& u = solution.u;
  if (output) write_npy(*output, {{m, n}, without_halo(problem, u)});
  if (plot)
    write_residual_plot(
        *plot, "SOR on " + std::to_string(m) + " x " + std::to_string(n) + " points", {report});

  session.result = {{"rows", m},
                    {"columns", n},
                    {"spacing", problem.spacing},
                    {"omega", omega},
                    {"order", options.order},
                    {"schedule", solution.schedule},
                    {"solve", to_json(report)}};
  session.say("-Laplace(u) = f on " + std::to_string(m) + " x " + std::to_string(n) +
              " points, omega " + fixed(omega, 4) + ", schedule " + solution.schedule +
              solution.note);
  session.say(report.to_string());
  if (!problem.exact.empty()) {
    const double error = largest_error(problem, u);
    session.result["largest_error"] = error;
    session.say("largest error against the known solution: " + scientific(error));
  }
  if (output) {
    session.result["output"] = options.output;
    session.say("Wrote " + options.output);
  }
  require_convergence(report);
}

}  // namespace

void add_sor(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SorOptions>();
  CLI::App* command = add_command(
      app, session, "sor", "Solve Poisson's equation -Laplace(u) = f, zero on the boundary, by SOR",
      [options, &session] { run(*options, session); });
  command->preparse_callback([&session](std::size_t) { session.takes_processes = true; });
  command
      ->add_option("--size", options->size,
                   "Solve a problem with a known solution on N x N or M x N points")
      ->type_name("N|MxN");
  add_input(command, session, "--rhs",
            {options->rhs, "Right-hand side f, an array of rank 2", "F.npy"});
  add_number(command, "--spacing", options->spacing, positive,
             "Distance of points, with --rhs (default: 1 / (columns + 1))")
      ->type_name("H");
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the solution", "U.npy"});
  add_output(command, session, "--plot",
             {options->plot, "Where to draw the residual over the sweeps", "PLOT.png"});
  add_number(command, "--omega", options->omega, relaxation_factors,
             "Relaxation factor between 0 and 2 (default: the optimal one)")
      ->type_name("W");
  command->add_option("--order", options->order, "forward, backward or symmetric sweeps")
      ->check(CLI::IsMember({"forward", "backward", "symmetric"}))
      ->type_name("NAME");
  add_number(command, "--tolerance", options->tolerance, positive,
             "Part of the initial residual to reach (default: 1e-8)")
      ->type_name("T");
  add_number(command, "--max-sweeps", options->max_sweeps, at_least(1),
             "Give up after so many (default: 100000)")
      ->type_name("N");
  add_keep_option(command, options->keep);
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
