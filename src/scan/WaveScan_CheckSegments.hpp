// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_CHECKSEGMENTS_HPP
#define WAVESCAN_CHECKSEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/segmented/WaveScan_MakeHeads.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>

#include <cstdint>
#include <string>

/// @file
/// @brief Finds out whether offsets are what segmented scans and reductions take them for.

namespace wavescan {

namespace Impl {

/// @brief Defects of a segment.
enum class SegmentFault { None, BeginsBelow, EndsBeforeIt, EndsBehind, Overlaps };

struct FindSegmentFault {
  SegmentRanges segments;
  Index length;
  static constexpr Index faults = 8;  ///< room for their numbers

  KOKKOS_FUNCTION SegmentFault fault_of(Index s) const {
    const Index from = segments.begins(s), to = segments.ends(s);
    // Offsets that touch cover everything; those apart may leave some out.
    if (from < 0 || (!segments.apart && s == 0 && from != 0)) return SegmentFault::BeginsBelow;
    if (to < from) return SegmentFault::EndsBeforeIt;
    const bool last = s == segments.begins.size - 1;
    if (to > length || (!segments.apart && last && to != length)) return SegmentFault::EndsBehind;
    if (!last && segments.begins(s + 1) < to) return SegmentFault::Overlaps;
    return SegmentFault::None;
  }
  KOKKOS_FUNCTION void operator()(const Index s, Index& first) const {
    const SegmentFault fault = fault_of(s);
    if (fault == SegmentFault::None) return;
    const Index found = s * faults + static_cast<Index>(fault);
    if (found < first) first = found;
  }
};

}  // namespace Impl

/// @brief Throws unless segments that are told by offsets are as they must be for an array of so
/// many elements: offsets begin with 0, do not fall and end with the number of elements; begins and
/// ends apart are within the array, and each segment ends before the next one begins.
///
/// Reads all offsets once, on the device, and waits for the result: scans and reductions do not,
/// and give wrong results where offsets are wrong.
///
/// @param exec     execution space instance
/// @param segments of segment_offsets; flags and keys cannot be wrong
/// @param elements of the array
/// @throws std::invalid_argument that names the first segment which is wrong
template <ExecutionSpace Exec, Segments S>
void check_segments(const Exec& exec, const S& segments, std::int64_t elements) {
  const Impl::Calling calling("check_segments");
  Impl::require_segments<Exec>("check_segments", segments, elements);
  if constexpr (Impl::are_numbered<S>) {
    Impl::FindSegmentFault find{Impl::ranges_of(segments), elements};
    // One offset alone is the begin and the end of nothing.
    if (Impl::is_offset_segments<S> && find.segments.begins.size == 0) {
      find.segments.begins.size = 1;
      find.segments.ends = find.segments.begins;
    }
    const char* const begins = Impl::is_offset_segments<S> ? "offsets" : "begins";
    const char* const ends = Impl::is_offset_segments<S> ? "offsets" : "ends";
    const std::int64_t count = find.segments.begins.size;
    constexpr std::int64_t none = Kokkos::reduction_identity<std::int64_t>::min();
    std::int64_t first = none;
    Kokkos::parallel_reduce(
        "WaveScan::check_segments",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), find,
        Kokkos::Min<std::int64_t>(first));
    exec.fence("WaveScan::check_segments: the first fault");
    if (first == none) return;
    const std::string where = " at segment " + std::to_string(first / find.faults);
    switch (static_cast<Impl::SegmentFault>(first % find.faults)) {
      case Impl::SegmentFault::BeginsBelow:
        Impl::reject("check_segments", begins,
                     find.segments.apart ? "must not be negative" : "must begin with 0",
                     "another begin" + where);
      case Impl::SegmentFault::EndsBeforeIt:
        Impl::reject("check_segments", ends, "must not be below the segment's begin",
                     "a smaller one" + where);
      case Impl::SegmentFault::EndsBehind:
        Impl::reject("check_segments", ends,
                     (find.segments.apart ? "must not exceed the number of elements, "
                                          : "must end with the number of elements, ") +
                         std::to_string(elements),
                     "another end" + where);
      default:
        Impl::reject("check_segments", ends, "must not exceed the next segment's begin",
                     "an overlap" + where);
    }
  }
}
template <Segments S>
void check_segments(const S& segments, std::int64_t elements) {
  check_segments(Kokkos::DefaultExecutionSpace(), segments, elements);
}

}  // namespace wavescan

#endif
