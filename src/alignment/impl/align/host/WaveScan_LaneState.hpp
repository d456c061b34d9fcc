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
#include <limits>
#include <vector>

/// @file
/// @brief What a thread's lanes hold on their way along strips of rows, whether these belong to one
/// matrix or to one each, and how the best entry is found again.

namespace wavescan::Impl {

/// @brief What blocks of a lane started from: enough to find an entry again.
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

/// @brief A value as lanes count it; what lies beyond all of theirs becomes some such value.
template <class V>
BaseInteger<V> from_origin(Index value, Index origin) {
  constexpr Index beyond = std::numeric_limits<BaseInteger<V>>::max() / 2;
  return static_cast<BaseInteger<V>>(std::clamp(value - origin, -beyond, beyond));
}

/// @brief A thread's lanes, each with a strip of rows.
/// @tparam V integers for the entries of a block
template <class V>
struct LaneState {
  ScoreBounds costs;
  V match, mismatch;
  ScoreSource source;
  int lanes, rows;
  int reference;  ///< row whose entry is moved to `center` before a block
  V center;
  bool affine;
  V *h, *f, *from_h, *from_f, *letters_a;
  V *corner, *corner_before, *bottom_h, *bottom_e, *base_low, *floor, *best, *threshold_low;
  V *seen_h, *seen_e;
  V* scores_by_bits;
  std::vector<BaseInteger<V>> base, threshold;  ///< at base_place

  /// @param blocks that take_block gives out besides
  LaneState(const LetterScores& scoring, int lane_count, const LaneShape& shape, int blocks = 0)
      : costs(scoring.costs),
        match(static_cast<V>(scoring.match + costs.open)),
        mismatch(static_cast<V>(scoring.mismatch + costs.open)),
        source(score_source<V>(scoring)),
        lanes(lane_count),
        rows(shape.rows),
        reference(shape.reference),
        center(static_cast<V>(shape.center)),
        affine(costs.affine()),
        base(static_cast<std::size_t>(lanes)),
        threshold(base.size()),
        block_size_(base.size() * static_cast<std::size_t>(shape.columns)) {
    const std::size_t column = base.size(), strip = column * static_cast<std::size_t>(rows);
    const auto more = static_cast<std::size_t>(blocks);
    memory_.reserve((5 * strip + 9 * column + (2 + more) * block_size_) * sizeof(V) +
                    (16 + more) * LaneMemory::alignment);
    for (V** part : {&h, &f, &from_h, &from_f, &letters_a}) *part = memory_.take<V>(strip);
    for (V** part :
         {&corner, &corner_before, &bottom_h, &bottom_e, &base_low, &floor, &best, &threshold_low})
      *part = memory_.take<V>(column);
    for (V** part : {&seen_h, &seen_e}) *part = take_block();
    scores_by_bits = memory_.take<V>(column);
    for (int l = 0; l < lanes; ++l) scores_by_bits[l] = l % 16 == 0 ? match : mismatch;
  }
  V* take_block() { return memory_.take<V>(block_size_); }

  BaseInteger<V>& base_of(int lane) { return base[base_place<V>(lane, lanes)]; }
  BaseInteger<V> base_of(int lane) const { return base[base_place<V>(lane, lanes)]; }
  BaseInteger<V>& threshold_of(int lane) { return threshold[base_place<V>(lane, lanes)]; }

  /// @brief A block of so many columns; what is above it, and what it hands out, is to be added.
  LaneBlock<V> block(int columns) const {
    LaneBlock<V> block;
    block.rows = rows;
    block.columns = columns;
    block.open = static_cast<V>(costs.open);
    block.extend = static_cast<V>(costs.extend);
    block.match = match;
    block.mismatch = mismatch;
    block.scores_by_bits = scores_by_bits;
    block.a = letters_a;
    block.corner = corner;
    block.bottom_h = bottom_h;
    block.bottom_e = bottom_e;
    block.base_low = base_low;
    block.floor = floor;
    block.best = best;
    block.threshold = threshold_low;
    block.seen_h = seen_h;
    block.seen_e = seen_e;
    block.from_h = h;
    block.from_f = f;
    return block;
  }

  /// @brief Moves the lanes' bases to where the block begins, from where it is then computed.
  /// @param least value of an entry
  void move_bases(const BestLaneLoops<V>& loops, LaneBlock<V>& block, BaseInteger<V> least) {
    LaneBases<V> bases;
    bases.base = base.data();
    bases.threshold = threshold.data();
    bases.floor = least;
    bases.reference = reference;
    bases.center = center;
    loops.move_bases(block, bases, from_h, from_f, affine);
    std::copy_n(corner, lanes, corner_before);
    block.from_h = from_h;
    block.from_f = from_f;
    block.h = h;
    block.f = f;
  }

  /// @brief Keeps what the last block of a lane started from, whose base has that true value.
  void take(LaneSnapshot& snapshot, int lane, Index base_value, int columns) const {
    const auto value = [&](const V* vectors, int k) {
      return base_value + vectors[k * lanes + lane];
    };
    const auto copy = [&](std::vector<Index>& to, const V* from, int count, Index offset) {
      to.resize(static_cast<std::size_t>(count));
      for (int k = 0; k < count; ++k) to[static_cast<std::size_t>(k)] = value(from, k) + offset;
    };
    snapshot.rows = rows;
    snapshot.columns = columns;
    snapshot.corner = value(corner_before, 0) + costs.open;
    copy(snapshot.left_h, from_h, rows, costs.open);
    copy(snapshot.above_h, seen_h, columns, costs.open);
    // Without affine gaps, what only opens gaps is as good as what goes on with them.
    copy(snapshot.left_f, affine ? from_f : from_h, rows, 0);
    copy(snapshot.above_e, affine ? seen_e : seen_h, columns, 0);
  }

 private:
  LaneMemory memory_;
  std::size_t block_size_;
};

}  // namespace wavescan::Impl

#endif
