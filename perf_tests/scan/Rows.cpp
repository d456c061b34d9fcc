// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

// Scans of all rows or all columns of a matrix. The arguments are its rows, its columns and the
// axis.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

void shapes(benchmark::internal::Benchmark* benchmark) {
  const long rows = on_device ? 8192 : 2048;
  for (const long axis : {1L, 0L}) {
    benchmark->Args({16, 256 * rows, axis});
    benchmark->Args({rows, 2 * rows, axis});
    benchmark->Args({256 * rows, 16, axis});
  }
}

template <class T, class Combine, class Call>
void matrix_scan(benchmark::State& state, const Call& call) {
  const Exec exec;
  const std::int64_t m = state.range(0), n = state.range(1);
  const auto axis = static_cast<int>(state.range(2));
  const Kokkos::View<T**, Kokkos::LayoutRight> x("x", static_cast<std::size_t>(m),
                                                 static_cast<std::size_t>(n));
  const decltype(x) y("y", x.extent(0), x.extent(1));
  Kokkos::deep_copy(x, T(1));
  const auto plan = Scan<Exec, Combine>::like(exec, x, {}, axis);
  const auto options = ScanOptions().axis(axis);
  report_bandwidth(state, exec, 2 * m * n * static_cast<std::int64_t>(sizeof(T)),
                   time(state, exec, [&] { call(plan, x, y, options); }));
}

template <class T>
void matrix_sum(benchmark::State& state) {
  matrix_scan<T, Plus<T>>(state, [](const auto& plan, const auto& x, const auto& y,
                                    const auto& options) { plan.inclusive(x, y, options); });
}
BENCHMARK_TEMPLATE(matrix_sum, std::int32_t)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(matrix_sum, double)->Apply(shapes)->UseManualTime();

template <class T>
void matrix_constant_weight(benchmark::State& state) {
  matrix_scan<T, PlusTimes<T>>(
      state, [](const auto& plan, const auto& x, const auto& y, const auto& options) {
        plan.weighted(x, T(0.5), y, options);
      });
}
BENCHMARK_TEMPLATE(matrix_constant_weight, float)->Apply(shapes)->UseManualTime();

}  // namespace
