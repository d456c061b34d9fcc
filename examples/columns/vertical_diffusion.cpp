// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// A day of heat in the columns of an atmosphere: implicit vertical diffusion, one tridiagonal
// system a column and time step, of levels that lie side by side for neighbouring columns, as in
// many models. The ground warms the lowest level by day and cools it by night; what comes in must
// be what is there.
//
//   usage: WaveScan_example_vertical_diffusion [PICTURE.svg [COLUMNS]]
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "plot.hpp"

namespace {

constexpr int levels = 64;
constexpr double height = 20, step = 900, day = 86400;  // m, s, s

using Levels = Kokkos::View<double**, Kokkos::LayoutRight>;  // (level, column)

/// Eddy diffusivity in m^2/s between levels k - 1 and k, which turbulence makes largest at some
/// height: no two columns have the same.
KOKKOS_FUNCTION double diffusivity(int level, int column) {
  const double z = level * height, top = 500 + 300 * std::sin(0.001 * column);
  return 0.1 + (z < top ? 20 * z / top * (1 - z / top) * (1 - z / top) : 0);
}

/// The warmth that the ground gives at a time of the day, in K m/s.
double flux(double time) { return 0.1 * std::sin(2 * Kokkos::numbers::pi * (time / day - 0.25)); }

/// Backward Euler: (1 + r_k + r_(k+1)) T_k - r_k T_(k-1) - r_(k+1) T_(k+1) = the old T_k and what
/// comes from the ground.
struct Columns {
  Levels lower, diagonal, upper, temperature;

  explicit Columns(int columns)
      : lower("lower", levels, columns),
        diagonal("diagonal", levels, columns),
        upper("upper", levels, columns),
        temperature("temperature", levels, columns) {
    fill();
  }

  // Not in the constructor, where nvcc allows no lambdas for devices.
  void fill() const {
    const Columns c = *this;
    const int columns = static_cast<int>(lower.extent(1));
    Kokkos::parallel_for(
        "coefficients", Kokkos::MDRangePolicy({0, 0}, {levels, columns}),
        KOKKOS_LAMBDA(const int k, const int column) {
          const double per_level = step / (height * height);
          const double below = k == 0 ? 0 : per_level * diffusivity(k, column),
                       above = k == levels - 1 ? 0 : per_level * diffusivity(k + 1, column);
          c.lower(k, column) = -below;
          c.diagonal(k, column) = 1 + below + above;
          c.upper(k, column) = -above;
          c.temperature(k, column) = 280 + 0.005 * k * height;
        });
  }

  void advance(double time) const {
    const auto warmed = Kokkos::subview(temperature, 0, Kokkos::ALL);
    const double received = step / height * flux(time);
    Kokkos::parallel_for(
        "ground", warmed.extent(0),
        KOKKOS_LAMBDA(const int column) { warmed(column) += received; });
    // In place: the old temperature is the right-hand side, the new one the solution.
    wavescan::tridiagonal_solve(lower, diagonal, upper, temperature, temperature,
                                wavescan::ScanOptions().axis(0).label("vertical diffusion"));
  }

  double heat() const {
    double sum = 0;
    const Levels t = temperature;
    Kokkos::parallel_reduce(
        "heat", Kokkos::MDRangePolicy({0, 0}, {levels, static_cast<int>(t.extent(1))}),
        KOKKOS_LAMBDA(const int k, const int column, double& s) { s += t(k, column) * height; },
        sum);
    return sum;
  }
  std::vector<Plot::Point> profile(int column) const {
    const auto t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), temperature);
    std::vector<Plot::Point> points;
    for (int k = 0; k < levels; ++k) points.push_back({t(k, column), (k + 0.5) * height});
    return points;
  }
};

bool run(const char* picture, int columns) {
  const Columns atmosphere(columns);
  Plot plot("A column's temperature over a day", "temperature in K", "height in m");
  double expected = atmosphere.heat();
  Kokkos::Timer timer;
  double solving = 0;
  for (double time = 0; time < day; time += step) {
    timer.reset();
    atmosphere.advance(time);
    Kokkos::fence();
    solving += timer.seconds();
    expected += columns * step * flux(time);
    const double hour = (time + step) / 3600;
    if (std::fmod(hour, 6) == 0)
      plot.add_line(std::to_string(static_cast<int>(hour)) + " h", atmosphere.profile(0));
  }
  const double heat = atmosphere.heat(), error = std::abs(heat - expected) / expected;
  std::printf("%d columns of %d levels, a day in %.0f ms; heat is kept to %.1e of itself\n",
              columns, levels, 1e3 * solving, error);
  return error < 1e-10 && (picture == nullptr || plot.write(picture));
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int columns = argc > 2 ? std::atoi(argv[2]) : 10000;
  if (argc > 3 || columns < 1) {
    std::fprintf(stderr, "usage: %s [PICTURE.svg [COLUMNS]]\n", argv[0]);
    return 2;
  }
  return run(argc > 1 ? argv[1] : nullptr, columns) ? 0 : 1;
}
