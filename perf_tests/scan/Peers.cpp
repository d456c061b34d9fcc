// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_StdAlgorithms.hpp>
#include <cstdint>
#include <numeric>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

// The same sums by others, and the copy that all of them are measured against.

namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
struct SumFunctor {
  Kokkos::View<const T*> x;
  Kokkos::View<T*> y;
  KOKKOS_FUNCTION void operator()(std::int64_t j, T& sum, bool final) const {
    sum += x(j);
    if (final) y(j) = sum;
  }
};

template <class T, class Space = Exec>
struct Vectors {
  explicit Vectors(std::int64_t n)
      : x("x", static_cast<std::size_t>(n)), y("y", static_cast<std::size_t>(n)) {
    Kokkos::deep_copy(x, T(1));
  }
  Kokkos::View<T*, typename Space::memory_space> x, y;
};

template <class T>
void report(benchmark::State& state, const Exec& exec, double seconds) {
  report_bandwidth(state, exec, 2 * state.range(0) * static_cast<std::int64_t>(sizeof(T)), seconds);
}

template <class T>
void kokkos_deep_copy(benchmark::State& state) {
  const Exec exec;
  const Vectors<T> v(state.range(0));
  report<T>(state, exec, time(state, exec, [&] { Kokkos::deep_copy(exec, v.y, v.x); }));
}
BENCHMARK_TEMPLATE(kokkos_deep_copy, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(kokkos_deep_copy, double)->Apply(line_lengths)->UseManualTime();

template <class T>
void kokkos_parallel_scan(benchmark::State& state) {
  const Exec exec;
  const Vectors<T> v(state.range(0));
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> policy(exec, 0, state.range(0));
  report<T>(state, exec, time(state, exec, [&] {
              Kokkos::parallel_scan("sum", policy, SumFunctor<T>{v.x, v.y});
            }));
}
BENCHMARK_TEMPLATE(kokkos_parallel_scan, std::int32_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(kokkos_parallel_scan, std::int64_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(kokkos_parallel_scan, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(kokkos_parallel_scan, double)->Apply(line_lengths)->UseManualTime();

template <class T>
void kokkos_inclusive_scan(benchmark::State& state) {
  const Exec exec;
  const Vectors<T> v(state.range(0));
  report<T>(state, exec,
            time(state, exec, [&] { Kokkos::Experimental::inclusive_scan(exec, v.x, v.y); }));
}
BENCHMARK_TEMPLATE(kokkos_inclusive_scan, std::int32_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(kokkos_inclusive_scan, double)->Apply(line_lengths)->UseManualTime();

/// One thread of the host, also where the others use an accelerator.
template <class T>
void std_inclusive_scan(benchmark::State& state) {
  const Kokkos::DefaultHostExecutionSpace host;
  const Vectors<T, Kokkos::DefaultHostExecutionSpace> v(state.range(0));
  const auto seconds = time(state, host, [&] {
    std::inclusive_scan(v.x.data(), v.x.data() + v.x.size(), v.y.data());
    benchmark::ClobberMemory();
  });
  report_bandwidth(state, host, 2 * state.range(0) * static_cast<std::int64_t>(sizeof(T)), seconds);
}
BENCHMARK_TEMPLATE(std_inclusive_scan, std::int32_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(std_inclusive_scan, std::int64_t)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(std_inclusive_scan, float)->Apply(line_lengths)->UseManualTime();
BENCHMARK_TEMPLATE(std_inclusive_scan, double)->Apply(line_lengths)->UseManualTime();

}  // namespace
