// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Solves of which about a tenth of the points is unknown, with ten looks at the residual. "solve"
// visits the unknowns only; "arrays" does as many sweeps over all points and looks at residuals
// beside. Rates count updates of unknowns. Arguments: rows and columns; sweeps between two looks.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <utility>

namespace sparse_masks_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr int looks = 10;

/// @brief Which points are unknown.
using Shape = std::function<bool(std::int64_t i, std::int64_t j)>;

bool one_in(std::int64_t k, unsigned many) {
  return (static_cast<std::uint32_t>(k) * 2654435761u >> 16) % many == 0;
}
bool is_near(std::int64_t i, std::int64_t j, std::int64_t cell, std::int64_t radius) {
  const std::int64_t a = i % cell - cell / 2, b = j % cell - cell / 2;
  return a * a + b * b < radius * radius;
}

template <class T>
struct Problem {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> x;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> rhs;
  Kokkos::View<unsigned char**, Kokkos::LayoutRight, Exec> mask;
  ws::SORCoefficients<T> coefficients = ws::poisson<T>(1.5, 0.01);
  std::int64_t unknowns = 0;

  Problem(std::int64_t n, const Shape& shape)
      : x("x", extent(n), extent(n)),
        rhs("rhs", extent(n), extent(n)),
        mask("mask", extent(n), extent(n)) {
    const auto on_host = Kokkos::create_mirror_view(mask);
    for (std::int64_t i = 0; i < n + 2; ++i)
      for (std::int64_t j = 0; j < n + 2; ++j) {
        const bool unknown = i > 0 && i <= n && j > 0 && j <= n && shape(i, j);
        on_host(i, j) = unknown ? 0 : 1;
        unknowns += unknown ? 1 : 0;
      }
    Kokkos::deep_copy(mask, on_host);
    Kokkos::deep_copy(rhs, T(0.5));
  }
  static std::size_t extent(std::int64_t n) { return static_cast<std::size_t>(n + 2); }
  auto inputs() const { return ws::SORInputs().rhs(rhs).mask(mask); }
};

template <class T>
void report(benchmark::State& state, const Problem<T>& p, double seconds) {
  ws::Perf::report_rate(state, p.unknowns * state.range(1) * looks, seconds);
  state.counters["us_a_sweep"] = seconds * 1e6 / static_cast<double>(state.range(1) * looks);
}

template <class T>
void solve(benchmark::State& state, const Shape& shape) {
  const Problem<T> p(state.range(0), shape);
  const int every = static_cast<int>(state.range(1));
  const ws::SolveControl control{.tolerance = 0,
                                 .max_sweeps = looks * every,
                                 .check_every = every,
                                 .divergence_factor = std::numeric_limits<double>::infinity()};
  report(state, p, ws::Perf::time(state, Exec(), [&] {
           ws::sor_solve(Exec(), p.x, p.coefficients, p.inputs(), control);
         }));
}

template <class T>
void arrays(benchmark::State& state, const Shape& shape) {
  const Problem<T> p(state.range(0), shape);
  report(state, p, ws::Perf::time(state, Exec(), [&] {
           for (int k = 0; k < looks; ++k) {
             ws::sor_sweeps(Exec(), p.x, p.coefficients, static_cast<int>(state.range(1)),
                            p.inputs());
             benchmark::DoNotOptimize(ws::sor_residual(Exec(), p.x, p.coefficients, p.inputs()));
           }
         }));
}

template <class T>
void register_type(const std::string& type) {
  const auto add = [&](const std::string& name, const Shape& shape) {
    for (const auto& [method, run] : {std::pair("/solve", &solve<T>), {"/arrays", &arrays<T>}}) {
      auto* const b = benchmark::RegisterBenchmark(
          ("sor_sparse/" + type + "/" + name + method).c_str(),
          [run = run, shape](benchmark::State& state) { run(state, shape); });
      b->UseManualTime()->Unit(benchmark::kMillisecond);
      for (const std::int64_t n : {384, 1024, 4096, 8192})
        for (const std::int64_t every : {10, 100}) b->Args({n, every});
    }
  };
  add("points", [](auto i, auto j) { return one_in(i * 7919 + j, 10); });
  add("dashes", [](auto i, auto j) { return one_in(i * 7919 + j / 6, 10); });
  add("discs", [](auto i, auto j) { return is_near(i, j, 64, 12); });
  add("large_discs", [](auto i, auto j) { return is_near(i, j, 384, 70); });
  add("scratches", [](auto i, auto j) { return (i + j / 3) % 40 < 4 && (j + i / 7) % 400 > 20; });
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace sparse_masks_benchmarks
