// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_RUNCOUNTS_HPP
#define WAVESCAN_IMPL_SEGMENTED_RUNCOUNTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>

/// @file
/// @brief Numbers of segments. A *run* is a segment that is not empty, or the elements between two
/// segments that do not touch: what lies between neighbouring heads.

namespace wavescan::Impl {

/// @brief Numbers of the runs that elements belong to.
struct RunCounts {
  static constexpr Index chunk_words = 16;
  static constexpr Index chunk = chunk_words * word_bits;  ///< elements
  const BitWord* words = nullptr;
  const Index* before = nullptr;  ///< heads before each chunk

  static Index chunks(Index elements) { return elements / chunk + 1; }

  /// @brief The number of heads before element j, which may be the place behind the last one.
  KOKKOS_FUNCTION Index heads_before(Index j) const {
    Index count = before[j / chunk];
    const Index last = j / word_bits;
    for (Index w = j / chunk * chunk_words; w < last; ++w) count += count_bits(words[w]);
    const int rest = static_cast<int>(j % word_bits);
    return rest == 0 ? count : count + count_bits(words[last] & bits_between(0, rest));
  }
  /// @brief The run of an element.
  KOKKOS_FUNCTION Index run_of(Index j) const { return heads_before(j + 1) - 1; }
};

/// @brief The segments that runs are.
struct SegmentOfRun {
  const Index* list = nullptr;      ///< -1 for runs between segments
  const BitWord* in_use = nullptr;  ///< 0 if run s is segment s for all s
  Index skipped = 0;                ///< runs before segment 0, where there is no list
  KOKKOS_FUNCTION Index operator()(Index run) const {
    return list && *in_use != 0 ? list[run] : run - skipped;
  }
};

/// @brief A target that keeps the last result of every segment: of inclusive scans forwards, the
/// segments' sums.
template <class T>
struct TailTarget {
  const BitWord* heads;
  RunCounts counts;
  SegmentOfRun segment;
  Lines<T> sums;
  Index size;  ///< of `sums`

  KOKKOS_FUNCTION bool is_tail(Index j) const { return Heads{heads}(j + 1); }
  KOKKOS_FUNCTION void put(Index run, const T& sum) const {
    const Index s = segment(run);
    if (s >= 0 && s < size) sums(0, s) = sum;
  }

  struct Place {
    const TailTarget& target;
    Index j;
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const T& sum) const {
      if (target.is_tail(j)) target.put(target.counts.run_of(j), sum);
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index, Index j) const { return {*this, j}; }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<TailTarget> from(Index line, Index first) const {
    return {*this, line, first};
  }
};
template <class T>
KOKKOS_FUNCTION const void* memory_of(const TailTarget<T>&) {
  return nullptr;
}
template <class T>
bool are_adjacent(const TailTarget<T>&) {
  return false;
}
template <class Target>
inline constexpr bool keeps_tails = false;
template <class T>
inline constexpr bool keeps_tails<TailTarget<T>> = true;

/// @brief A target that leaves alone what is in no segment.
template <class Target>
struct MaskedTarget {
  Target target;
  Heads inside;  ///< bits of elements that are in segments, in the scan's direction

  struct Place {
    const MaskedTarget& masked;
    Index line, j;
    template <class Value>
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const Value& value) const {
      if (masked.inside(j)) masked.target(line, j) = value;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index line, Index j) const {
    return {*this, line, j};
  }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<MaskedTarget> from(Index line, Index first) const {
    return {*this, line, first};
  }
};
template <class Target>
KOKKOS_FUNCTION const void* memory_of(const MaskedTarget<Target>& masked) {
  return memory_of(masked.target);
}
template <class Target>
bool are_adjacent(const MaskedTarget<Target>& masked) {
  return are_adjacent(masked.target);
}

}  // namespace wavescan::Impl

#endif
