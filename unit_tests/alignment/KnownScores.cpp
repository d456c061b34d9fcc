// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Scores of real sequences beside those of parasail 1.3.4 (PyPI), where a gap of k letters costs
// open + (k - 1) extend, so that its `open` is open + extend here:
//
//     import parasail
//     parasail.sw_scan_64(a, b, open + extend, extend, matrix).score   # nw_, sg_ likewise
//
// with matrix = parasail.blosum62 and so on, parasail.nuc44, or
// parasail.matrix_create("ACGTN", match, mismatch), and a, b in upper case.
//
// (Not striped ones: with linear gaps they find less for human and chicken, 31687 locally with 5,
// -4 and 6, where all others and the plain recurrence find 31696.)
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <string>

#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;
using Mode = ws::AlignmentMode;

template <class S>
void expect_scores(const std::string& a, const std::string& b, const S& substitution,
                   const ws::AffineGap& gap, std::int64_t local, std::int64_t global,
                   std::int64_t semi_global) {
  const wt::Letters letters_a = wt::letters(a), letters_b = wt::letters(b);
  const auto score = [&](Mode mode) {
    return ws::align_score(letters_a, letters_b, ws::Scoring<S>{substitution, gap, mode}).score;
  };
  EXPECT_EQ(score(Mode::Local), local);
  EXPECT_EQ(score(Mode::Global), global);
  EXPECT_EQ(score(Mode::SemiGlobal), semi_global);
}

// Human haemoglobin, alpha and beta.
TEST(KnownScores, Haemoglobin) {
  const std::string alpha =
      "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHA"
      "HKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR";
  const std::string beta =
      "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATL"
      "SELHCDKLHVDPENFRLLGNVLACCLVAHFGKEFTPPVQAAYQKVVAGVANALAHKYH";
  const auto expect = [&](const char* name, const ws::AffineGap& gap, std::int64_t local,
                          std::int64_t global, std::int64_t semi_global) {
    SCOPED_TRACE(name);
    expect_scores(alpha, beta, ws::substitution_matrix(name), gap, local, global, semi_global);
  };
  expect("BLOSUM62", {11, 1}, 284, 281, 282);
  expect("BLOSUM50", {13, 2}, 370, 367, 367);
  expect("BLOSUM45", {15, 2}, 350, 344, 348);
  expect("BLOSUM80", {20, 2}, 421, 415, 417);
  expect("PAM250", {14, 2}, 318, 312, 318);
  expect("PAM120", {16, 2}, 267, 262, 265);
}

// The mitochondrial genomes of examples/data.
class Mitochondria : public testing::Test {
 protected:
  void SetUp() override {
    human = read("human");
    mouse = read("mouse");
    chicken = read("chicken");
    if (human.empty() || mouse.empty() || chicken.empty())
      GTEST_SKIP() << "needs the sequences in examples/data";
  }
  static std::string read(const std::string& name) {
    const std::string here = __FILE__;
    std::ifstream file(here.substr(0, here.rfind('/')) + "/../../examples/data/" + name +
                       "Mito.fa");
    std::string line, sequence;
    std::getline(file, line);
    while (std::getline(file, line))
      for (const char letter : line)
        if (std::isalpha(static_cast<unsigned char>(letter)))
          sequence += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return sequence;
  }
  std::string human, mouse, chicken;
};

TEST_F(Mitochondria, ScoresAsParasail) {
  expect_scores(human, mouse, ws::MatchMismatch{2, -1}, ws::LinearGap{2}, 18527, 17270, 18527);
  expect_scores(human, mouse, ws::MatchMismatch{5, -4}, ws::LinearGap{6}, 40410, 36495, 40410);
  expect_scores(human, mouse, ws::MatchMismatch{5, -4}, {10, 1}, 39413, 38389, 39413);
  expect_scores(human, chicken, ws::MatchMismatch{2, -1}, ws::LinearGap{2}, 15570, 14842, 15567);
  expect_scores(human, chicken, ws::MatchMismatch{5, -4}, ws::LinearGap{6}, 31696, 29436, 31682);
  expect_scores(human, chicken, ws::MatchMismatch{5, -4}, {10, 1}, 32773, 32437, 32761);
}

TEST_F(Mitochondria, ScoresOfAmbiguityCodes) {
  const auto nuc44 = ws::substitution_matrix("NUC.4.4");
  expect_scores(human, mouse, nuc44, {10, 1}, 39413, 38389, 39413);
  expect_scores(human, chicken, nuc44, {10, 1}, 32773, 32437, 32761);
}

// What the path is worth is computed anew from it.
TEST_F(Mitochondria, Alignments) {
  for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
    const ws::Scoring<> scoring{{5, -4}, {10, 1}, mode};
    const ws::Alignment alignment = ws::align(wt::letters(human), wt::letters(mouse), scoring);
    EXPECT_EQ(alignment.score, mode == Mode::Global ? 38389 : 39413);
    EXPECT_EQ(5 * alignment.matches - 4 * alignment.mismatches - alignment.gaps -
                  10 * alignment.gap_openings,
              alignment.score);
    EXPECT_EQ(alignment.begin_a + alignment.begin_b == 0, mode == Mode::Global);
  }
}

}  // namespace
