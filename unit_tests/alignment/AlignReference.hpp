// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_ALIGNMENT_ALIGN_REFERENCE_HPP
#define WAVESCAN_TEST_ALIGNMENT_ALIGN_REFERENCE_HPP

#include <gtest/gtest.h>

#include <WaveScan_Align.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// @file
/// @brief Alignments by three matrices of which nothing is left out.

namespace wavescan::Test {

/// @brief Follows the CIGAR through the sequences: it takes up exactly the stretches that the
/// alignment claims, = and X tell the truth, the counts are right, and so is the score.
template <class Substitution>
void expect_path(const Alignment& alignment, const std::string& a, const std::string& b,
                 const Scoring<Substitution>& scoring) {
  std::int64_t i = alignment.begin_a, j = alignment.begin_b;
  std::int64_t score = 0, matches = 0, mismatches = 0, gaps = 0, openings = 0;
  char before = ' ';
  const char* position = alignment.cigar.data();
  const char* const end = position + alignment.cigar.size();
  while (position != end) {
    std::int64_t count = 0;
    const auto [operation, error] = std::from_chars(position, end, count);
    ASSERT_EQ(error, std::errc());
    ASSERT_NE(operation, end);
    ASSERT_GT(count, 0);
    ASSERT_NE(*operation, before) << alignment.cigar;
    before = *operation;
    position = operation + 1;
    if (*operation == 'I' || *operation == 'D') {
      (*operation == 'I' ? i : j) += count;
      gaps += count;
      ++openings;
      score -= scoring.gap.open + count * scoring.gap.extend;
      continue;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      ASSERT_LT(i, alignment.end_a);
      ASSERT_LT(j, alignment.end_b);
      const char x = a[static_cast<std::size_t>(i++)], y = b[static_cast<std::size_t>(j++)];
      ASSERT_EQ(*operation, x == y ? '=' : 'X');
      ++(x == y ? matches : mismatches);
      score += scoring.substitution(x, y);
    }
  }
  EXPECT_EQ(i, alignment.end_a);
  EXPECT_EQ(j, alignment.end_b);
  EXPECT_EQ(score, alignment.score);
  EXPECT_EQ(matches, alignment.matches);
  EXPECT_EQ(mismatches, alignment.mismatches);
  EXPECT_EQ(gaps, alignment.gaps);
  EXPECT_EQ(openings, alignment.gap_openings);
}

/// @brief What an alignment of two texts is worth, and what it takes up.
template <class Substitution>
class AlignReference {
 public:
  AlignReference(const std::string& a, const std::string& b, const Scoring<Substitution>& scoring)
      : a_(a), b_(b), scoring_(scoring) {}

  /// @brief The best score, and of its ends the one with the smallest end_a, then the smallest
  /// end_b.
  AlignmentScore end() const {
    const bool semi = scoring_.mode == AlignmentMode::SemiGlobal;
    const FreeEnds free = scoring_.free_ends;
    return end_of(a_, b_, semi && free.begin_a, semi && free.begin_b, semi && free.end_a,
                  semi && free.end_b);
  }

  /// @brief The same of the reversed prefixes, aligned from the end on.
  AlignmentScore beginning(const AlignmentScore& end) const {
    const bool semi = scoring_.mode == AlignmentMode::SemiGlobal;
    const FreeEnds free = scoring_.free_ends;
    const auto reversed = [](const std::string& text, std::int64_t length) {
      const std::string prefix = text.substr(0, static_cast<std::size_t>(length));
      return std::string(prefix.rbegin(), prefix.rend());
    };
    return end_of(reversed(a_, end.end_a), reversed(b_, end.end_b), false, false,
                  semi && free.begin_a, semi && free.begin_b);
  }

  /// @brief Everything there is to say about an alignment.
  void expect(const Alignment& alignment) const {
    const AlignmentScore best = end();
    EXPECT_EQ(alignment.score, best.score);
    EXPECT_EQ(alignment.end_a, best.end_a);
    EXPECT_EQ(alignment.end_b, best.end_b);
    const AlignmentScore begin = beginning(best);
    EXPECT_EQ(alignment.begin_a, best.end_a - begin.end_a);
    EXPECT_EQ(alignment.begin_b, best.end_b - begin.end_b);
    expect_path(alignment, a_, b_, scoring_);
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min() / 4;

  AlignmentScore end_of(const std::string& a, const std::string& b, bool free_begin_a,
                        bool free_begin_b, bool free_end_a, bool free_end_b) const {
    const bool local = scoring_.mode == AlignmentMode::Local;
    const std::size_t m = a.size(), n = b.size(), width = n + 1;
    std::vector<std::int64_t> h((m + 1) * width), e(h.size(), never), f(h.size(), never);
    const std::int64_t open = scoring_.gap.open + scoring_.gap.extend, extend = scoring_.gap.extend;
    AlignmentScore best{never, 0, 0};
    if (local) best.score = 0;
    for (std::size_t i = 0; i <= m; ++i)
      for (std::size_t j = 0; j <= n; ++j) {
        const std::size_t at = i * width + j;
        std::int64_t value = i == 0 && j == 0 ? 0 : never;
        if (i > 0) e[at] = std::max(e[at - width] - extend, h[at - width] - open);
        if (j > 0) f[at] = std::max(f[at - 1] - extend, h[at - 1] - open);
        value = std::max({value, e[at], f[at]});
        if (i > 0 && j > 0)
          value = std::max<std::int64_t>(
              value, h[at - width - 1] + scoring_.substitution(a[i - 1], b[j - 1]));
        if (local || (j == 0 && free_begin_a) || (i == 0 && free_begin_b))
          value = std::max<std::int64_t>(value, 0);
        h[at] = value;
        const bool may_end =
            local || ((i == m || free_end_a) && (j == n || free_end_b) && (i == m || j == n));
        if (may_end && value > best.score)
          best = {value, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)};
      }
    return best;
  }

  std::string a_, b_;
  Scoring<Substitution> scoring_;
};

}  // namespace wavescan::Test

#endif
