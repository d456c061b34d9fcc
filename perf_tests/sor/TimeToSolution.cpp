// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// -Laplace(u) = 1 on n x n or n x n x n unknowns, from zero until the root mean square of the
// residual is a millionth of what it was, by different methods. First the sweeps that this takes
// are counted (in steps of 16), then they are done again without a look at the residual, and timed.
// "ratio" is the time of SOR in natural order over a method's. Jacobi's method is run for a part of
// its sweeps where it would need too many; their number is then that which its spectral radius
// demands. Where counting takes longer than max_seconds, the sweeps done until then are timed:
// "reached" is 0. Argument: n.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
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
#include <vector>

#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
#include <baselines/WaveScanPerf_KokkosKernels.hpp>
#endif
#if defined(WAVESCAN_PERF_PETSC)
#include <baselines/WaveScanPerf_Petsc.hpp>
#endif

namespace time_to_solution_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr double reduction = 1e-6;
constexpr int step = 16;  // even: Jacobi's result is then in the first of its two arrays

/// @tparam Array of rank 2 or 3
template <class Array>
struct Poisson {
  using value_type = typename Array::value_type;
  static constexpr bool flat = Array::rank() == 2;

  std::int64_t n;
  double h = 1 / static_cast<double>(n + 1);
  Array x = array("x", n);
  Array rhs = array("rhs", n);

  explicit Poisson(std::int64_t side) : n(side) {
    const auto inside = Kokkos::pair<std::int64_t, std::int64_t>(1, n + 1);
    if constexpr (flat)
      Kokkos::deep_copy(Kokkos::subview(rhs, inside, inside), value_type(1));
    else
      Kokkos::deep_copy(Kokkos::subview(rhs, inside, inside, inside), value_type(1));
  }

  static Array array(const char* name, std::int64_t n) {
    const auto side = static_cast<std::size_t>(n + 2);
    if constexpr (flat)
      return {name, side, side};
    else
      return {name, side, side, side};
  }
  double best_omega() const {
    if constexpr (flat)
      return ws::optimal_omega(n, n);
    else
      return ws::optimal_omega(n, n, n);
  }
  auto coefficients(double omega) const {
    if constexpr (flat)
      return ws::poisson<value_type>(omega, h);
    else
      return ws::poisson_3d<value_type>(omega, h);
  }
  double residual() const { return ws::sor_residual(x, coefficients(1), ws::SORInputs().rhs(rhs)); }
};

/// @brief Enqueues a number of sweeps.
using Sweeps = std::function<void(int count)>;

template <class P>
Sweeps natural_order(const Exec& exec, const P& p) {
  const auto c = p.coefficients(p.best_omega());
  return [=](int count) { ws::sor_sweeps(exec, p.x, c, count, ws::SORInputs().rhs(p.rhs)); };
}

template <class P>
Sweeps red_black(const Exec& exec, const P& p) {
  const auto c = p.coefficients(p.best_omega());
  return [=](int count) {
    for (int k = 0; k < count; ++k) ws::Perf::red_black_sweep(exec, c, p.x, p.rhs);
  };
}

template <class P>
Sweeps jacobi(const Exec& exec, const P& p) {
  const auto c = p.coefficients(1);
  const auto other = P::array("other", p.n);
  return [=](int count) {
    for (int k = 0; k < count; k += 2) {
      ws::Perf::jacobi_sweep(exec, c, p.x, other, p.rhs);
      ws::Perf::jacobi_sweep(exec, c, other, p.x, p.rhs);
    }
  };
}

#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
template <class P, ws::Perf::Coloured Coloured>
Sweeps kokkos_kernels(const Exec&, const P& p) {
  return ws::Perf::kokkos_kernels_sweeps(Coloured, p.x, p.rhs, p.best_omega(), p.h);
}
#endif

#if defined(WAVESCAN_PERF_PETSC)
template <class P>
Sweeps petsc(const Exec&, const P& p) {
  return ws::Perf::petsc_sweeps(p.x, p.rhs, p.best_omega(), p.h);
}
#endif

/// @brief The sweeps that Jacobi's method needs for the smoothest error.
double jacobi_sweeps(std::int64_t n) {
  return std::ceil(std::log(reduction) /
                   std::log(std::cos(std::numbers::pi / static_cast<double>(n + 1))));
}

constexpr int max_sweeps = 50000;
constexpr double max_seconds = ws::Perf::on_device ? 10 : 20;

struct SweepCount {
  int sweeps = 0;
  bool reached = false;
};

/// @brief Sweeps until the residual is small enough, or max_sweeps, or max_seconds have passed.
template <class P>
SweepCount count_sweeps(const P& p, const Sweeps& sweeps) {
  Kokkos::deep_copy(p.x, 0);
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

template <class P>
using Method = Sweeps (*)(const Exec&, const P&);

template <class P>
void time_to_solution(benchmark::State& state, const std::string& type, Method<P> method) {
  const Exec exec;
  const P p(state.range(0));
  const Sweeps sweeps = method(exec, p);
  bool predicted = false;
  if constexpr (P::flat) predicted = method == jacobi<P> && jacobi_sweeps(p.n) > max_sweeps;
  const auto [timed_sweeps, reached] = predicted ? SweepCount{100 * step} : count_sweeps(p, sweeps);
  if (timed_sweeps >= max_sweeps) return state.SkipWithError("does not converge");
  double seconds = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    Kokkos::deep_copy(p.x, 0);
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
  if (method == natural_order<P>) natural_seconds()[{type, p.n}] = seconds;
  state.counters["sweeps"] = count;
  state.counters["seconds"] = seconds;
  state.counters["us_a_sweep"] = 1e6 * seconds / count;
  state.counters["predicted"] = predicted;
  state.counters["reached"] = reached;
  const auto natural = natural_seconds().find({type, p.n});
  if (natural != natural_seconds().end()) state.counters["ratio"] = natural->second / seconds;
}

template <class P>
void register_problem(const std::string& type, const std::vector<std::int64_t>& sides) {
  const auto add = [&](const std::string& name, Method<P> method) {
    auto* const b = benchmark::RegisterBenchmark(
        ("time_to_solution/" + type + "/" + name).c_str(),
        [=](benchmark::State& state) { time_to_solution<P>(state, type, method); });
    b->UseManualTime()->Unit(benchmark::kMillisecond)->ArgName("side");
    b->Iterations(ws::Perf::on_device ? 3 : 1);
    for (const std::int64_t side : sides) b->Arg(side);
  };
  add("natural_order", natural_order<P>);
  if constexpr (P::flat) {
    add("red_black", red_black<P>);
    add("jacobi", jacobi<P>);
  }
#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)
  add("kokkos_kernels", kokkos_kernels<P, ws::Perf::Coloured::Rows>);
  add("kokkos_kernels_clusters", kokkos_kernels<P, ws::Perf::Coloured::Clusters>);
#endif
#if defined(WAVESCAN_PERF_PETSC)
  if constexpr (!ws::Perf::on_device) add("petsc", petsc<P>);
#endif
}

const bool registered = [] {
  std::vector<std::int64_t> sides{255, 511, 1023};
  if (ws::Perf::on_device) sides.insert(sides.end(), {2047, 4095});
  register_problem<Poisson<Kokkos::View<double**, Kokkos::LayoutRight, Exec>>>("double", sides);
  register_problem<Poisson<Kokkos::View<double***, Kokkos::LayoutRight, Exec>>>("double_3d",
                                                                                {63, 127, 255});
  return true;
}();

}  // namespace
}  // namespace time_to_solution_benchmarks
