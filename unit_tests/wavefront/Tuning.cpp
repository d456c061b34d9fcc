// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_Tuning.hpp>
#include <cstddef>
#include <impl/tuning/WaveScan_MachineTuning.hpp>
#include <string>

namespace {

using namespace wavescan;

const std::string text = R"(wavescan-tuning 1
# a comment

[host] a machine with 2 cores
schedule row-sweep 0.1 -0.25 1 0 0 0 0 0 0 0
schedule tile-compensated 0 1e-3 -2.5 0 0 0 0 0 0 5
tile tile-compensated 4 16 1024
tile tile-compensated 8 32 512
[cuda] another
schedule tile-skewed 1 2 3 4 5 6 7 8 9 10
)";

TEST(Tuning, ReadsTheSectionAskedFor) {
  const auto host = Tuning::parse(text, "host");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->machine(), "a machine with 2 cores");
  ASSERT_EQ(host->candidates().size(), 2u);
  EXPECT_EQ(host->candidates()[1].coefficients[2], -2.5);
  const auto cuda = Tuning::parse(text, "cuda");
  ASSERT_TRUE(cuda);
  EXPECT_EQ(cuda->choose({100, 100}), Schedule::TileSkewed);
  EXPECT_FALSE(Tuning::parse(text, "hip"));
}

TEST(Tuning, WritesWhatItReads) {
  const auto first = Tuning::parse(text, "host");
  const std::string written = "wavescan-tuning 1\n" + first->to_string("host");
  const auto second = Tuning::parse(written, "host");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->to_string("host"), first->to_string("host"));
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(second->candidates()[k].coefficients, first->candidates()[k].coefficients);
}

TEST(Tuning, ChoosesTheLikeliest) {
  const auto tuning = Tuning::parse(text, "host");
  EXPECT_EQ(tuning->choose({16, 1 << 24}), Schedule::RowSweep);
  EXPECT_EQ(tuning->choose({1 << 24, 16}), Schedule::TileCompensated);
  double sum = 0, before = 1;
  for (const auto& [schedule, probability] : tuning->likelihoods({1000, 1000})) {
    EXPECT_LE(probability, before);
    before = probability;
    sum += probability;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Tuning, LooksAtHowManyInputsThereAre) {
  const auto tuning = Tuning::parse(text, "host");
  LoopShape shape{16, 1 << 24};
  ASSERT_EQ(tuning->choose(shape), Schedule::RowSweep);
  shape.inputs = 15;
  EXPECT_EQ(tuning->choose(shape), Schedule::TileCompensated);
}

TEST(Tuning, TakesTheNearestTile) {
  const auto tuning = Tuning::parse(text, "host");
  EXPECT_EQ(tuning->tile(Schedule::TileCompensated, 4), (TileExtents{16, 1024}));
  EXPECT_EQ(tuning->tile(Schedule::TileCompensated, 1), (TileExtents{16, 1024}));
  EXPECT_EQ(tuning->tile(Schedule::TileCompensated, 16), (TileExtents{32, 512}));
  EXPECT_FALSE(tuning->tile(Schedule::TileSkewed, 4));
}

TEST(Tuning, EmptyAndHugeShapesHaveProbabilitiesToo) {
  const auto tuning = Tuning::parse(text, "host");
  for (const LoopShape& shape : {LoopShape{0, 0}, LoopShape{std::int64_t(1) << 40, 1}})
    for (const auto& [schedule, probability] : tuning->likelihoods(shape))
      EXPECT_TRUE(probability >= 0 && probability <= 1) << probability;
}

TEST(Tuning, ErrorsNameSourceAndLine) {
  const auto expect = [](const std::string& bad, int line, const std::string& what) {
    const auto parse = [&] { Tuning::parse(bad, "host", "my.txt"); };
    EXPECT_TRUE(
        wavescan::Test::rejects("Tuning::parse", "my.txt, line " + std::to_string(line), parse));
    EXPECT_NE(wavescan::Test::error_of(parse).find(what), std::string::npos)
        << wavescan::Test::error_of(parse);
  };
  const std::string head = "wavescan-tuning 1\n[host] x\n";
  expect("", 0, "wavescan-tuning 1");
  expect("[host]\n", 1, "wavescan-tuning 1");
  expect("wavescan-tuning 2\n", 1, "wavescan-tuning 1");
  expect(head, 2, "schedule");
  expect(head + "schedule zigzag 1 2 3", 3, "zigzag");
  expect(head + "schedule auto 1 2 3 4 5 6 7 8 9", 3, "auto");
  expect(head + "schedule row-sweep 1 2 3", 3, "end of the line");
  expect(head + "schedule row-sweep 1 2 3 4 5 6 7 8 nan", 3, "finite");
  expect(head + "schedule row-sweep 1 2 3 4 5 6 7 8 9 10 11", 3, "11");
  expect(head + "tile tile-skewed 4 0 16", 3, "positive");
  expect(head + "tile tile-skewed 4 16 16x", 3, "16x");
  expect(head + "nonsense", 3, "nonsense");
}

TEST(Tuning, TheLibraryHasOneForEveryBackend) {
  for (const auto& tuning : {Impl::machine_tuning<Kokkos::DefaultExecutionSpace>(),
                             Impl::machine_tuning<Kokkos::DefaultHostExecutionSpace>()})
    EXPECT_FALSE(tuning.candidates().empty());
}

}  // namespace
