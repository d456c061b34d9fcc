// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/scan/WaveScan_ScanSelection.hpp>

// Which algorithm scans which lines. That is decided on the host, so it is tested there, for
// devices that need not exist.

namespace scan_selection {
namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using A = ScanAlgorithm;

const ScanDevice h200{132, 132 * 2048 / 4};
/// Those of sums of float on an H200.
const ScanTiles tiles{1024, 8192, 8192, 8192, 16, 256, 6144, 6144, 5760, 4};
const ScanLayout dense{false, true, true, true};
const ScanLayout strided{};

ScanAlgorithm of(Index lines, Index length, const ScanLayout& layout, const ScanTiles& t = tiles) {
  ScanLayout all = layout;
  if (lines > 1) all.aligned = false;
  return select_algorithm(ScanRequest{{lines, length}, t, all}, h200);
}

TEST(ScanSelection, OneLine) {
  EXPECT_EQ(of(1, 132 * 1024, dense), A::SmallTiles);
  EXPECT_EQ(of(1, 132 * 1024 + 1, dense), A::MediumTiles);
  EXPECT_EQ(of(1, 132 * 8192 + 1, dense), A::AlignedTiles);
  EXPECT_EQ(of(1, 1 << 30, {false, false, true}), A::SegmentedTiles) << "begins elsewhere";
  EXPECT_EQ(of(1, 1 << 30, strided), A::TilesInTurn);
  ScanTiles of_double = tiles;
  of_double.large = 16384;
  EXPECT_EQ(of(1, 132 * 8192 + 1, dense, of_double), A::LargeTiles);
}

TEST(ScanSelection, Rows) {
  EXPECT_EQ(of(1000, 100, dense), A::RowTiles);
  EXPECT_EQ(of(1000, 100, {false, false, true, false}), A::SegmentedTiles) << "begin anywhere";
  EXPECT_EQ(of(1000, 5000, dense), A::RowTiles) << "one of them nearly fills a tile";
  EXPECT_EQ(of(1000, 5761, dense), A::SegmentedTiles) << "longer than a tile";
  EXPECT_EQ(of(1000, 2801, dense), A::SegmentedTiles) << "four of them would begin at words";
  ScanLayout carried = dense;
  carried.carries_in_place = true;
  EXPECT_EQ(of(1000, 100, carried), A::ReduceThenScan);
  EXPECT_EQ(of(1000, 5000, carried), A::TilesInTurn);
  EXPECT_EQ(of(1000, 4095, strided), A::ReduceThenScan) << "less than half of a tile";
  EXPECT_EQ(of(1000, 32, strided), A::InterleavedBatch);
}

TEST(ScanSelection, Columns) {
  const ScanLayout neighbours{true};
  EXPECT_EQ(of(7, 1 << 20, neighbours), A::TilesInTurn) << "too few";
  EXPECT_EQ(of(8, 1 << 20, neighbours), A::StackedColumns);
  EXPECT_EQ(of(132 * 2 * 256, 1 << 20, neighbours), A::Columns);
  EXPECT_EQ(of(1000, 16, neighbours), A::Columns) << "one tile";
  EXPECT_EQ(of(1000, 1, neighbours), A::InterleavedBatch);
}

TEST(ScanSelection, HeadsThatBitsOrValuesTell) {
  const ScanTiles bits{1024, 0, 0, 8192, 0, 0, 6144}, values{0, 0, 0, 0, 0, 0, 6144};
  EXPECT_EQ(of(1, 1000, dense, bits), A::SmallTiles);
  EXPECT_EQ(of(1, 1 << 20, dense, bits), A::SegmentedTiles);
  EXPECT_EQ(of(1, 1 << 20, strided, bits), A::TilesInTurn);
  EXPECT_EQ(of(1, 1000, dense, values), A::SegmentedTiles);
  EXPECT_EQ(of(1, 1000, strided, values), A::ReduceThenScan) << "bits are made";
}

TEST(ScanSelection, DevicesWithoutKernelsOfTheirOwn) {
  const auto other = [](Index lines, Index length, bool neighbours) {
    return select_algorithm(ScanRequest{{lines, length}, {}, {neighbours}}, {0, 1000});
  };
  EXPECT_EQ(other(1, 32, false), A::InterleavedBatch);
  EXPECT_EQ(other(1000, 33, true), A::InterleavedBatch);
  EXPECT_EQ(other(999, 33, true), A::ReduceThenScan);
  EXPECT_EQ(other(1000, 33, false), A::ReduceThenScan);
}

}  // namespace
}  // namespace scan_selection
