// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_TIMING_HPP
#define WAVESCAN_PERF_TIMING_HPP

#include <benchmark/benchmark.h>
#include <WaveScan_Concepts.hpp>
#include <support/WaveScanPerf_Bandwidth.hpp>
#include <support/WaveScanPerf_Stopwatch.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

/// @file
/// @brief The way all benchmarks measure. Register them with `->UseManualTime()`.

namespace wavescan::Perf {

/// @brief Times batches of `enqueue()` until their work on `exec` is done, for the iterations of
/// `state`.
///
/// `prepare()` runs before each batch, untimed: it resets arrays that the work changes. One call
/// comes before the measurement, so that first launches and page faults do not count.
/// @return median of the batches' seconds for each call; 0 if an exception ended the benchmark
template <ExecutionSpace Exec, class Enqueue, class Prepare>
double time(benchmark::State& state, const Exec& exec, const Enqueue& enqueue,
            const Prepare& prepare, const Batch& batch = {}) {
  std::vector<double> samples;
  try {
    prepare();
    enqueue();
    exec.fence();
    const auto calls = batch_of(exec, batch, enqueue);
    Stopwatch<Exec> stopwatch(exec);
    while (state.KeepRunningBatch(batch.calls)) {
      prepare();
      exec.fence();
      stopwatch.start();
      calls();
      const double seconds = stopwatch.stop();
      state.SetIterationTime(seconds);
      samples.push_back(seconds / batch.calls);
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return 0;
  }
  return median(samples);
}

template <ExecutionSpace Exec, class Enqueue>
double time(benchmark::State& state, const Exec& exec, const Enqueue& enqueue) {
  return time(state, exec, enqueue, [] {});
}

/// @brief Reports the median time, GB/s, and how that compares with the floor: the time that
/// deep_copy takes in this run for as many bytes, called in the same way.
///
/// @param bytes read and written by a call at least, every input and output once
template <ExecutionSpace Exec>
void report_bandwidth(benchmark::State& state, const Exec& exec, std::int64_t bytes, double seconds,
                      const Batch& batch = {}) {
  if (seconds <= 0) return;
  const double floor = copy_seconds(exec, bytes, batch);
  state.counters["us"] = seconds * 1e6;
  state.counters["floor_us"] = floor * 1e6;
  state.counters["GB/s"] = static_cast<double>(bytes) / seconds / 1e9;
  state.counters["of_copy"] = floor / seconds;
}

/// @brief Reports updated entries (or whatever `what` names) per second.
inline void report_rate(benchmark::State& state, std::int64_t count, double seconds,
                        const char* what = "updates/s") {
  if (seconds > 0) state.counters[what] = static_cast<double>(count) / seconds;
}

}  // namespace wavescan::Perf

#endif
