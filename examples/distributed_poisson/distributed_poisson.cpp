// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Poisson's equation -Laplace(u) = f on the unit square, with the rows of the mesh distributed over
// processes: mpirun -np 4 WaveScan_example_distributed_poisson. The sweeps are in natural order, so
// every number of processes prints the same lines, to the last digit.
#include <Kokkos_Core.hpp>
#include <WaveScan_MPI_SOR.hpp>
#include <cstdio>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**>;
constexpr double pi = 3.14159265358979323846;

KOKKOS_FUNCTION double solution(double x, double y) {
  return Kokkos::sin(pi * x) * Kokkos::sin(pi * y);
}

void right_hand_side(const Matrix& f, int first, double h) {
  Kokkos::parallel_for(
      "right_hand_side", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {f.extent(0), f.extent(1)}),
      KOKKOS_LAMBDA(const int i, const int j) {
        f(i, j) = 2 * pi * pi * solution((first + i) * h, j * h);
      });
}

double largest_error(const Matrix& u, int first, double h) {
  double error = 0;
  Kokkos::parallel_reduce(
      "largest_error",
      Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {u.extent(0) - 1, u.extent(1) - 1}),
      KOKKOS_LAMBDA(const int i, const int j, double& worst) {
        worst = Kokkos::max(worst, Kokkos::abs(u(i, j) - solution((first + i) * h, j * h)));
      },
      Kokkos::Max<double>(error));
  return error;
}

bool solve_on(int n, int rank, int processes) {
  const double h = 1.0 / (n + 1);
  // This process' rows of unknowns, and one row and one column of halo on each side of them.
  const int first = n * rank / processes, rows = n * (rank + 1) / processes - first;
  Matrix u("u", rows + 2, n + 2), f("f", rows + 2, n + 2);
  right_hand_side(f, first, h);
  const double omega = wavescan::optimal_omega(n, n);
  const wavescan::SolveReport report = wavescan::mpi::sor_solve(
      MPI_COMM_WORLD, Exec(), u, wavescan::poisson<double>(omega, h), wavescan::SORInputs().rhs(f),
      {.tolerance = 1e-7, .max_sweeps = 5000});
  double error = largest_error(u, first, h);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%4d^2 %9.5f %7d  %.16e  %.16e\n", n, omega, report.sweeps, report.final_residual,
                error);
  return report.converged() && error < h * h;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bool right = true;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    if (rank == 0) std::printf("unknowns   omega  sweeps  residual                error\n");
    for (const int n : {31, 63, 127}) right &= solve_on(n, rank, processes);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
