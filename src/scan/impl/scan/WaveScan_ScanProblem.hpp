// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SCANPROBLEM_HPP
#define WAVESCAN_IMPL_SCAN_SCANPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>

namespace wavescan::Impl {

/// @brief Whether y_j contains x_j (inclusive) or stops before it (exclusive).
enum class ScanKind { Inclusive, Exclusive };

/// @brief A state that may be missing, as before the first element of a scan without carry.
template <class T>
struct State {
  T value;
  bool present;
};

/// @brief The states that enter the lines: none, one for all, or one each.
template <class T>
struct CarryIn {
  State<T> common;
  Lines<const T> each{};
  KOKKOS_FUNCTION bool present() const { return each.data || common.present; }
  KOKKOS_FUNCTION State<T> operator()(Index line) const {
    return each.data ? State<T>{each(line, 0), true} : common;
  }
};

/// @brief Whether states begin anew at heads, before which a recurrence says what they are.
template <class Recurrence>
inline constexpr bool is_segmented = false;

/// @brief One scan, or one bundle of independent scans: what every way of doing it is given.
/// @tparam In type of the input's elements in memory, or Through a source and a target
template <class Recurrence, class In>
struct ScanProblem {
  using value_type = typename Recurrence::value_type;
  using segment_type = typename Recurrence::segment_type;

  Recurrence recurrence;
  ScanKind kind;
  LineExtents extents;
  typename ScanAccessors<value_type, In>::source in;
  typename ScanAccessors<value_type, In>::target out;
  CarryIn<value_type> carry_in;
  Lines<value_type> carry_out;  ///< without data if nobody asked

  KOKKOS_FORCEINLINE_FUNCTION value_type input(Index line, Index j) const {
    return static_cast<value_type>(in(line, j));
  }

  /// @brief Whether each result takes the place of its element.
  bool in_place() const { return memory_of(in) == memory_of(out); }
  /// @brief Whether neighbouring lines are neighbours in memory, but for weights.
  bool accessors_are_adjacent() const { return are_adjacent(in) && are_adjacent(out); }

  /// @brief The state before element j, where s is the one after the element before.
  KOKKOS_FORCEINLINE_FUNCTION value_type before(const value_type& s, Index line, Index j) const {
    if constexpr (is_segmented<Recurrence>)
      return recurrence.before(s, line, j);
    else
      return s;
  }

  /// @brief One step of the recurrence at element j: writes y_j and returns the next state.
  KOKKOS_FORCEINLINE_FUNCTION State<value_type> step(const State<value_type>& s, Index line,
                                                     Index j) const {
    const value_type x = input(line, j);  // before the output, which may be in the same place
    const value_type next = s.present ? recurrence.advance(s.value, x, line, j) : x;
    if (kind == ScanKind::Inclusive)
      out(line, j) = next;
    else
      out(line, j) = s.present ? before(s.value, line, j) : recurrence.identity();
    return {next, true};
  }

  /// @brief Scans elements [begin, end) of a line in order and returns the state after them.
  KOKKOS_FUNCTION State<value_type> scan_serially(State<value_type> s, Index line, Index begin,
                                                  Index end) const {
    if (begin == end) return s;
    s = step(s, line, begin);
    value_type state = s.value;
    if (kind == ScanKind::Inclusive)
      for (Index j = begin + 1; j < end; ++j) {
        state = recurrence.advance(state, input(line, j), line, j);
        out(line, j) = state;
      }
    else
      for (Index j = begin + 1; j < end; ++j) {
        const value_type next = recurrence.advance(state, input(line, j), line, j);
        out(line, j) = before(state, line, j);
        state = next;
      }
    return {state, true};
  }

  /// @brief Hands out the state after a whole line, or the identity after an empty one.
  KOKKOS_FUNCTION void finish(const State<value_type>& s, Index line) const {
    if (carry_out.data) carry_out(line, 0) = s.present ? s.value : recurrence.identity();
  }
};

}  // namespace wavescan::Impl

#endif
