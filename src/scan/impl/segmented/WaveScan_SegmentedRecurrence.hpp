// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_SEGMENTEDRECURRENCE_HPP
#define WAVESCAN_IMPL_SEGMENTED_SEGMENTEDRECURRENCE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>

#include <cstdint>

/// @file
/// @brief Recurrences whose state begins anew at heads.
///
/// Every way to scan and to reduce takes them as any other recurrence. What is before a head is
/// dropped, not multiplied by zero: infinities and NaN stay in their segment.

namespace wavescan::Impl {

/// @brief The states that enter segments: none, one for all, or one each.
template <class T>
struct SegmentEntry {
  State<T> common;
  Lines<const T> each{};
  OffsetArray begins{};       ///< of segments, if each has a state
  Index first = 0, step = 1;  ///< of the scan's elements among those of the input
  /// Set by set_continued, where the input is a block of a longer array: `each` then is one state.
  const bool* continues = nullptr;

  /// @brief The scan's first element goes on with a segment from elsewhere.
  /// @param state of it, in memory of the device; if it is not present, a segment begins there
  void set_continued(const State<T>* state) {
    each = {&state->value, 0, 0};
    continues = &state->present;
  }

  KOKKOS_FUNCTION bool present() const { return each.data || common.present; }
  /// @brief The state that enters the segment whose first element is j.
  KOKKOS_FUNCTION State<T> operator()(Index j) const {
    if (!each.data) return common;
    if (continues) return j == 0 && *continues ? State<T>{each(0, 0), true} : common;
    const Index segment = begins.last_up_to(first + j * step);  // -1: before all segments
    return {segment < 0 ? common.value : each(segment, 0), true};
  }
};

/// @brief A run of elements: what it does to a state, unless a segment begins in it.
template <class Segment>
struct RunSegment {
  Segment inner;
  std::uint32_t has_head;  ///< then only the state matters that leaves `inner`
};

template <class R>
struct SegmentedRecurrence {
  using value_type = typename R::value_type;
  using segment_type = RunSegment<typename R::segment_type>;
  R inner;
  Heads heads;
  SegmentEntry<value_type> entry;

  KOKKOS_FUNCTION value_type identity() const { return inner.identity(); }

  /// @brief The state after x, the first element of a segment.
  KOKKOS_FUNCTION value_type begin(const value_type& x, Index line, Index j) const {
    const State<value_type> s = entry(j);
    return s.present ? inner.advance(s.value, x, line, j) : x;
  }
  /// @brief The state before the first element of a segment.
  KOKKOS_FUNCTION value_type enter(Index j) const {
    const State<value_type> s = entry(j);
    return s.present ? s.value : identity();
  }

  KOKKOS_FORCEINLINE_FUNCTION value_type advance(const value_type& s, const value_type& x,
                                                 Index line, Index j) const {
    return heads(j) ? begin(x, line, j) : inner.advance(s, x, line, j);
  }
  /// @brief The state before element j, where s is the one after the element before.
  KOKKOS_FORCEINLINE_FUNCTION value_type before(const value_type& s, Index, Index j) const {
    return heads(j) ? enter(j) : s;
  }

  template <class In>
  KOKKOS_FUNCTION segment_type reduce(const In& in, Index line, Index first, Index end) const {
    const Index head = heads.last(first, end);
    if (head < first) return {inner.reduce(in, line, first, end), 0};
    value_type s = begin(static_cast<value_type>(in(line, head)), line, head);
    for (Index j = head + 1; j < end; ++j)
      s = inner.advance(s, static_cast<value_type>(in(line, j)), line, j);
    return {after_head(inner, s), 1};
  }

  KOKKOS_FUNCTION segment_type join(const segment_type& a, const segment_type& b) const {
    if (b.has_head) return b;
    return {inner.join(a.inner, b.inner), a.has_head};
  }
  KOKKOS_FUNCTION value_type leave(const value_type& s, const segment_type& b) const {
    return b.has_head ? inner.leave(b.inner) : inner.leave(s, b.inner);
  }
  KOKKOS_FUNCTION value_type leave(const segment_type& b) const { return inner.leave(b.inner); }

  /// @brief A segment of `inner` that state s leaves, whatever enters it.
  template <class Op>
  KOKKOS_FUNCTION static value_type after_head(const PlainRecurrence<Op>&, const value_type& s) {
    return s;
  }
  template <class A, class Weight>
  KOKKOS_FUNCTION static WeightedSegment<A> after_head(const WeightedRecurrence<A, Weight>& r,
                                                       const value_type& s) {
    return {r.algebra.one(), s};
  }
};

template <class R>
inline constexpr bool is_segmented<SegmentedRecurrence<R>> = true;

}  // namespace wavescan::Impl

#endif
