// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <impl/sat/gpu/WaveScan_GpuTable.hpp>

#include <cstdint>
#include <random>
#include <vector>

// Summed-area tables in tiles, of numbers that are exact.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using namespace wavescan::Impl::sat;

/// @brief Images below each other, with a row between them that is no image's.
struct Images {
  Index images, rows, columns;
  Index gap = 0;    ///< elements between two rows
  Index first = 0;  ///< elements before the first one
  Index pitch() const { return columns + gap; }
  Index stride() const { return (rows + 1) * pitch(); }
  std::size_t size() const { return static_cast<std::size_t>(first + images * stride()); }
};

template <class Types>
void expect_tables(const Images& b, int blocks) {
  using Pixel = typename Types::Pixel;
  using T = typename Types::T;
  gpu::emulated_properties.multiProcessorCount = blocks;
  const gpu::Device exec;
  std::mt19937 random(17);
  std::vector<Pixel> pixels(b.size());
  for (Pixel& p : pixels) p = static_cast<Pixel>(random() % 200);
  const GpuTable<Types> tables(exec, {b.images, b.rows, b.columns});
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<T> found(b.size(), T(77)), expected = found;
    ProblemOf<Types> problem;
    problem.image = {pixels.data() + b.first, b.rows, b.columns, b.pitch(), 1};
    problem.table = {found.data() + b.first, b.rows, b.columns, b.pitch(), 1};
    problem.images = b.images;
    problem.image_stride = problem.table_stride = b.stride();
    ASSERT_TRUE(tables.enqueue(exec, problem));
    for (Index m = 0; m < b.images; ++m) {
      std::vector<T> above(static_cast<std::size_t>(b.columns), T(0));
      for (Index i = 0; i < b.rows; ++i) {
        T left(0);
        for (Index j = 0; j < b.columns; ++j) {
          const auto at = static_cast<std::size_t>(b.first + m * b.stride() + i * b.pitch() + j);
          const T x = static_cast<T>(pixels[at]);
          left += Types::squared ? x * x : x;
          expected[at] = above[static_cast<std::size_t>(j)] += left;
        }
      }
    }
    ASSERT_EQ(found, expected) << b.images << " of " << b.rows << " x " << b.columns;
  }
}

template <class Types>
class WideWarpTables : public testing::Test {};
using AllTypes = testing::Types<
    TableTypes<std::uint32_t, std::uint32_t>, TableTypes<std::uint8_t, std::uint32_t>,
    TableTypes<std::uint8_t, std::uint64_t, true>, TableTypes<std::uint16_t, float>,
    TableTypes<float, double>, TableTypes<double, double>, TableTypes<float, float, false, double>>;
TYPED_TEST_SUITE(WideWarpTables, AllTypes);

TYPED_TEST(WideWarpTables, OfAnyAlignment) {
  expect_tables<TypeParam>({1, 40, 256}, 3);
  expect_tables<TypeParam>({1, 77, 515, 1, 1}, 7);
  expect_tables<TypeParam>({1, 150, 129, 5, 3}, 12);
  expect_tables<TypeParam>({3, 33, 63, 16}, 4);
}

// Many blocks below each other publish sums of groups.
TEST(WideWarps, TablesOfManyBlocks) {
  expect_tables<TableTypes<std::uint32_t, std::uint32_t>>({1, 400, 33}, 25);
}

}  // namespace
