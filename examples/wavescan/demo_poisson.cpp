// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SOR.hpp>
#include <algorithm>
#include <cmath>
#include <optional>

#include "demo.hpp"
#include "plain_loops.hpp"
#include "poisson_problem.hpp"
#include "progress.hpp"
#include "solve_report.hpp"
#include "text.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

void compare_with_plain_loop(Demo& demo, const PoissonProblem& problem, double omega, int sweeps) {
  const auto rhs = to_device("right-hand side", problem.rhs, problem.rows, problem.columns);
  const DeviceMatrix<double> x("solution", problem.rows, problem.columns);
  const wavescan::SOR<Exec, double> plan(Exec(), static_cast<std::int64_t>(problem.rows),
                                         static_cast<std::int64_t>(problem.columns),
                                         {.schedule = demo.session.schedule});
  const double wavescan_time = best_time([&] {
    Kokkos::deep_copy(x, 0.0);
    plan.sweeps(x, wavescan::poisson<double>(omega, problem.spacing), sweeps,
                wavescan::SORInputs<>().rhs(rhs));
  });
  auto scaled = problem.rhs;
  for (double& value : scaled) value *= problem.spacing * problem.spacing;
  std::vector<double> plain;
  const double plain_time = best_time([&] {
    plain.assign(problem.rhs.size(), 0.0);
    for (int sweep = 0; sweep < sweeps; ++sweep)
      plain::sor_sweep(plain, problem.rows, problem.columns, omega, scaled, {});
  });
  const auto result = to_host(x);
  double difference = 0;
  for (std::size_t k = 0; k < plain.size(); ++k)
    difference = std::max(difference, std::abs(plain[k] - result[k]));
  demo.require_agreement(difference < 1e-9, "Poisson's equation");
  demo.timings.push_back({"Poisson: " + std::to_string(sweeps) + " sweeps of SOR, " +
                              std::to_string(problem.rows - 2) + " x " +
                              std::to_string(problem.columns - 2),
                          plain_time, wavescan_time});
}

}  // namespace

void demo_poisson(Demo& demo) {
  demo.heading("Poisson's equation with a known solution: order of convergence");
  demo.session.say("     points     sweeps   largest error   order");
  auto& result = demo.session.result["poisson"] = nlohmann::ordered_json::array();
  constexpr std::size_t sizes[] = {31, 63, 127, 255};
  double error_before = 0;
  for (const std::size_t n : sizes) {
    const PoissonProblem problem = model_problem(n, n);
    const auto points = static_cast<std::int64_t>(n);
    const double omega = wavescan::optimal_omega(points, points);
    const auto rhs = to_device("right-hand side", problem.rhs, problem.rows, problem.columns);
    const DeviceMatrix<double> x("solution", problem.rows, problem.columns);
    wavescan::SolveReport report;
    {
      Progress progress("Solving");
      double initial = 0;
      wavescan::SolveControl control;
      control.tolerance = 0;
      control.relative_tolerance = 1e-8;
      control.progress = [&](int sweeps, double residual) {
        if (sweeps == 0) initial = residual;
        progress.update(solve_fraction(initial, residual, 1e-8 * initial));
        return true;
      };
      report = wavescan::sor_solve(Exec(), x, wavescan::poisson<double>(omega, problem.spacing),
                                   wavescan::SORInputs<>().rhs(rhs), control,
                                   {.schedule = demo.session.schedule});
    }
    require_convergence(report);
    const double error = largest_error(problem, to_host(x));
    // Halving the mesh width divides the error by 2 to the order.
    std::optional<double> order;
    if (error_before > 0) order = std::log2(error_before / error);
    error_before = error;
    demo.session.say("  " + right_aligned(std::to_string(n) + " x " + std::to_string(n), 9) +
                     right_aligned(std::to_string(report.sweeps), 11) +
                     right_aligned(scientific(error), 16) +
                     right_aligned(order ? fixed(*order, 3) : "", 8));
    result.push_back({{"points", n}, {"sweeps", report.sweeps}, {"largest_error", error}});
    if (order) result.back()["order"] = *order;
    if (n == sizes[std::size(sizes) - 1])
      compare_with_plain_loop(demo, problem, omega, report.sweeps);
  }
}

}  // namespace wavescan_tool
