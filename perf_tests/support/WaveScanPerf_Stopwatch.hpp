// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_STOPWATCH_HPP
#define WAVESCAN_PERF_STOPWATCH_HPP

#include <WaveScan_Concepts.hpp>
#include <support/WaveScanPerf_Cuda.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

/// @file
/// @brief Time of work on an instance, of single calls and of batches of calls.

namespace wavescan::Perf {

/// @brief The host's time between two moments at which an instance has nothing to do.
template <ExecutionSpace Exec>
class HostStopwatch {
 public:
  explicit HostStopwatch(const Exec& exec) : exec_(exec) {}
  void start() {
    exec_.fence();
    timer_.reset();
  }
  double stop() {
    exec_.fence();
    return timer_.seconds();
  }

 private:
  Exec exec_;
  Kokkos::Timer timer_;
};

#ifdef KOKKOS_ENABLE_CUDA
/// @brief Whether calls can be captured in a graph.
template <ExecutionSpace Exec>
inline constexpr bool has_graphs = std::is_same_v<Exec, Kokkos::Cuda>;
/// @brief Times the work of an instance with the means that its backend has.
template <ExecutionSpace Exec>
using Stopwatch = std::conditional_t<has_graphs<Exec>, CudaStopwatch, HostStopwatch<Exec>>;
#else
template <ExecutionSpace Exec>
inline constexpr bool has_graphs = false;
template <ExecutionSpace Exec>
using Stopwatch = HostStopwatch<Exec>;
#endif

/// @brief Whether a program's calls can be captured: no allocation, no synchronisation.
enum class Capture { No, Yes };

/// @brief The calls that one reading of the stopwatch covers.
struct Batch {
  int calls = 1;
  bool graph = false;  ///< captured and launched together: without the cost of single launches
  friend auto operator<=>(const Batch&, const Batch&) = default;
};

/// @brief A function that enqueues the whole batch. `enqueue` must have been called before.
template <ExecutionSpace Exec, class Enqueue>
std::function<void()> batch_of([[maybe_unused]] const Exec& exec, const Batch& batch,
                               const Enqueue& enqueue) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_graphs<Exec>) {
    if (batch.graph) {
      const auto graph = std::make_shared<const CudaGraph>(exec, batch.calls, enqueue);
      return [graph] { graph->launch(); };
    }
  }
#endif
  return [calls = batch.calls, enqueue] {
    for (int call = 0; call < calls; ++call) enqueue();
  };
}

/// @brief The median: half of the samples are not larger.
inline double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace wavescan::Perf

#endif
