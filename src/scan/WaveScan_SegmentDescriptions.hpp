// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SEGMENTDESCRIPTIONS_HPP
#define WAVESCAN_SEGMENTDESCRIPTIONS_HPP

#include <WaveScan_Concepts.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Descriptions of segments for segmented scans and reductions.

namespace wavescan {

/// @brief Segments [offsets(s), offsets(s + 1)): see segment_offsets.
template <ViewOfRank<1> Offsets>
struct OffsetSegments {
  Offsets offsets;
};

/// @brief Segments [begins(s), ends(s)): see segment_offsets.
template <ViewOfRank<1> Begins, ViewOfRank<1> Ends>
struct RangeSegments {
  Begins begins;
  Ends ends;
};

/// @brief Segments that begin where a flag is set: see segment_heads.
template <ViewOfRank<1> Flags>
struct FlagSegments {
  Flags flags;
};

/// @brief Runs of neighbouring elements with equal keys: see segment_keys.
template <ViewOfRank<1> Keys, class Equal>
struct KeySegments {
  Keys keys;
  Equal equal;
};

/// @brief Whether two keys are the same, by ==. A NaN is a segment of its own.
struct EqualKeys {
  template <class Key>
  KOKKOS_FUNCTION bool operator()(const Key& a, const Key& b) const {
    return a == b;
  }
};

namespace Impl {

template <class V>
concept OffsetView = ViewOfRank<V, 1> && std::integral<typename V::non_const_value_type> &&
    (sizeof(typename V::non_const_value_type) == 4 ||
     sizeof(typename V::non_const_value_type) == 8);

template <class S>
inline constexpr bool is_offset_segments = false;
template <class V>
inline constexpr bool is_offset_segments<OffsetSegments<V>> = true;
template <class S>
inline constexpr bool is_range_segments = false;
template <class B, class E>
inline constexpr bool is_range_segments<RangeSegments<B, E>> = true;
template <class S>
inline constexpr bool is_flag_segments = false;
template <class V>
inline constexpr bool is_flag_segments<FlagSegments<V>> = true;
template <class S>
inline constexpr bool is_key_segments = false;
template <class V, class Equal>
inline constexpr bool is_key_segments<KeySegments<V, Equal>> = true;

/// @brief Whether segments have numbers of their own, so that some may be empty.
template <class S>
inline constexpr bool are_numbered = is_offset_segments<S> || is_range_segments<S>;

}  // namespace Impl

/// @brief A description of segments: made by segment_offsets, segment_heads or segment_keys.
template <class S>
concept Segments = Impl::are_numbered<S> || Impl::is_flag_segments<S> || Impl::is_key_segments<S>;

/// @brief Describes segments by offsets: segment s consists of the elements
/// [offsets(s), offsets(s + 1)), as rows of a CSR matrix.
///
/// Offsets do not fall, the first one is 0 and the last one the number of elements; check_segments
/// finds out whether that is so. Segments may be empty.
/// @param offsets View of rank 1 of integers of 32 or 64 bits; one more than there are segments
template <Impl::OffsetView Offsets>
OffsetSegments<Offsets> segment_offsets(const Offsets& offsets) {
  return {offsets};
}

/// @brief Describes segments by begins and ends: segment s consists of the elements
/// [begins(s), ends(s)).
///
/// Segments follow each other, ends(s) <= begins(s + 1), but there may be elements before, between
/// and behind them: scans leave what `out` has there as it is.
/// @param begins, ends Views of rank 1 of integers of 32 or 64 bits, of one length
template <Impl::OffsetView Begins, Impl::OffsetView Ends>
RangeSegments<Begins, Ends> segment_offsets(const Begins& begins, const Ends& ends) {
  return {begins, ends};
}

/// @brief A segment begins at each element whose flag is not zero, and at the first element.
/// @param flags View of rank 1 of bool, bytes or other integers: one for each element
template <ViewOfRank<1> Flags>
  requires std::integral<typename Flags::non_const_value_type> FlagSegments<Flags> segment_heads(
      const Flags& flags) {
    return {flags};
  }

/// @brief Describes segments by keys: neighbouring elements whose keys are equal belong to one
/// segment.
/// @param keys  View of rank 1 of any type: one for each element
/// @param equal function of two keys, callable on the device; called for neighbours alone
template <ViewOfRank<1> Keys, class Equal = EqualKeys>
KeySegments<Keys, Equal> segment_keys(const Keys& keys, const Equal& equal = {}) {
  return {keys, equal};
}

}  // namespace wavescan

#endif
