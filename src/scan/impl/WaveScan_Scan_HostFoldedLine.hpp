// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTFOLDEDLINE_HPP
#define WAVESCAN_IMPL_SCAN_HOSTFOLDEDLINE_HPP

#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Scan_Recurrence.hpp>

#include <algorithm>
#include <concepts>
#include <limits>

/// @file
/// @brief Any recurrence, several at a time: a processor works on independent chains of operations
/// at once, so that it need not wait for the end of each operation.

#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#define WAVESCAN_UNROLL_RUNS _Pragma("GCC unroll 8")
#elif defined(__clang__)
#define WAVESCAN_UNROLL_RUNS _Pragma("unroll")
#else
#define WAVESCAN_UNROLL_RUNS
#endif

namespace wavescan::Impl {

/// @brief Whether all elements of a recurrence have one weight, so that a segment's weight is the
/// power of its length.
template <class Recurrence>
inline constexpr bool has_weight_powers = false;
template <class A, class W>
inline constexpr bool has_weight_powers<WeightedRecurrence<A, ConstantWeight<W>>> =
    !is_same_operator<A>;

/// @brief Puts element j of a line at the end of a segment. Powers of one weight are left to
/// finish_segment.
template <class Recurrence, class In>
void append(typename Recurrence::segment_type& segment, const Recurrence& recurrence, const In& in,
            Index line, Index j) {
  using value_type = typename Recurrence::value_type;
  if constexpr (has_weight_powers<Recurrence>)
    segment.value =
        recurrence.advance(segment.value, static_cast<value_type>(in(line, j)), line, j);
  else
    segment = recurrence.join(segment, recurrence.reduce(in, line, j, j + 1));
}

/// @brief Makes zero of a product of weights that is about to underflow, since processors are slow
/// with the numbers between: what it would hand on vanishes a few elements later.
template <class Segment>
void drop_underflow(Segment&) {}
template <std::floating_point T>
void drop_underflow(WeightedSegment<PlusTimes<T>>& segment) {
  constexpr T smallest = std::numeric_limits<T>::min();
  const T w = segment.weight;
  if (w < smallest && w > -smallest) segment.weight = T(0);
}

/// @brief To be called after the last of the `length` elements of a segment.
template <class Recurrence>
void finish_segment([[maybe_unused]] typename Recurrence::segment_type& segment,
                    [[maybe_unused]] const Recurrence& recurrence, [[maybe_unused]] Index length) {
  if constexpr (has_weight_powers<Recurrence>)
    segment.weight = recurrence.algebra.power(recurrence.weight.value, length);
}

/// @brief Hides from the compiler where a value comes from. Else it may see vectors in the values
/// of several runs, and gather them from memory at a cost far beyond the gain.
template <class T>
void keep_scalar([[maybe_unused]] T& value) {
#if defined(__GNUC__) && defined(__x86_64__)
  if constexpr (std::integral<T> && sizeof(T) <= 8)
    asm("" : "+r"(value));
  else if constexpr (std::floating_point<T> && sizeof(T) <= 8)
    asm("" : "+x"(value));
#elif defined(__GNUC__) && defined(__aarch64__)
  if constexpr (std::integral<T> && sizeof(T) <= 8)
    asm("" : "+r"(value));
  else if constexpr (std::floating_point<T> && sizeof(T) <= 8)
    asm("" : "+w"(value));
#endif
}
template <class A>
void keep_scalar(WeightedSegment<A>& segment) {
  keep_scalar(segment.weight);
  keep_scalar(segment.value);
}

/// @brief A piece of one line, folded into runs of equal length that are scanned at the same time.
///
/// The runs are reduced first, to know what enters each of them.
template <class Recurrence, class In>
class HostFoldedLine {
  using value_type = typename Recurrence::value_type;
  using segment_type = typename Recurrence::segment_type;
  using tile_type = HostTile<value_type>;

 public:
  static constexpr bool always_reduced = true;
  /// Whether a reduction more is worth it where a piece could as well be scanned in order: it is if
  /// operations take long but many can be under way.
  static constexpr bool pays_alone = std::floating_point<value_type>;

  HostFoldedLine(const ScanProblem<Recurrence, In>& problem, Index line, Index begin, Index end,
                 bool streaming)
      : problem_(problem),
        line_(line),
        begin_(begin),
        end_(end),
        length_(run_length(end - begin)),
        streaming_(streaming) {}

