// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_TIMING_HPP
#define WAVESCAN_PERF_TIMING_HPP

#include <benchmark/benchmark.h>
#include <WaveScan_Concepts.hpp>
#include <support/WaveScanPerf_Bandwidth.hpp>

#include <cstdint>
#include <exception>

/// @file
/// @brief The way all benchmarks measure. Register them with `->UseManualTime()`.

namespace wavescan::Perf {

/// @brief Times `enqueue()` until its work on `exec` is done, in each iteration of `state`.
///
/// `prepare()` runs before each iteration, untimed: it resets arrays that the work changes. One
/// iteration comes before the measurement, so that first launches and page faults do not count.
/// @return seconds an iteration; 0 if an exception ended the benchmark
template <ExecutionSpace Exec, class Enqueue, class Prepare>
double time(benchmark::State& state, const Exec& exec, const Enqueue& enqueue,
            const Prepare& prepare) {
  double total = 0;
  try {
    prepare();
    enqueue();
    exec.fence();
    for (auto _ : state) {
      prepare();
      exec.fence();
      const Kokkos::Timer timer;
      enqueue();
      exec.fence();
      const double seconds = timer.seconds();
      state.SetIterationTime(seconds);
      total += seconds;
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return 0;
  }
  return state.iterations() > 0 ? total / static_cast<double>(state.iterations()) : 0;
}

template <ExecutionSpace Exec, class Enqueue>
double time(benchmark::State& state, const Exec& exec, const Enqueue& enqueue) {
  return time(state, exec, enqueue, [] {});
}

/// @brief Reports GB/s, and the share of what deep_copy reaches in this run for as many bytes.
///
/// @param bytes read and written by an iteration at least, every input and output once
template <ExecutionSpace Exec>
void report_bandwidth(benchmark::State& state, const Exec& exec, std::int64_t bytes,
                      double seconds) {
  if (seconds <= 0) return;
  const double rate = static_cast<double>(bytes) / seconds;
  state.counters["GB/s"] = rate / 1e9;
  state.counters["of_copy"] = rate / copy_bandwidth(exec, bytes);
}

/// @brief Reports updated entries (or whatever `what` names) per second.
inline void report_rate(benchmark::State& state, std::int64_t count, double seconds,
                        const char* what = "updates/s") {
  if (seconds > 0) state.counters[what] = static_cast<double>(count) / seconds;
}

}  // namespace wavescan::Perf

#endif
