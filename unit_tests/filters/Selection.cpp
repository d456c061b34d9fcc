// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/filter/WaveScan_FilterSelection.hpp>

// Which algorithm filters which lines, on devices that need not exist.

namespace filter_selection {
namespace {

using namespace wavescan;
using namespace wavescan::Impl::filter;
using Impl::Index;
using A = FilterAlgorithm;

const FilterLimits tensor{true, 600, 2048, 129, 1024}, tiles{true, 1024, 4096, 1, 2048},
    finite{true, 1e300, 1024, 1, 512, 1000};
const FilterDevice hopper{true}, other{};

FilterRequest lines(Index count, Index length, double growth = 1) {
  return {{count, length}, growth, {}, tiles, tensor};
}

TEST(FilterSelection, TensorCoresOfHopperAlone) {
  EXPECT_EQ(select_algorithm(lines(1, 129), hopper), A::TensorTiles);
  EXPECT_EQ(select_algorithm(lines(1, 128), hopper), A::Tiles);
  EXPECT_EQ(select_algorithm(lines(1, 129), other), A::Tiles);
}

TEST(FilterSelection, LinesFillHalfATile) {
  EXPECT_EQ(select_algorithm(lines(2, 1024), hopper), A::TensorTiles);
  EXPECT_EQ(select_algorithm(lines(2, 1023), hopper), A::Chunks);
  EXPECT_EQ(select_algorithm(lines(2, 2048), other), A::Tiles);
  EXPECT_EQ(select_algorithm(lines(2, 2047), other), A::Chunks);
}

TEST(FilterSelection, StatesThatGrow) {
  EXPECT_EQ(select_algorithm(lines(1, 10000, 601), hopper), A::Tiles);
  EXPECT_EQ(select_algorithm(lines(1, 10000, 1025), hopper), A::Chunks);
}

TEST(FilterSelection, LinesThatCannotBeMoved) {
  FilterRequest f = lines(1, 10000);
  f.movable = false;
  EXPECT_EQ(select_algorithm(f, hopper), A::Chunks);
}

TEST(FilterSelection, WithoutFeedback) {
  const auto of = [](Index count, Index length) {
    return select_algorithm(FilterRequest{{count, length}, 0, finite, {}, {}}, other);
  };
  EXPECT_EQ(of(1, 1), A::FiniteTiles);
  EXPECT_EQ(of(2, 511), A::Chunks);
  EXPECT_EQ(of(500, 2048), A::FiniteTiles);
  EXPECT_EQ(of(501, 2048), A::Chunks) << "more tiles than there can be teams";
  EXPECT_EQ(of(0, 100), A::Chunks);
}

}  // namespace
}  // namespace filter_selection
