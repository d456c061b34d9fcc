// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/select/WaveScan_CompactionSelection.hpp>

// Which algorithm compacts which arrays of a device.

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

}  // namespace
}  // namespace sliding_selection
