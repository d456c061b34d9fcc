// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <algorithm>
#include <cstdint>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "AlignReference.hpp"
#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wi = wavescan::Impl;
namespace wt = wavescan::Test;
using Mode = ws::AlignmentMode;

template <class S>
void check(const std::string& a, const std::string& b, const ws::Scoring<S>& scoring) {
  const wt::AlignReference<S> reference(a, b, scoring);
  const wt::Letters letters_a = wt::letters(a), letters_b = wt::letters(b);
  const ws::AlignmentScore expected = reference.end();
  const ws::AlignmentScore score = ws::align_score(wt::Exec(), letters_a, letters_b, scoring);
  EXPECT_EQ(score.score, expected.score);
  EXPECT_EQ(score.end_a, expected.end_a);
  EXPECT_EQ(score.end_b, expected.end_b);
  reference.expect(ws::align(wt::Exec(), letters_a, letters_b, scoring));
}

/// @brief Local, global, and semi-global with every choice of free ends.
template <class S>
void check_modes(const std::string& a, const std::string& b, ws::Scoring<S> scoring) {
  const auto check_one = [&](const std::string& name) {
    SCOPED_TRACE(name);
    check(a, b, scoring);
  };
  scoring.mode = Mode::Local;
  check_one("local");
  scoring.mode = Mode::Global;
  check_one("global");
  scoring.mode = Mode::SemiGlobal;
  for (int ends = 0; ends < 16; ++ends) {
    scoring.free_ends = {(ends & 1) != 0, (ends & 2) != 0, (ends & 4) != 0, (ends & 8) != 0};
    check_one("free ends " + std::to_string(ends));
  }
}

TEST(Align, SmallLengthsInAllModes) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const int m : {0, 1, 2, 5, 17, 33})
    for (const int n : {0, 1, 3, 8, 31, 64})
      for (const auto& [name, a, b] : wt::sequence_pairs(random, m, n, "ACGT")) {
        SCOPED_TRACE(name + ", " + std::to_string(a.size()) + " x " + std::to_string(b.size()));
        check_modes(a, b, ws::Scoring<>{{2, -1}, ws::LinearGap{2}});
        check_modes(a, b, ws::Scoring<>{{5, -4}, ws::AffineGap{7, 1}});
      }
}

TEST(Align, RandomLengthsScoresAndModes) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (int trial = 0; trial < wt::cases_wanted(40); ++trial) {
    const auto m = random.integer(1, 400), n = random.integer(1, 400);
    const ws::AffineGap gap{trial % 3 == 0 ? 0 : random.integer(1, 14), random.integer(1, 5)};
    for (const auto& [name, a, b] :
         wt::sequence_pairs(random, m, n, trial % 2 == 0 ? "ACGT" : "ACDEFGHIKLMNPQRSTVWY")) {
      SCOPED_TRACE(name + ", " + std::to_string(a.size()) + " x " + std::to_string(b.size()) +
                   ", open " + std::to_string(gap.open) + ", extend " + std::to_string(gap.extend));
      const auto mode = static_cast<Mode>(random.integer(0, 2));
      const auto ends = random.integer(0, 15);
      const ws::FreeEnds free{(ends & 1) != 0, (ends & 2) != 0, (ends & 4) != 0, (ends & 8) != 0};
      const int match = static_cast<int>(random.integer(1, 9));
      const int mismatch = -static_cast<int>(random.integer(0, 9));
      check(a, b, ws::Scoring<>{{match, mismatch}, gap, mode, free});
      check(
          a, b,
          ws::Scoring<wt::LetterTable>{{static_cast<int>(random.integer(1, 30))}, gap, mode, free});
    }
  }
}

TEST(Align, LongerThanStripsAndBlocks) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] :
       std::vector<std::pair<int, int>>{{1023, 1025}, {2049, 700}, {70, 3001}}) {
    if (wt::few_cases_wanted() && m > 1000) continue;
    const std::string a = wt::random_text(random, m, "ACGT");
    const std::string related = wt::mutated(random, a, "ACGT") + wt::random_text(random, n, "ACGT");
    const std::string b = related.substr(0, static_cast<std::size_t>(n));
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
    for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
      check(a, b, ws::Scoring<>{{2, -1}, ws::LinearGap{2}, mode});
      check(a, b, ws::Scoring<>{{5, -4}, ws::AffineGap{10, 1}, mode});
      check(a, b, ws::Scoring<wt::LetterTable>{{9}, ws::AffineGap{6, 2}, mode});
    }
  }
}

