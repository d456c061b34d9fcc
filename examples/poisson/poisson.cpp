// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Poisson's equation -Laplace(u) = f on the unit square by successive over-relaxation, on finer and
// finer meshes. With f = 2 pi^2 sin(pi x) sin(pi y) and u = 0 at the border the solution is
// u = sin(pi x) sin(pi y); each mesh twice as fine has a quarter of the error.
#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstdio>

using Matrix = Kokkos::View<double**>;
using Points = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;
constexpr double pi = 3.14159265358979323846;

KOKKOS_FUNCTION double solution(double x, double y) {
  return Kokkos::sin(pi * x) * Kokkos::sin(pi * y);
}

void right_hand_side(const Matrix& f, double h) {
  Kokkos::parallel_for(
      "right_hand_side", Points({0, 0}, {f.extent(0), f.extent(1)}),
      KOKKOS_LAMBDA(const int i, const int j) { f(i, j) = 2 * pi * pi * solution(i * h, j * h); });
}

double largest_error(const Matrix& u, double h) {
  double error = 0;
  Kokkos::parallel_reduce(
      "largest_error", Points({0, 0}, {u.extent(0), u.extent(1)}),
      KOKKOS_LAMBDA(const int i, const int j, double& worst) {
        worst = Kokkos::max(worst, Kokkos::abs(u(i, j) - solution(i * h, j * h)));
      },
      Kokkos::Max<double>(error));
  return error;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::printf("unknowns   omega  sweeps  residual     error  order\n");
  double last = 0;
  bool right = true;
  for (const int n : {31, 63, 127, 255}) {  // unknowns a side
    const double h = 1.0 / (n + 1);
    // The unknowns and a halo of one entry on each side, which holds the boundary values: zero.
    Matrix u("u", n + 2, n + 2), f("f", n + 2, n + 2);
    right_hand_side(f, h);

    const double omega = wavescan::optimal_omega(n, n);
    const wavescan::SolveReport report =
        wavescan::sor_solve(u, wavescan::poisson<double>(omega, h), wavescan::SORInputs().rhs(f),
                            {.tolerance = 1e-7, .max_sweeps = 5000});

    const double error = largest_error(u, h);
    const double order = last > 0 ? Kokkos::log2(last / error) : 2;
    std::printf("%4d^2 %9.5f %7d %9.1e %9.2e %6.2f\n", n, omega, report.sweeps,
                report.final_residual, error, order);
    right &= report.converged() && order > 1.9 && order < 2.1;
    last = error;
  }
  return right ? 0 : 1;
}
