// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANESTATE_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANESTATE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

/// @file
/// @brief The state of a thread's lanes on their way along strips of rows, whether these belong to
/// one matrix or to one each, and how the best entry is found again.

namespace wavescan::Impl {

/// @brief The state from which blocks of a lane started: enough to find an entry again.
struct LaneSnapshot {
  Index score = 0;
  Index first_row = 0, first_column = 0;  ///< column: of the block, may be negative
  int rows = 0, columns = 0;
  Index corner = 0;
  std::vector<Index> left_h, left_f, above_h, above_e;  ///< true values

  /// @brief The first entry in the block that has the score.
  BestEntry find(const LetterScores& scoring, const CodeSequence& a, const CodeSequence& b) const {
    BestEntry found{score, a.length, b.length};
    const ScoreBounds& costs = scoring.costs;
    std::vector<Index> h = left_h, f = left_f;
    Index corner_h = corner;
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      Index diagonal = corner_h, up = above_h[at], e = above_e[at];
      corner_h = up;
      const Index j = first_column + c;
      const bool inside = j >= 0 && j < b.length;
      for (int r = 0; r < rows; ++r) {
        const Index i = first_row + r;
        if (i >= a.length) break;
        const auto k = static_cast<std::size_t>(r);
        e = std::max(e - costs.extend, up - costs.open);
        f[k] = std::max(f[k] - costs.extend, h[k] - costs.open);
        const Index score_here = inside ? scoring.score(a[i], b[j]) : scoring.padding;
        const Index value = std::max({diagonal + score_here, e, f[k], Index(0)});
        diagonal = h[k];
        h[k] = up = value;
        if (inside && value == score && BestEntry{score, i, j}.precedes(found))
          found = {score, i, j};
      }
    }
    return found;
  }
};

/// @brief The best entry so far. Where in its block it lies is found when that matters.
struct LaneBest {
  BestEntry entry;
  bool is_resolved = true;
  LaneSnapshot snapshot;

  void resolve(const LetterScores& scoring, const CodeSequence& a, const CodeSequence& b) {
    if (!is_resolved) entry = snapshot.find(scoring, a, b);
    is_resolved = true;
  }
  /// @brief Sees a block whose best entry has the same score.
  void see_equal(const LaneSnapshot& other, const LetterScores& scoring, const CodeSequence& a,
                 const CodeSequence& b) {
    resolve(scoring, a, b);
    const BestEntry found = other.find(scoring, a, b);
    if (found.precedes(entry)) entry = found;
  }
  /// @brief Takes the snapshot's score, which is larger.
  void replace() {
    entry.score = snapshot.score;
    is_resolved = false;
  }
};

/// @brief A thread's lanes, each with a strip of rows: the block that is computed next, and the
/// memory of all that it works on.
struct LaneState : LaneBlock {
  ScoreBounds costs;
  ScoreSource source;
  LaneNumbers corner_before;

  /// @param blocks that take_block gives out besides
  LaneState(const LaneLoops& lane_loops, const LetterScores& scoring, const LaneShape& shape,
            int blocks = 0)
      : costs(scoring.costs),
        source(score_source(lane_loops, scoring)),
        loops_(lane_loops),
        block_size_(Index(lane_loops.lanes) * shape.columns) {
    lanes = loops_.lanes;
    rows = shape.rows;
    open = costs.open;
    extend = costs.extend;
    match = scoring.match + open;
    mismatch = scoring.mismatch + open;
    reference = shape.reference;
    center = shape.center;
    affine = loops_.computes_gaps(costs.affine());
    const int bytes = loops_.entry_bytes;
    const Index strip = Index(lanes) * rows,
                size = 5 * strip + (10 + 16) * lanes + (2 + blocks) * block_size_;
    memory_.reserve(size * bytes + (19 + blocks) * LaneMemory::alignment);
    for (LaneNumbers* part : {&h, &f, &from_h, &from_f, &a}) *part = memory_.take(strip, bytes);
    for (LaneNumbers* part : {&corner, &corner_before, &bottom_h, &bottom_e, &base_low, &floor,
                              &best, &threshold, &scores_by_bits})
      *part = memory_.take(lanes, bytes);
    for (LaneNumbers* part : {&base, &base_threshold})
      *part = memory_.take(lanes, base_bytes(bytes));
    for (LaneNumbers* part : {&seen_h, &seen_e}) *part = take_block();
    a.fill(strip, 0);
    for (int l = 0; l < lanes; ++l) scores_by_bits.set(l, l % 16 == 0 ? match : mismatch);
  }
  LaneNumbers take_block() { return memory_.take(block_size_, loops_.entry_bytes); }

  Index base_of(int lane) const { return base[place(lane)]; }
  void set_base(int lane, Index value) const { base.set(place(lane), value); }
  /// @brief Sets the threshold: only larger entries are of interest; what lies beyond all entries
  /// becomes some such value.
  void set_threshold(int lane, Index value) const {
    base_threshold.set(place(lane), counted(value));
  }
  /// @brief A value as bases count it.
  Index counted(Index value) const {
    const Index beyond = loops_.entry_bytes == 4 ? Index(1) << 62 : Index(1) << 30;
    return std::clamp(value, -beyond, beyond);
  }

  /// @brief Moves the lanes' bases to where the block begins, from where it is then computed.
  void move_bases() const {
    loops_.move_bases(*this);
    corner_before.copy(corner, lanes);
  }
  /// @brief Computes the block; returns whether some entry is larger than its lane's threshold.
  bool run() const { return loops_.runs[affine ? 1 : 0][static_cast<int>(source)](*this); }

  /// @brief Calls use(lane) for the first lanes that have an entry of interest.
  template <class Use>
  void for_each_found(int count, const Use& use) const {
    best.visit([&](const auto* entries) {
      const auto* const limits = threshold.as<std::remove_reference_t<decltype(*entries)>>();
      for (int l = 0; l < count; ++l)
        if (entries[l] > limits[l]) use(l);
    });
  }

  /// @brief Keeps what the last block of a lane started from, whose base has that true value.
  void take(LaneSnapshot& snapshot, int lane, Index base_value) const {
    const auto copy = [&](std::vector<Index>& to, const LaneNumbers& from, int count,
                          Index offset) {
      to.resize(static_cast<std::size_t>(count));
      from.visit([&, stride = lanes, added = base_value + offset](const auto* entries) {
        Index* const values = to.data();
        for (int k = 0; k < count; ++k) values[k] = added + entries[k * stride + lane];
      });
    };
    snapshot.rows = rows;
    snapshot.columns = columns;
    snapshot.corner = base_value + corner_before[lane] + open;
    copy(snapshot.left_h, from_h, rows, open);
    copy(snapshot.above_h, seen_h, columns, open);
    // Without affine gaps, what only opens gaps is as good as what goes on with them.
    copy(snapshot.left_f, affine ? from_f : from_h, rows, 0);
    copy(snapshot.above_e, affine ? seen_e : seen_h, columns, 0);
  }

 private:
  Index place(int lane) const { return base_place(loops_.entry_bytes, lane, lanes); }

  LaneLoops loops_;
  LaneMemory memory_;
  Index block_size_;
};

}  // namespace wavescan::Impl

#endif