  void reduce() {
    if (length_ == 0) return;
    const Recurrence& r = problem_.recurrence;
    segment_type s[runs];
    for (int k = 0; k < runs; ++k) s[k] = r.reduce(problem_.in, line_, place(k, 0), place(k, 1));
    for (Index j = 1; j < length_;) {
      for (const Index some = std::min(j + 8, length_); j < some; ++j) {
        WAVESCAN_UNROLL_RUNS
        for (int k = 0; k < runs; ++k) append(s[k], r, problem_.in, line_, place(k, j));
      }
      for (segment_type& segment : s) drop_underflow(segment);
    }
    for (int k = 0; k < runs; ++k) {
      keep_scalar(s[k]);
      finish_segment(s[k], r, length_);
      segments_[k] = s[k];
    }
  }

  /// @brief The state after the piece, which `*state` enters; after reduce().
  void leave(const value_type* state, value_type* leaving) const {
    value_type s = *state;
    if (length_ > 0)
      for (const segment_type& segment : segments_) s = problem_.recurrence.leave(s, segment);
    if (rest() < end_)
      s = problem_.recurrence.leave(s,
                                    problem_.recurrence.reduce(problem_.in, line_, rest(), end_));
    *leaving = s;
  }

  /// @brief Scans the piece after reduce() and turns the state before it into the one after it.
  void scan(value_type* state) const {
    if (length_ > 0) {
      value_type states[runs];
      for (int k = 0; k < runs; ++k) {
        states[k] = *state;
        *state = problem_.recurrence.leave(*state, segments_[k]);
      }
      scan_runs(states);
      *state = states[runs - 1];
    }
    *state = problem_.scan_serially({*state, true}, line_, rest(), end_).value;
  }

 private:
  static constexpr int runs = 6;  ///< so that their addresses fit in registers
  /// A piece must have so many elements to be worth folding.
  static constexpr Index worthwhile = 256;

  /// @brief An odd number of cache lines, so that the runs do not all want the same places in the
  /// first-level cache.
  static Index run_length(Index elements) {
    if (elements < worthwhile) return 0;
    constexpr Index line =
        std::max<Index>(host_cache_line / static_cast<Index>(sizeof(value_type)), 1);
    const Index lines = elements / runs / line;
    return lines < 16 ? elements / runs : (lines - 1 + lines % 2) * line;
  }

  Index place(int run, Index j) const { return begin_ + run * length_ + j; }
  /// @brief The elements that remain after the last run.
  Index rest() const { return place(runs, 0); }

  void scan_runs(value_type* states) const {
    const Lines<value_type>& out = problem_.out;
    const Lines<value_type> output{&out(line_, begin_), length_ * out.stride, out.stride};
    if (!streaming_) return scan_runs(0, length_, states, output);
    tile_type tile;
    constexpr Index piece = tile_type::elements / runs;
    for (Index first = 0; first < length_; first += piece) {
      const Index n = std::min(piece, length_ - first);
      scan_runs(first, first + n, states, {tile.data() - first, n, 1});
      tile_type::store_lines(tile.data(), output, 0, runs, first, n, true);
    }
  }

  /// @brief Scans elements [begin, end) of all runs; element j of run k goes to target(k, j).
  void scan_runs(Index begin, Index end, value_type* states,
                 const Lines<value_type>& target) const {
    value_type s[runs];
    for (int k = 0; k < runs; ++k) s[k] = states[k];
    const bool inclusive = problem_.kind == ScanKind::Inclusive;
    for (Index j = begin; j < end; ++j) {
      value_type next[runs];
      WAVESCAN_UNROLL_RUNS
      for (int k = 0; k < runs; ++k)
        next[k] = problem_.recurrence.advance(s[k], problem_.input(line_, place(k, j)), line_,
                                              place(k, j));
      WAVESCAN_UNROLL_RUNS
      for (int k = 0; k < runs; ++k) {
        target(k, j) = inclusive ? next[k] : s[k];
        s[k] = next[k];
      }
    }
    for (int k = 0; k < runs; ++k) {
      keep_scalar(s[k]);
      states[k] = s[k];
    }
  }

  const ScanProblem<Recurrence, In>& problem_;
  Index line_, begin_, end_;
  Index length_;  ///< of a run
  bool streaming_;
  segment_type segments_[runs];
};

}  // namespace wavescan::Impl

#endif
