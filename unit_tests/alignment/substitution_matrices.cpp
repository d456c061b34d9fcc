// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <stdexcept>
#include <string>

namespace {

namespace ws = wavescan;
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

TEST(SubstitutionMatrices, AmbiguousNucleotides) {
  const auto matrix = ws::nucleotide_matrix(5, -4);
  EXPECT_EQ(matrix('A', 'A'), 5);
  EXPECT_EQ(matrix('A', 'C'), -4);
  EXPECT_EQ(matrix('U', 't'), 5);
  EXPECT_EQ(matrix('R', 'A'), 0);   // (5 - 4) / 2
  EXPECT_EQ(matrix('N', 'G'), -2);  // (5 - 12) / 4
  EXPECT_EQ(matrix('R', 'Y'), -4);
  EXPECT_EQ(matrix('-', 'G'), -2);
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
  expect_refused(" A C\nG 1 2\n", "line 2: expected a letter that names a column, got G");
  expect_refused(" A C\nA 1 2\n\nA 1 2\n", "line 4: a row comes twice, got A");
  expect_refused(" A C\nA 1\n", "line 2: expected 2 scores, got 1");
  expect_refused(" A C\nA 1 2 3\n", "line 2: expected 2 scores, got 3");
  expect_refused(" A C\nA 1 x\n", "line 2: expected a whole number of 16 bits, got x");
  expect_refused(" A C\nA 1 40000\n", "line 2: expected a whole number of 16 bits, got 40000");
  expect_refused(" A C\nC 1 2\n", "line 2: expected a row for each column, got no row A");
}

TEST(SubstitutionMatrices, RejectsUnusableTables) {
  EXPECT_THROW(ws::SubstitutionMatrix("", {}), std::invalid_argument);
  EXPECT_THROW(ws::SubstitutionMatrix("AA", {1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(ws::SubstitutionMatrix("AC", {1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(ws::SubstitutionMatrix("A", {40000}), std::invalid_argument);
  EXPECT_THROW(ws::substitution_matrix("BLOSUM63"), std::invalid_argument);
}

}  // namespace
