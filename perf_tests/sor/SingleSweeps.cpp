// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Calls as smoothers and preconditioners make them: one sweep, forward or symmetric, with a
// right-hand side; in place, from one array to another, and from zero, which is to be compared with
// x cleared by hand and swept in place, without a mask and with one that fixes a point in seven
// rows. "of_copy" is the one-sweep floor over the time of the call: a copy of as many bytes as x,
// read and written, and b have. Arguments: rows and columns of unknowns.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

namespace single_sweeps_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class E>
using Array = Kokkos::View<E**, Kokkos::LayoutRight, Exec>;

enum class Start { InPlace, FromAnother, Zero, Cleared };

template <class T>
struct Arrays {
  Array<T> x, from, rhs;
  Array<char> mask;

  Arrays(const Exec& exec, std::int64_t rows, std::int64_t columns)
      : x(random(exec, rows, columns, 1)),
        from(random(exec, rows, columns, 2)),
        rhs(random(exec, rows, columns, 3)),
        mask("mask", x.extent(0), x.extent(1)) {
    const auto host = Kokkos::create_mirror_view(mask);
    for (std::size_t i = 1; i + 1 < host.extent(0); i += 7) host(i, i * 13 % host.extent(1)) = 1;
    Kokkos::deep_copy(mask, host);
  }

 private:
  static Array<T> random(const Exec& exec, std::int64_t rows, std::int64_t columns, int seed) {
    const Array<T> array("array", static_cast<std::size_t>(rows + 2),
                         static_cast<std::size_t>(columns + 2));
    const auto values = ws::Perf::random_array<T>(exec, (rows + 2) * (columns + 2),
                                                  static_cast<std::uint64_t>(seed));
    Kokkos::deep_copy(Kokkos::View<T*, Exec>(array.data(), array.size()), values);
    return array;
  }
};

template <class T>
void single_sweep(benchmark::State& state, Start start, ws::SweepOrder order, bool masked) {
  const Exec exec;
  const std::int64_t m = state.range(0), n = state.range(1);
  const Arrays<T> a(exec, m, n);
  const auto c = ws::poisson<T>(1.2, 1);
  const ws::SOROptions options{.order = order};
  const auto sweep = [&](const auto& inputs) {
    return ws::Perf::time(state, exec, [&] {
      if (start == Start::FromAnother)
        return ws::sor_sweeps(exec, a.from, a.x, c, 1, inputs, options);
      if (start == Start::Zero)
        return ws::sor_sweeps(exec, ws::ZeroGuess{}, a.x, c, 1, inputs, options);
      if (start == Start::Cleared) Kokkos::deep_copy(exec, a.x, T(0));
      ws::sor_sweeps(exec, a.x, c, 1, inputs, options);
    });
  };
  const auto inputs = ws::SORInputs().rhs(a.rhs);
  const double seconds = masked ? sweep(inputs.mask(a.mask)) : sweep(inputs);
  ws::Perf::report_rate(state, m * n, seconds);
  ws::Perf::report_bandwidth(state, exec, 3 * m * n * static_cast<std::int64_t>(sizeof(T)),
                             seconds);
}

template <class T>
void register_type(const std::string& type) {
  const auto add = [&](const std::string& name, Start start, bool masked = false) {
    for (const ws::SweepOrder order : {ws::SweepOrder::Forward, ws::SweepOrder::Symmetric}) {
      const bool symmetric = order == ws::SweepOrder::Symmetric;
      auto* const b = benchmark::RegisterBenchmark(
          ("sor_single/" + type + (symmetric ? "/symmetric" : "/forward") + name).c_str(),
          [=](benchmark::State& s) { single_sweep<T>(s, start, order, masked); });
      b->UseManualTime()->Unit(benchmark::kMillisecond)->Args({1024, 1024})->Args({4096, 4096});
      if (ws::Perf::on_device && !masked) b->Args({8192, 8192})->Args({16384, 16384});
    }
  };
  add("/in_place", Start::InPlace);
  add("/from_another", Start::FromAnother);
  add("/zero", Start::Zero);
  add("/cleared", Start::Cleared);
  add("/masked/zero", Start::Zero, true);
  add("/masked/cleared", Start::Cleared, true);
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace single_sweeps_benchmarks
