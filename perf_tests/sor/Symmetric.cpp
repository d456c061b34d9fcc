// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Symmetric sweeps with a right-hand side, several in one call, in place: what smoothers and SSOR
// do. Time is that of a symmetric sweep; "of_copy" compares each of its two passes with a copy of
// as many bytes as x, read and written, and b have. Arguments: rows and columns of unknowns,
// sweeps.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

namespace symmetric_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
void symmetric_sweeps(benchmark::State& state) {
  using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  const Exec exec;
  const std::int64_t m = state.range(0), n = state.range(1);
  const Array x("x", static_cast<std::size_t>(m + 2), static_cast<std::size_t>(n + 2));
  const Array b("b", x.extent(0), x.extent(1));
  // Values that differ, as those of users do: from equal ones blocks may never agree.
  Kokkos::deep_copy(Kokkos::View<T*, Exec>(b.data(), b.size()),
                    ws::Perf::random_array<T>(exec, (m + 2) * (n + 2), 1));
  const auto c = ws::poisson<T>(1.2, 1);
  const auto inputs = ws::SORInputs().rhs(b);
  const int sweeps = static_cast<int>(state.range(2));
  const double seconds = ws::Perf::time(state, exec, [&] {
    ws::sor_sweeps(exec, x, c, sweeps, inputs, {.order = ws::SweepOrder::Symmetric});
  });
  ws::Perf::report_rate(state, 2 * m * n * sweeps, seconds);
  ws::Perf::report_bandwidth(state, exec, 3 * m * n * static_cast<std::int64_t>(sizeof(T)),
                             seconds / (2 * sweeps));
}

template <class T>
void register_type(const std::string& type) {
  auto* const b =
      benchmark::RegisterBenchmark(("sor_symmetric/" + type).c_str(), symmetric_sweeps<T>);
  b->UseManualTime()->Unit(benchmark::kMillisecond);
  for (const int side : {255, 511, 1023, 2047, 4095, 8191}) {
    if (side > 4095 && !ws::Perf::on_device) continue;
    for (const int sweeps : {1, 2, 4, 16}) b->Args({side, side, sweeps});
  }
}

const bool registered = [] {
  register_type<float>("float");
  register_type<double>("double");
  return true;
}();

}  // namespace
}  // namespace symmetric_benchmarks
