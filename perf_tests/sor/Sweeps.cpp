// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Sweeps of SOR beside a plain serial loop. "of_copy" is the share of the one-sweep floor: a copy
// of as many bytes as x has, read and written once. Arguments: rows and columns of unknowns.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>

namespace sweeps_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T, class Space = Exec>
Kokkos::View<T**, Kokkos::LayoutRight, Space> ones(const benchmark::State& state) {
  const Kokkos::View<T**, Kokkos::LayoutRight, Space> x(
      "x", static_cast<std::size_t>(state.range(0) + 2),
      static_cast<std::size_t>(state.range(1) + 2));
  Kokkos::deep_copy(x, T(1));
  return x;
}

template <class T, class Space>
void report(benchmark::State& state, const Space& space, double seconds) {
  const std::int64_t points = state.range(0) * state.range(1);
  ws::Perf::report_rate(state, points, seconds);
  ws::Perf::report_bandwidth(state, space, 2 * points * static_cast<std::int64_t>(sizeof(T)),
                             seconds);
}

template <class T>
void sweep(benchmark::State& state, ws::Schedule schedule) {
  const Exec exec;
  const auto x = ones<T>(state);
  const auto coefficients = ws::mean_of_five<T>();
  report<T>(state, exec, ws::Perf::time(state, exec, [&] {
              ws::sor_sweeps(exec, x, coefficients, 1, {}, {.schedule = schedule});
            }));
}

/// @brief With a right-hand side and a mask: more to read.
template <class T>
void sweep_with_inputs(benchmark::State& state) {
  const Exec exec;
  const auto x = ones<T>(state);
  const auto rhs = ones<T>(state);
  const Kokkos::View<char**, Kokkos::LayoutRight, Exec> mask("mask", x.extent(0), x.extent(1));
  const auto coefficients = ws::mean_of_five<T>();
  const auto inputs = ws::SORInputs().rhs(rhs).mask(mask);
  report<T>(state, exec,
            ws::Perf::time(state, exec, [&] { ws::sor_sweeps(exec, x, coefficients, 1, inputs); }));
}

/// @brief One look at the residual.
template <class T>
void residual(benchmark::State& state) {
  const Exec exec;
  const auto x = ones<T>(state);
  const auto coefficients = ws::mean_of_five<T>();
  report<T>(state, exec, ws::Perf::time(state, exec, [&] {
              benchmark::DoNotOptimize(ws::sor_residual(exec, x, coefficients));
            }));
}

/// @brief The paper's loop nest as one would write it down, on one thread of the host.
template <class T>
void serial_loop(benchmark::State& state) {
  const auto x = ones<T, Kokkos::HostSpace>(state);
  const std::int64_t stride = state.range(1) + 2;
  const Kokkos::DefaultHostExecutionSpace host;
  const double seconds = ws::Perf::time(state, host, [&] {
    T* const a = x.data();
    for (std::int64_t i = 1; i <= state.range(0); ++i)
      for (std::int64_t k = i * stride + 1; k <= i * stride + state.range(1); ++k)
        a[k] = (a[k] + a[k - 1] + a[k - stride] + a[k + stride] + a[k + 1]) * T(0.2);
    benchmark::DoNotOptimize(a[stride + 1]);
  });
  report<T>(state, host, seconds);
}

template <class Function>
void one_shape(const std::string& name, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->Args({4096, 4096})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class T>
void register_type(const std::string& type) {
  const std::string name = "sor/" + type;
  for (const ws::Schedule schedule : ws::exact_schedules) {
    auto* const b = benchmark::RegisterBenchmark(
        (name + "/" + to_string(schedule)).c_str(),
        [schedule](benchmark::State& state) { sweep<T>(state, schedule); });
    // One thread of an accelerator is too slow for more.
    b->Args({1024, 1024})->UseManualTime()->Unit(benchmark::kMillisecond);
    if (schedule == ws::Schedule::Serial && !ws::Impl::runs_on_host<Exec>) continue;
    b->Args({4096, 4096})->Args({64, 1 << 20});
    b->Args({16384, 16384})->Args({1 << 20, 64});
  }
  one_shape(name + "/with_inputs", sweep_with_inputs<T>);
  one_shape(name + "/residual", residual<T>);
  one_shape(name + "/serial_loop", serial_loop<T>);
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace sweeps_benchmarks
