// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Single sweeps of SOR on few long rows, by default options, which keep the bits of the serial
// loop, beside the schedules that can be named. Rows lie next to each other in "right", columns in
// "left". Arguments: rows and columns of unknowns, sweeps in a call.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <type_traits>

namespace few_rows_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T, class Layout>
void few_rows(benchmark::State& state, ws::Schedule schedule) {
  const Exec exec;
  const Kokkos::View<T**, Layout, Exec> x("x", static_cast<std::size_t>(state.range(0) + 2),
                                          static_cast<std::size_t>(state.range(1) + 2));
  Kokkos::deep_copy(x, T(1));
  const int count = static_cast<int>(state.range(2));
  const auto coefficients = ws::mean_of_five<T>();
  const double seconds = ws::Perf::time(state, exec, [&] {
    ws::sor_sweeps(exec, x, coefficients, count, {}, {.schedule = schedule});
  });
  const std::int64_t points = state.range(0) * state.range(1);
  ws::Perf::report_rate(state, points * count, seconds);
  ws::Perf::report_bandwidth(state, exec, 2 * points * static_cast<std::int64_t>(sizeof(T)),
                             seconds / count);
}

template <class T, class Layout>
void register_layout(const std::string& type) {
  const std::string layout = std::is_same_v<Layout, Kokkos::LayoutRight> ? "right" : "left";
  for (const ws::Schedule schedule : ws::exact_schedules) {
    const bool serial = schedule == ws::Schedule::Serial;
    auto* const b = benchmark::RegisterBenchmark(
        ("sor_few_rows/" + type + "/" + layout + "/" + to_string(schedule)).c_str(),
        [schedule](benchmark::State& state) { few_rows<T, Layout>(state, schedule); });
    b->UseManualTime()->Unit(benchmark::kMicrosecond);
    b->Args({3, 30000, 1});
    // One thread of an accelerator, or a band that nobody works beside, would take minutes.
    if (!ws::Impl::runs_on_host<Exec> && (serial || schedule == ws::Schedule::TileSkewed)) continue;
    b->Args({16, 4'000'000, 1})->Args({64, 1'000'000, 1});
    if (schedule == ws::Schedule::Auto || ws::Impl::runs_on_host<Exec>)
      b->Args({3, 30000, 8})->Args({16, 4'000'000, 8})->Args({64, 1'000'000, 8});
  }
}

const bool registered = [] {
  register_layout<float, Kokkos::LayoutRight>("float");
  register_layout<float, Kokkos::LayoutLeft>("float");
  register_layout<double, Kokkos::LayoutRight>("double");
  register_layout<double, Kokkos::LayoutLeft>("double");
  return true;
}();

}  // namespace
}  // namespace few_rows_benchmarks
