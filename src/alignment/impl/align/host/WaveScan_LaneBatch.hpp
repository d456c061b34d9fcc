// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEBATCH_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PairBatch.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>
#include <impl/align/host/WaveScan_LaneState.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Local alignments of as many pairs as a register has lanes, each lane with a pair of its
/// own.
///
/// Lanes walk down their matrices by strips of rows. The last row of a strip is the row above the
/// next one, a vector for each column. Lanes whose sequences have come to an end go on with letters
/// that match nothing.

namespace wavescan::Impl {

/// @brief A thread's lanes for pairs.
template <class V>
class LaneBatch {
 public:
  /// @param query if not null, the profile of the letters of all pairs' `a`
  LaneBatch(const LetterScores& scoring, const LaneShape& shape, const BestLaneLoops<V>& loops,
            const SequenceProfile<V>* query)
      : scoring_(scoring),
        loops_(loops),
        lanes_(scoring, loops.lanes, shape),
        columns_(shape.columns),
        compares_(lanes_.source != ScoreSource::Profile),
        query_(query),
        best_(lanes_.base.size()) {
    if (!compares_) profile_.prepare(lanes_.rows, lanes_.lanes, columns_);
  }

  /// @brief Aligns up to as many pairs as lanes; `results` are theirs.
  void run(const BatchPair* pairs, Index count, AlignmentScore* results) {
    pairs_ = pairs;
    count_ = static_cast<int>(count);
    Index most_rows = 0, most_columns = 0;
    for (int l = 0; l < count_; ++l) {
      most_rows = std::max(most_rows, pairs[l].a.length);
      most_columns = std::max(most_columns, pairs[l].b.length);
    }
    prepare(most_rows, most_columns);
    for (first_row_ = 0; first_row_ < most_rows; first_row_ += lanes_.rows) {
      start();
      for (Index t = 0; t < most_columns; t += columns_) {
        const int columns = static_cast<int>(std::min<Index>(columns_, most_columns - t));
        if (run_block(t, columns)) keep_best(t, columns);
      }
    }
    for (int l = 0; l < count_; ++l) {
      Best& best = best_[static_cast<std::size_t>(l)];
      best.resolve(scoring_, pairs[l].a, pairs[l].b);
      results[pairs[l].number] = best.entry.end();
    }
  }

 private:
  struct Best : LaneBest {
    Index first_row = -1;  ///< of its strip
  };

  /// @brief Lays the letters of all lanes side by side.
  void prepare(Index most_rows, Index most_columns) {
    const auto size = static_cast<std::size_t>(most_columns * lanes_.lanes);
    row_memory_.reserve(2 * (size * sizeof(V) + LaneMemory::alignment));
    row_h_ = row_memory_.take<V>(size);
    row_e_ = row_memory_.take<V>(size);
    std::fill_n(row_h_, size, static_cast<V>(-lanes_.costs.open));
    std::fill_n(row_e_, size, static_cast<V>(-lanes_.costs.open));
    if (compares_)
      letters_b_.assign(size, static_cast<V>(no_column(scoring_)));
    else
      offsets_.assign(size, static_cast<std::uint16_t>(scoring_.letters));
    for (int l = 0; l < count_; ++l)
      for (Index j = 0; j < pairs_[l].b.length; ++j) {
        const auto at = static_cast<std::size_t>(j * lanes_.lanes + l);
        if (compares_)
          letters_b_[at] = static_cast<V>(pairs_[l].b[j]);
        else
          offsets_[at] = pairs_[l].b[j];
      }
    constexpr Index longest_strip = 64;
    if (!compares_ && query_ == nullptr) {
      profiles_.resize(static_cast<std::size_t>(lanes_.lanes));
      for (int l = 0; l < count_; ++l)
        profiles_[static_cast<std::size_t>(l)].prepare(
            scoring_, pairs_[l].a, most_rows - pairs_[l].a.length + longest_strip);
      profile_.set_stride(profiles_[0].stride());
    } else if (!compares_) {
      profile_.set_stride(query_->stride());
    }
    std::fill(best_.begin(), best_.end(), Best());
  }

  const SequenceProfile<V>& profile_of(int lane) const {
    return query_ != nullptr ? *query_ : profiles_[static_cast<std::size_t>(lane)];
  }

