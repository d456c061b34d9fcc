// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_BANDWIDTH_HPP
#define WAVESCAN_PERF_BANDWIDTH_HPP

#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace wavescan::Perf {

/// @brief Bytes per second, read and written, that Kokkos::deep_copy moves between two Views which
/// together hold `bytes`: the best of several trials.
template <ExecutionSpace Exec>
double measure_copy_bandwidth(const Exec& exec, std::int64_t bytes) {
  using View = Kokkos::View<std::int64_t*, typename Exec::memory_space>;
  const auto elements = static_cast<std::size_t>(
      std::max<std::int64_t>(bytes / 2 / static_cast<std::int64_t>(sizeof(std::int64_t)), 1));
  const View from("from", elements);
  const View to("to", elements);
  Kokkos::deep_copy(exec, from, 1);
  double best = 0;
  double total = 0;
  for (int trial = 0; trial < 5 || (total < 0.05 && trial < 200); ++trial) {
    exec.fence();
    const Kokkos::Timer timer;
    Kokkos::deep_copy(exec, to, from);
    exec.fence();
    const double seconds = std::max(timer.seconds(), 1e-9);
    total += seconds;
    best = std::max(best, 2.0 * static_cast<double>(elements * sizeof(std::int64_t)) / seconds);
  }
  return best;
}

/// @brief measure_copy_bandwidth, once for each size in a run of the program.
template <ExecutionSpace Exec>
double copy_bandwidth(const Exec& exec, std::int64_t bytes) {
  static std::map<std::int64_t, double> known;
  const auto [place, missing] = known.try_emplace(bytes, 0.0);
  if (missing) place->second = measure_copy_bandwidth(exec, bytes);
  return place->second;
}

}  // namespace wavescan::Perf

#endif
