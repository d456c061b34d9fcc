// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Sweeps of SOR with a right-hand side, several in a call. "of_copy" is the one-sweep floor over
// the time of a sweep: a copy of as many bytes as x, read and written, and b have. Several fused
// sweeps can be above 1. Arguments: rows and columns of unknowns, sweeps, 100 omega.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Timing.hpp>

namespace temporal_blocking_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief Times run(exec, x, coefficients, sweeps, inputs).
template <class T, class Run>
void measure(benchmark::State& state, const Run& run) {
  const Exec exec;
  const auto rows = static_cast<std::size_t>(state.range(0) + 2);
  const auto columns = static_cast<std::size_t>(state.range(1) + 2);
  const int count = static_cast<int>(state.range(2));
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  const auto entries = static_cast<std::int64_t>(rows * columns);
  const auto x_values = ws::Perf::random_array<T>(exec, entries);
  const auto rhs_values = ws::Perf::random_array<T>(exec, entries);
  const View x(x_values.data(), rows, columns);
  const View rhs(rhs_values.data(), rows, columns);
  const auto coefficients = ws::poisson<T>(static_cast<double>(state.range(3)) / 100, 1);
  const auto inputs = ws::SORInputs().rhs(rhs);
  const double seconds =
      ws::Perf::time(state, exec, [&] { run(exec, x, coefficients, count, inputs); });
  const std::int64_t points = state.range(0) * state.range(1);
  ws::Perf::report_rate(state, points * count, seconds);
  ws::Perf::report_bandwidth(state, exec, 3 * points * static_cast<std::int64_t>(sizeof(T)),
                             seconds / count);
}

template <class T>
void fused_sweeps(benchmark::State& state) {
  measure<T>(state, [](const auto&... arguments) { ws::sor_sweeps(arguments...); });
}

template <class T>
void looks(benchmark::State& state, ws::Criterion criterion, bool restore) {
  measure<T>(state,
             [=](const Exec& exec, const auto& x, const auto& c, int count, const auto& inputs) {
               ws::sor_solve(exec, x, c, inputs,
                             {.tolerance = 0,
                              .max_sweeps = count,
                              .check_every = 32,
                              .divergence_factor = std::numeric_limits<double>::infinity(),
                              .criterion = criterion},
                             {.restore = restore});
             });
}

template <class T>
void register_type(const std::string& type) {
  auto* const b = benchmark::RegisterBenchmark(("sor_fused/" + type).c_str(), fused_sweeps<T>);
  b->UseManualTime()->Unit(benchmark::kMillisecond);
  if (ws::Impl::runs_on_host<Exec>) {
    b->Args({2048, 2048, 1, 120})->Args({2048, 2048, 8, 120});
    return;
  }
  for (const std::int64_t sweeps : {1, 16})
    for (const std::int64_t omega : {120, 150}) {
      for (const std::int64_t size : {4096, 8192, 16384, 32768})
        b->Args({size, size, sweeps, omega});
      b->Args({256, 4000000, sweeps, omega})->Args({1000000, 1024, sweeps, omega});
    }
  for (const std::int64_t size : {4096, 8192, 16384}) b->Args({size, size, 64, 199});
  b->Args({256, 4000000, 64, 199})->Args({1000000, 1024, 64, 199});
  // Grids that stay in a GPU's shared memory.
  for (const std::int64_t size : {127, 255, 511, 1023})
    for (const std::int64_t sweeps : {32, 256}) b->Args({size, size, sweeps, 199});
  const auto add_looks = [&](const std::string& name, ws::Criterion criterion, bool restore) {
    auto* const solve = benchmark::RegisterBenchmark(
        ("sor_fused/" + type + "/looks_at_" + to_string(criterion) + name).c_str(),
        [=](benchmark::State& s) { looks<T>(s, criterion, restore); });
    solve->UseManualTime()->Unit(benchmark::kMillisecond);
    for (const std::int64_t size : {255, 511, 1023, 2047}) solve->Args({size, size, 256, 199});
  };
  add_looks("", ws::Criterion::Residual, true);
  add_looks("", ws::Criterion::Update, true);
  add_looks("/without_restoring", ws::Criterion::Residual, false);
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace temporal_blocking_benchmarks
