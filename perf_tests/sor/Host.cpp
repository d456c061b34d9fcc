// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Sweeps of SOR with a right-hand side on the host: in natural order, fused as the library chooses
// to; by schedule Serial; and in red-black order as plain Kokkos loops, which converge otherwise.
// With nine points, and with rows relaxed as a whole. With masks that fix few points, and most:
// these also in the plain loop that skips fixed points. "floor" is x = a x + b, which moves the
// bytes of one sweep and no more. "of_copy" compares a sweep with a copy of as many bytes.
// Arguments: rows and columns of unknowns, sweeps.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_LineSOR.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <vector>

namespace host_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultHostExecutionSpace;

template <class T>
using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

template <class T>
Array<T> filled(const benchmark::State& state, const char* name, T value) {
  const Array<T> x(name, static_cast<std::size_t>(state.range(0) + 2),
                   static_cast<std::size_t>(state.range(1) + 2));
  Kokkos::deep_copy(x, value);
  return x;
}

/// @brief Each point by itself: reads two arrays and writes one of them.
template <class T>
struct ScaleAndAdd {
  T* x;
  const T* b;
  KOKKOS_FUNCTION void operator()(const std::int64_t k) const { x[k] = x[k] * T(0.5) + b[k]; }
};

/// @brief The points of one colour in a row.
template <class T>
struct RelaxColour {
  Array<T> x, b;
  ws::SORCoefficients<T> c;
  int colour;
  KOKKOS_FUNCTION void operator()(const std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t j = 1 + (i + static_cast<std::size_t>(colour)) % 2; j + 1 < x.extent(1);
         j += 2)
      x(i, j) = c.center * x(i, j) + c.left * x(i, j - 1) + c.up * x(i - 1, j) +
                c.right * x(i, j + 1) + c.down * x(i + 1, j) + c.rhs * b(i, j);
  }
};

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// @brief Times run(x, b, coefficients, sweeps).
template <class T, class Run>
void measure(benchmark::State& state, const Run& run) {
  const Exec exec;
  const auto x = filled<T>(state, "x", T(1));
  const auto b = filled<T>(state, "b", T(0.5));
  const auto coefficients = ws::poisson<T>(1.5, 0.01);
  const int sweeps = static_cast<int>(state.range(2));
  const double seconds =
      ws::Perf::time(state, exec, [&] { run(exec, x, b, coefficients, sweeps); });
  const std::int64_t points = state.range(0) * state.range(1);
  ws::Perf::report_rate(state, points * sweeps, seconds);
  ws::Perf::report_bandwidth(state, exec, 3 * points * static_cast<std::int64_t>(sizeof(T)),
                             seconds / sweeps);
}

/// @brief As the library sweeps.
template <class T, class C>
void sweeps(benchmark::State& state, const C& coefficients, ws::Schedule schedule) {
  measure<T>(state, [&](const Exec& exec, const auto& x, const auto& b, const auto&, int count) {
    ws::sor_sweeps(exec, x, coefficients, count, ws::SORInputs().rhs(b), {.schedule = schedule});
  });
}

template <class T>
void masked_sweeps(benchmark::State& state, const Array<char>& mask) {
  measure<T>(state, [&](const Exec& exec, const auto& x, const auto& b, const auto& c, int count) {
    ws::sor_sweeps(exec, x, c, count, ws::SORInputs().rhs(b).mask(mask));
  });
}

/// @brief One point in seven rows is held fixed.
Array<char> few_fixed(const benchmark::State& state) {
  const auto mask = filled<char>(state, "mask", 0);
  for (std::size_t i = 1; i + 1 < mask.extent(0); i += 7) mask(i, i * 13 % mask.extent(1)) = 1;
  return mask;
}

/// @brief All but one point in ten are held fixed; unknowns lie six in a row.
Array<char> most_fixed(const benchmark::State& state) {
  const auto mask = filled<char>(state, "mask", 1);
  for (std::size_t k = 0; k < mask.size(); ++k)
    if ((k / 6 * 2654435761u >> 16) % 10 == 0) mask.data()[k] = 0;
  return mask;
}

/// @brief The same as one would write it first, on one core.
template <class T>
void loop_with_sparse_mask(benchmark::State& state) {
  const auto mask = most_fixed(state);
  measure<T>(state, [&](const Exec&, const auto& x, const auto& b, const auto& c, int count) {
    for (int sweep = 0; sweep < count; ++sweep)
      for (std::size_t i = 1; i + 1 < x.extent(0); ++i)
        for (std::size_t j = 1; j + 1 < x.extent(1); ++j)
          if (mask(i, j) == 0)
            x(i, j) = c.center * x(i, j) + c.left * x(i, j - 1) + c.up * x(i - 1, j) +
                      c.right * x(i, j + 1) + c.down * x(i + 1, j) + c.rhs * b(i, j);
  });
}

