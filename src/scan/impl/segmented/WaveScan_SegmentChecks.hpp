// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_SEGMENTCHECKS_HPP
#define WAVESCAN_IMPL_SEGMENTED_SEGMENTCHECKS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <string>
#include <string_view>

/// @file
/// @brief Properties of descriptions of segments that the host sees.

namespace wavescan::Impl {

/// @brief Calls `use(name, view)` for the Views of a description.
template <class Offsets, class Use>
void for_views(const OffsetSegments<Offsets>& segments, const Use& use) {
  use("offsets", segments.offsets);
}
template <class Begins, class Ends, class Use>
void for_views(const RangeSegments<Begins, Ends>& segments, const Use& use) {
  use("begins", segments.begins);
  use("ends", segments.ends);
}
template <class Flags, class Use>
void for_views(const FlagSegments<Flags>& segments, const Use& use) {
  use("flags", segments.flags);
}
template <class Keys, class Equal, class Use>
void for_views(const KeySegments<Keys, Equal>& segments, const Use& use) {
  use("keys", segments.keys);
}

/// @brief The number of numbered segments.
template <class Offsets>
Index count_of(const OffsetSegments<Offsets>& segments) {
  return static_cast<Index>(segments.offsets.extent(0)) - 1;
}
template <class Begins, class Ends>
Index count_of(const RangeSegments<Begins, Ends>& segments) {
  return static_cast<Index>(segments.begins.extent(0));
}

/// @brief Throws unless a description fits `length` elements.
template <ExecutionSpace Exec, class S>
void require_segments(std::string_view operation, const S& segments, Index length) {
  for_views(segments, [&](std::string_view name, const auto& view) {
    static_assert(AccessibleFrom<std::remove_cvref_t<decltype(view)>, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'segments'");
    const Footprint memory(view);
    if constexpr (are_numbered<S>) {
      const Index least = is_offset_segments<S> ? 1 : 0;
      require(memory.extent[0] >= least, operation, name,
              "must have one element more than there are segments", memory.extent[0]);
    } else {
      require(
          memory.extent[0] == length, operation, name,
          [&] { return "must have " + std::to_string(length) + " elements, as 'in'"; },
          memory.extent[0]);
    }
  });
  if constexpr (is_range_segments<S>)
    require(
        segments.begins.extent(0) == segments.ends.extent(0), operation, "ends",
        [&] {
          return "must have " + std::to_string(segments.begins.extent(0)) +
                 " elements, as 'begins'";
        },
        segments.ends.extent(0));
}

/// @brief Throws unless `unique`, for the keys of runs, is memory of its own.
template <class Keys, class In, class Unique, class Out>
void require_separate_keys(std::string_view operation, const Keys& keys, const In& in,
                           const Unique& unique, const Out& out) {
  require_distinct_elements(operation, "unique", unique);
  require_disjoint(operation, "keys", keys, "unique", unique);
  require_disjoint(operation, "in", footprint_of(in), "unique", unique);
  require_disjoint(operation, "out", out, "unique", unique);
}

/// @brief Throws if an output shares memory with a description.
template <class S>
void require_disjoint_from_segments(std::string_view operation, const S& segments,
                                    std::string_view output, const Footprint& written) {
  for_views(segments, [&](std::string_view name, const auto& view) {
    require_disjoint(operation, name, view, output, written);
  });
}

}  // namespace wavescan::Impl

#endif
