// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_ALIGNMENT_REFERENCE_HPP
#define WAVESCAN_TEST_ALIGNMENT_REFERENCE_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "AlignReference.hpp"

/// @file
/// @brief Smith-Waterman as a plain loop, sequences to try it on, and what makes a path right.

namespace wavescan::Test {

using Exec = Kokkos::DefaultExecutionSpace;
using Letters = Kokkos::View<const char*, Kokkos::Device<Exec, Exec::memory_space>>;

/// @brief A sequence where kernels run.
inline Letters letters(const std::string& text) {
  const Kokkos::View<char*, Kokkos::Device<Exec, Exec::memory_space>> view("letters", text.size());
  Kokkos::deep_copy(view, Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  return view;
}

/// @brief A made-up table for letters A to Z that is neither symmetric nor the same along its
/// diagonal; scores from -3 to `largest`.
struct LetterTable {
  int largest = 9;
  KOKKOS_FUNCTION int operator()(char a, char b) const {
    if (a == b) return largest - (a - 'A') % 4;
    return (7 * (a - 'A') + 3 * (b - 'A')) % 5 - 3;
  }
};

inline std::string random_text(Random& random, std::int64_t length, const std::string& alphabet) {
  std::string text;
  const auto last = static_cast<std::int64_t>(alphabet.size()) - 1;
  for (std::int64_t k = 0; k < length; ++k)
    text += alphabet[static_cast<std::size_t>(random.integer(0, last))];
  return text;
}

/// @brief A relative of a sequence: some letters replaced, some stretches lost, some new ones.
inline std::string mutated(Random& random, const std::string& text, const std::string& alphabet) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto event = random.integer(0, 99);
    if (event < 10)
      result += random_text(random, 1, alphabet);
    else if (event < 12)
      k += static_cast<std::size_t>(random.integer(0, 9));
    else if (event < 14)
      result += random_text(random, random.integer(1, 10), alphabet) + text[k];
    else
      result += text[k];
  }
  return result;
}

struct SequencePair {
  std::string name;
  std::string a;
  std::string b;
};

/// @brief Pairs of all kinds, of about the lengths asked for.
inline std::vector<SequencePair> sequence_pairs(Random& random, std::int64_t m, std::int64_t n,
                                                const std::string& alphabet) {
  const std::string a = random_text(random, m, alphabet);
  const std::string b = random_text(random, n, alphabet);
  const auto repeat = [](const std::string& motif, std::int64_t length) {
    std::string text;
    while (static_cast<std::int64_t>(text.size()) < length) text += motif;
    return text.substr(0, static_cast<std::size_t>(length));
  };
  const std::string related = mutated(random, a, alphabet) + b;
  return {{"unrelated", a, b},
          {"related", a, related.substr(0, static_cast<std::size_t>(n))},
          {"identical", repeat(a, m), repeat(a.empty() ? b : a, n)},
          {"reversed", a, repeat(std::string(a.rbegin(), a.rend()) + b, n)},
          {"repetitive", repeat("ACA", m), repeat("AACAC", n)},
          {"one letter", std::string(static_cast<std::size_t>(m), 'A'),
           std::string(static_cast<std::size_t>(n), 'A')},
          {"nothing in common", std::string(static_cast<std::size_t>(m), 'A'),
           std::string(static_cast<std::size_t>(n), 'C')}};
}

