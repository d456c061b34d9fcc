// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Sweeps of SOR in three dimensions, seven points and a right-hand side, n x n x n unknowns; on
// hosts beside the three plain loops. "bandwidth" counts x once in and once out and the right-hand
// side once in, for each sweep, as if sweeps were not fused. Arguments: n, sweeps in a call.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR3D.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>

namespace three_dimensions_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
using Cube = Kokkos::View<T***, Exec>;

template <class T>
struct Poisson {
  std::int64_t n;
  Cube<T> x, rhs;
  ws::SORCoefficients3D<T> c;

  explicit Poisson(std::int64_t side)
      : n(side), c(ws::poisson_3d<T>(1.5, 1 / static_cast<double>(side + 1))) {
    const auto extent = static_cast<std::size_t>(n + 2);
    x = Cube<T>("x", extent, extent, extent);
    rhs = Cube<T>("rhs", extent, extent, extent);
    Kokkos::deep_copy(rhs, T(1));
  }
};

template <class T>
void report(benchmark::State& state, const Exec& exec, std::int64_t n, double seconds) {
  const std::int64_t points = n * n * n, count = state.range(1);
  ws::Perf::report_rate(state, points * count, seconds);
  ws::Perf::report_bandwidth(state, exec, 3 * points * static_cast<std::int64_t>(sizeof(T)),
                             seconds / static_cast<double>(count));
}

template <class T>
void sweeps(benchmark::State& state) {
  const Exec exec;
  const Poisson<T> p(state.range(0));
  const auto inputs = ws::SORInputs().rhs(p.rhs);
  const int count = static_cast<int>(state.range(1));
  report<T>(state, exec, p.n,
            ws::Perf::time(state, exec, [&] { ws::sor_sweeps(exec, p.x, p.c, count, inputs); }));
}

/// @brief What everybody would write, on one thread.
template <class T>
void plain_loops(benchmark::State& state) {
  const Exec exec;
  const Poisson<T> p(state.range(0));
  const std::int64_t row = p.n + 2, plane = row * row;
  T* const x = p.x.data();
  const T* const b = p.rhs.data();
  const ws::SORCoefficients3D<T> c = p.c;
  report<T>(state, exec, p.n, ws::Perf::time(state, exec, [&] {
              for (std::int64_t k = 1; k <= p.n; ++k)
                for (std::int64_t i = 1; i <= p.n; ++i)
                  for (std::int64_t e = k * plane + i * row + 1; e <= k * plane + i * row + p.n;
                       ++e)
                    x[e] = c.center * x[e] + c.right * x[e + 1] + c.down * x[e + row] +
                           c.back * x[e + plane] + c.front * x[e - plane] + c.up * x[e - row] +
                           c.left * x[e - 1] + c.rhs * b[e];
            }));
}

template <class T>
void register_type(const std::string& type) {
  auto* const b = benchmark::RegisterBenchmark(("sor_3d/" + type).c_str(), sweeps<T>);
  b->UseManualTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t n : {64, 128, 256})
    for (const std::int64_t count : {1, 8}) b->Args({n, count});
  if constexpr (ws::Impl::runs_on_host<Exec>) {
    auto* const plain =
        benchmark::RegisterBenchmark(("sor_3d/" + type + "/plain_loops").c_str(), plain_loops<T>);
    plain->UseManualTime()->Unit(benchmark::kMillisecond);
    for (const std::int64_t n : {64, 128, 256}) plain->Args({n, 1});
  } else {
    b->Args({512, 1})->Args({512, 8});
  }
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace three_dimensions_benchmarks
