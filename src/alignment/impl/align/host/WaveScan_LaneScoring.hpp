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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/// @file
/// @brief Scores as lanes read them.

namespace wavescan::Impl {

/// @name Codes of what is no letter, in rows and columns that do not exist; letters' are smaller.
/// @{
inline Index no_row(const LetterScores& scoring) { return scoring.letters; }
inline Index no_column(const LetterScores& scoring) { return scoring.letters + 1; }
/// @}

/// @brief Chooses where loops find scores.
inline ScoreSource score_source(const LaneLoops& loops, const LetterScores& scoring) {
  const Index largest = no_column(scoring);
  const Index most = loops.entry_bytes == 1 ? 255 : 32767;
  if (!scoring.equality || !loops.compares_letters() || largest > most) return ScoreSource::Profile;
  return largest < 16 ? ScoreSource::Lookup : ScoreSource::Equality;
}

/// @brief The scores of a sequence's letters with each letter there is, and with none.
class SequenceProfile {
 public:
  /// @param more rows that are read beyond the sequence
  void prepare(int entry_bytes, const LetterScores& scoring, const CodeSequence& a, Index more) {
    const Index rows = a.length + more;
    stride_ = rows * entry_bytes;
    memory_.reserve((scoring.letters + 1) * stride_ + LaneMemory::alignment);
    table_ = memory_.take((scoring.letters + 1) * rows, entry_bytes);
    table_.visit([&](auto* entry) {
      using V = std::remove_pointer_t<decltype(entry)>;
      for (Index letter = 0; letter <= scoring.letters; ++letter, entry += rows) {
        const bool is_letter = letter < scoring.letters;
        const Index known = is_letter ? a.length : 0;
        for (Index i = 0; i < known; ++i)
          entry[i] = static_cast<V>(scoring.score(a[i], static_cast<std::uint8_t>(letter)) +
                                    scoring.costs.open);
        std::fill(entry + known, entry + rows,
                  static_cast<V>(scoring.padding + scoring.costs.open));
      }
    });
  }
  const std::byte* rows(Index first) const { return table_.from(first).data(); }
  Index stride() const { return stride_; }  ///< bytes

 private:
  LaneMemory memory_;
  LaneNumbers table_;
  Index stride_ = 0;
};

/// @brief A thread's scores of a block of columns, gathered from profiles.
class LaneProfile {
 public:
  void prepare(int entry_bytes, int rows, int lanes, int columns) {
    const int unit = 16 / entry_bytes;  // rows that are read at a time
    gather_.profile_rows = static_cast<int>(ceil_div(rows, unit)) * unit;
    const Index size = Index(gather_.profile_rows) * lanes * columns;
    memory_.reserve(2 * (size * entry_bytes + LaneMemory::alignment));
    gather_.pieces = memory_.take(size, entry_bytes);
    gather_.profile = memory_.take(size, entry_bytes);
    lane_rows_.resize(static_cast<std::size_t>(lanes));
    gather_.rows = lane_rows_.data();
  }
  bool used() const { return gather_.profile_rows > 0; }
  void set_lane(int lane, const std::byte* rows) {
    lane_rows_[static_cast<std::size_t>(lane)] = rows;
  }
  void set_stride(Index stride) { gather_.stride = stride; }

  /// @brief Gathers a block's scores, and lets it read them.
  /// @param letters of the first column
  /// @param step    to the next column
  void gather(const LaneLoops& loops, const std::uint16_t* letters, Index step, LaneBlock& block) {
    gather_.letters = letters;
    gather_.step = step;
    gather_.columns = block.columns;
    loops.gather(gather_);
    block.profile = gather_.profile;
    block.profile_rows = gather_.profile_rows;
  }

 private:
  LaneMemory memory_;
  ProfileGather gather_;
  std::vector<const std::byte*> lane_rows_;
};

/// @brief The letters of a matrix's rows and columns. Columns lie backwards: lanes that are
/// neighbours are a column apart, the lower one behind.
class LaneLetters {
 public:
  /// @param rows of all lanes together
  void prepare(const LaneLoops& loops, const LetterScores& scoring, const CodeSequence& a,
               const CodeSequence& b, Index rows, int columns) {
    a_ = a;
    n_ = b.length;
    margin_ = loops.lanes + columns;
    no_row_ = no_row(scoring);
    const Index size = n_ + 2 * margin_;
    compares_ = score_source(loops, scoring) != ScoreSource::Profile;
    const auto lay_out = [&](auto* letters, Index none) {
      using V = std::remove_pointer_t<decltype(letters)>;
      std::fill(letters, letters + size, static_cast<V>(none));
      for (Index j = 0; j < n_; ++j) letters[at(j)] = static_cast<V>(b[j]);
    };
    if (compares_) {
      memory_.reserve(size * loops.entry_bytes + LaneMemory::alignment);
      letters_ = memory_.take(size, loops.entry_bytes);
      letters_.visit([&](auto* letters) { lay_out(letters, no_column(scoring)); });
    } else {
      offsets_.resize(static_cast<std::size_t>(size));
      lay_out(offsets_.data(), scoring.letters);
      profile_.prepare(loops.entry_bytes, scoring, a, rows - a.length + 16 / loops.entry_bytes);
    }
  }
  bool compares() const { return compares_; }
  Index row_letter(Index i) const { return i < a_.length ? a_[i] : no_row_; }
  /// @brief Lane l's letter of column t - l.
  LaneNumbers chained_letters(Index t) const { return letters_.from(at(t)); }
  const std::uint16_t* chained_offsets(Index t) const { return offsets_.data() + at(t); }
  const SequenceProfile& profile() const { return profile_; }

 private:
  Index at(Index j) const { return margin_ + n_ - 1 - j; }

  CodeSequence a_;
  Index n_ = 0, margin_ = 0, no_row_ = 0;
  bool compares_ = false;
  LaneMemory memory_;
  LaneNumbers letters_;
  std::vector<std::uint16_t> offsets_;
  SequenceProfile profile_;
};

}  // namespace wavescan::Impl

#endif
