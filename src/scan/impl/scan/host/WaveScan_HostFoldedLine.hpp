// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTFOLDEDLINE_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTFOLDEDLINE_HPP

#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_HostRuns.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief A piece of one line, folded into runs of equal length that are scanned at the same time.
///
/// The runs are reduced first, to know what enters each of them.
/// @tparam Runs HostRuns or HostLaneRuns: how they are reduced and scanned
template <class Recurrence, class In, class Runs>
class HostFoldedLine {
  using value_type = typename Recurrence::value_type;
  using tile_type = HostTile<value_type>;

 public:
  static constexpr bool always_reduced = true;
  /// A piece must have so many elements to be worth folding.
  static constexpr Index worthwhile = 256;

  HostFoldedLine(const ScanProblem<Recurrence, In>& problem, Index line, Index begin, Index end,
                 bool streaming)
      : problem_(problem),
        line_(line),
        begin_(begin),
        end_(end),
        length_(run_length(end - begin)),
        streaming_(streaming),
        runs_(problem, line, begin, length_) {}

  void reduce() {
    if (length_ > 0) runs_.reduce(segments_);
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
  static constexpr int runs = Runs::runs;

  /// @brief An odd number of units, so that the runs do not all want the same places in the
  /// first-level cache.
  static Index run_length(Index elements) {
    if (elements < worthwhile) return 0;
    constexpr Index step = Runs::step, unit = Runs::unit;
    const Index units = elements / runs / unit;
    return units < 16 ? elements / runs / step * step : (units - 1 + units % 2) * unit;
  }

  /// @brief The elements that remain after the last run.
  Index rest() const { return begin_ + runs * length_; }

  void scan_runs(value_type* states) const {
    const auto& out = problem_.out;
    if constexpr (!target_is_lines<value_type, In>) {
      runs_.scan(0, length_, states,
                 [&](int k, Index j) { return out(line_, begin_ + k * length_ + j); });
    } else {
      using Output = Lines<value_type>;
      const Output output{&out(line_, begin_), length_ * out.stride, out.stride};
      if (!streaming_ && Runs::writes_to(output)) return runs_.scan(0, length_, states, output);
      tile_type tile;
      constexpr Index piece = tile_type::elements / runs / Runs::step * Runs::step;
      for (Index first = 0; first < length_; first += piece) {
        const Index n = std::min(piece, length_ - first);
        runs_.scan(first, first + n, states, Output{tile.data() - first, n, 1});
        tile_type::store_lines(tile.data(), output, 0, runs, first, n, streaming_);
      }
    }
  }

  const ScanProblem<Recurrence, In>& problem_;
  Index line_, begin_, end_;
  Index length_;  ///< of a run
  bool streaming_;
  Runs runs_;
  HostSegments<Recurrence, runs> segments_;
};

}  // namespace wavescan::Impl

#endif
