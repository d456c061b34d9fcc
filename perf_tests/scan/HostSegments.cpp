// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <numeric>
#include <support/WaveScanPerf_Segments.hpp>

// Scans and reductions of segments on the host by others: the standard library for each segment, on
// one thread and in a loop of Kokkos, and teams of Kokkos; and a copy.

namespace host_segments_benchmarks {
namespace {

using namespace wavescan::Perf;
using Host = Kokkos::DefaultHostExecutionSpace;

/// @brief What a segment's scan or reduction needs.
struct SegmentedSums {
  Kokkos::View<int*, Host::memory_space> offsets;
  Kokkos::View<float*, Host::memory_space> x, y;
  std::int64_t begin(std::int64_t s) const { return offsets(s); }
  std::int64_t end(std::int64_t s) const { return offsets(s + 1); }

  void scan(std::int64_t s) const {
    std::inclusive_scan(x.data() + begin(s), x.data() + end(s), y.data() + begin(s));
  }
  void reduce(std::int64_t s) const { y(s) = std::reduce(x.data() + begin(s), x.data() + end(s)); }
  void scan(const Kokkos::TeamPolicy<Host>::member_type& team) const {
    const std::int64_t s = team.league_rank();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, begin(s), end(s)),
                          [&](std::int64_t j, float& sum, bool last) {
                            sum += x(j);
                            if (last) y(j) = sum;
                          });
  }
  void reduce(const Kokkos::TeamPolicy<Host>::member_type& team) const {
    const std::int64_t s = team.league_rank();
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, begin(s), end(s)),
        [&](std::int64_t j, float& own) { own += x(j); }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { y(s) = sum; });
  }
};

/// @param run run(SegmentedSums, number of segments)
template <class Run>
void add(const char* problem, const char* program, std::int64_t bytes, std::int64_t offsets_bytes,
         const Run& run) {
  add_segments<Host>(problem, program, bytes, offsets_bytes,
                     [=](const Host& host, std::int64_t n, const auto& arrays) -> Work {
                       const SegmentedSums sums{arrays.offsets, random_array<float>(host, n),
                                                random_array<float>(host, n)};
                       const std::int64_t segments = arrays.segments;
                       return {[=] {
                                 run(sums, segments);
                                 benchmark::ClobberMemory();
                               },
                               [=] { return last_of(sums.y); }};
                     });
}

using Range = Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>;

/// @param call call(SegmentedSums, segment or team)
template <class Call>
void add_all(const char* problem, std::int64_t bytes, std::int64_t offsets_bytes,
             const Call& call) {
  add(problem, "std", bytes, offsets_bytes, [=](const SegmentedSums& sums, std::int64_t segments) {
    for (std::int64_t s = 0; s < segments; ++s) call(sums, s);
  });
  add(problem, "kokkos_range", bytes, offsets_bytes,
      [=](const SegmentedSums& sums, std::int64_t segments) {
        Kokkos::parallel_for("segments", Range(0, segments),
                             [=](std::int64_t s) { call(sums, s); });
      });
  add(problem, "kokkos_team", bytes, offsets_bytes,
      [=](const SegmentedSums& sums, std::int64_t segments) {
        Kokkos::parallel_for(
            "segments", Kokkos::TeamPolicy<Host>(static_cast<int>(segments), 1),
            [=](const Kokkos::TeamPolicy<Host>::member_type& team) { call(sums, team); });
      });
}

[[maybe_unused]] const bool registered = [] {
  add_all("segmented_sum<float>", 8, 4,
          [](const SegmentedSums& sums, const auto& of) { sums.scan(of); });
  add_all("segmented_reduce<float>", 4, 8,
          [](const SegmentedSums& sums, const auto& of) { sums.reduce(of); });
  add("segmented_sum<float>", "copy", 8, 0, [](const SegmentedSums& sums, std::int64_t) {
    Kokkos::parallel_for("copy", Range(0, static_cast<std::int64_t>(sums.x.extent(0))),
                         [=](std::int64_t j) { sums.y(j) = sums.x(j); });
  });
  return true;
}();

}  // namespace
}  // namespace host_segments_benchmarks
