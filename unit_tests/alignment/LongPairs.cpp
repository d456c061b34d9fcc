// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "AlignReference.hpp"
#include "Reference.hpp"

// Sequences longer than what a warp computes at a time: other devices find what hosts find.

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;
using Mode = ws::AlignmentMode;

template <class S>
void check_pair(const std::string& a, const std::string& b, const ws::Scoring<S>& scoring,
                bool with_path = false) {
  const Kokkos::View<const char*, Kokkos::HostSpace> host_a(a.data(), a.size()),
      host_b(b.data(), b.size());
  const wt::Letters letters_a = wt::letters(a), letters_b = wt::letters(b);
  SCOPED_TRACE(std::to_string(a.size()) + " x " + std::to_string(b.size()) + ", mode " +
               std::to_string(static_cast<int>(scoring.mode)));
  const ws::AlignmentScore expected =
      ws::align_score(Kokkos::DefaultHostExecutionSpace(), host_a, host_b, scoring);
  const ws::AlignmentScore score = ws::align_score(wt::Exec(), letters_a, letters_b, scoring);
  EXPECT_EQ(score.score, expected.score);
  EXPECT_EQ(score.end_a, expected.end_a);
  EXPECT_EQ(score.end_b, expected.end_b);
  if (!with_path) return;
  const ws::Alignment path = ws::align(wt::Exec(), letters_a, letters_b, scoring),
                      same =
                          ws::align(Kokkos::DefaultHostExecutionSpace(), host_a, host_b, scoring);
  EXPECT_EQ(path.score, expected.score);
  EXPECT_EQ(path.begin_a, same.begin_a);
  EXPECT_EQ(path.begin_b, same.begin_b);
  wt::expect_path(path, a, b, scoring);
}

ws::FreeEnds free_ends(std::int64_t bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
}

std::pair<std::string, std::string> related(wt::Random& random, int m, int n) {
  const std::string a = wt::random_text(random, m, "ACGT");
  std::string b = wt::mutated(random, a.substr(static_cast<std::size_t>(m / 7)), "ACGT");
  b.resize(static_cast<std::size_t>(n), 'C');
  return {a, b};
}

// Strips of 8 rows, chunks of 64 columns, bands of 256 and 512 rows, and one more or less.
TEST(LongPairs, DividedAnywhere) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  wt::WantedCases wanted;
  for (const int m : {1, 15, 17, 257, 1023, 1024, 1025, 3001})
    for (const int n : {1, 31, 33, 64, 127, 2999}) {
      if (!wanted.next()) continue;
      const auto [a, b] = related(random, m, n);
      for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
        const ws::FreeEnds free = free_ends(random.integer(0, 15));
        check_pair(a, b, ws::Scoring<>{{1, -1}, ws::LinearGap{2}, mode, free});
        check_pair(a, b, ws::Scoring<>{{5, -4}, ws::AffineGap{8, 2}, mode, free});
        check_pair(a, b, ws::Scoring<wt::LetterTable>{{9}, ws::AffineGap{6, 1}, mode, free});
        check_pair(a, b, ws::Scoring<>{{3000, -2500}, ws::AffineGap{4000, 300}, mode, free});
        check_pair(a, b, ws::Scoring<>{{3000, -2500}, ws::LinearGap{2000}, mode, free});
      }
    }
}

// So many bands that strips have 16 rows.
TEST(LongPairs, ManyBands) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, wt::few_cases_wanted() ? 130011 : 430011, "ACGT"),
                    b = a.substr(100000, 90) + wt::random_text(random, 70, "ACGT");
  for (const ws::AffineGap gap : {ws::AffineGap{0, 2}, ws::AffineGap{8, 2}})
    for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
      check_pair(a, b, ws::Scoring<>{{5, -4}, gap, mode, free_ends(3)}, mode == Mode::Local);
      check_pair(a, b, ws::Scoring<>{{1, -4}, gap, mode, free_ends(7)});
    }
}

