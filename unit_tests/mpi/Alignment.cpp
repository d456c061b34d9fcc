// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_MPI_Align.hpp>
#include <string>

#include "Distributed.hpp"

namespace wavescan::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Letters = Kokkos::View<char*, Host>;
template <class Space>
using MatrixPartition = typename Impl::mpi::DistributedPair<Space>::MatrixPartition;

Letters letters_of(const std::string& text) {
  const Letters letters("letters", text.size());
  for (std::size_t k = 0; k < text.size(); ++k) letters(k) = text[k];
  return letters;
}
template <class Space>
auto copy_in(const Space& space, const std::string& text) {
  return Kokkos::create_mirror_view_and_copy(space, letters_of(text));
}
std::string random_text(Random& random, std::int64_t length, int alphabet) {
  std::string text;
  for (std::int64_t k = 0; k < length; ++k)
    text += static_cast<char>('A' + random.integer(0, alphabet - 1));
  return text;
}
/// @brief The same with some letters changed, left out and doubled.
std::string mutated(Random& random, const std::string& text) {
  std::string result;
  for (const char letter : text) {
    const auto kind = random.integer(0, 19);
    if (kind > 0) result += kind == 1 ? 'A' : letter;
    if (kind == 2) result += letter;
  }
  return result;
}

/// @brief Scores that are not symmetric.
struct OfLetters {
  KOKKOS_FUNCTION int operator()(char a, char b) const {
    return a == b ? 4 + a % 3 : a < b ? -2 : -3;
  }
};

template <class Space, class S>
void check_pair(const Space& space, Random& random, const Scoring<S>& scoring, const std::string& a,
                const std::string& b, const MatrixPartition<Space>& partition) {
  auto blocks = Distribution::random(random, size_of(world), 2 * (std::int64_t(b.size()) + 1));
  for (auto& first : blocks.firsts) first = std::min(first, static_cast<std::int64_t>(b.size()));
  blocks.firsts.back() = static_cast<std::int64_t>(b.size());
  const Letters whole_a = letters_of(a), whole_b = letters_of(b);
  const auto first = static_cast<std::size_t>(blocks.first(rank_of(world)));
  const auto count = static_cast<std::size_t>(blocks.count(rank_of(world)));
  const Alignment expected = align(Host(), whole_a, whole_b, scoring);
  auto pair =
      Impl::mpi::distributed_pair("test", world, space, copy_in(space, a),
                                  copy_in(space, b.substr(first, count)), scoring, partition);
  const AlignmentScore end = pair.aligner().score();
  const Alignment found = pair.aligner().align();
  SCOPED_TRACE(std::to_string(a.size()) + " x " + std::to_string(b.size()) + ", partition " +
               std::to_string(partition.band) + " " + std::to_string(partition.bands) + " " +
               std::to_string(partition.slots) + " " + std::to_string(partition.part));
  EXPECT_EQ(end.score, expected.score);
  EXPECT_EQ(end.end_a, expected.end_a);
  EXPECT_EQ(end.end_b, expected.end_b);
  EXPECT_EQ(found.begin_a, expected.begin_a);
  EXPECT_EQ(found.begin_b, expected.begin_b);
  EXPECT_EQ(found.end_b, expected.end_b);
  EXPECT_EQ(found.score, expected.score);
  if (Impl::runs_on_host<Space>)
    EXPECT_EQ(found.cigar, expected.cigar);
  else  // one of the best paths: its score has been checked
    EXPECT_NO_THROW(format_alignment(found, a, b));
}

template <class S>
void check_pairs(const S& substitution, std::int64_t longest) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto mode : {AlignmentMode::Local, AlignmentMode::Global, AlignmentMode::SemiGlobal})
    for (const AffineGap& gap : {AffineGap(LinearGap{2}), AffineGap(5, 1), AffineGap(1, 3)})
      for (int turn = 0; turn < 12; ++turn) {
        SCOPED_TRACE(std::to_string(static_cast<int>(mode)) + " " + std::to_string(gap.open) +
                     " turn " + std::to_string(turn));
        Scoring<S> scoring{substitution, gap, mode, {}};
        scoring.free_ends = {random.integer(0, 1) != 0, random.integer(0, 1) != 0,
                             random.integer(0, 1) != 0, random.integer(0, 1) != 0};
        const int alphabet = turn % 3 == 0 ? 2 : 4;
        const auto length = turn < 2 ? turn : random.integer(0, longest);
        const std::string a = random_text(random, length, alphabet);
        const std::string b = turn % 2 == 0
                                  ? random_text(random, random.integer(0, longest), alphabet)
                                  : mutated(random, a);
        const MatrixPartition<Host> partition{
            .band = turn % 4 == 0 ? 0 : random.integer(1, longest),
            .part = static_cast<double>(random.integer(1, longest * longest))};
        check_pair(Host(), random, scoring, a, b, partition);
        if (!everywhere(world, !testing::Test::HasFailure())) return;
      }
}

