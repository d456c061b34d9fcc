// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEBATCH_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
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
#include <type_traits>
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
class LaneBatch {
 public:
  /// @param query if not null, the profile of the letters of all pairs' `a`
  LaneBatch(const LetterScores& scoring, const LaneShape& shape, const LaneLoops& loops,
            const SequenceProfile* query)
      : scoring_(scoring),
        loops_(loops),
        lanes_(loops, scoring, shape),
        columns_(shape.columns),
        compares_(lanes_.source != ScoreSource::Profile),
        query_(query),
        best_(static_cast<std::size_t>(loops.lanes)) {
    if (!compares_) profile_.prepare(loops.entry_bytes, lanes_.rows, lanes_.lanes, columns_);
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
        lanes_.columns = static_cast<int>(std::min<Index>(columns_, most_columns - t));
        if (run_block(t)) keep_best(t);
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
    const int bytes = loops_.entry_bytes;
    const Index size = most_columns * lanes_.lanes;
    row_memory_.reserve(3 * (size * bytes + LaneMemory::alignment));
    for (LaneNumbers* part : {&row_h_, &row_e_, &letters_b_}) *part = row_memory_.take(size, bytes);
    row_h_.fill(size, -lanes_.open);
    row_e_.fill(size, -lanes_.open);
    const auto lay_out = [&](auto* letters, Index none) {
      using V = std::remove_pointer_t<decltype(letters)>;
      std::fill(letters, letters + size, static_cast<V>(none));
      for (int l = 0; l < count_; ++l)
        for (Index j = 0; j < pairs_[l].b.length; ++j)
          letters[j * lanes_.lanes + l] = static_cast<V>(pairs_[l].b[j]);
    };
    if (compares_) {
      letters_b_.visit([&](auto* letters) { lay_out(letters, no_column(scoring_)); });
    } else {
      offsets_.resize(static_cast<std::size_t>(size));
      lay_out(offsets_.data(), scoring_.letters);
    }
    constexpr Index longest_strip = 64;
    if (!compares_ && query_ == nullptr) {
      profiles_.resize(static_cast<std::size_t>(lanes_.lanes));
      for (int l = 0; l < count_; ++l)
        profiles_[static_cast<std::size_t>(l)].prepare(
            bytes, scoring_, pairs_[l].a, most_rows - pairs_[l].a.length + longest_strip);
      profile_.set_stride(profiles_[0].stride());
    } else if (!compares_) {
      profile_.set_stride(query_->stride());
    }
    std::fill(best_.begin(), best_.end(), Best());
  }

  const SequenceProfile& profile_of(int lane) const {
    return query_ != nullptr ? *query_ : profiles_[static_cast<std::size_t>(lane)];
  }

  /// @brief The left edge of a strip: nothing but zeros.
  void start() {
    const Index base = -lanes_.open - lanes_.center;
    for (int l = 0; l < lanes_.lanes; ++l) {
      lanes_.set_base(l, base);
      const int used = l < count_ ? l : 0;
      if (!compares_) profile_.set_lane(l, profile_of(used).rows(first_row_));
    }
    lanes_.base_low.fill(lanes_.lanes, base);
    lanes_.corner.fill(lanes_.lanes, lanes_.center);
    lanes_.h.fill(lanes_.lanes * lanes_.rows, lanes_.center);
    lanes_.f.fill(lanes_.lanes * lanes_.rows, lanes_.center);
    if (compares_)
      lanes_.a.visit([&](auto* letters) {
        using V = std::remove_pointer_t<decltype(letters)>;
        for (int r = 0; r < lanes_.rows; ++r)
          for (int l = 0; l < lanes_.lanes; ++l)
            *letters++ = static_cast<V>(l < count_ && first_row_ + r < pairs_[l].a.length
                                            ? pairs_[l].a[first_row_ + r]
                                            : no_row(scoring_));
      });
    set_thresholds();
  }

  bool run_block(Index t) {
    lanes_.out_row = lanes_.rows - 1;
    lanes_.above_h = lanes_.out_h = row_h_.from(t * lanes_.lanes);
    lanes_.above_e = lanes_.out_e = row_e_.from(t * lanes_.lanes);
    lanes_.move_bases();
    if (compares_) {
      lanes_.b = letters_b_.from(t * lanes_.lanes);
      lanes_.step_b = lanes_.lanes;
    } else {
      profile_.gather(loops_, offsets_.data() + t * lanes_.lanes, lanes_.lanes, lanes_);
    }
    return lanes_.run();
  }

  /// @brief Sets the threshold for entries of interest. In the best entry's strip equal ones are of
  /// interest, too, as they may lie in an earlier row.
  void set_threshold(int l) {
    const Best& best = best_[static_cast<std::size_t>(l)];
    const bool tie = best.first_row == first_row_ && best.entry.score > 0 &&
                     !(best.is_resolved && best.entry.row == first_row_);
    lanes_.set_threshold(l, best.entry.score - (tie ? 1 : 0));
  }
  void set_thresholds() {
    for (int l = 0; l < lanes_.lanes; ++l) set_threshold(l);
  }

  void keep_best(Index t) {
    lanes_.for_each_found(count_, [&](int l) { keep_best(t, l); });
  }
  WAVESCAN_NOT_INLINED void keep_best(Index t, int l) {
    const Index score = lanes_.base_of(l) + lanes_.best[l];
    Best& best = best_[static_cast<std::size_t>(l)];
    if (score < best.entry.score) return;
    if (score == best.entry.score) {
      if (best.first_row != first_row_) return;
      LaneSnapshot other;
      take(other, score, l, t);
      best.see_equal(other, scoring_, pairs_[l].a, pairs_[l].b);
    } else {
      take(best.snapshot, score, l, t);
      best.replace();
      best.first_row = first_row_;
    }
    set_threshold(l);
  }
  void take(LaneSnapshot& snapshot, Index score, int l, Index t) const {
    lanes_.take(snapshot, l, lanes_.base_of(l));
    snapshot.score = score;
    snapshot.first_row = first_row_;
    snapshot.first_column = t;
  }
  const LetterScores& scoring_;
  LaneLoops loops_;
  LaneState lanes_;
  int columns_;
  bool compares_;
  const SequenceProfile* query_;
  std::vector<SequenceProfile> profiles_;
  LaneProfile profile_;
  LaneMemory row_memory_;
  LaneNumbers row_h_, row_e_, letters_b_;
  std::vector<std::uint16_t> offsets_;
  std::vector<Best> best_;
  const BatchPair* pairs_ = nullptr;
  int count_ = 0;
  Index first_row_ = 0;
};

}  // namespace wavescan::Impl

#endif
