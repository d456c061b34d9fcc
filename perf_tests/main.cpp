// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Runs the benchmarks of a program. Their context names what they ran on: Kokkos' configuration,
// the concurrency of the default instance, and the bandwidth that a large copy reaches there.
// Without --benchmark_filter only some of the registered sizes run.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <sstream>
#include <string>
#include <support/WaveScanPerf_Bandwidth.hpp>
#include <support/WaveScanPerf_Sizes.hpp>

namespace {

void describe_machine() {
  const Kokkos::DefaultExecutionSpace exec;
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  benchmark::AddCustomContext("kokkos configuration", configuration.str());
  benchmark::AddCustomContext("execution space", exec.name());
  benchmark::AddCustomContext("concurrency", std::to_string(exec.concurrency()));
  constexpr std::int64_t large = std::int64_t(1) << 29;
  benchmark::AddCustomContext("copy GB/s",
                              std::to_string(wavescan::Perf::copy_bandwidth(exec, large) / 1e9));
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  if (benchmark::GetBenchmarkFilter().empty())
    benchmark::SetBenchmarkFilter(wavescan::Perf::default_filter());
  describe_machine();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
