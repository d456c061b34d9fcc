// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTFOLDEDLINE_HPP
#define WAVESCAN_IMPL_SCAN_HOSTFOLDEDLINE_HPP

#include <impl/WaveScan_Scan_HostSegments.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

#include <algorithm>
#include <concepts>

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

/// @brief A piece of one line, folded into runs of equal length that are scanned at the same time.
///
/// The runs are reduced first, to know what enters each of them.
template <class Recurrence, class In>
class HostFoldedLine {
  using value_type = typename Recurrence::value_type;
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
    segments_type s;
    WAVESCAN_UNROLL_RUNS
    for (int k = 0; k < runs; ++k) s.begin(k, r, problem_.in, line_, place(k, 0));
    for (Index first = 0, j = 1; j < length_; first = j) {
      for (const Index next = std::min(j + segments_type::few, length_); j < next; ++j) {
        WAVESCAN_UNROLL_RUNS
        for (int k = 0; k < runs; ++k) s.append(k, r, problem_.in, line_, place(k, j));
      }
      WAVESCAN_UNROLL_RUNS
      for (int k = 0; k < runs; ++k) s.settle(k, r, line_, place(k, first), j - first);
      s.all_are_settled();
    }
    WAVESCAN_UNROLL_RUNS
    for (int k = 0; k < runs; ++k) s.finish(k, r, length_);
    segments_ = s;
  }

  /// @brief The state after the piece, which `*state` enters; after reduce().
  void leave(const value_type* state, value_type* leaving) const {
    value_type s = *state;
    if (length_ > 0)
      for (int k = 0; k < runs; ++k) s = segments_.leave(k, problem_.recurrence, s);
    for (Index j = rest(); j < end_; ++j)
      s = problem_.recurrence.advance(s, problem_.input(line_, j), line_, j);
    *leaving = s;
  }

  /// @brief Scans the piece after reduce() and turns the state before it into the one after it.
  void scan(value_type* state) const {
    if (length_ > 0) {
      value_type states[runs];
      for (int k = 0; k < runs; ++k) {
        states[k] = *state;
        *state = segments_.leave(k, problem_.recurrence, *state);
      }
      scan_runs(states);
      *state = states[runs - 1];
    }
    *state = problem_.scan_serially({*state, true}, line_, rest(), end_).value;
  }

 private:
  static constexpr int runs = 6;  ///< so that their addresses fit in registers
  using segments_type = HostSegments<Recurrence, runs>;
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
    const auto& out = problem_.out;
    if constexpr (!target_is_lines<value_type, In>) {
      scan_runs(0, length_, states, [&](int k, Index j) { return out(line_, place(k, j)); });
    } else {
      using Output = Lines<value_type>;
      const Output output{&out(line_, begin_), length_ * out.stride, out.stride};
      if (!streaming_) return scan_runs(0, length_, states, output);
      tile_type tile;
      constexpr Index piece = tile_type::elements / runs;
      for (Index first = 0; first < length_; first += piece) {
        const Index n = std::min(piece, length_ - first);
        scan_runs(first, first + n, states, Output{tile.data() - first, n, 1});
        tile_type::store_lines(tile.data(), output, 0, runs, first, n, true);
      }
    }
  }

  /// @brief Scans elements [begin, end) of all runs; element j of run k goes to target(k, j).
  template <class Target>
  void scan_runs(Index begin, Index end, value_type* states, const Target& target) const {
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
  segments_type segments_;
};

}  // namespace wavescan::Impl

#endif
