// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/pad/WaveScan_PadSelection.hpp>
#include <impl/select/WaveScan_CompactionSelection.hpp>

// Which algorithm compacts which arrays of a device, and moves which rows.

namespace sliding_selection {
namespace {

using namespace wavescan::Impl::select;

TEST(SlidingSelection, OfCompactions) {
  using A = CompactionAlgorithm;
  EXPECT_EQ(select_algorithm(CompactionRequest{true, true}), A::ElementTiles);
  EXPECT_EQ(select_algorithm(CompactionRequest{false, true}), A::StridedTiles);
  EXPECT_EQ(select_algorithm(CompactionRequest{}), A::Loops);
}

TEST(SlidingSelection, OfPartitions) {
  using A = PartitionAlgorithm;
  const auto tiles = CompactionAlgorithm::ElementTiles;
  EXPECT_EQ(select_algorithm(PartitionRequest{tiles, 400, 400, false}), A::Stages);
  EXPECT_EQ(select_algorithm(PartitionRequest{tiles, 401, 400, true}), A::Buffer);
  EXPECT_EQ(select_algorithm(PartitionRequest{tiles, 401, 400, false}), A::Loops);
  EXPECT_EQ(select_algorithm(PartitionRequest{CompactionAlgorithm::Loops, 1, 400, true}), A::Loops);
}

TEST(SlidingSelection, OfMoves) {
  using namespace wavescan::Impl::pad;
  using A = PadAlgorithm;
  const PadRequest rows{
      .rows_alone = true, .alignment = 48, .unit = 4, .word_tile = 9, .unit_tile = 9};
  const auto with = [&](auto change) {
    PadRequest request = rows;
    change(request);
    return select_algorithm(request);
  };
  EXPECT_EQ(select_algorithm(rows), A::WordTiles);
  EXPECT_EQ(with([](auto& r) { r.rows_alone = false; }), A::Loops);
  EXPECT_EQ(with([](auto& r) { r.word_tile = 0; }), A::Loops);
  EXPECT_EQ(with([](auto& r) { r.alignment = 8; }), A::UnitTiles);
  EXPECT_EQ(with([](auto& r) { r.alignment = 8, r.unit_tile = 0; }), A::Loops);
  EXPECT_EQ(with([](auto& r) { r.alignment = 2; }), A::Loops);
  EXPECT_EQ(with([](auto& r) { r.unit = 16; }), A::UnitTiles);
}

}  // namespace
}  // namespace sliding_selection