  /// @brief The left edge of a strip: nothing but zeros.
  void start() {
    const auto base = static_cast<BaseInteger<V>>(-lanes_.costs.open - lanes_.center);
    for (int l = 0; l < lanes_.lanes; ++l) {
      lanes_.base_of(l) = base;
      lanes_.base_low[l] = static_cast<V>(base);
      lanes_.corner[l] = lanes_.center;
      const int used = l < count_ ? l : 0;
      if (!compares_) profile_.set_lane(l, profile_of(used).rows(first_row_));
    }
    std::fill_n(lanes_.h, lanes_.lanes * lanes_.rows, lanes_.center);
    std::fill_n(lanes_.f, lanes_.lanes * lanes_.rows, lanes_.center);
    if (compares_)
      for (int r = 0; r < lanes_.rows; ++r)
        for (int l = 0; l < lanes_.lanes; ++l)
          lanes_.letters_a[r * lanes_.lanes + l] = l < count_ && first_row_ + r < pairs_[l].a.length
                                                       ? static_cast<V>(pairs_[l].a[first_row_ + r])
                                                       : static_cast<V>(no_row(scoring_));
    set_thresholds();
  }

  bool run_block(Index t, int columns) {
    LaneBlock<V> block = lanes_.block(columns);
    block.out_row = lanes_.rows - 1;
    block.above_h = block.out_h = row_h_ + t * lanes_.lanes;
    block.above_e = block.out_e = row_e_ + t * lanes_.lanes;
    lanes_.move_bases(loops_, block, 0);
    if (compares_) {
      block.b = letters_b_.data() + t * lanes_.lanes;
      block.step_b = lanes_.lanes;
    } else {
      profile_.gather(loops_, offsets_.data() + t * lanes_.lanes, lanes_.lanes, columns);
      block.profile = profile_.scores();
      block.profile_rows = profile_.rows();
    }
    return loops_.run(lanes_.affine, lanes_.source, block);
  }

  /// @brief Of the best entry's strip, equal entries are of interest, too: they may lie in an
  /// earlier row.
  void set_threshold(int l) {
    const Best& best = best_[static_cast<std::size_t>(l)];
    const bool tie = best.first_row == first_row_ && best.entry.score > 0 &&
                     !(best.is_resolved && best.entry.row == first_row_);
    lanes_.threshold_of(l) = from_origin<V>(best.entry.score - (tie ? 1 : 0), 0);
  }
  void set_thresholds() {
    for (int l = 0; l < lanes_.lanes; ++l) set_threshold(l);
  }

  void keep_best(Index t, int columns) {
    for (int l = 0; l < count_; ++l) {
      if (!(lanes_.best[l] > lanes_.threshold_low[l])) continue;
      const Index score = Index(lanes_.base_of(l)) + lanes_.best[l];
      Best& best = best_[static_cast<std::size_t>(l)];
      if (score < best.entry.score) continue;
      if (score == best.entry.score) {
        if (best.first_row != first_row_) continue;
        LaneSnapshot other;
        take(other, score, l, t, columns);
        best.see_equal(other, scoring_, pairs_[l].a, pairs_[l].b);
      } else {
        take(best.snapshot, score, l, t, columns);
        best.replace();
        best.first_row = first_row_;
      }
      set_threshold(l);
    }
  }
  void take(LaneSnapshot& snapshot, Index score, int l, Index t, int columns) const {
    lanes_.take(snapshot, l, lanes_.base_of(l), columns);
    snapshot.score = score;
    snapshot.first_row = first_row_;
    snapshot.first_column = t;
  }
  const LetterScores& scoring_;
  BestLaneLoops<V> loops_;
  LaneState<V> lanes_;
  int columns_;
  bool compares_;
  const SequenceProfile<V>* query_;
  std::vector<SequenceProfile<V>> profiles_;
  LaneProfile<V> profile_;
  LaneMemory row_memory_;
  V *row_h_ = nullptr, *row_e_ = nullptr;
  std::vector<V> letters_b_;
  std::vector<std::uint16_t> offsets_;
  std::vector<Best> best_;
  const BatchPair* pairs_ = nullptr;
  int count_ = 0;
  Index first_row_ = 0;
};

}  // namespace wavescan::Impl

#endif