/// @brief A global alignment and its path: of several best ones, that which is given.
struct GoldenPath {
  std::string a, b;
  Scoring<> scoring;
  std::string cigar;
};
inline std::vector<GoldenPath> golden_paths() {
  const auto path = [](const std::string& a, const std::string& b, int match, int mismatch,
                       const AffineGap& gap, const std::string& cigar) {
    return GoldenPath{a, b, {{match, mismatch}, gap, AlignmentMode::Global}, cigar};
  };
  const auto text = [](std::size_t length) {
    std::string result;
    while (result.size() < length) result += "ATTATAAATATTTAA";
    return result.substr(0, length);
  };
  const std::string long_gap = std::string(5, 'G') + std::string(20, 'C') + std::string(95, 'G'),
                    another = std::string(106, 'G') + "CT" + std::string(12, 'G');
  const auto run = [](int length) { return std::string(static_cast<std::size_t>(length), 'A'); };
  return {// Followed back from the end: a pair before a letter of `a` before one of `b`.
          path("GATTACA", "GATTTACA", 2, -3, {2, 1}, "2=1D5="), path("A", "C", 3, -6, {1, 2}, "1X"),
          path("C", "A", 4, -6, {2, 1}, "1X"), path("C", "A", 1, -5, {1, 1}, "1D1I"),
          // A gap is left as soon as possible.
          path("CCA", "C", 3, -3, {0, 3}, "1I1=1I"), path("A", "AAC", 2, 0, {0, 1}, "1D1=1D"),
          // Divided where the path crosses the middle row first.
          path(run(200), run(150), 2, -3, {0, 2}, "50I150="),
          path(run(200), run(150), 2, -3, {5, 1}, "50I150="),
          path(run(150), run(200), 2, -3, {0, 2}, "75=50D75="),
          path(run(150), run(200), 2, -3, {5, 1}, "75=50D75="),
          path(run(1200), run(1100), 2, -3, {5, 1}, "100I1100="),
          // A gap through the first division, and through that of the part below it or above it.
          // What would be a better pair beside the first one takes a second gap.
          path(text(190) + long_gap + 'A' + text(89), text(190) + 'C' + text(89), 5, -4, {20, 1},
               "190=120I1X89="),
          path(text(89) + "AT" + another + text(189), text(89) + "CT" + text(189), 5, -4, {20, 1},
               "89=1X1=120I189=")};
}

/// @brief The whole matrix, row by row, as the recurrence says.
template <class Substitution>
std::vector<std::int64_t> reference_matrix(const std::string& a, const std::string& b,
                                           const Substitution& substitution, std::int64_t gap) {
  const std::size_t n = b.size();
  std::vector<std::int64_t> matrix(a.size() * n);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t left = j > 0 ? matrix[i * n + j - 1] : 0;
      const std::int64_t up = i > 0 ? matrix[(i - 1) * n + j] : 0;
      const std::int64_t up_left = i > 0 && j > 0 ? matrix[(i - 1) * n + j - 1] : 0;
      matrix[i * n + j] =
          std::max<std::int64_t>({left - gap, up - gap, up_left + substitution(a[i], b[j]), 0});
    }
  return matrix;
}

/// @brief The best score and the first place, row by row, that has it.
template <class Substitution>
AlignmentScore reference_score(const std::string& a, const std::string& b,
                               const Substitution& substitution, std::int64_t gap) {
  AlignmentScore best;
  std::vector<std::int64_t> row(b.size() + 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t up_left = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t value = std::max<std::int64_t>(
          {row[j] - gap, row[j + 1] - gap, up_left + substitution(a[i], b[j]), 0});
      up_left = row[j + 1];
      row[j + 1] = value;
      if (value > best.score)
        best = {value, static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(j) + 1};
    }
  }
  return best;
}

inline void expect_equal(const AlignmentScore& expected, std::int64_t score, std::int64_t end_a,
                         std::int64_t end_b) {
  EXPECT_EQ(expected.score, score);
  EXPECT_EQ(expected.end_a, end_a);
  EXPECT_EQ(expected.end_b, end_b);
}

/// @brief The beginning that goes with an end: of the best alignments that end there the last one.
template <class Substitution>
void expect_beginning(const Alignment& alignment, const std::string& a, const std::string& b,
                      const Substitution& substitution, std::int64_t gap) {
  const auto reversed = [](const std::string& text, std::int64_t length) {
    const std::string prefix = text.substr(0, static_cast<std::size_t>(length));
    return std::string(prefix.rbegin(), prefix.rend());
  };
  const AlignmentScore mirrored = reference_score(
      reversed(a, alignment.end_a), reversed(b, alignment.end_b),
      [&](char x, char y) { return substitution(x, y); }, gap);
  expect_equal(mirrored, alignment.score, alignment.end_a - alignment.begin_a,
               alignment.end_b - alignment.begin_b);
}

/// @brief Everything there is to say about an alignment.
template <class Substitution>
void expect_alignment(const Alignment& alignment, const std::string& a, const std::string& b,
                      const Substitution& substitution, std::int64_t gap) {
  const AlignmentScore expected = reference_score(a, b, substitution, gap);
  expect_equal(expected, alignment.score, alignment.end_a, alignment.end_b);
  expect_beginning(alignment, a, b, substitution, gap);
  expect_path(alignment, a, b, Scoring<Substitution>{substitution, LinearGap{gap}});
}

}  // namespace wavescan::Test

#endif
