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

// Vectors are whole arrays: their halo is zero, and remains so in what follows. Loops over one
// index and one dense array reach the bandwidth of memory, those over two (MDRangePolicy) about
// half of it.
using Entries = Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>;
Entries entries(const Array& x) { return {0, static_cast<std::int64_t>(x.size())}; }

// Adds up f(k) over all entries, by fours: on hosts each addition to a sum waits for the one
// before.
template <class F>
struct SumByFours {
  F f;
  std::int64_t size;
  KOKKOS_FUNCTION void operator()(const std::int64_t four, double& sum) const {
    const std::int64_t k = 4 * four;
    if (k + 4 <= size)
      sum += (f(k) + f(k + 1)) + (f(k + 2) + f(k + 3));
    else
      for (std::int64_t last = k; last < size; ++last) sum += f(last);
  }
};
template <class F>
double sum_over_entries(const char* label, const Array& x, const F& f) {
  const auto size = static_cast<std::int64_t>(x.size());
  double sum = 0;
  Kokkos::parallel_reduce(label, Entries(0, (size + 3) / 4), SumByFours<F>{f, size}, sum);
  return sum;
}

double dot(const Array& x, const Array& y) {
  const double *const a = x.data(), *const b = y.data();
  return sum_over_entries(
      "dot", x, KOKKOS_LAMBDA(const std::int64_t k) { return a[k] * b[k]; });
}

// y = x + beta y
void add_to_multiple(const Array& x, double beta, const Array& y) {
  const double* const a = x.data();
  double* const b = y.data();
  Kokkos::parallel_for(
      "add_to_multiple", entries(x),
      KOKKOS_LAMBDA(const std::int64_t k) { b[k] = a[k] + beta * b[k]; });
}

// x += alpha p and r -= alpha ap, which gives r.r by the way.
double step(double alpha, const Array& p, const Array& ap, const Array& x, const Array& r) {
  const double *const direction = p.data(), *const image = ap.data();
  double *const solution = x.data(), *const residual = r.data();
  return sum_over_entries(
      "step", x, KOKKOS_LAMBDA(const std::int64_t k) {
        solution[k] += alpha * direction[k];
        const double now = residual[k] - alpha * image[k];
        residual[k] = now;
        return now * now;
      });
}

// z = x y, point by point
void scale(const Array& x, const Array& y, const Array& z) {
  const double *const a = x.data(), *const b = y.data();
  double* const c = z.data();
  Kokkos::parallel_for(
      "scale", entries(x), KOKKOS_LAMBDA(const std::int64_t k) { c[k] = a[k] * b[k]; });
}

// Calls f(i, j) for all unknowns.
template <class Function>
void for_unknowns(const char* label, const Array& x, const Function& f) {
  using Points = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;
  Kokkos::parallel_for(
      label, Points({1, 1}, {std::int64_t(x.extent(0)) - 1, std::int64_t(x.extent(1)) - 1}), f);
}

// k = 1 or 100 on the squares of an 8 x 8 chess board.
void set_conductivity(const Array& k, int n) {
  Kokkos::parallel_for(
      "conductivity", entries(k), KOKKOS_LAMBDA(const std::int64_t e) {
        const std::int64_t i = e / (n + 2), j = e % (n + 2);
        k.data()[e] = (8 * i / (n + 2) + 8 * j / (n + 2)) % 2 == 0 ? 1 : 100;
      });
}

// One over the diagonal at the unknowns, and one; the halo remains zero.
void set_inverse_diagonal(const Matrix& a, const Array& inverse) {
  const auto diagonal = a.center;
  for_unknowns(
      "inverse_diagonal", inverse,
      KOKKOS_LAMBDA(const int i, const int j) { inverse(i, j) = 1 / diagonal(i, j); });
}
void set_ones(const Array& b) {
  for_unknowns(
      "ones", b, KOKKOS_LAMBDA(const int i, const int j) { b(i, j) = 1; });
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
  add_to_multiple(b, -1, r);  // r = b - A x
  precondition(r, z);
  Kokkos::deep_copy(exec, p, z);
  double rz = dot(r, z);
  const double initial = std::sqrt(dot(r, r));
  Outcome outcome{{1.0}, 0};
  while (outcome.residuals.back() > tolerance && outcome.residuals.size() <= 20000) {
    wavescan::multiply(exec, a, p, ap);
    const double alpha = rz / dot(p, ap);
    outcome.residuals.push_back(std::sqrt(step(alpha, p, ap, x, r)) / initial);
    precondition(r, z);
    const double next = dot(r, z);
    add_to_multiple(z, next / rz, p);
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
  const Array inverse("inverse", n + 2, n + 2);
  set_conductivity(k, n);
  set_ones(b);
  const Exec exec;
  const Matrix a = wavescan::diffusion_matrix(exec, k, 1.0 / (n + 1));
  set_inverse_diagonal(a, inverse);

  struct Method {
    std::string name;
    Preconditioner precondition;
  };
  std::vector<Method> methods{
      {"none", [&](const Array& r, const Array& z) { Kokkos::deep_copy(exec, z, r); }},
      {"diagonal", [&](const Array& r, const Array& z) { scale(inverse, r, z); }}};
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
