// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTRUNS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTRUNS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_HostSegments.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>

#include <algorithm>
#include <concepts>

/// @file
/// @brief Any recurrence, several at a time: a processor works on independent chains of operations
/// at once, so that it need not wait for the end of each operation.

namespace wavescan::Impl {

/// @brief Consecutive runs of one line, each of `length` elements.
template <class Recurrence, class In>
class HostRuns {
  using value_type = typename Recurrence::value_type;

 public:
  static constexpr int runs = 6;  ///< so that their addresses fit in registers
  using segments_type = HostSegments<Recurrence, runs>;
  static constexpr Index step = 1;  ///< runs are as long as a multiple of this
  /// Neighbouring runs begin an odd number of these apart, a cache line.
  static constexpr Index unit =
      std::max<Index>(host_cache_line / static_cast<Index>(sizeof(value_type)), 1);
  /// Whether a reduction more is worth it where a piece could as well be scanned in order: it is if
  /// operations take long but many can be under way.
  static constexpr bool gains_without_vectors = std::floating_point<value_type>;

  HostRuns(const ScanProblem<Recurrence, In>& problem, Index line, Index begin, Index length)
      : problem_(problem), line_(line), begin_(begin), length_(length) {}

  void reduce(segments_type& segments) const {
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
      for (int k = 0; k < runs; ++k) s.commit(k, r, line_, place(k, first), j - first);
      s.all_are_committed();
    }
    WAVESCAN_UNROLL_RUNS
    for (int k = 0; k < runs; ++k) s.finish(k, r, length_);
    segments = s;
  }

  /// @brief Whether `scan` can store results there.
  template <class Target>
  static bool writes_to(const Target&) {
    return true;
  }

  /// @brief Scans elements [begin, end) of all runs; element j of run k goes to target(k, j).
  template <class Target>
  void scan(Index begin, Index end, value_type* states, const Target& target) const {
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

 private:
  Index place(int run, Index j) const { return begin_ + run * length_ + j; }

  const ScanProblem<Recurrence, In>& problem_;
  Index line_, begin_, length_;
};

}  // namespace wavescan::Impl

#endif
