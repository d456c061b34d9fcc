// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Natural cubic splines through many series of measurements at irregular times, some of them longer
// than others: a tridiagonal system a series for the second derivatives at its knots. Rows behind
// the end of a short series are those of the identity, which belong to no other.
//
//   usage: WaveScan_example_splines [PICTURE.svg [SERIES]]
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plot.hpp"

namespace {

constexpr int most_knots = 48;
using Series = Kokkos::View<double**, Kokkos::LayoutRight>;  // (series, knot)

/// What is measured: a series' own frequency, and no curvature at time 0.
KOKKOS_FUNCTION double signal(int series, double time) {
  return std::sin((1 + 0.1 * (series % 10)) * time);
}

KOKKOS_FUNCTION double noise(int series, int knot) {
  const auto bits = static_cast<std::uint64_t>(series * most_knots + knot + 1) * 0x9E3779B97F4A7C15;
  return static_cast<double>((bits ^ (bits >> 29)) >> 40) / (1 << 24);
}

struct Splines {
  Kokkos::View<int*> knots;
  Series time, value, lower, diagonal, upper, curvature;

  explicit Splines(int series)
      : knots("knots", series),
        time("time", series, most_knots),
        value("value", series, most_knots),
        lower("lower", series, most_knots),
        diagonal("diagonal", series, most_knots),
        upper("upper", series, most_knots),
        curvature("curvature", series, most_knots) {
    measure();
    fit();
  }

  // These are not in the constructor, where nvcc allows no lambdas for devices.
  int series() const { return static_cast<int>(knots.extent(0)); }
  void measure() const {
    const Splines s = *this;
    Kokkos::parallel_for(
        "measure", series(), KOKKOS_LAMBDA(const int i) {
          s.knots(i) = most_knots - i % 24;
          for (int k = 0; k < s.knots(i); ++k) {
            s.time(i, k) = 0.15 * (k + 0.6 * (k == 0 ? 0 : noise(i, k)));
            s.value(i, k) = signal(i, s.time(i, k));
          }
        });
  }
  void fit() const {
    const Splines s = *this;
    Kokkos::parallel_for(
        "coefficients", Kokkos::MDRangePolicy({0, 0}, {series(), most_knots}),
        KOKKOS_LAMBDA(const int i, const int k) {
          s.lower(i, k) = s.upper(i, k) = s.curvature(i, k) = 0;
          s.diagonal(i, k) = 1;
          if (k == 0 || k >= s.knots(i) - 1) return;  // natural: no curvature at the ends
          const double before = s.time(i, k) - s.time(i, k - 1),
                       after = s.time(i, k + 1) - s.time(i, k);
          s.lower(i, k) = before / 6;
          s.diagonal(i, k) = (before + after) / 3;
          s.upper(i, k) = after / 6;
          s.curvature(i, k) = (s.value(i, k + 1) - s.value(i, k)) / after -
                              (s.value(i, k) - s.value(i, k - 1)) / before;
        });
    wavescan::tridiagonal_solve(lower, diagonal, upper, curvature, curvature);
  }

  /// Series i at time t, of which knot k is the last one before.
  KOKKOS_FUNCTION double at(int i, int k, double t) const {
    const double h = time(i, k + 1) - time(i, k), a = (time(i, k + 1) - t) / h, b = 1 - a;
    return a * value(i, k) + b * value(i, k + 1) +
           ((a * a * a - a) * curvature(i, k) + (b * b * b - b) * curvature(i, k + 1)) * h * h / 6;
  }
};

bool run(const char* picture, int series) {
  const Splines splines(series);
  // Midway between knots, but near the end, where the signal is curved and the spline is not.
  double error = 0;
  Kokkos::parallel_reduce(
      "error", series,
      KOKKOS_LAMBDA(const int i, double& largest) {
        for (int k = 0; k < splines.knots(i) - 8; ++k) {
          const double t = (splines.time(i, k) + splines.time(i, k + 1)) / 2,
                       e = std::abs(splines.at(i, k, t) - signal(i, t));
          largest = e > largest ? e : largest;
        }
      },
      Kokkos::Max<double>(error));
  std::printf("%d splines through up to %d knots: off by at most %.1e between them\n", series,
              most_knots, error);
  if (picture == nullptr) return error < 1e-3;

  constexpr int shown = 23, points = 8;
  if (series <= shown) return error < 1e-3;
  Plot plot("A spline through measurements at irregular times", "time", "value");
  const Kokkos::View<double* [2]> curve("curve", points * most_knots);
  Kokkos::parallel_for(
      "curve", points * most_knots, KOKKOS_LAMBDA(const int j) {
        const int k = j / points;
        if (k >= splines.knots(shown) - 1) return;
        const double h = splines.time(shown, k + 1) - splines.time(shown, k);
        curve(j, 0) = splines.time(shown, k) + h * (j % points) / points;
        curve(j, 1) = splines.at(shown, k, curve(j, 0));
      });
  const auto h_curve = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), curve);
  const auto time = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), splines.time),
             value = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), splines.value);
  const int last = most_knots - shown % 24 - 1;
  std::vector<Plot::Point> line, knots;
  for (int j = 0; j < points * last; ++j) line.push_back({h_curve(j, 0), h_curve(j, 1)});
  for (int k = 0; k <= last; ++k) knots.push_back({time(shown, k), value(shown, k)});
  plot.add_line("spline", line);
  plot.add_points("measured", knots);
  return error < 1e-3 && plot.write(picture);
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int series = argc > 2 ? std::atoi(argv[2]) : 20000;
  if (argc > 3 || series < 1) {
    std::fprintf(stderr, "usage: %s [PICTURE.svg [SERIES]]\n", argv[0]);
    return 2;
  }
  return run(argc > 1 ? argv[1] : nullptr, series) ? 0 : 1;
}
