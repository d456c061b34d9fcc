// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;

/// @brief A substitution with 64-bit scores, such as costs with decimals.
struct WideScores {
  std::int64_t match;
  std::int64_t mismatch;
  KOKKOS_FUNCTION std::int64_t operator()(char a, char b) const {
    return a == b ? match : mismatch;
  }
};

template <class Substitution>
void check(const std::string& a, const std::string& b, const Substitution& substitution,
           std::int64_t gap) {
  const wt::Letters letters_a = wt::letters(a);
  const wt::Letters letters_b = wt::letters(b);
  const ws::AlignmentScore score =
      ws::smith_waterman_score(wt::Exec(), letters_a, letters_b, substitution, {gap});
  wt::expect_equal(wt::reference_score(a, b, substitution, gap), score.score, score.end_a,
                   score.end_b);
  wt::expect_alignment(ws::smith_waterman(wt::Exec(), letters_a, letters_b, substitution, {gap}), a,
                       b, substitution, gap);
}

void check_pairs(const std::vector<std::pair<int, int>>& lengths, std::int64_t gap) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : lengths)
    for (const auto& [name, a, b] : wt::sequence_pairs(random, m, n, "ACGT")) {
      SCOPED_TRACE(name + ", " + std::to_string(a.size()) + " x " + std::to_string(b.size()));
      check(a, b, ws::MatchMismatch{}, gap);
    }
}

TEST(LocalAlignments, SmallLengths) {
  std::vector<std::pair<int, int>> lengths;
  for (const int m : {0, 1, 2, 3, 7, 13, 16, 17})
    for (const int n : {0, 1, 2, 5, 8, 9, 31, 64}) lengths.push_back({m, n});
  check_pairs(lengths, 2);
}

TEST(LocalAlignments, AroundPiecesBlocksAndStrips) {
  check_pairs({{63, 65}, {64, 64}, {65, 63}, {127, 129}, {255, 257}, {256, 256}, {257, 255}}, 2);
  if (wt::few_cases_wanted())
    check_pairs({{509, 521}, {100, 2049}}, 1);
  else
    check_pairs({{509, 521}, {1023, 511}, {600, 2047}, {500, 2048}, {400, 2049}, {300, 4099}}, 1);
}

TEST(LocalAlignments, OneSequenceMuchLonger) {
  check_pairs({{1, 5003}, {5003, 1}, {2, 3001}, {17, 9973}, {9973, 17}, {100, 6007}, {6007, 100}},
              2);
}

TEST(LocalAlignments, RandomLengthsAndScores) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (int trial = 0; trial < wt::cases_wanted(60); ++trial) {
    const std::string alphabet = trial % 2 == 0 ? "ACGT" : "ACDEFGHIKLMNPQRSTVWY";
    const auto m = random.integer(0, 700);
    const auto n = random.integer(0, 700);
    const wt::LetterTable table{static_cast<int>(random.integer(1, 40))};
    const auto gap = random.integer(1, 12);
    for (const auto& [name, a, b] : wt::sequence_pairs(random, m, n, alphabet)) {
      SCOPED_TRACE(name + ", " + std::to_string(a.size()) + " x " + std::to_string(b.size()) +
                   ", largest score " + std::to_string(table.largest) + ", gap " +
                   std::to_string(gap));
      check(a, b, table, gap);
    }
  }
}

// Scores that make entries differ by more than 16 bits hold, or that underflow if nothing is done.
TEST(LocalAlignments, LargeScores) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::int64_t limit = 1 << 23;
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min() / 2;
  constexpr std::int64_t unaffordable = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::pair<WideScores, std::int64_t>> scores{{{100, -50}, 70},
                                                                {{1000, -1000}, 999},
                                                                {{30000, -5}, 10},
                                                                {{limit, -limit}, limit},
                                                                {{limit, lowest}, limit},
                                                                {{5, lowest}, 3},
                                                                {{2, -1}, unaffordable},
                                                                {{2, lowest}, 100000},
                                                                {{1, 0}, 1},
                                                                {{3, 2}, 1},
                                                                {{-1, 4}, 2}};
  for (const auto& [substitution, gap] : scores)
    for (const auto& [name, a, b] : wt::sequence_pairs(random, 300, 411, "ACGT")) {
      SCOPED_TRACE(name + ", match " + std::to_string(substitution.match) + ", mismatch " +
                   std::to_string(substitution.mismatch) + ", gap " + std::to_string(gap));
      check(a, b, substitution, gap);
    }
}

TEST(LocalAlignments, AllPossibleLetters) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  std::string alphabet;
  for (int c = 0; c < 256; ++c) alphabet += static_cast<char>(c);
  const std::string a = alphabet + wt::random_text(random, 200, alphabet);
  check(a, wt::mutated(random, a, alphabet), ws::MatchMismatch{}, 2);
}

