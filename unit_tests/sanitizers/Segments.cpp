// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

template <class T>
using Array = Kokkos::View<T*, Exec>;

/// @brief Segments of 0 to 12 elements and, now and then, of `longest`, by offsets, flags and keys.
struct Segments {
  Array<int> offsets, keys;
  Array<bool> flags;

  Segments(int elements, int longest)
      : keys("keys", static_cast<std::size_t>(elements)),
        flags("flags", static_cast<std::size_t>(elements)) {
    const auto of_length = [&](int s) { return s % 50 == 49 ? longest : s * 7 % 13; };
    int count = 0;
    for (int first = 0; first < elements; first += of_length(count++)) {
    }
    offsets = Array<int>("offsets", static_cast<std::size_t>(count) + 1);
    const auto offsets_h = Kokkos::create_mirror_view(offsets);
    const auto keys_h = Kokkos::create_mirror_view(keys);
    const auto flags_h = Kokkos::create_mirror_view(flags);
    for (int s = 0; s < count; ++s) {
      const int first = offsets_h(s);
      offsets_h(s + 1) = s + 1 < count ? first + of_length(s) : elements;
      for (int j = first; j < offsets_h(s + 1); ++j) keys_h(j) = s;
      if (first < elements) flags_h(first) = true;
    }
    Kokkos::deep_copy(offsets, offsets_h);
    Kokkos::deep_copy(keys, keys_h);
    Kokkos::deep_copy(flags, flags_h);
  }
};

/// @brief In registers, of one wave and of several; with bulk copies; whose totals travel.
void scan_segments(int elements, int longest) {
  const Segments s(elements, longest);
  const auto size = static_cast<std::size_t>(elements);
  const Array<float> in("in", size), out("out", size + 1), weights("weights", size);
  const auto shifted = Kokkos::subview(out, std::pair(std::size_t(1), size + 1));
  const auto rows = segment_offsets(s.offsets);
  segmented_inclusive_scan(in, rows, in);
  segmented_inclusive_scan(in, segment_heads(s.flags), shifted);
  segmented_exclusive_scan(in, segment_keys(s.keys), in, Max(), 1.F, {.reverse = true});
  segmented_weighted_scan(in, .5F, rows, in);
  segmented_weighted_scan(in, weights, rows, in, PlusTimes(),
                          Array<float>("init", s.offsets.extent(0) - 1));
  const auto segments = s.offsets.extent(0) - 1;
  const auto begins = Kokkos::subview(s.offsets, std::pair(std::size_t(0), segments)),
             ends = Kokkos::subview(s.offsets, std::pair(std::size_t(1), segments + 1));
  segmented_inclusive_scan(in, segment_offsets(begins, ends), in);

  const Array<float> sums("sums", segments);
  segmented_reduce(in, rows, sums);
  segmented_reduce(in, segment_offsets(begins, ends), sums);
  const Array<int> unique("unique", size);
  const std::int64_t found =
      reduce_by_key(s.keys, in, unique, Kokkos::subview(out, std::pair(std::size_t(0), size)));
  expect_done(found > 0 && found <= static_cast<std::int64_t>(segments), "reduce_by_key");
}

}  // namespace

void run_segments() {
  scan_segments(1000, 100);
  scan_segments(300001, 3);
  scan_segments(300000, 70000);
}

}  // namespace wavescan::Test
