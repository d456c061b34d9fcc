// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_LINES_HPP
#define WAVESCAN_PERF_LINES_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

/// @file
/// @brief Registration of programs that solve one problem on a line of n elements. Benchmarks are
/// named problem/program/n:N, in captured graphs problem/program/graph/n:N.

namespace wavescan::Perf {

/// @brief One program's work on arrays that its functions hold.
struct Work {
  std::function<void()> enqueue;  ///< a call
  std::function<double()> last;   ///< the last element of its result
};

/// @brief Measures the Work that `setup()` returns.
template <ExecutionSpace Exec, class Setup>
void measure(benchmark::State& state, const Exec& exec, std::int64_t bytes, const Batch& batch,
             const Setup& setup) {
  try {
    const Work work = setup();
    const auto nothing = [] {};
    const double seconds = time(state, exec, work.enqueue, nothing, batch);
    report_bandwidth(state, exec, bytes, seconds, batch);
    state.counters["last"] = work.last();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

/// @brief Several calls where one would be too short beside its launch and the stopwatch's steps.
inline Batch batch_for(std::int64_t elements, bool graph) {
  if (graph) return {40, true};
  return {static_cast<int>(std::clamp<std::int64_t>((1 << 27) / elements, 1, 20)), false};
}

/// @param setup            setup(exec, n) returns a Work
/// @param bytes_an_element of input and output, each counted once
/// @param lengths          what registers the values of n
template <ExecutionSpace Exec = Kokkos::DefaultExecutionSpace, class Setup>
void add_line(const std::string& problem, const std::string& program, std::int64_t bytes_an_element,
              Capture capture, const Setup& setup,
              void (*lengths)(benchmark::internal::Benchmark*) = line_lengths) {
  const auto add = [&](const std::string& name, bool graph) {
    return benchmark::RegisterBenchmark(name.c_str(),
                                        [=](benchmark::State& state) {
                                          const Exec exec;
                                          const std::int64_t n = state.range(0);
                                          measure(state, exec, n * bytes_an_element,
                                                  batch_for(n, graph),
                                                  [&] { return setup(exec, n); });
                                        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add(problem + "/" + program, false)->Apply(lengths);
  if (has_graphs<Exec> && capture == Capture::Yes)
    add(problem + "/" + program + "/graph", true)->Apply(short_line_lengths);
}

}  // namespace wavescan::Perf

#endif
