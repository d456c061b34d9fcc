// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/align/WaveScan_AlignSelection.hpp>
#include <vector>

namespace {

namespace wi = wavescan::Impl;
using wi::AlignAlgorithm;

TEST(AlignSelection, GpusTakeLongPairsThatTheyHaveKernelsFor) {
  EXPECT_EQ(wi::select_algorithm(wi::OnePair{true, 1449, 1449}), AlignAlgorithm::WarpBands);
  EXPECT_EQ(wi::select_algorithm(wi::OnePair{true, 1, (1 << 21) + 1}), AlignAlgorithm::WarpBands);
  for (const wi::OnePair& pair :
       {wi::OnePair{true, 1448, 1448}, wi::OnePair{true, 0, wi::Index(1) << 40},
        wi::OnePair{false, 100000, 100000}})
    EXPECT_EQ(wi::select_algorithm(pair), AlignAlgorithm::LaneStrips);
}

TEST(AlignSelection, GpusTakeManyPairsThatTheyHaveKernelsFor) {
  EXPECT_EQ(wi::select_algorithm(wi::ManyPairs{true, 1}), AlignAlgorithm::WarpPairs);
  EXPECT_EQ(wi::select_algorithm(wi::ManyPairs{true, 0}), AlignAlgorithm::LanePairs);
  EXPECT_EQ(wi::select_algorithm(wi::ManyPairs{false, 1000}), AlignAlgorithm::LanePairs);
}

TEST(AlignSelection, HostsShareLongPairsOfMany) {
  EXPECT_EQ(wi::select_algorithm(wi::OneOfManyPairs{4e7, 2}), AlignAlgorithm::LaneStrips);
  EXPECT_EQ(wi::select_algorithm(wi::OneOfManyPairs{4e7, 1}), AlignAlgorithm::ThreadLaneStrips);
  EXPECT_EQ(wi::select_algorithm(wi::OneOfManyPairs{2e7, 8}), AlignAlgorithm::ThreadLaneStrips);
}

TEST(AlignSelection, PairsOfLikeLengthsShareLanes) {
  EXPECT_EQ(wi::select_algorithm(wi::PairsOfLanes{100, 100, 64e4, 64, true}),
            AlignAlgorithm::LanePairs);
  for (const wi::PairsOfLanes& pairs :
       {wi::PairsOfLanes{100, 100, 64e4, 64, false}, wi::PairsOfLanes{100, 100, 12e4, 64, true},
        wi::PairsOfLanes{1, (1 << 18) + 1, 64. * (1 << 18), 64, true}})
    EXPECT_EQ(wi::select_algorithm(pairs), AlignAlgorithm::ThreadLaneStrips);
}

TEST(AlignSelection, GroupsThatKeepOthersWaitingAreSplit) {
  const auto split = [](std::vector<wi::GroupCosts> groups, wi::Index threads) {
    return wi::groups_to_split(groups, threads);
  };
  const std::vector<wi::GroupCosts> alike(17, {10, 20});
  EXPECT_EQ(split(alike, 1), 0);
  EXPECT_EQ(split(alike, 17), 0);
  EXPECT_EQ(split(alike, 16), 1);  // or 15 threads would be idle while one has the last group
  EXPECT_EQ(split({{100, 200}, {10, 20}, {10, 20}, {10, 20}}, 4), 1);
  EXPECT_EQ(split({{100, 900}, {10, 90}, {10, 90}, {10, 90}}, 4), 0);
  EXPECT_EQ(split({{10, 20}}, 4), 1);
  EXPECT_EQ(split({}, 4), 0);
}

}  // namespace
