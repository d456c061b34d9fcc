// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_BANDWIDTH_HPP
#define WAVESCAN_PERF_BANDWIDTH_HPP

#include <WaveScan_Concepts.hpp>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Stopwatch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace wavescan::Perf {

/// @brief Seconds that Kokkos::deep_copy takes between two Views which together hold `bytes`: the
/// median of several batches.
template <ExecutionSpace Exec>
double measure_copy(const Exec& exec, std::int64_t bytes, const Batch& batch) {
  const std::int64_t half = std::max<std::int64_t>(bytes / 2, 1);
  const auto from = random_array<std::int8_t>(exec, half);
  const auto to = random_array<std::int8_t>(exec, half);
  const auto copy = [&] { Kokkos::deep_copy(exec, to, from); };
  copy();
  const auto copies = batch_of(exec, batch, copy);
  copies();
  Stopwatch<Exec> stopwatch(exec);
  std::vector<double> samples;
  double total = 0;
  while (samples.size() < 9 || (total < 0.01 && samples.size() < 100)) {
    stopwatch.start();
    copies();
    samples.push_back(std::max(stopwatch.stop(), 1e-9) / batch.calls);
    total += samples.back() * batch.calls;
  }
  return median(samples);
}

/// @brief measure_copy, once for each size and kind of batch in a run of the program.
template <ExecutionSpace Exec>
double copy_seconds(const Exec& exec, std::int64_t bytes, const Batch& batch = {}) {
  static std::map<std::pair<std::int64_t, Batch>, double> known;
  const auto [place, missing] = known.try_emplace({bytes, batch}, 0.0);
  if (missing) place->second = measure_copy(exec, bytes, batch);
  return place->second;
}

/// @brief Bytes per second, read and written, that a copy moves.
template <ExecutionSpace Exec>
double copy_bandwidth(const Exec& exec, std::int64_t bytes) {
  return static_cast<double>(bytes) / copy_seconds(exec, bytes);
}

}  // namespace wavescan::Perf

#endif
