// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// One sweep, forward and in place, with a right-hand side: of nine points beside five, constant and
// varying, by the way that the library takes and, of five, by the wavefront loop too. "of_copy" is
// the share of a copy of as many bytes as x, read and written, b and the varying coefficients have.
// Arguments: rows and columns of unknowns.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Timing.hpp>

namespace nine_points_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

template <class T>
Array<T> made(const benchmark::State& state) {
  return Array<T>("array", static_cast<std::size_t>(state.range(0) + 2),
                  static_cast<std::size_t>(state.range(1) + 2));
}
template <class T>
Array<T> filled(const benchmark::State& state, T value) {
  const auto x = made<T>(state);
  Kokkos::deep_copy(x, value);
  return x;
}
/// @brief Values that differ, as those of users do: from equal ones blocks may never agree.
template <class T>
Array<T> random(const benchmark::State& state, std::uint64_t seed) {
  const auto x = made<T>(state);
  Kokkos::deep_copy(Kokkos::View<T*, Exec>(x.data(), x.size()),
                    ws::Perf::random_array<T>(Exec(), static_cast<std::int64_t>(x.size()), seed));
  return x;
}

/// @param arrays that a sweep moves besides x and b
template <class T, class C>
void sweep(benchmark::State& state, ws::Schedule schedule, const C& coefficients, int arrays = 0) {
  const Exec exec;
  const auto x = random<T>(state, 1);
  const auto b = random<T>(state, 2);
  const auto inputs = ws::SORInputs().rhs(b);
  const double seconds = ws::Perf::time(state, exec, [&] {
    ws::sor_sweeps(exec, x, coefficients, 1, inputs, {.schedule = schedule});
  });
  const std::int64_t points = state.range(0) * state.range(1);
  ws::Perf::report_rate(state, points, seconds);
  ws::Perf::report_bandwidth(state, exec,
                             (3 + arrays) * points * static_cast<std::int64_t>(sizeof(T)), seconds);
}

template <class T>
void five_that_vary(benchmark::State& state) {
  const auto a = [&](double value) { return filled<T>(state, T(value)); };
  const ws::VariableCoefficients<T> c{
      .center = -0.2, .left = a(0.3), .up = a(0.3), .right = a(0.3), .down = a(0.3), .rhs = 0.3};
  sweep<T>(state, ws::Schedule::Auto, c, 4);
}

template <class T>
void nine_that_vary(benchmark::State& state) {
  const auto a = [&](double value) { return filled<T>(state, T(value)); };
  ws::VariableNinePointCoefficients<T> c;
  c.center = -0.2;
  c.left = c.up = c.right = c.down = a(0.24);
  c.up_right = c.up_left = c.down_left = c.down_right = a(0.06);
  c.rhs = 0.3;
  sweep<T>(state, ws::Schedule::Auto, c, 2);
}

template <class T>
void register_type(const std::string& type) {
  const auto add = [&](const std::string& name, auto function) {
    benchmark::RegisterBenchmark(("sor_nine/" + type + "/" + name).c_str(), function)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Args({1024, 1024})
        ->Args({4096, 4096});
  };
  const auto five = ws::poisson<T>(1.2, 1);
  const auto nine = ws::compact_poisson<T>(1.2, 1);
  add("five", [=](benchmark::State& s) { sweep<T>(s, ws::Schedule::Auto, five); });
  add("five_loop", [=](benchmark::State& s) { sweep<T>(s, ws::Schedule::TileSkewed, five); });
  add("nine", [=](benchmark::State& s) { sweep<T>(s, ws::Schedule::Auto, nine); });
  add("five_vary", five_that_vary<T>);
  add("nine_vary", nine_that_vary<T>);
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace nine_points_benchmarks
