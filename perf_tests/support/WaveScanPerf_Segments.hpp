// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SEGMENTS_HPP
#define WAVESCAN_PERF_SEGMENTS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <vector>

/// @file
/// @brief Arrays that are cut into segments, the same for every competitor: as offsets, head flags
/// and keys. Benchmarks are named problem/shape/program/n:N.

namespace wavescan::Perf {

/// @brief How long segments are.
struct SegmentShape {
  std::string name;
  std::int64_t mean = 0;  ///< of lengths between 1 and twice as much; 0: as the name says
};

inline std::vector<SegmentShape> segment_shapes() {
  return {{"mean1", 1},     {"mean8", 8},          {"mean32", 32},
          {"mean100", 100}, {"mean1000", 1000},    {"mean1000000", 1000000},
          {"power_law"},    {"nine_of_ten_empty"}, {"one"}};
}

/// @brief The segments of n elements.
template <class Exec>
struct SegmentArrays {
  using Space = typename Exec::memory_space;
  Kokkos::View<int*, Space> offsets, keys;
  Kokkos::View<bool*, Space> flags;
  std::int64_t segments = 0;

  SegmentArrays(const SegmentShape& shape, std::int64_t n) {
    std::mt19937_64 random(9);
    std::vector<int> bounds{0};
    for (std::int64_t at = 0; at < n;) {
      std::int64_t length = n;
      if (shape.mean > 0)
        length = std::uniform_int_distribution<std::int64_t>(1, 2 * shape.mean - 1)(random);
      else if (shape.name == "power_law")
        length = static_cast<std::int64_t>(
            std::pow(std::uniform_real_distribution<double>(1e-6, 1)(random), -1.2));
      else if (shape.name == "nine_of_ten_empty")
        length = random() % 10 == 0 ? static_cast<std::int64_t>(random() % 159 + 1) : 0;
      at = std::min(n, at + length);
      bounds.push_back(static_cast<int>(at));
    }
    segments = static_cast<std::int64_t>(bounds.size()) - 1;
    const auto size = static_cast<std::size_t>(n);
    offsets = Kokkos::View<int*, Space>("offsets", bounds.size());
    keys = Kokkos::View<int*, Space>("keys", size);
    flags = Kokkos::View<bool*, Space>("flags", size);
    Kokkos::deep_copy(offsets,
                      Kokkos::View<const int*, Kokkos::HostSpace>(bounds.data(), bounds.size()));
    Kokkos::View<int*, Kokkos::HostSpace> key("key", size);
    Kokkos::View<bool*, Kokkos::HostSpace> flag("flag", size);
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s)
      for (int j = bounds[s]; j < bounds[s + 1]; ++j) {
        key(j) = static_cast<int>(s);
        flag(j) = j == bounds[s];
      }
    Kokkos::deep_copy(keys, key);
    Kokkos::deep_copy(flags, flag);
  }
};

/// @brief 2^20, 2^24 and, on a device, 2^28 elements.
inline void segmented_lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("n")->Arg(1 << 20)->Arg(1 << 24);
  if (on_device) benchmark->Arg(1 << 28);
}

/// @param bytes an element: what must be read and written, but for offsets
/// @param offsets_bytes for each segment
/// @param setup setup(exec, n, SegmentArrays) returns a Work
template <class Exec = Kokkos::DefaultExecutionSpace, class Setup>
void add_segments(const std::string& problem, const std::string& program, std::int64_t bytes,
                  std::int64_t offsets_bytes, const Setup& setup) {
  for (const SegmentShape& shape : segment_shapes()) {
    const std::string name = problem + "/" + shape.name + "/" + program;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          const std::int64_t n = state.range(0);
          const SegmentArrays<Exec> arrays(shape, n);
          measure(state, exec, n * bytes + arrays.segments * offsets_bytes, batch_for(n, false),
                  [&] { return setup(exec, n, arrays); });
          state.counters["segments"] = static_cast<double>(arrays.segments);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Apply(segmented_lengths);
  }
}

}  // namespace wavescan::Perf

#endif
