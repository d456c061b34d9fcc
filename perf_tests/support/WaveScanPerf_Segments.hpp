// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SEGMENTS_HPP
#define WAVESCAN_PERF_SEGMENTS_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <utility>
#include <vector>

/// @file
/// @brief Arrays that are divided into segments, the same for every competitor: as offsets, head
/// flags and keys. Benchmarks are named problem/shape/program/n:N.

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

/// @brief The length of a segment, drawn from 64 random bits.
struct SegmentLength {
  enum class Kind { Uniform, PowerLaw, MostlyEmpty, Whole } kind;
  std::int64_t mean, whole;

  SegmentLength(const SegmentShape& shape, std::int64_t n)
      : kind(shape.mean > 0                      ? Kind::Uniform
             : shape.name == "power_law"         ? Kind::PowerLaw
             : shape.name == "nine_of_ten_empty" ? Kind::MostlyEmpty
                                                 : Kind::Whole),
        mean(shape.mean),
        whole(n) {}

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const {
    std::uint64_t bits = (static_cast<std::uint64_t>(s) + 9) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
    bits ^= bits >> 30;
    const auto below = [&](std::int64_t end) {
      return static_cast<std::int64_t>((bits >> 16) % static_cast<std::uint64_t>(end));
    };
    switch (kind) {
      case Kind::Uniform:
        return 1 + below(2 * mean - 1);
      case Kind::PowerLaw:
        return static_cast<std::int64_t>(
            Kokkos::pow(1e-6 + static_cast<double>(bits >> 40) / (1 << 24), -1.2));
      case Kind::MostlyEmpty:
        return bits % 10 == 0 ? 1 + below(159) : 0;
      default:
        return whole;
    }
  }
};

/// @brief Begins of segments, none of which is behind the last element.
template <class Space>
struct FillOffsets {
  SegmentLength length;
  std::int64_t n;
  Kokkos::View<int*, Space> offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t s, std::int64_t& at, bool last) const {
    if (last) offsets(s) = static_cast<int>(at < n ? at : n);
    at += length(s);
  }
};
template <class Space>
struct CountSegments {
  std::int64_t n;
  Kokkos::View<int*, Space> offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t s, std::int64_t& count) const {
    if (offsets(s) < n) ++count;
  }
};
template <class Space>
struct FillFlags {
  Kokkos::View<int*, Space> offsets;
  Kokkos::View<bool*, Space> flags;
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    if (offsets(s) < offsets(s + 1)) flags(offsets(s)) = true;
  }
};
/// @brief The number of an element's segment among those that are not empty.
template <class Space>
struct FillKeys {
  Kokkos::View<bool*, Space> flags;
  Kokkos::View<int*, Space> keys;
  KOKKOS_FUNCTION void operator()(std::int64_t j, int& key, bool last) const {
    key += flags(j) ? 1 : 0;
    if (last) keys(j) = key;
  }
};

/// @brief The segments of n elements.
template <class Exec>
struct SegmentArrays {
  using Space = typename Exec::memory_space;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::View<int*, Space> offsets, keys;
  Kokkos::View<bool*, Space> flags;
  std::int64_t segments = 0;

  SegmentArrays(const SegmentShape& shape, std::int64_t n) {
    const Exec exec;
    const SegmentLength length(shape, n);
    Kokkos::View<int*, Space> begins;
    std::int64_t count = n / std::max<std::int64_t>(shape.mean, 4) + 1000;
    for (std::int64_t end = 0; end < n; count *= 2) {
      begins = Kokkos::View<int*, Space>("begins", static_cast<std::size_t>(count));
      Kokkos::parallel_scan("offsets", Range(exec, 0, count), FillOffsets<Space>{length, n, begins},
                            end);
    }
    Kokkos::parallel_reduce("segments", Range(exec, 0, begins.extent(0)),
                            CountSegments<Space>{n, begins}, segments);
    // Of those behind the last element the first one ends the last segment; there is one, since all
    // of these have a length.
    offsets = Kokkos::View<int*, Space>("offsets", static_cast<std::size_t>(segments) + 1);
    Kokkos::deep_copy(exec, offsets, static_cast<int>(n));
    const std::pair<std::int64_t, std::int64_t> some(0, segments);
    Kokkos::deep_copy(exec, Kokkos::subview(offsets, some), Kokkos::subview(begins, some));
    keys = Kokkos::View<int*, Space>("keys", static_cast<std::size_t>(n));
    flags = Kokkos::View<bool*, Space>("flags", static_cast<std::size_t>(n));
    Kokkos::parallel_for("flags", Range(exec, 0, segments), FillFlags<Space>{offsets, flags});
    Kokkos::parallel_scan("keys", Range(exec, 0, n), FillKeys<Space>{flags, keys});
    exec.fence();
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