TEST(LongPairs, PathsAreDivided) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{5003, 4001}, {90, 20011}}) {
    const auto [a, b] = related(random, m, n);
    for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
      check_pair(a, b, ws::Scoring<>{{1, -1}, ws::LinearGap{2}, mode}, true);
      check_pair(a, b, ws::Scoring<>{{5, -4}, ws::AffineGap{20, 0}, mode}, true);
    }
  }
}

// All of one sequence within the other one, unrelated: the score is far below zero.
TEST(LongPairs, NegativeScores) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, 3001, "ACGT"),
                    b = wt::random_text(random, 2999, "ACGT");
  for (const std::int64_t ends : {3, 12})
    check_pair(a, b, ws::Scoring<>{{1, -1}, ws::LinearGap{2}, Mode::SemiGlobal, free_ends(ends)},
               true);
}

// Long sequences are divided into pieces, of which several may hold the best alignment.
TEST(LongPairs, OneMuchLongerThanTheOther) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string shorter = wt::random_text(random, 70, "ACGT");
  std::string longer;
  for (int k = 0; k < 30; ++k) longer += wt::random_text(random, 700, "ACGT") + shorter;
  const ws::Scoring<> scoring{{2, -3}, ws::AffineGap{4, 1}};
  check_pair(shorter, longer, scoring, true);
  check_pair(longer, shorter, scoring, true);
}

// A sequence within a longer one, of which only a part matters, or all of it.
TEST(LongPairs, ShortWithinLong) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string shorter = wt::random_text(random, 70, "ACGT");
  std::string longer;
  for (int k = 0; k < 10; ++k) longer += wt::random_text(random, 700, "ACGT") + shorter;
  wt::WantedCases wanted;
  for (std::int64_t bits = 0; bits < 16; ++bits) {
    if (!wanted.next()) continue;
    SCOPED_TRACE("free ends " + std::to_string(bits));
    for (const ws::AffineGap gap : {ws::AffineGap{0, 2}, ws::AffineGap{4, 1}}) {
      const ws::Scoring<> scoring{{2, -3}, gap, Mode::SemiGlobal, free_ends(bits)};
      check_pair(shorter, longer, scoring, true);
      check_pair(longer, shorter, scoring, true);
      const ws::Scoring<wt::LetterTable> table{{9}, gap, Mode::SemiGlobal, free_ends(bits)};
      check_pair(shorter, longer, table);
      check_pair(longer, shorter, table);
    }
    // Unrelated: scores are below zero.
    const std::string other(100, 'A'), others(5000, 'C');
    const ws::Scoring<> scoring{{2, -3}, ws::AffineGap{4, 1}, Mode::SemiGlobal, free_ends(bits)};
    check_pair(other, others, scoring, true);
    check_pair(others, other, scoring, true);
  }
}

// Nearly all entries of some rows are the best one.
TEST(LongPairs, ManyBestEntries) {
  check_pair(std::string(100, 'A'), std::string(3000, 'A'),
             ws::Scoring<>{{2, -1}, ws::LinearGap{2}});
  check_pair(std::string(3000, 'A'), std::string(100, 'A'),
             ws::Scoring<>{{2, -1}, ws::AffineGap{2, 1}});
}

// Bases move far from zero, both ways.
TEST(LongPairs, ScoresBeyondSixteenBits) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, 30000, "ACGT"),
                    b = wt::random_text(random, 1500, "ACGT");
  check_pair(a, a, ws::Scoring<>{{4, -3}, ws::LinearGap{3}});
  for (const Mode mode : {Mode::Global, Mode::SemiGlobal}) {
    check_pair(a, b, ws::Scoring<>{{4, -3}, ws::AffineGap{3, 3}, mode, free_ends(4)});
    check_pair(b, a, ws::Scoring<>{{4, -3}, ws::AffineGap{5, 3}, mode, free_ends(2)});
  }
}

}  // namespace
