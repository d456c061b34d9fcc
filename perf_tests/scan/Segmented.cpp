// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <cstdint>
#include <support/WaveScanPerf_Segments.hpp>

// WaveScan's scans and reductions of segments.

namespace segmented_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class Describe>
void add_sums(const char* problem, std::int64_t bytes, std::int64_t offsets_bytes,
              const Describe& describe) {
  add_segments(problem, "wavescan", bytes, offsets_bytes,
               [=](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
                 const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
                 const auto segments = describe(arrays);
                 return {[=] { segmented_inclusive_scan(exec, x, segments, y); },
                         [=] { return last_of(y); }};
               });
}

[[maybe_unused]] const bool registered = [] {
  const auto by_offsets = [](const auto& arrays) { return segment_offsets(arrays.offsets); };
  const auto by_flags = [](const auto& arrays) { return segment_heads(arrays.flags); };
  const auto by_keys = [](const auto& arrays) { return segment_keys(arrays.keys); };
  add_sums("segmented_sum<float>", 8, 4, by_offsets);
  add_sums("segmented_sum_by_flags<float>", 9, 0, by_flags);
  add_sums("segmented_sum_by_keys<float>", 12, 0, by_keys);
  add_segments("segmented_weights<float>", "wavescan", 12, 4,
               [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
                 const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n),
                            w = random_array<float>(exec, n, 7);
                 const auto segments = segment_offsets(arrays.offsets);
                 return {[=] { segmented_weighted_scan(exec, x, w, segments, y); },
                         [=] { return last_of(y); }};
               });
  add_segments("segmented_decay<float>", "wavescan", 8, 4,
               [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
                 const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
                 const auto segments = segment_offsets(arrays.offsets);
                 return {[=] { segmented_weighted_scan(exec, x, .5f, segments, y); },
                         [=] { return last_of(y); }};
               });
  add_segments(
      "segmented_reduce<float>", "wavescan", 4, 8,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, arrays.segments);
        const auto segments = segment_offsets(arrays.offsets);
        return {[=] { segmented_reduce(exec, x, segments, y); }, [=] { return last_of(y); }};
      });
  add_segments(
      "reduce_by_key<float>", "wavescan", 8, 8,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
        const auto unique = random_array<int>(exec, n);
        const Kokkos::View<std::int64_t, Exec> count("count");
        const auto keys = arrays.keys;
        return {[=] { reduce_by_key(exec, keys, x, unique, y, Plus(), EqualKeys(), {}, count); },
                [=] { return static_cast<double>(last_of(keys)); }};
      });
  return true;
}();

}  // namespace
}  // namespace segmented_benchmarks
