// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentFormats.hpp>
#include <stdexcept>
#include <string>

namespace {

namespace ws = wavescan;

// xxGATTA-ACAx
//   ||||| | |
//   GATTACAGA
const std::string example_a = "xxGATTAACAx", example_b = "GATTACAGA";

ws::Alignment example() {
  ws::Alignment alignment;
  alignment.score = 11;
  alignment.begin_a = 2;
  alignment.end_a = 10;
  alignment.end_b = 9;
  alignment.matches = 7;
  alignment.mismatches = 1;
  alignment.gaps = 1;
  alignment.cigar = "5=1D1=1X1=";
  return alignment;
}

TEST(Formats, Alignment) {
  EXPECT_EQ(ws::format_alignment(example(), example_a, example_b),
            "score 11, identities 7/9 (77.8%), gaps 1/9 (11.1%)\n"
            "\n"
            "a   3 GATTA-ACA 10\n"
            "      ||||| | |\n"
            "b   1 GATTACAGA 9\n");
}

TEST(Formats, BrokenIntoLines) {
  EXPECT_EQ(ws::format_alignment(example(), example_a, example_b, 6),
            "score 11, identities 7/9 (77.8%), gaps 1/9 (11.1%)\n"
            "\n"
            "a   3 GATTA- 7\n"
            "      |||||\n"
            "b   1 GATTAC 6\n"
            "\n"
            "a   8 ACA 10\n"
            "      | |\n"
            "b   7 AGA 9\n");
  EXPECT_NO_THROW(ws::format_alignment(example(), example_a, example_b, 1));
}

TEST(Formats, GapThatFillsALine) {
  ws::Alignment alignment;
  alignment.score = 1;
  alignment.end_a = 2;
  alignment.end_b = 4;
  alignment.matches = 2;
  alignment.gaps = 2;
  alignment.cigar = "1=2D1=";
  EXPECT_EQ(ws::format_alignment(alignment, "-A", "-CCA", 1),
            "score 1, identities 2/4 (50.0%), gaps 2/4 (50.0%)\n"
            "\na  1 - 1\n     |\nb  1 - 1\n"
            "\na  1 - 1\n     \nb  2 C 2\n"
            "\na  1 - 1\n     \nb  3 C 3\n"
            "\na  2 A 2\n     |\nb  4 A 4\n");
}

TEST(Formats, EmptyAlignment) {
  const ws::Alignment nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.identity(), 0);
  EXPECT_EQ(ws::format_alignment(nothing, "ACGT", ""),
            "score 0, identities 0/0 (0.0%), gaps 0/0 (0.0%)\n");
}

TEST(Formats, Identity) { EXPECT_DOUBLE_EQ(example().identity(), 7.0 / 9.0); }

TEST(Formats, RejectsWhatDoesNotFitTogether) {
  EXPECT_THROW(ws::format_alignment(example(), example_a, example_b, 0), std::invalid_argument);
  EXPECT_THROW(ws::format_alignment(example(), example_a.substr(0, 9), example_b),
               std::invalid_argument);
  EXPECT_THROW(ws::format_alignment(example(), example_a, example_b.substr(1)),
               std::invalid_argument);
  const std::string cigars[]{
      "",  "8M",        "5=1D1=1X", "5=1D1=1X2=",           "5=1D1=", "5=1D1=1X1=1D",
      "=", "5=1D1=1X1", "-1=",      "99999999999999999999="};
  for (const std::string& cigar : cigars) {
    ws::Alignment alignment = example();
    alignment.cigar = cigar;
    EXPECT_THROW(ws::format_alignment(alignment, example_a, example_b), std::invalid_argument)
        << cigar;
  }
  ws::Alignment backwards = example();
  backwards.begin_a = 11;
  EXPECT_THROW(ws::format_alignment(backwards, example_a, example_b), std::invalid_argument);
  ws::Alignment negative = example();
  negative.begin_b = -1;
  EXPECT_THROW(ws::format_alignment(negative, example_a, example_b), std::invalid_argument);
}

TEST(Formats, CigarWithM) {
  EXPECT_EQ(example().cigar_with_m(), "5M1D3M");
  ws::Alignment alignment;
  alignment.cigar = "2I3X12=1X4D1I7=";
  EXPECT_EQ(alignment.cigar_with_m(), "2I16M4D1I7M");
  EXPECT_EQ(ws::Alignment().cigar_with_m(), "");
}

TEST(Formats, Paf) {
  EXPECT_EQ(ws::paf_line(example(), {"query", example_a}, {"target", example_b}),
            "query\t11\t2\t10\t+\ttarget\t9\t0\t9\t7\t9\t255\tNM:i:2\tAS:i:11\tcg:Z:5=1D1=1X1=");
  EXPECT_EQ(ws::paf_line({}, {"q", "AC"}, {"t", "G"}), "q\t2\t0\t0\t*\t*\t0\t0\t0\t0\t0\t0");
  EXPECT_THROW(ws::paf_line(example(), {"q", "AC"}, {"t", example_b}), std::invalid_argument);
  EXPECT_THROW(ws::paf_line(example(), {"q", example_a}, {"t", "AC"}), std::invalid_argument);
}

TEST(Formats, Sam) {
  EXPECT_EQ(ws::sam_header({{"target", example_b}}),
            "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:target\tLN:9\n@PG\tID:wavescan\tPN:wavescan\n");
  EXPECT_EQ(ws::sam_line(example(), {"query", example_a}, {"target", example_b}),
            "query\t0\ttarget\t1\t255\t2S5=1D1=1X1=1S\t*\t0\t0\txxGATTAACAx\t*\tNM:i:2\tAS:i:11");
  EXPECT_EQ(ws::sam_line(example(), {"query", example_a}, {"target", example_b}, true),
            "query\t0\ttarget\t1\t255\t2S5M1D3M1S\t*\t0\t0\txxGATTAACAx\t*\tNM:i:2\tAS:i:11");
  EXPECT_EQ(ws::sam_line({}, {"q", ""}, {"t", "G"}), "q\t4\t*\t0\t255\t*\t*\t0\t0\t*\t*");
  EXPECT_THROW(ws::sam_line(example(), {"q", "AC"}, {"t", "G"}), std::invalid_argument);
}

}  // namespace