// Gaps that are longer than what is followed through directly.
TEST(Align, LongGaps) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string head = wt::random_text(random, 150, "ACGT"),
                    tail = wt::random_text(random, 160, "ACGT"),
                    middle = wt::random_text(random, 900, "ACGT");
  for (const ws::AffineGap gap : {ws::AffineGap{20, 0}, ws::AffineGap{4, 1}, ws::AffineGap{0, 1}})
    for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
      SCOPED_TRACE(std::to_string(gap.open) + ", " + std::to_string(static_cast<int>(mode)));
      check(head + middle + tail, head + tail, ws::Scoring<>{{5, -4}, gap, mode});
      check(head + tail, head + middle + tail, ws::Scoring<>{{5, -4}, gap, mode});
      check(head + middle, middle + tail, ws::Scoring<>{{5, -4}, gap, mode});
    }
}

TEST(Align, GoldenPaths) {
  for (const auto& [a, b, scoring, cigar] : wt::golden_paths())
    EXPECT_EQ(ws::align(wt::letters(a), wt::letters(b), scoring).cigar, cigar)
        << a.substr(0, 9) << ", " << b.substr(0, 9);
}

TEST(Align, NothingIsAligned) {
  const auto expect_at = [](const std::string& a, const std::string& b, Mode mode,
                            const ws::FreeEnds& free, std::int64_t i, std::int64_t j) {
    const ws::Alignment alignment =
        ws::align(wt::letters(a), wt::letters(b), ws::Scoring<>{{2, -1}, {2, 1}, mode, free});
    EXPECT_TRUE(alignment.empty());
    EXPECT_EQ(alignment.cigar, "");
    EXPECT_EQ(alignment.score, 0);
    EXPECT_EQ(alignment.begin_a, i);
    EXPECT_EQ(alignment.end_a, i);
    EXPECT_EQ(alignment.begin_b, j);
    EXPECT_EQ(alignment.end_b, j);
  };
  expect_at("AAAA", "CCC", Mode::Local, {}, 0, 0);
  expect_at("AAAA", "CCC", Mode::SemiGlobal, {}, 0, 3);
  expect_at("AAAA", "CCC", Mode::SemiGlobal, {true, false, false, true}, 4, 0);
  expect_at("", "CCC", Mode::SemiGlobal, {}, 0, 0);
  expect_at("", "", Mode::Global, {}, 0, 0);
}

TEST(Align, LargeScores) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  constexpr int limit = 1 << 23;
  struct Case {
    int match, mismatch;
    ws::AffineGap gap;
  };
  for (const Case& c :
       {Case{100, -50, {60, 10}}, Case{30000, -5, {1, 9}}, Case{limit, -limit, {limit - 1, 1}},
        Case{limit, -2 * limit, {0, limit}}, Case{1, 0, {1, 1}}, Case{3, 2, {2, 1}},
        Case{1, -1000000, {1, 1}}, Case{1000, -1, {limit - 10, 10}}})
    for (const auto& [name, a, b] : wt::sequence_pairs(random, 150, 203, "ACGT")) {
      SCOPED_TRACE(name + ", match " + std::to_string(c.match) + ", open " +
                   std::to_string(c.gap.open));
      for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal})
        check(a, b, ws::Scoring<>{{c.match, c.mismatch}, c.gap, mode});
    }
}

TEST(Align, AllPossibleLetters) {
  wt::Random random;
  std::string alphabet;
  for (int c = 0; c < 256; ++c) alphabet += static_cast<char>(c);
  const std::string a = alphabet + wt::random_text(random, 200, alphabet);
  check_modes(a, wt::mutated(random, a, alphabet), ws::Scoring<>{{2, -1}, ws::AffineGap{2, 1}});
}

