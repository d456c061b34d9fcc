// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// The heat equation on a square by alternating directions (Peaceman and Rachford, 1955): half a
// step that is implicit along the columns, half a step along the rows, each a tridiagonal system a
// line, whose coefficients are the same for all lines. Halving the grid's spacing and the time step
// must quarter the error.
//
//   usage: WaveScan_example_heat_equation [PICTURE.svg]
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "plot.hpp"

namespace {

using Field = Kokkos::View<double**, Kokkos::LayoutRight>;
constexpr double pi = Kokkos::numbers::pi, end = 0.1;

/// u = sin(pi x) sin(2 pi y), which decays by exp(-5 pi^2 t), and is zero on the boundary.
KOKKOS_FUNCTION double exact(double x, double y, double t) {
  return std::sin(pi * x) * std::sin(2 * pi * y) * std::exp(-5 * pi * pi * t);
}

/// One side of the operator: u + r times the second difference of u along one axis.
struct Explicit {
  Field u, result;
  double r;
  bool along_rows;
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    const int n = static_cast<int>(u.extent(0));
    const auto at = [&](int k, int l) {
      return k < 0 || l < 0 || k == n || l == n ? 0.0 : u(k, l);
    };
    const double before = along_rows ? at(i, j - 1) : at(i - 1, j),
                 after = along_rows ? at(i, j + 1) : at(i + 1, j);
    result(i, j) = u(i, j) + r * (before - 2 * u(i, j) + after);
  }
};

/// The largest error at the end, on n x n inner points.
double error_on(int n) {
  const double h = 1.0 / (n + 1);
  const int steps = (n + 1) * 2;
  const double dt = end / steps, r = dt / (2 * h * h);
  const Field u("u", n, n), right("right", n, n), lower("lower", n, n), diagonal("diagonal", n, n),
      upper("upper", n, n);
  Kokkos::deep_copy(lower, -r);
  Kokkos::deep_copy(diagonal, 1 + 2 * r);
  Kokkos::deep_copy(upper, -r);
  const Kokkos::MDRangePolicy points({0, 0}, {n, n});
  Kokkos::parallel_for(
      "start", points,
      KOKKOS_LAMBDA(const int i, const int j) { u(i, j) = exact((i + 1) * h, (j + 1) * h, 0); });
  for (int step = 0; step < steps; ++step)
    for (const bool along_rows : {true, false}) {
      Kokkos::parallel_for("explicit", points, Explicit{u, right, r, along_rows});
      wavescan::tridiagonal_solve(lower, diagonal, upper, right, u,
                                  wavescan::ScanOptions().axis(along_rows ? 0 : 1));
    }
  double error = 0;
  Kokkos::parallel_reduce(
      "error", points,
      KOKKOS_LAMBDA(const int i, const int j, double& largest) {
        const double e = std::abs(u(i, j) - exact((i + 1) * h, (j + 1) * h, end));
        largest = e > largest ? e : largest;
      },
      Kokkos::Max<double>(error));
  return error;
}

bool run(const char* picture) {
  std::vector<Plot::Point> errors, second_order;
  double last = 0;
  bool right = true;
  std::printf("%8s %12s %6s\n", "points", "error", "order");
  for (int cells = 16; cells <= 256; cells *= 2) {
    const double error = error_on(cells - 1);
    std::printf("%5d^2 %12.3e", cells - 1, error);
    if (last > 0) {
      const double order = std::log2(last / error);
      std::printf(" %6.2f", order);
      right = right && order > 1.9 && order < 2.1;
    }
    std::printf("\n");
    last = error;
    errors.push_back({std::log2(cells), std::log10(error)});
    second_order.push_back({std::log2(cells), errors[0].y - 2 * (std::log10(cells / 16.0))});
  }
  Plot plot("Alternating directions: error over the grid", "log2 of cells in a direction",
            "log10 of the largest error");
  plot.add_line("order 2", second_order);
  plot.add_points("measured", errors);
  return right && (picture == nullptr || plot.write(picture));
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [PICTURE.svg]\n", argv[0]);
    return 2;
  }
  return run(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
