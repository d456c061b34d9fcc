// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <type_traits>

// Scans of one long line. The argument is its length.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
struct Vectors {
  explicit Vectors(std::int64_t n)
      : x("x", static_cast<std::size_t>(n)),
        w("w", static_cast<std::size_t>(n)),
        y("y", static_cast<std::size_t>(n)) {
    Kokkos::deep_copy(x, T(1));
    Kokkos::deep_copy(w, T(1));
  }
  Kokkos::View<T*> x, w, y;
};

template <class T>
constexpr std::int64_t bytes = static_cast<std::int64_t>(sizeof(T));

template <class T>
void inclusive_sum(benchmark::State& state) {
  const Exec exec;
  const std::int64_t n = state.range(0);
  const Vectors<T> v(n);
  const Scan<Exec, Plus<T>> plan(exec, 1, n);
  report_bandwidth(state, exec, 2 * n * bytes<T>,
                   time(state, exec, [&] { plan.inclusive(v.x, v.y); }));
}
BENCHMARK_TEMPLATE(inclusive_sum, std::int32_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(inclusive_sum, std::int64_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(inclusive_sum, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(inclusive_sum, double)->Apply(line_lengths)->UseManualTime();

template <class T>
void exclusive_sum(benchmark::State& state) {
  const Exec exec;
  const std::int64_t n = state.range(0);
  const Vectors<T> v(n);
  const Scan<Exec, Plus<T>> plan(exec, 1, n);
  report_bandwidth(state, exec, 2 * n * bytes<T>,
                   time(state, exec, [&] { plan.exclusive(v.x, v.y); }));
}
BENCHMARK_TEMPLATE(exclusive_sum, std::int32_t)->Apply(line_lengths)->UseManualTime();

template <class T>
void constant_weight(benchmark::State& state) {
  const Exec exec;
  const std::int64_t n = state.range(0);
  const Vectors<T> v(n);
  const T weight = static_cast<T>(std::is_integral_v<T> ? 3 : 0.5);
  const Scan<Exec, PlusTimes<T>> plan(exec, 1, n);
  report_bandwidth(state, exec, 2 * n * bytes<T>,
                   time(state, exec, [&] { plan.weighted(v.x, weight, v.y); }));
}
BENCHMARK_TEMPLATE(constant_weight, std::int32_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(constant_weight, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(constant_weight, double)->Apply(line_lengths)->UseManualTime();

template <class T>
void many_weights(benchmark::State& state) {
  const Exec exec;
  const std::int64_t n = state.range(0);
  const Vectors<T> v(n);
  const Scan<Exec, PlusTimes<T>> plan(exec, 1, n);
  report_bandwidth(state, exec, 3 * n * bytes<T>,
                   time(state, exec, [&] { plan.weighted(v.x, v.w, v.y); }));
}
BENCHMARK_TEMPLATE(many_weights, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(many_weights, double)->Apply(line_lengths)->UseManualTime();

}  // namespace
