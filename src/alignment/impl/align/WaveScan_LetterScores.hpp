// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_LETTERSCORES_HPP
#define WAVESCAN_IMPL_ALIGN_LETTERSCORES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// @brief Scores of letters as all devices count with them, on the host.

namespace wavescan::Impl {

/// @brief Scores of all pairs of letters, and costs of gaps.
struct LetterScores {
  Index letters = 0;
  std::vector<Index> scores;              ///< (letter of a, letter of b), row-major
  std::vector<std::uint8_t> first_match;  ///< as an Alphabet's
  ScoreBounds costs;
  Index padding = -1;  ///< score of what is no letter: less than 0, and no more than any pair's
  bool equality = false;
  Index match = 0, mismatch = 0;

  Index score(std::uint8_t a, std::uint8_t b) const {
    return scores[static_cast<std::size_t>(a * letters + b)];
  }
  /// @brief Whether a pair of letters is a match of the CIGAR, whatever it scores.
  bool are_match(std::uint8_t a, std::uint8_t b) const { return first_match[a] == first_match[b]; }

  LetterScores() = default;
  /// @brief Scores that are less than two gaps of a letter become one less than these: no best path
  /// holds such a pair.
  /// @param table row-major, of the alphabet's numbers
  LetterScores(const Alphabet& alphabet, std::vector<Index> table, const GapCosts& gaps)
      : letters(alphabet.size),
        scores(std::move(table)),
        first_match(alphabet.first_match, alphabet.first_match + alphabet.size),
        costs{0, 0, gaps.open, gaps.extend} {
    const Index open = gaps.open;
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

  explicit LetterScores(const TabulatedScores& table)
      : LetterScores(table.alphabet, table.scores, table.costs) {}

  /// @brief Whether scores do not change with the order of letters, so that a matrix may be
  /// transposed.
  bool is_symmetric() const {
    for (Index a = 0; a < letters; ++a)
      for (Index b = 0; b < a; ++b)
        if (scores[static_cast<std::size_t>(a * letters + b)] !=
            scores[static_cast<std::size_t>(b * letters + a)])
          return false;
    return true;
  }
};

}  // namespace wavescan::Impl

#endif
