// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/columns/WaveScan_ColumnsSelection.hpp>

// Which algorithm solves which systems, on devices that need not exist.

namespace columns_selection {
namespace {

using namespace wavescan;
using namespace wavescan::Impl::columns;
using Impl::Index;
using A = ColumnsAlgorithm;

const ColumnsDevice host{true, 32}, gpu{false, 132 * 2048};

ColumnsRequest systems(Index lines, Index length, int reach = 1) {
  ColumnsRequest s;
  s.extents = {lines, length};
  s.reach = reach;
  s.has_lanes = true;
  return s;
}

TEST(ColumnsSelection, OnHosts) {
  EXPECT_EQ(select_algorithm(systems(2, 256), host), A::Thomas);
  EXPECT_EQ(select_algorithm(systems(3, 256), host), A::Lanes);
  EXPECT_EQ(select_algorithm(systems(1, 2048), host), A::Thomas);
  EXPECT_EQ(select_algorithm(systems(31, 2049), host), A::LaneChunks) << "fewer than threads";
  EXPECT_EQ(select_algorithm(systems(2, 2049, 2), {true, 1}), A::LaneChunks) << "fewer than lanes";
  EXPECT_EQ(select_algorithm(systems(32, 2049), host), A::Lanes);
  EXPECT_EQ(select_algorithm(systems(100, 2), host), A::Thomas) << "shorter than a matrix reaches";
  EXPECT_EQ(select_algorithm(systems(100, 4, 2), host), A::Thomas);
  EXPECT_EQ(select_algorithm(systems(100, 5, 2), host), A::Lanes);
  ColumnsRequest s = systems(100, 500);
  s.has_lanes = false;
  EXPECT_EQ(select_algorithm(s, host), A::Thomas);
  s = systems(1, 5000);
  s.factorized = true;
  EXPECT_EQ(select_algorithm(s, host), A::Thomas) << "factors are of whole systems";
}

TEST(ColumnsSelection, OfCyclicSystems) {
  ColumnsRequest s = systems(3, 5000);
  s.cyclic = true;
  EXPECT_EQ(select_algorithm(s, host), A::Lanes) << "whose ends meet";
  s.reach = 0;
  EXPECT_EQ(select_algorithm(s, host), A::Thomas) << "and no lanes for blocks";
  s.movable = true;
  EXPECT_EQ(select_algorithm(s, gpu), A::Thomas);
}

TEST(ColumnsSelection, OnGpus) {
  ColumnsRequest s = systems(10, 5000);
  s.longest_in_one_pass = 5000;
  s.movable = true;
  EXPECT_EQ(select_algorithm(s, gpu), A::Chunks);
  s.extents.length = 5001;
  EXPECT_EQ(select_algorithm(s, gpu), A::Tiles);
  s.movable = false;
  EXPECT_EQ(select_algorithm(s, gpu), A::Scans);
  s.extents.lines = gpu.threads / 8;
  EXPECT_EQ(select_algorithm(s, gpu), A::Thomas) << "enough of them";
  s.factorized = true;
  EXPECT_EQ(select_algorithm(s, gpu), A::Scans) << "two of them, where pivots are known";
  s.reach = 2;
  EXPECT_EQ(select_algorithm(s, gpu), A::Thomas);
}

}  // namespace
}  // namespace columns_selection