/// @brief Parts so small that processes divide a gap together: one that goes on over half of the
/// part below the first division, and one over half of the part above it.
TEST(MpiAlignment, GapsThroughDivisions) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto text = [&](std::int64_t length) { return random_text(random, length, 2); };
  const auto gs = [](std::size_t count) { return std::string(count, 'G'); };
  const Scoring<> scoring{{5, -4}, {20, 1}, AlignmentMode::Global, {}};
  const std::string upper = text(190), lower = text(89);
  check_pair(Host(), random, scoring, upper + gs(5) + std::string(20, 'C') + gs(95) + 'H' + lower,
             upper + 'C' + lower, MatrixPartition<Host>{.part = 1});
  check_pair(Host(), random, scoring, lower + "HI" + gs(106) + "CI" + gs(12) + upper.substr(1),
             lower + "CI" + upper.substr(1), MatrixPartition<Host>{.part = 1});
}

TEST(MpiAlignment, ScoresOfEqualLetters) { check_pairs(MatchMismatch{2, -1}, 300); }
TEST(MpiAlignment, ScoresOfLetters) { check_pairs(OfLetters(), 300); }
TEST(MpiAlignment, LongPairs) { check_pairs(MatchMismatch{1, -3}, 6000); }
/// @brief Scores that need wide entries.
TEST(MpiAlignment, LargeScores) { check_pairs(MatchMismatch{4000, -30000}, 700); }

/// @brief Local alignments on devices, where GPUs compute bands of 256 or 1024 rows in waves.
template <class S>
void check_waves(const S& substitution, std::int64_t longest) {
  if (Impl::runs_on_host<Exec>) GTEST_SKIP() << "no device";
  Random random;
  SCOPED_TRACE(random.trace());
  for (const AffineGap& gap : {AffineGap(LinearGap{2}), AffineGap(5, 1)})
    for (int turn = 0; turn < 10; ++turn) {
      SCOPED_TRACE(std::to_string(gap.open) + " turn " + std::to_string(turn));
      const std::string a = random_text(random, random.integer(1, longest), 4);
      const std::string b =
          turn % 2 == 0 ? random_text(random, random.integer(1, longest), 4) : mutated(random, a);
      const MatrixPartition<Exec> partition{
          .band = 0, .bands = random.integer(1, 3), .slots = random.integer(1, 40)};
      check_pair(Exec(), random, Scoring<S>{substitution, gap, AlignmentMode::Local, {}}, a, b,
                 partition);
      if (!everywhere(world, !testing::Test::HasFailure())) return;
    }
}

TEST(MpiAlignment, Waves) { check_waves(MatchMismatch{2, -1}, 9000); }
TEST(MpiAlignment, WavesOfFewRows) { check_waves(OfLetters(), 1500); }
/// @brief Bands of 256 rows.
TEST(MpiAlignment, WavesOfLargeScores) { check_waves(MatchMismatch{4000, -30000}, 3000); }
/// @brief As divided by the library, where a device does not leave it to the host.
TEST(MpiAlignment, WavesAsChosen) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = random_text(random, 5000, 4), b = mutated(random, a);
  check_pair(Exec(), random, Scoring<>{}, a, b, {});
}

TEST(MpiAlignment, LettersOfDevices) {
  const std::string a = "GATTACAGATTACA", b = "ATTACCA";
  const auto on_device = [](const std::string& text) { return copy_in(Exec(), text); };
  const bool is_last = rank_of(world) == size_of(world) - 1;
  const auto found = mpi::align_score(world, on_device(a), on_device(is_last ? b : ""));
  const auto expected = align_score(Host(), letters_of(a), letters_of(b));
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.end_a, expected.end_a);
  EXPECT_EQ(found.end_b, expected.end_b);
  const Alignment whole = align(Host(), letters_of(a), letters_of(b));
  EXPECT_EQ(mpi::align_span(world, on_device(a), on_device(is_last ? b : "")).begin_a,
            whole.begin_a);
  EXPECT_EQ(mpi::align(world, on_device(a), on_device(is_last ? b : "")).cigar, whole.cigar);
}

TEST(MpiAlignment, Errors) {
  const Letters letters = letters_of("GATTACA");
  const Scoring<> free_gaps{.gap = LinearGap{0}};
  EXPECT_TRUE(rejects("mpi::align_score", "gap",
                      [&] { mpi::align_score(world, letters, letters, free_gaps); }));
  EXPECT_TRUE(rejects("mpi::align_span", "gap",
                      [&] { mpi::align_span(world, letters, letters, free_gaps); }));
  EXPECT_TRUE(
      rejects("mpi::align", "gap", [&] { mpi::align(world, letters, letters, free_gaps); }));
  EXPECT_TRUE(rejects("mpi::align_score", "comm",
                      [&] { mpi::align_score(MPI_COMM_NULL, letters, letters); }));
  if (size_of(world) == 1) return;
  const bool wrong = rank_of(world) == 1;
  const Letters shorter = letters_of("GATTAC");
  EXPECT_TRUE(rejects("mpi::align_score", "a",
                      [&] { mpi::align_score(world, wrong ? shorter : letters, letters); }));
  const auto refuses = [&](const char* argument, const Scoring<>& scoring) {
    EXPECT_TRUE(rejects("mpi::align_span", argument,
                        [&] { mpi::align_span(world, letters, letters, scoring); }));
  };
  refuses("gap", {.gap = LinearGap{wrong ? 3 : 2}});
  refuses("substitution", {.substitution = {2, wrong ? -1 : -2}});
  refuses("mode", {.mode = wrong ? AlignmentMode::Global : AlignmentMode::SemiGlobal});
  refuses("free_ends", {.mode = AlignmentMode::SemiGlobal, .free_ends = {wrong, true, true, true}});
}

}  // namespace
}  // namespace wavescan::Test
