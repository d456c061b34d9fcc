// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Strips that teams walk down, as on GPUs: with strips, blocks and
// launches so small that every seam occurs many times, and with more teams than cores.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <cstdint>
#include <functional>
#include <impl/smith_waterman/WaveScan_Local.hpp>
#include <string>

#include "reference.hpp"

namespace {

namespace ws = wavescan;
namespace wi = wavescan::Impl;
namespace wt = wavescan::Test;

/// @brief Teams of a few threads, even on the host.
template <int TeamSize, class T>
struct SmallTeams {
  using narrow = wi::TeamStrip<T>;
  using wide = narrow;
  static wi::StripShape choose(wi::Index, wi::Index, const wi::StripScores&) {
    wi::StripShape shape;
    shape.team_size = TeamSize;
    shape.strip_columns = shape.smallest_strip = TeamSize * narrow::columns_each;
    shape.block_rows = 3 * narrow::rows_each;
    shape.entries_between_reports = 20000;
    return shape;
  }
};

template <class Algorithm>
void check(const std::string& a, const std::string& b, const wt::LetterTable& table,
           std::int64_t gap, bool many_launches) {
  const wt::Exec exec;
  const wt::Letters letters_a = wt::letters(a), letters_b = wt::letters(b);
  const wi::LetterSequence sequence_a = wi::letter_sequence(letters_a);
  const wi::LetterSequence sequence_b = wi::letter_sequence(letters_b);
  const wi::Alphabet alphabet = wi::common_alphabet(exec, sequence_a, sequence_b);
  wi::CallMemory<wt::Exec> memory(exec);
  const auto problem = wi::encode(memory, sequence_a, sequence_b, alphabet,
                                  wi::tabulate(exec, alphabet, table), gap);
  double share = 0;
  wi::Progress progress(many_launches ? [&](double now) {
    EXPECT_GE(now, share);
    share = now;
  } : std::function<void(double)>{});
  wi::LocalAlignment<wt::Exec, Algorithm> alignment(exec, problem, progress);
  wt::expect_alignment(alignment.align(), a, b, table, gap);
}

template <class Algorithm>
void check_strips(int trials) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (int trial = 0; trial < trials; ++trial) {
    const wt::LetterTable table{static_cast<int>(random.integer(1, 12))};
    const auto gap = random.integer(1, 6);
    for (const auto& [name, a, b] :
         wt::sequence_pairs(random, random.integer(1, 400), random.integer(1, 400), "ACGT")) {
      SCOPED_TRACE(name + ", " + std::to_string(a.size()) + " x " + std::to_string(b.size()) +
                   ", largest score " + std::to_string(table.largest) + ", gap " +
                   std::to_string(gap));
      check<Algorithm>(a, b, table, gap, false);
      check<Algorithm>(a, b, table, gap, true);
    }
  }
}

TEST(TeamStrips, LettersThatMatch) {
  const wt::Exec exec;
  const wt::Letters letters_a = wt::letters("GATTACA"), letters_b = wt::letters("GAUUACA");
  const wi::LetterSequence a = wi::letter_sequence(letters_a), b = wi::letter_sequence(letters_b);
  wi::Alphabet alphabet = wi::common_alphabet(exec, a, b);
  alphabet.first_match[alphabet.codes['U']] = alphabet.codes['T'];
  const auto scores = wi::tabulate(exec, alphabet, wt::LetterTable{9});
  wi::CallMemory<wt::Exec> memory(exec);
  const auto problem = wi::encode(memory, a, b, alphabet, scores, 9);
  wi::Progress progress({});
  wi::LocalAlignment<wt::Exec, SmallTeams<1, std::int32_t>> alignment(exec, problem, progress);
  EXPECT_EQ(alignment.align().cigar, "7=");
}

TEST(TeamStrips, AllocateNothingTheSecondTime) {
  std::string a;
  for (int k = 0; k < 300; ++k) a += "ACGT"[k * k % 7 % 4];
  const auto run = [&] {
    check<SmallTeams<1, std::int32_t>>(a, a.substr(20) + a.substr(0, 50), {9}, 3, false);
  };
  run();
  const wt::Recorder recorder;
  run();
  for (const std::string& label : recorder.allocations())
    EXPECT_FALSE(label.starts_with("WaveScan::")) << label;
}

TEST(TeamStrips, OneThreadATeam) { check_strips<SmallTeams<1, std::int32_t>>(6); }

TEST(TeamStrips, TwoThreadsATeam) {
  if (wt::Exec().concurrency() < 2) GTEST_SKIP() << "needs two threads";
  check_strips<SmallTeams<2, std::int64_t>>(1);  // slow where barriers spin and cores are few
}

}  // namespace
