// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_SOR.hpp>

#include "Others.hpp"

namespace distributed {
namespace {

constexpr double goal = 1e-6;  // of the first residual
constexpr int most = 30000, check_every = 10, diverged = -1;

int solve(const OtherSor& sor) {
  const double first = sor.residual();
  for (int sweeps = check_every; sweeps <= most; sweeps += check_every) {
    sor.sweep(check_every);
    const double residual = sor.residual();
    if (residual <= goal * first) return sweeps;
    if (!(residual < 1e6 * first)) return diverged;
  }
  return most + 1;
}

/// @brief Prints the sweeps to a solution, and the time of the slowest process.
/// @param prepared makes a function that solves, and returns the sweeps
template <class Prepared>
void report_solution(const Prepared& prepared) {
  const auto solved = prepared();
  MPI_Barrier(world);
  const Kokkos::Timer timer;
  const int sweeps = solved();
  double seconds = timer.seconds();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);
  if (own_rank > 0) return;
  if (sweeps == diverged)
    std::printf(" %21s", "diverges");
  else if (sweeps > most)
    std::printf(" %13s %7d", "more than", most);
  else
    std::printf(" %8d %10.4f s", sweeps, seconds);
  std::fflush(stdout);
}

void solutions_of(int n, double omega) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  if (own_rank == 0) std::printf("%5d^2 %8.4f", n, omega);
  report_solution([&] {
    const std::int64_t rows = wavescan::mpi::even_block(n, world).count;
    auto plan = std::make_shared<wavescan::mpi::SOR<Host, double>>(world, Host(), rows + 2, n + 2);
    const auto x = plan->array();
    const Kokkos::View<double**, Kokkos::LayoutRight, Host> b("b", x.extent(0), x.extent(1));
    Kokkos::deep_copy(b, 1);
    return [=] {
      const auto report =
          plan->solve(x, wavescan::poisson<double>(omega, 1), wavescan::SORInputs<>().rhs(b),
                      {.tolerance = 0,
                       .relative_tolerance = goal,
                       .max_sweeps = most,
                       .check_every = check_every});
      return report.converged() ? report.sweeps : most + 1;
    };
  });
  [[maybe_unused]] const auto report_other = [&](auto sor_of) {
    report_solution([&] { return [sor = sor_of(n, omega)] { return solve(sor); }; });
  };
#ifdef WAVESCAN_PERF_PETSC
  report_other(petsc_sor);
#endif
#ifdef WAVESCAN_PERF_HYPRE
  report_other(hypre_sor);
#endif
  if (own_rank == 0) std::printf("\n");
}

}  // namespace

/// @brief Sweeps and time to a solution on the processes that there are, on hosts: natural order,
/// whose sweeps are those of one process, and the blocks of others, which sweep with their
/// neighbours' values from before.
void solutions() {
  if (own_rank == 0) {
    std::printf("\nPoisson to %.0e of the first residual, %d processes\n%7s %8s %21s", goal,
                processes, "points", "omega", "WaveScan");
#ifdef WAVESCAN_PERF_PETSC
    std::printf(" %21s", "PETSc");
#endif
#ifdef WAVESCAN_PERF_HYPRE
    std::printf(" %21s", "hypre");
#endif
    std::printf("\n");
  }
  for (const double omega : {1.0, 1.9}) solutions_of(127, omega);
  solutions_of(255, 1.9);
  for (const int n : {127, 255, 511}) solutions_of(n, wavescan::optimal_omega(n, n));
}

}  // namespace distributed
