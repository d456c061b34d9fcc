// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANESCORING_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANESCORING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/host/WaveScan_CodeSequence.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// @file
/// @brief Scores as lanes read them.

namespace wavescan::Impl {

/// @brief Scores of all pairs of letters, and costs of gaps.
struct HostScoring {
  Index letters = 0;
  std::vector<Index> scores;              ///< (letter of a, letter of b), row-major
  std::vector<std::uint8_t> first_match;  ///< as an Alphabet's
  LaneScores costs;
  Index padding = -1;  ///< score of what is no letter: less than 0, and no more than any pair's
  bool equality = false;
  Index match = 0, mismatch = 0;

  Index score(std::uint8_t a, std::uint8_t b) const {
    return scores[static_cast<std::size_t>(a * letters + b)];
  }
  /// @brief Whether a pair of letters is a match of the CIGAR, whatever it scores.
  bool are_match(std::uint8_t a, std::uint8_t b) const { return first_match[a] == first_match[b]; }

  /// @brief Fills in what follows from scores and gaps. Scores that are less than two gaps of a
  /// letter become one less than these: no best path holds such a pair.
  void complete(Index open, Index extend) {
    costs = {0, 0, open, extend};
    for (Index& score : scores) {
      score = std::max(score, -2 * open - 1);
      costs.largest = std::max(costs.largest, score);
      costs.least = std::min(costs.least, score);
    }
    costs.least = padding = std::min<Index>(costs.least, -1);
    if (letters == 0) return;
    match = scores.front();
    mismatch = letters > 1 ? scores[1] : padding;
    // What is no letter counts as a mismatch.
    equality = mismatch < 0;
    for (Index a = 0; a < letters; ++a)
      for (Index b = 0; b < letters; ++b)
        equality = equality &&
                   scores[static_cast<std::size_t>(a * letters + b)] == (a == b ? match : mismatch);
  }

  /// @brief Whether sequences may be exchanged.
  bool is_symmetric() const {
    for (Index a = 0; a < letters; ++a)
      for (Index b = 0; b < a; ++b)
        if (scores[static_cast<std::size_t>(a * letters + b)] !=
            scores[static_cast<std::size_t>(b * letters + a)])
          return false;
    return true;
  }

  /// Letters' codes are below `letters`; in rows and columns that do not exist are these.
  Index no_row() const { return letters; }
  Index no_column() const { return letters + 1; }

  /// @brief How vectors of V find scores.
  template <class V>
  ScoreSource source() const {
    if (!equality || no_column() > std::numeric_limits<V>::max()) return ScoreSource::Profile;
    return no_column() < 16 ? ScoreSource::Lookup : ScoreSource::Equality;
  }
};

inline HostScoring TabulatedScores::for_lanes() const {
  HostScoring scoring;
  scoring.letters = alphabet.size;
  scoring.scores = scores;
  scoring.first_match.assign(alphabet.first_match, alphabet.first_match + alphabet.size);
  scoring.complete(costs.open, costs.extend);
  return scoring;
}

/// @brief The scores of a sequence's letters with each letter there is, and with none.
template <class V>
class SequenceProfile {
 public:
  /// @param more rows that are read beyond the sequence
  void prepare(const HostScoring& scoring, const CodeSequence& a, Index more) {
    stride_ = a.length + more;
    table_.assign(static_cast<std::size_t>((scoring.letters + 1) * stride_),
                  static_cast<V>(scoring.padding + scoring.costs.open));
    for (Index letter = 0; letter < scoring.letters; ++letter)
      for (Index i = 0; i < a.length; ++i)
        table_[static_cast<std::size_t>(letter * stride_ + i)] = static_cast<V>(
            scoring.score(a[i], static_cast<std::uint8_t>(letter)) + scoring.costs.open);
  }
  const V* rows(Index first) const { return table_.data() + first; }
  Index stride() const { return stride_; }

 private:
  std::vector<V> table_;
  Index stride_ = 0;
};

/// @brief A thread's scores of a block of columns, gathered from profiles.
template <class V>
class LaneProfile {
 public:
  static constexpr int unit = 16 / static_cast<int>(sizeof(V));  ///< rows that are read at a time

  void prepare(int rows, int lanes, int columns) {
    rows_ = static_cast<int>(ceil_div(rows, unit)) * unit;
    const auto size = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(lanes) *
                      static_cast<std::size_t>(columns);
    memory_.reserve(2 * size * sizeof(V) + 2 * LaneMemory::alignment);
    pieces_ = memory_.take<V>(size);
    scores_ = memory_.take<V>(size);
    lane_rows_.resize(static_cast<std::size_t>(lanes));
  }
  bool used() const { return rows_ > 0; }
  void set_lane(int lane, const V* rows) { lane_rows_[static_cast<std::size_t>(lane)] = rows; }
  void set_stride(Index stride) { stride_ = stride; }

  void gather(const BestLaneLoops<V>& loops, const std::uint16_t* letters, Index step,
              int columns) const {
    ProfileGather<V> g;
    g.rows = lane_rows_.data();
    g.stride = stride_;
    g.letters = letters;
    g.step = step;
    g.columns = columns;
    g.profile_rows = rows_;
    g.pieces = pieces_;
    g.profile = scores_;
    loops.gather(g);
  }
  const V* scores() const { return scores_; }
  int rows() const { return rows_; }

 private:
  LaneMemory memory_;
  V* pieces_ = nullptr;
  V* scores_ = nullptr;
  std::vector<const V*> lane_rows_;
  Index stride_ = 0;
  int rows_ = 0;
};

/// @brief The letters of a matrix's rows and columns. Columns lie backwards: lanes that are
/// neighbours are a column apart, the lower one behind.
template <class V>
class LaneLetters {
 public:
  /// @param rows of all lanes together
  void prepare(const HostScoring& scoring, const CodeSequence& a, const CodeSequence& b, Index rows,
               int lanes, int columns) {
    a_ = a;
    n_ = b.length;
    margin_ = lanes + columns;
    const auto size = static_cast<std::size_t>(n_ + 2 * margin_);
    compares_ = scoring.source<V>() != ScoreSource::Profile;
    if (compares_) {
      no_row_ = static_cast<V>(scoring.no_row());
      letters_.assign(size, static_cast<V>(scoring.no_column()));
      for (Index j = 0; j < n_; ++j) letters_[at(j)] = static_cast<V>(b[j]);
    } else {
      offsets_.assign(size, static_cast<std::uint16_t>(scoring.letters));
      for (Index j = 0; j < n_; ++j) offsets_[at(j)] = b[j];
      profile_.prepare(scoring, a, rows - a.length + LaneProfile<V>::unit);
    }
  }
  bool compares() const { return compares_; }
  V row_letter(Index i) const { return i < a_.length ? static_cast<V>(a_[i]) : no_row_; }
  /// @brief Lane l's letter of column t - l.
  const V* chained_letters(Index t) const { return letters_.data() + at(t); }
  const std::uint16_t* chained_offsets(Index t) const { return offsets_.data() + at(t); }
  const SequenceProfile<V>& profile() const { return profile_; }

 private:
  std::size_t at(Index j) const { return static_cast<std::size_t>(margin_ + n_ - 1 - j); }

  CodeSequence a_;
  Index n_ = 0, margin_ = 0;
  bool compares_ = false;
  V no_row_ = 0;
  std::vector<V> letters_;
  std::vector<std::uint16_t> offsets_;
  SequenceProfile<V> profile_;
};

}  // namespace wavescan::Impl

#endif