TEST(Align, ReportsProgressAndCanBeCancelled) {
  wt::Random random;
  const std::string a = wt::random_text(random, 3000, "ACGT");
  const auto letters_a = wt::letters(a), letters_b = wt::letters(wt::mutated(random, a, "ACGT"));
  std::vector<double> shares;
  ws::AlignOptions options{[&](double share) { shares.push_back(share); }};
  const ws::Scoring<> scoring{{5, -4}, ws::AffineGap{10, 1}, Mode::SemiGlobal};
  ws::align(letters_a, letters_b, scoring, options);
  ASSERT_GE(shares.size(), 3u);
  EXPECT_GT(shares.front(), 0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  struct Cancelled {};
  options.progress = [](double) { throw Cancelled{}; };
  EXPECT_THROW(ws::align(letters_a, letters_b, scoring, options), Cancelled);
}

TEST(Align, RejectsUnusableScores) {
  const auto letters = wt::letters("ACGT");
  const auto with = [&](int match, const ws::AffineGap& gap, Mode mode) {
    return [=] { ws::align(letters, letters, ws::Scoring<>{{match, -1}, gap, mode}); };
  };
  EXPECT_EQ(wt::error_of(with(2, {0, 0}, Mode::Local)),
            "WaveScan::align: argument 'gap' must have a penalty greater than 0, got 0");
  EXPECT_EQ(wt::error_of(with(2, {-1, 2}, Mode::Global)),
            "WaveScan::align: argument 'gap' must have costs that are not negative, got -1");
  EXPECT_EQ(wt::error_of(with(2, {3, -2}, Mode::Global)),
            "WaveScan::align: argument 'gap' must have costs that are not negative, got -2");
  EXPECT_EQ(wt::error_of(with(8388609, {1, 1}, Mode::SemiGlobal)),
            "WaveScan::align: argument 'substitution' must score a pair of letters with at "
            "most 8388608, got 8388609");
  EXPECT_EQ(wt::error_of(with(2, {8388608, 1}, Mode::Global)),
            "WaveScan::align: argument 'gap' must have a first letter that costs at most "
            "8388608, got 8388609");
  // What open + extend would be is beyond 64 bits.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(wt::error_of(with(2, {most, 1}, Mode::SemiGlobal)),
            "WaveScan::align: argument 'gap' must have a first letter that costs at most "
            "8388608, got 9223372036854775807");
  EXPECT_NO_THROW(with(2, {most, 1}, Mode::Local)());
  EXPECT_NO_THROW(with(8388608, {8388607, 1}, Mode::Global)());
}

// Entries of every width, with and without the processor's best registers, in strips of few rows.
template <class S>
void check_lanes(const std::string& a, const std::string& b, const ws::Scoring<S>& scoring,
                 const wi::LaneChoice& choice) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto on_host = [](const std::string& text) {
    return Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size());
  };
  const auto view_a = on_host(a), view_b = on_host(b);
  const auto letters_a = wi::letter_sequence(view_a), letters_b = wi::letter_sequence(view_b);
  const Host host;
  const wi::TabulatedScores table = wi::tabulated_scores(
      "align", host, letters_a, letters_b, scoring, std::min(letters_a.length, letters_b.length));
  const wi::LetterScores on_lanes(table);
  const auto codes_a = wi::codes_on_host(host, letters_a, table.alphabet),
             codes_b = wi::codes_on_host(host, letters_b, table.alphabet);
  wi::Progress progress({});
  wi::LanePasses passes(on_lanes, host, progress, choice);
  wi::HostAligner aligner({passes, wi::code_sequence(codes_a), wi::code_sequence(codes_b)},
                          wi::AlignmentEdges::of(scoring.mode, scoring.free_ends));
  wt::AlignReference<S>(a, b, scoring).expect(aligner.align());
}

TEST(Align, EveryKindOfLanes) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (int trial = 0; trial < wt::cases_wanted(30); ++trial)
    for (const int bytes : {1, 2, 4})
      for (const bool baseline : {false, true})
        for (const int rows : {0, 1, 3}) {
          const auto m = random.integer(1, 500), n = random.integer(1, 300);
          const ws::AffineGap gap{trial % 2 == 0 ? 0 : random.integer(1, 8), random.integer(1, 3)};
          const auto mode = static_cast<Mode>(trial % 3);
          SCOPED_TRACE(std::to_string(8 * bytes) + " bits, rows " + std::to_string(rows) +
                       (baseline ? ", baseline" : ""));
          const auto pairs = wt::sequence_pairs(random, m, n, "ACGT");
          const auto& [name, a, b] =
              pairs[static_cast<std::size_t>(random.integer(0, std::ssize(pairs) - 1))];
          SCOPED_TRACE(name);
          check_lanes(a, b, ws::Scoring<>{{2, -1}, gap, mode}, {bytes, baseline, rows});
          check_lanes(a, b, ws::Scoring<wt::LetterTable>{{4}, gap, mode}, {bytes, baseline, rows});
        }
}

}  // namespace
