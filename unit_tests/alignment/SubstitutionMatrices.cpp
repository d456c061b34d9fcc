// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;
static_assert(ws::Substitution<ws::SubstitutionMatrix>);

TEST(SubstitutionMatrices, PublishedValues) {
  const auto blosum62 = ws::substitution_matrix("BLOSUM62");
  EXPECT_EQ(blosum62('W', 'W'), 11);
  EXPECT_EQ(blosum62('A', 'R'), -1);
  EXPECT_EQ(blosum62('I', 'V'), 3);
  EXPECT_EQ(blosum62('*', '*'), 1);
  EXPECT_EQ(ws::substitution_matrix("BLOSUM50")('W', 'W'), 15);
  EXPECT_EQ(ws::substitution_matrix("BLOSUM45")('C', 'C'), 12);
  EXPECT_EQ(ws::substitution_matrix("BLOSUM80")('W', 'W'), 16);
  EXPECT_EQ(ws::substitution_matrix("PAM250")('W', 'W'), 17);
  EXPECT_EQ(ws::substitution_matrix("PAM250")('F', 'Y'), 7);
  EXPECT_EQ(ws::substitution_matrix("PAM120")('W', 'C'), -8);
  EXPECT_EQ(ws::substitution_matrix("NUC.4.4")('N', 'A'), -2);
  EXPECT_EQ(ws::substitution_matrix("EDNAFULL")('R', 'G'), 1);
}

// The sum of all scores, and that of the diagonal; of the files that NCBI distributes.
TEST(SubstitutionMatrices, SumsOfPublishedTables) {
  struct Sums {
    const char* name;
    int all, diagonal;
  };
  for (const Sums& sums :
       {Sums{"BLOSUM45", -689, 149}, Sums{"BLOSUM50", -814, 160}, Sums{"BLOSUM62", -726, 124},
        Sums{"BLOSUM80", -1572, 198}, Sums{"PAM120", -1361, 127}, Sums{"PAM250", -932, 124}}) {
    const auto matrix = ws::substitution_matrix(sums.name);
    int all = 0, diagonal = 0;
    for (const char x : std::string("ARNDCQEGHILKMFPSTWYVBZX*")) {
      diagonal += matrix(x, x);
      for (const char y : std::string("ARNDCQEGHILKMFPSTWYVBZX*")) {
        all += matrix(x, y);
        EXPECT_EQ(matrix(x, y), matrix(y, x));
      }
    }
    EXPECT_EQ(all, sums.all) << sums.name;
    EXPECT_EQ(diagonal, sums.diagonal) << sums.name;
  }
}

TEST(SubstitutionMatrices, LettersThatTheTableLacks) {
  const auto proteins = ws::substitution_matrix("BLOSUM62");
  EXPECT_EQ(proteins('w', 'W'), 11);
  EXPECT_EQ(proteins('U', 'A'), proteins('X', 'A'));
  EXPECT_EQ(proteins('\xff', 'A'), proteins('X', 'A'));
  const auto bases = ws::substitution_matrix("NUC.4.4");
  EXPECT_EQ(bases('U', 'T'), 5);
  EXPECT_EQ(bases('u', 'a'), -4);
  EXPECT_EQ(bases('?', 'C'), bases('N', 'C'));
  const ws::SubstitutionMatrix two("AB", {3, -1, -2, 4});
  EXPECT_EQ(two('a', 'B'), -1);
  EXPECT_EQ(two('B', 'a'), -2);
  EXPECT_EQ(two('C', 'C'), -2);
  EXPECT_EQ(ws::SubstitutionMatrix()('A', 'A'), 0);
}

// What scores as a match is one of the CIGAR.
TEST(SubstitutionMatrices, MatchesOfLetters) {
  const auto proteins = ws::substitution_matrix("BLOSUM62");
  EXPECT_TRUE(proteins.matches('w', 'W'));
  EXPECT_TRUE(proteins.matches('J', 'J'));
  EXPECT_FALSE(proteins.matches('J', 'X')) << "as good as X is not X";
  EXPECT_FALSE(proteins.matches('U', 'T'));
  EXPECT_TRUE(ws::SubstitutionMatrix().matches('a', 'A'));
  EXPECT_FALSE(ws::SubstitutionMatrix().matches('A', 'C'));
  for (const auto& bases : {ws::substitution_matrix("NUC.4.4"), ws::nucleotide_matrix(5, -4)}) {
    EXPECT_TRUE(bases.matches('u', 'T'));
    EXPECT_FALSE(bases.matches('U', 'C'));
    EXPECT_FALSE(bases.matches('R', 'A'));
    const ws::Scoring<ws::SubstitutionMatrix> scoring{bases, {10, 1}, ws::AlignmentMode::Global};
    const auto alignment = ws::align(wt::letters("GAUUACAN"), wt::letters("gatuaCRN"), scoring);
    EXPECT_EQ(alignment.cigar, "6=1X1=");
    EXPECT_EQ(alignment.matches, 7);
    EXPECT_EQ(alignment.mismatches, 1);
    const auto of_pairs =
        ws::align_many(Kokkos::DefaultHostExecutionSpace(), ws::sequence_set({"GAUUACA"}),
                       ws::sequence_set({"GATTACA"}), scoring);
    EXPECT_EQ(of_pairs[0].cigar, "7=");
  }
}

