// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANESCORING_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANESCORING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// @file
/// @brief Scores as lanes read them.

namespace wavescan::Impl {

/// @name Codes of what is no letter, in rows and columns that do not exist; letters' are smaller.
/// @{
inline Index no_row(const LetterScores& scoring) { return scoring.letters; }
inline Index no_column(const LetterScores& scoring) { return scoring.letters + 1; }
/// @}

/// @brief How vectors of V find scores.
template <class V>
ScoreSource score_source(const LetterScores& scoring) {
  const Index largest = no_column(scoring);
  if (!scoring.equality || largest > std::numeric_limits<V>::max()) return ScoreSource::Profile;
  return largest < 16 ? ScoreSource::Lookup : ScoreSource::Equality;
}

/// @brief The scores of a sequence's letters with each letter there is, and with none.
template <class V>
class SequenceProfile {
 public:
  /// @param more rows that are read beyond the sequence
  void prepare(const LetterScores& scoring, const CodeSequence& a, Index more) {
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
  void prepare(const LetterScores& scoring, const CodeSequence& a, const CodeSequence& b,
               Index rows, int lanes, int columns) {
    a_ = a;
    n_ = b.length;
    margin_ = lanes + columns;
    const auto size = static_cast<std::size_t>(n_ + 2 * margin_);
    compares_ = score_source<V>(scoring) != ScoreSource::Profile;
    if (compares_) {
      no_row_ = static_cast<V>(no_row(scoring));
      letters_.assign(size, static_cast<V>(no_column(scoring)));
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
