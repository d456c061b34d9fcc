// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Conjugate gradients for -div(k grad u) = 1 on the unit square, u = 0 at the border, where k jumps
// by a factor of 100 between the squares of a chess board: without a preconditioner, with the
// diagonal, and with SSOR, which is one symmetric sweep from zero. Usage:
//
//     WaveScan_example_ssor_cg [unknowns a side = 1024] [file for the residuals as CSV]
#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Array = Kokkos::View<double**, Kokkos::LayoutRight>;
using Matrix = wavescan::FivePointMatrix<double>;
using Points =
    Kokkos::MDRangePolicy<Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;

// The unknowns; the halo, which is zero everywhere here, stays out.
Points unknowns(const Array& x) {
  return Points({1, 1}, {std::int64_t(x.extent(0)) - 1, std::int64_t(x.extent(1)) - 1});
}

double dot(const Array& x, const Array& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", unknowns(x),
      KOKKOS_LAMBDA(const int i, const int j, double& s) { s += x(i, j) * y(i, j); }, sum);
  return sum;
}

// y = alpha x + beta y
void combine(double alpha, const Array& x, double beta, const Array& y) {
  Kokkos::parallel_for(
      "combine", unknowns(x),
      KOKKOS_LAMBDA(const int i, const int j) { y(i, j) = alpha * x(i, j) + beta * y(i, j); });
}

void divide(const Array& x, const Matrix& a, const Array& y) {
  const auto diagonal = a.center;
  Kokkos::parallel_for(
      "divide", unknowns(x),
      KOKKOS_LAMBDA(const int i, const int j) { y(i, j) = x(i, j) / diagonal(i, j); });
}

// k = 1 or 100 on the squares of an 8 x 8 chess board.
void set_conductivity(const Array& k, int n) {
  Kokkos::parallel_for(
      "conductivity", Points({0, 0}, {n + 2, n + 2}), KOKKOS_LAMBDA(const int i, const int j) {
        k(i, j) = (8 * i / (n + 2) + 8 * j / (n + 2)) % 2 == 0 ? 1 : 100;
      });
}

struct Outcome {
  std::vector<double> residuals;  // relative to the first
  double seconds;
};

// z = M^-1 r
using Preconditioner = std::function<void(const Array& r, const Array& z)>;

Outcome conjugate_gradients(const Matrix& a, const Array& b, const Array& x, double tolerance,
                            const Preconditioner& precondition) {
  const auto like_x = [&](const char* label) { return Array(label, x.extent(0), x.extent(1)); };
  const Array r = like_x("r"), z = like_x("z"), p = like_x("p"), ap = like_x("ap");
  const Exec exec;
  exec.fence();
  const Kokkos::Timer timer;
  wavescan::multiply(exec, a, x, r);
  combine(1, b, -1, r);  // r = b - A x
  precondition(r, z);
  combine(1, z, 0, p);
  double rz = dot(r, z);
  const double initial = std::sqrt(dot(r, r));
  Outcome outcome{{1.0}, 0};
  while (outcome.residuals.back() > tolerance && outcome.residuals.size() <= 20000) {
    wavescan::multiply(exec, a, p, ap);
    const double alpha = rz / dot(p, ap);
    combine(alpha, p, 1, x);
    combine(-alpha, ap, 1, r);
    outcome.residuals.push_back(std::sqrt(dot(r, r)) / initial);
    precondition(r, z);
    const double next = dot(r, z);
    combine(1, z, next / rz, p);
    rz = next;
  }
  exec.fence();
  outcome.seconds = timer.seconds();
  return outcome;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1024;
  const double tolerance = 1e-6;
  const Array k("k", n + 2, n + 2), b("b", n + 2, n + 2), x("x", n + 2, n + 2);
  set_conductivity(k, n);
  Kokkos::deep_copy(b, 1.0);
  const Exec exec;
  const Matrix a = wavescan::diffusion_matrix(exec, k, 1.0 / (n + 1));

  struct Method {
    std::string name;
    Preconditioner precondition;
  };
  std::vector<Method> methods{
      {"none", [](const Array& r, const Array& z) { combine(1, r, 0, z); }},
      {"diagonal", [&](const Array& r, const Array& z) { divide(r, a, z); }}};
  const auto ssor = wavescan::SOR<Exec, double>::like(
      exec, x, {.order = wavescan::SweepOrder::Symmetric, .restore = false});
  for (const double omega : {1.0, 1.5, 1.9}) {
    const auto c = wavescan::sor_coefficients(exec, a, omega);
    methods.push_back({"SSOR, omega " + std::to_string(omega).substr(0, 3),
                       [&ssor, c](const Array& r, const Array& z) {
                         ssor.sweeps(wavescan::ZeroGuess{}, z, c, 1, wavescan::SORInputs().rhs(r));
                       }});
  }

  std::printf("%d x %d unknowns, %s, residual down to %g\n", n, n, exec.name(), tolerance);
  std::printf("preconditioner    iterations  seconds  ms each  speedup\n");
  std::FILE* const csv = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
  if (csv) std::fprintf(csv, "preconditioner,iteration,seconds,residual\n");
  double without = 0;
  std::size_t fewest = 0, most = 0;
  for (const Method& method : methods) {
    Kokkos::deep_copy(x, 0.0);
    const Outcome outcome = conjugate_gradients(a, b, x, tolerance, method.precondition);
    const std::size_t iterations = outcome.residuals.size() - 1;
    if (without == 0) without = outcome.seconds, most = iterations;
    fewest = iterations;
    std::printf("%-17s %10zu %8.3f %8.3f %8.2f\n", method.name.c_str(), iterations, outcome.seconds,
                1e3 * outcome.seconds / double(iterations), without / outcome.seconds);
    for (std::size_t i = 0; csv && i <= iterations; ++i)
      std::fprintf(csv, "%s,%zu,%g,%g\n", method.name.c_str(), i,
                   outcome.seconds * double(i) / double(iterations), outcome.residuals[i]);
    if (outcome.residuals.back() > tolerance) return 1;
  }
  if (csv) std::fclose(csv);

  // The last solution fits the equations, by the residual of SOR too.
  const auto c = wavescan::sor_coefficients(exec, a, 1);
  const double residual = wavescan::sor_residual(exec, x, c, wavescan::SORInputs().rhs(b));
  return residual < 1e-5 && 5 * fewest < most ? 0 : 1;
}