TEST(SubstitutionMatrices, AmbiguousNucleotides) {
  const auto matrix = ws::nucleotide_matrix(5, -4);
  EXPECT_EQ(matrix('A', 'A'), 5);
  EXPECT_EQ(matrix('A', 'C'), -4);
  EXPECT_EQ(matrix('U', 't'), 5);
  EXPECT_EQ(matrix('R', 'A'), 0);   // (5 - 4) / 2
  EXPECT_EQ(matrix('N', 'G'), -2);  // (5 - 12) / 4
  EXPECT_EQ(matrix('R', 'Y'), -4);
  EXPECT_EQ(matrix('-', 'G'), -2);
  EXPECT_EQ(ws::nucleotide_matrix(32767, -32768)('A', 'C'), -32768);
  EXPECT_TRUE(wt::rejects("nucleotide_matrix", "match", [] { ws::nucleotide_matrix(32768, 0); }));
  EXPECT_TRUE(
      wt::rejects("nucleotide_matrix", "mismatch", [] { ws::nucleotide_matrix(1, -32769); }));
}

TEST(SubstitutionMatrices, FilesOfNcbi) {
  const auto matrix = ws::parse_substitution_matrix(
      "# A comment\r\n\r\n   A  C *\r\nA  4 -1 -9\r\n* -9 -8 1\r\nC +2  5 -9");
  EXPECT_EQ(matrix('A', 'C'), -1);
  EXPECT_EQ(matrix('C', 'A'), 2);
  EXPECT_EQ(matrix('c', 'c'), 5);
  EXPECT_EQ(matrix('G', 'C'), -8);
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    ws::parse_substitution_matrix(text);
    ADD_FAILURE() << "accepted, but should have said: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), "WaveScan::parse_substitution_matrix: argument 'text' " + message);
  }
}

TEST(SubstitutionMatrices, RefusesOtherFiles) {
  expect_refused("", "line 0: expected a line of letters, got the end");
  expect_refused("# nothing\n", "line 1: expected a line of letters, got the end");
  expect_refused(" A CG\n", "line 1: expected single letters as names of columns, got CG");
  expect_refused(" A A\n", "line 1: a column comes twice, got A");
  expect_refused(" A a\n", "line 1: a column comes twice, got a");
  expect_refused(" A C\nG 1 2\n", "line 2: expected a letter that names a column, got G");
  expect_refused(" A C\nA 1 2\n\nA 1 2\n", "line 4: a row comes twice, got A");
  expect_refused(" A C\nA 1\n", "line 2: expected 2 scores, got 1");
  expect_refused(" A C\nA 1 2 3\n", "line 2: expected 2 scores, got 3");
  expect_refused(" A C\nA 1 x\n", "line 2: expected a whole number of 16 bits, got x");
  expect_refused(" A C\nA 1 40000\n", "line 2: expected a whole number of 16 bits, got 40000");
  expect_refused(" A C\nC 1 2\n", "line 2: expected a row for each column, got no row A");
}

TEST(SubstitutionMatrices, RejectsUnusableTables) {
  const auto refuses = [](const char* argument, const std::string& letters,
                          const std::vector<int>& scores) {
    EXPECT_TRUE(wt::rejects("SubstitutionMatrix", argument,
                            [&] { ws::SubstitutionMatrix(letters, scores); }));
  };
  refuses("letters", "", {});
  refuses("letters", "AA", {1, 1, 1, 1});
  refuses("letters", "Aa", {1, 1, 1, 1});
  refuses("scores", "AC", {1, 1, 1});
  refuses("scores", "A", {32768});
  refuses("scores", "A", {-32769});
  EXPECT_EQ(ws::SubstitutionMatrix("A", {32767})('A', 'A'), 32767);
  EXPECT_EQ(ws::SubstitutionMatrix("A", {-32768})('A', 'A'), -32768);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*12345";
  EXPECT_NO_THROW(ws::SubstitutionMatrix(letters.substr(1), std::vector<int>(31 * 31, 1)));
  refuses("letters", letters, std::vector<int>(32 * 32, 1));
  EXPECT_TRUE(
      wt::rejects("substitution_matrix", "name", [] { ws::substitution_matrix("BLOSUM63"); }));
}

}  // namespace