/// @brief Five coefficients of each point's own.
template <class T>
void varying(benchmark::State& state) {
  const auto field = [&](const char* name) { return filled<T>(state, name, T(0.2)); };
  const ws::VariableCoefficients<T, Kokkos::HostSpace> c{
      field("center"), field("left"), field("up"), field("right"), field("down"), T(0.1)};
  sweeps<T>(state, c, ws::Schedule::Auto);
}

/// @brief Nine coefficients of each point's own.
template <class T>
void nine_varying(benchmark::State& state, ws::Schedule schedule) {
  const auto field = [&] { return filled<T>(state, "field", T(0.1)); };
  const ws::VariableNinePointCoefficients<T, Kokkos::HostSpace> c{
      field(), field(), field(), field(), field(), field(), field(), field(), field(), T(0.1)};
  sweeps<T>(state, c, schedule);
}

/// @brief Rows relaxed as a whole.
template <class T>
void lines(benchmark::State& state, ws::Relaxation relaxation) {
  measure<T>(state, [=](const Exec& exec, const auto& x, const auto& b, const auto& c, int sweeps) {
    ws::sor_line_sweeps(exec, x, c, sweeps, ws::SORInputs().rhs(b), relaxation);
  });
}

/// @brief A solve that looks at its criterion every so many sweeps, ten times.
template <class T>
void solve(benchmark::State& state, ws::Criterion criterion) {
  const auto x = filled<T>(state, "x", T(1));
  const auto b = filled<T>(state, "b", T(0.5));
  const int every = static_cast<int>(state.range(2));
  const ws::SolveControl control{.tolerance = 0,
                                 .max_sweeps = 10 * every,
                                 .check_every = every,
                                 .divergence_factor = std::numeric_limits<double>::infinity(),
                                 .criterion = criterion};
  const double seconds = ws::Perf::time(state, Exec(), [&] {
    ws::sor_solve(Exec(), x, ws::poisson<T>(1.5, 0.01), ws::SORInputs().rhs(b), control);
  });
  ws::Perf::report_rate(state, state.range(0) * state.range(1) * control.max_sweeps, seconds);
}

template <class T>
void red_black(benchmark::State& state) {
  measure<T>(state, [](const Exec& exec, const auto& x, const auto& b, const auto& c, int sweeps) {
    const auto last = static_cast<std::int64_t>(x.extent(0)) - 1;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (const int colour : {0, 1})
        Kokkos::parallel_for(Range(exec, 1, last), RelaxColour<T>{x, b, c, colour});
  });
}

template <class T>
void floor_of_sweep(benchmark::State& state) {
  measure<T>(state, [](const Exec& exec, const auto& x, const auto& b, const auto&, int) {
    Kokkos::parallel_for(Range(exec, 0, static_cast<std::int64_t>(x.size())),
                         ScaleAndAdd<T>{x.data(), b.data()});
  });
}

template <class T>
void register_type(const std::string& type) {
  const auto add = [&](const std::string& name, auto run, const std::vector<std::int64_t>& sweeps) {
    auto* const benchmark = benchmark::RegisterBenchmark(("sor_host/" + type + name).c_str(), run);
    benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
    for (const std::int64_t size : {256, 512, 1024, 4096, 8192})
      for (const std::int64_t count : sweeps) benchmark->Args({size, size, count});
  };
  const auto five = ws::poisson<T>(1.5, 0.01);
  const auto nine = ws::compact_poisson<T>(1.5, 0.01);
  add("/natural", [=](benchmark::State& s) { sweeps<T>(s, five, ws::Schedule::Auto); },
      {1, 2, 4, 8});
  add("/mask", [](benchmark::State& s) { masked_sweeps<T>(s, few_fixed(s)); }, {1, 4});
  add("/sparse_mask", [](benchmark::State& s) { masked_sweeps<T>(s, most_fixed(s)); }, {4, 40});
  add("/sparse_mask_loop", loop_with_sparse_mask<T>, {4});
  add("/varying", varying<T>, {1, 4});
  for (const auto criterion : {ws::Criterion::Residual, ws::Criterion::Update})
    add(std::string("/solve_") + to_string(criterion),
        [criterion](benchmark::State& s) { solve<T>(s, criterion); }, {1, 8});
  add("/serial", [=](benchmark::State& s) { sweeps<T>(s, five, ws::Schedule::Serial); }, {1});
  for (const auto schedule : {ws::Schedule::Auto, ws::Schedule::Serial}) {
    const std::string end = schedule == ws::Schedule::Auto ? "" : "_serial";
    add("/nine_points" + end, [=](benchmark::State& s) { sweeps<T>(s, nine, schedule); },
        {1, 4, 8});
    add("/nine_varying" + end, [=](benchmark::State& s) { nine_varying<T>(s, schedule); }, {1, 4});
  }
  add("/lines", [](benchmark::State& s) { lines<T>(s, ws::Relaxation::Lines); }, {4});
  add("/zebra_lines", [](benchmark::State& s) { lines<T>(s, ws::Relaxation::ZebraLines); }, {4});
  add("/red_black", red_black<T>, {1});
  add("/floor", floor_of_sweep<T>, {1});
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace host_benchmarks