// The best alignment is short and lies anywhere: the pass for its beginning stops early.
TEST(LocalAlignments, ShortAlignmentInLongSequences) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string common = wt::random_text(random, 40, "ACGT");
  for (const std::size_t at_a : {0, 700, 1460})
    for (const std::size_t at_b : {0, 2100, 4960}) {
      if (wt::few_cases_wanted() && at_a != 700 && at_b != 2100) continue;
      std::string a(1500, 'A'), b(5000, 'C');
      a.replace(at_a, common.size(), common);
      b.replace(at_b, common.size(), common);
      SCOPED_TRACE(std::to_string(at_a) + ", " + std::to_string(at_b));
      check(a, b, ws::MatchMismatch{2, -3}, 4);
    }
}

// Every letter of `a` is as good as any other: the tie-break alone decides.
TEST(LocalAlignments, FirstOfManyBestEnds) {
  const std::string a = "TTTACGTTTTTTTACGTTTT";
  const std::string b = "GGGGACGGGGGGACGGGGGGG";
  const auto score = ws::smith_waterman_score(wt::letters(a), wt::letters(b),
                                              ws::MatchMismatch{2, -9}, ws::LinearGap{9});
  wt::expect_equal(score, 6, 6, 7);
}

TEST(LocalAlignments, StridedViews) {
  const std::string a = "GATTACAGATTACA", b = "GCATGCATTACGG";
  Kokkos::View<char**, Kokkos::LayoutRight, wt::Exec> table("table", 20, 3);
  const auto host = Kokkos::create_mirror_view(table);
  for (std::size_t k = 0; k < a.size(); ++k) host(k, 1) = a[k];
  for (std::size_t k = 0; k < b.size(); ++k) host(k, 2) = b[k];
  Kokkos::deep_copy(table, host);
  const auto strided_a =
      Kokkos::subview(table, Kokkos::pair<int, int>(0, static_cast<int>(a.size())), 1);
  const auto strided_b =
      Kokkos::subview(table, Kokkos::pair<int, int>(0, static_cast<int>(b.size())), 2);
  wt::expect_alignment(ws::smith_waterman(strided_a, strided_b), a, b, ws::MatchMismatch{}, 2);
}

TEST(LocalAlignments, SameInEveryRun) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, 3000, "AC");
  const std::string b = wt::random_text(random, 3000, "AC");
  const auto letters_a = wt::letters(a), letters_b = wt::letters(b);
  const ws::Alignment first = ws::smith_waterman(letters_a, letters_b);
  for (int run = 0; run < wt::cases_wanted(20); ++run) {
    const ws::Alignment again = ws::smith_waterman(letters_a, letters_b);
    ASSERT_EQ(first.cigar, again.cigar);
    ASSERT_EQ(first.begin_a, again.begin_a);
    ASSERT_EQ(first.begin_b, again.begin_b);
  }
}

TEST(LocalAlignments, ReportsProgress) {
  wt::Random random;
  const std::string a = wt::random_text(random, 900, "ACGT");
  std::vector<double> shares;
  const ws::SmithWatermanOptions options{[&](double share) { shares.push_back(share); }};
  ws::smith_waterman(wt::letters(a), wt::letters(wt::mutated(random, a, "ACGT")),
                     ws::MatchMismatch{}, ws::LinearGap{}, options);
  ASSERT_GE(shares.size(), 3u);
  EXPECT_GT(shares.front(), 0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
}

TEST(LocalAlignments, ProgressCanCancel) {
  struct Cancelled {};
  const auto letters = wt::letters("GATTACA");
  EXPECT_THROW(ws::smith_waterman(letters, letters, ws::MatchMismatch{}, ws::LinearGap{},
                                  {[](double) { throw Cancelled{}; }}),
               Cancelled);
}

void expect_rejected(const wavescan::Test::Letters& letters, const WideScores& substitution,
                     std::int64_t gap, const std::string& message) {
  try {
    ws::smith_waterman(letters, letters, substitution, {gap});
    ADD_FAILURE() << "accepted, but should have said: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(LocalAlignments, RejectsUnusableScores) {
  const auto letters = wt::letters("ACGT");
  expect_rejected(letters, {2, -1}, 0,
                  "WaveScan::smith_waterman: argument 'gap' must have a penalty greater than 0, "
                  "got 0");
  expect_rejected(letters, {2, -1}, -3,
                  "WaveScan::smith_waterman: argument 'gap' must have a penalty greater than 0, "
                  "got -3");
  expect_rejected(letters, {8388609, -1}, 2,
                  "WaveScan::smith_waterman: argument 'substitution' must score a pair of letters "
                  "with at most 8388608, got 8388609");
  expect_rejected(letters, {8388608, -1}, 8388609,
                  "WaveScan::smith_waterman: argument 'gap' must have a penalty of at most "
                  "8388608, or more than any alignment can score, got 8388609");
  EXPECT_THROW(ws::smith_waterman_score(letters, letters, WideScores{2, -1}, ws::LinearGap{0}),
               std::invalid_argument);
  EXPECT_THROW(ws::smith_waterman(wt::letters(""), letters, WideScores{2, -1}, ws::LinearGap{0}),
               std::invalid_argument);
}

}  // namespace
