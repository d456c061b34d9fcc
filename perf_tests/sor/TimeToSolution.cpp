// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// -Laplace(u) = 1 on n x n unknowns, from zero until the root mean square of the residual is a
// millionth of what it was, by different methods. First the sweeps that this takes are counted (in
// steps of 16), then they are done again without a look at the residual, and timed. "ratio" is the
// time of SOR in natural order over a method's. Jacobi's method is run for a part of its sweeps
// where it would need too many; their number is then that which its spectral radius demands. Where
// counting takes longer than max_seconds, the sweeps done until then are timed: "reached" is 0.
// Argument: n.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <algorithm>
#include <baselines/WaveScanPerf_RedBlack.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <utility>

#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
#include <baselines/WaveScanPerf_KokkosKernels.hpp>
#endif

namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr double reduction = 1e-6;
constexpr int step = 16;  // even: Jacobi's result is then in the first of its two arrays

template <class T>
using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

template <class T>
struct Poisson {
  std::int64_t n;
  double h = 1 / static_cast<double>(n + 1);
  Array<T> x{"x", static_cast<std::size_t>(n + 2), static_cast<std::size_t>(n + 2)};
  Array<T> rhs{"rhs", x.extent(0), x.extent(1)};

  explicit Poisson(std::int64_t side) : n(side) {
    const auto inside = Kokkos::pair<std::int64_t, std::int64_t>(1, n + 1);
    Kokkos::deep_copy(Kokkos::subview(rhs, inside, inside), T(1));
  }

  double residual() const {
    return ws::sor_residual(x, ws::poisson<T>(1, h), ws::SORInputs().rhs(rhs));
  }
};

/// @brief Enqueues a number of sweeps.
using Sweeps = std::function<void(int count)>;

template <class T>
Sweeps natural_order(const Exec& exec, const Poisson<T>& p) {
  const auto sor = ws::SOR<Exec, T>::like(exec, p.x, {.restore = false});
  const auto c = ws::poisson<T>(ws::optimal_omega(p.n, p.n), p.h);
  return [=](int count) { sor.sweeps(p.x, c, count, ws::SORInputs().rhs(p.rhs)); };
}

template <class T>
Sweeps red_black(const Exec& exec, const Poisson<T>& p) {
  const auto c = ws::poisson<T>(ws::optimal_omega(p.n, p.n), p.h);
  return [=](int count) {
    for (int k = 0; k < count; ++k) ws::Perf::red_black_sweep(exec, c, p.x, p.rhs);
  };
}

template <class T>
Sweeps jacobi(const Exec& exec, const Poisson<T>& p) {
  const auto c = ws::poisson<T>(1, p.h);
  const Array<T> other("other", p.x.extent(0), p.x.extent(1));
  return [=](int count) {
    for (int k = 0; k < count; k += 2) {
      ws::Perf::jacobi_sweep(exec, c, p.x, other, p.rhs);
      ws::Perf::jacobi_sweep(exec, c, other, p.x, p.rhs);
    }
  };
}

#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
template <class T, ws::Perf::Coloured Coloured>
Sweeps kokkos_kernels(const Exec&, const Poisson<T>& p) {
  return ws::Perf::kokkos_kernels_sweeps(Coloured, p.x, p.rhs, ws::optimal_omega(p.n, p.n), p.h);
}
#endif

/// @brief The sweeps that Jacobi's method needs for the smoothest error.
double jacobi_sweeps(std::int64_t n) {
  return std::ceil(std::log(reduction) /
                   std::log(std::cos(std::numbers::pi / static_cast<double>(n + 1))));
}

constexpr int max_sweeps = 50000;
constexpr double max_seconds = ws::Perf::on_device ? 10 : 60;

struct SweepCount {
  int sweeps = 0;
  bool reached = false;
};

/// @brief Sweeps until the residual is small enough, or max_sweeps, or max_seconds have passed.
template <class T>
SweepCount count_sweeps(const Poisson<T>& p, const Sweeps& sweeps) {
  Kokkos::deep_copy(p.x, T(0));
  const double goal = reduction * p.residual();
  const Kokkos::Timer timer;
  SweepCount count;
  while (count.sweeps < max_sweeps && timer.seconds() < max_seconds && !count.reached) {
    sweeps(step);
    count.sweeps += step;
    count.reached = p.residual() <= goal;
  }
  return count;
}

/// @brief Seconds of SOR in natural order, by type and size.
std::map<std::pair<std::string, std::int64_t>, double>& natural_seconds() {
  static std::map<std::pair<std::string, std::int64_t>, double> seconds;
  return seconds;
}

template <class T>
using Method = Sweeps (*)(const Exec&, const Poisson<T>&);

template <class T>
void time_to_solution(benchmark::State& state, const std::string& type, Method<T> method) {
  const Exec exec;
  const Poisson<T> p(state.range(0));
  const Sweeps sweeps = method(exec, p);
  const bool predicted = method == jacobi<T> && jacobi_sweeps(p.n) > max_sweeps;
  const auto [timed_sweeps, reached] = predicted ? SweepCount{100 * step} : count_sweeps(p, sweeps);
  if (timed_sweeps >= max_sweeps) return state.SkipWithError("does not converge");
  double seconds = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    Kokkos::deep_copy(p.x, T(0));
    exec.fence();
    const Kokkos::Timer timer;
    sweeps(timed_sweeps);
    exec.fence();
    const double elapsed = timer.seconds();
    state.SetIterationTime(elapsed);
    seconds = std::min(seconds, elapsed);
  }
  const double count = predicted ? jacobi_sweeps(p.n) : timed_sweeps;
  seconds *= count / timed_sweeps;
  if (method == natural_order<T>) natural_seconds()[{type, p.n}] = seconds;
  state.counters["sweeps"] = count;
  state.counters["seconds"] = seconds;
  state.counters["us_a_sweep"] = 1e6 * seconds / count;
  state.counters["predicted"] = predicted;
  state.counters["reached"] = reached;
  const auto natural = natural_seconds().find({type, p.n});
  if (natural != natural_seconds().end()) state.counters["ratio"] = natural->second / seconds;
}

template <class T>
void register_type(const std::string& type) {
  const auto add = [&](const std::string& name, Method<T> method) {
    auto* const b = benchmark::RegisterBenchmark(
        ("time_to_solution/" + type + "/" + name).c_str(),
        [=](benchmark::State& state) { time_to_solution<T>(state, type, method); });
    b->UseManualTime()->Unit(benchmark::kMillisecond)->ArgName("side");
    b->Iterations(ws::Perf::on_device ? 3 : 1);
    b->Arg(255)->Arg(511)->Arg(1023);
    if (ws::Perf::on_device) b->Arg(2047)->Arg(4095);
  };
  add("natural_order", natural_order<T>);
  add("red_black", red_black<T>);
  add("jacobi", jacobi<T>);
#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
  add("kokkos_kernels", kokkos_kernels<T, ws::Perf::Coloured::Rows>);
  add("kokkos_kernels_clusters", kokkos_kernels<T, ws::Perf::Coloured::Clusters>);
#endif
}

const bool registered = [] {
  register_type<double>("double");
  return true;
}();

}  // namespace
