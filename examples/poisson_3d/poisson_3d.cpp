// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Poisson's equation -Laplace(u) = f on the unit cube by successive over-relaxation, in natural
// order and in that of a chess board (red-black), on finer and finer meshes. With f = 3 pi^2 u and
// u = 0 at the border the solution is u = sin(pi x) sin(pi y) sin(pi z); each mesh twice as fine
// has a quarter of the error. Both orders take the relaxation factor that is best for natural
// order.
#include <Kokkos_Core.hpp>
#include <WaveScan_SOR3D.hpp>
#include <cstdio>

using Cube = Kokkos::View<double***>;
using Points = Kokkos::MDRangePolicy<Kokkos::Rank<3>>;
using Coefficients = wavescan::SORCoefficients3D<double>;
constexpr double pi = 3.14159265358979323846;
constexpr double goal = 1e-6;
constexpr int check_every = 8;

KOKKOS_FUNCTION double solution(double x, double y, double z) {
  return Kokkos::sin(pi * x) * Kokkos::sin(pi * y) * Kokkos::sin(pi * z);
}

void right_hand_side(const Cube& f, double h) {
  Kokkos::parallel_for(
      "right_hand_side", Points({0, 0, 0}, {f.extent(0), f.extent(1), f.extent(2)}),
      KOKKOS_LAMBDA(const int k, const int i, const int j) {
        f(k, i, j) = 3 * pi * pi * solution(k * h, i * h, j * h);
      });
}

double largest_error(const Cube& u, double h) {
  double error = 0;
  Kokkos::parallel_reduce(
      "largest_error", Points({0, 0, 0}, {u.extent(0), u.extent(1), u.extent(2)}),
      KOKKOS_LAMBDA(const int k, const int i, const int j, double& worst) {
        worst = Kokkos::max(worst, Kokkos::abs(u(k, i, j) - solution(k * h, i * h, j * h)));
      },
      Kokkos::Max<double>(error));
  return error;
}

/// A sweep over the red points, and then the black ones: points of one colour do not need each
/// other.
void red_black_sweep(const Cube& u, const Cube& f, const Coefficients& c) {
  const int n = static_cast<int>(u.extent(0)) - 2;
  for (const int colour : {0, 1})
    Kokkos::parallel_for(
        "red_black", Kokkos::RangePolicy<>(0, n * n), KOKKOS_LAMBDA(const int row) {
          const int k = 1 + row / n, i = 1 + row % n;
          for (int j = 1 + (k + i + colour) % 2; j <= n; j += 2)
            u(k, i, j) = c.center * u(k, i, j) + c.left * u(k, i, j - 1) +
                         c.right * u(k, i, j + 1) + c.up * u(k, i - 1, j) +
                         c.down * u(k, i + 1, j) + c.front * u(k - 1, i, j) +
                         c.back * u(k + 1, i, j) + c.rhs * f(k, i, j);
        });
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::printf("unknowns   omega  sweeps     error  order   seconds | red-black sweeps   seconds\n");
  double last = 0;
  bool right = true;
  for (const int n : {15, 31, 63, 127}) {  // unknowns a side
    const double h = 1.0 / (n + 1);
    // The unknowns and a halo of one entry on each side, which holds the boundary values: zero.
    Cube u("u", n + 2, n + 2, n + 2), f("f", n + 2, n + 2, n + 2);
    right_hand_side(f, h);
    Kokkos::fence();

    const double omega = wavescan::optimal_omega(n, n, n);
    const Coefficients c = wavescan::poisson_3d<double>(omega, h);
    const auto inputs = wavescan::SORInputs().rhs(f);
    Kokkos::Timer timer;
    const wavescan::SolveReport report =
        wavescan::sor_solve(u, c, inputs, {.tolerance = goal, .check_every = check_every});
    const double seconds = timer.seconds();

    const double error = largest_error(u, h);
    const double order = last > 0 ? Kokkos::log2(last / error) : 2;
    right &= report.converged() && order > 1.9 && order < 2.1;
    last = error;

    Kokkos::deep_copy(u, 0.0);
    timer.reset();
    int sweeps = 0;
    for (; sweeps < 5000 && wavescan::sor_residual(u, c, inputs) > goal; sweeps += check_every) {
      for (int k = 0; k < check_every; ++k) red_black_sweep(u, f, c);
      Kokkos::fence();
    }
    std::printf("%4d^3 %9.5f %7d %9.2e %6.2f %9.4f | %16d %9.4f\n", n, omega, report.sweeps, error,
                order, seconds, sweeps, timer.seconds());
  }
  return right ? 0 : 1;
}
