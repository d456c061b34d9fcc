// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <vector>

#include "gpu_small_tables.hpp"

/// @file
/// @brief The kernel for tall images, on small ones: with few blocks there are many waves.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

using Impl::TallTable;

/// @brief An image whose rows consist of so many chunks of 16 bytes of the table.
struct TallCase {
  std::int64_t rows;
  int chunks;
  int blocks;
  std::int64_t images = 1;
};

/// @brief One tile and less; sizes around tiles; several rows beside each other in a warp, and
/// several warps beside each other in a row; a chunk for each scanner of a block, and two; a wave
/// that is not full; places that are taken again.
std::vector<TallCase> tall_cases() {
  std::vector<TallCase> all{{1, 1, 1},       {3, 2, 1},       {1792, 1, 1},     {1793, 1, 2},
                            {4000, 2, 3},    {2300, 3, 2},    {1023, 5, 3, 2},  {4097, 9, 5},
                            {600, 17, 9},    {1030, 32, 16},  {527, 33, 17, 3}, {799, 65, 33},
                            {1200, 128, 70}, {1009, 129, 65}, {1057, 225, 113}, {2111, 256, 128}};
  if (!few_cases_wanted()) all.push_back({200003, 4, 3});
  const int processors = Exec().cuda_device_prop().multiProcessorCount;
  std::erase_if(all, [=](const TallCase& c) { return c.blocks > processors; });
  return all;
}

template <class Pixel, class T>
void expect_tall_tables() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const TallCase& c : tall_cases()) {
    SCOPED_TRACE(std::to_string(c.blocks) + " blocks");
    const Batch b{c.rows, c.chunks * std::int64_t(16 / sizeof(T)), c.images};
    const Exec exec;
    const TallTable<Pixel, T> tables(exec, b.rows, b.columns, c.blocks);
    for (int launch = 0; launch < 2; ++launch)
      expect_enqueued<Pixel, T>(
          b, {0, 0}, {0, 0}, [&](const auto& problem) { return tables.enqueue(exec, problem); },
          true);
  }
}

TEST(GpuTallTables, Float) { expect_tall_tables<float, float>(); }
TEST(GpuTallTables, Double) { expect_tall_tables<double, double>(); }
TEST(GpuTallTables, Int32) { expect_tall_tables<std::int32_t, std::int32_t>(); }
TEST(GpuTallTables, Uint8ToUint32) { expect_tall_tables<std::uint8_t, std::uint32_t>(); }
TEST(GpuTallTables, Uint8ToDouble) { expect_tall_tables<std::uint8_t, double>(); }

TEST(GpuTallTables, RowsWithGapsAreNotForIt) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const Exec exec;
  const Batch b{3000, 64, 1};
  const TallTable<float, float> tables(exec, b.rows, b.columns, 16);
  const GuardedArray<float, Exec> whole(Pitch{0, 0}.place(b));
  for (const Pitch& pitch : {Pitch{4, 0}, Pitch{0, 1}, Pitch{0, 0, true}}) {
    const GuardedArray<float, Exec> other(pitch.place(b));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, other, whole)));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, whole, other)));
  }
}

TEST(GpuTallTables, SameBitsEveryTime) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const Exec exec;
  Random random;
  for (const Batch& b : {Batch{60000, 64, 1}, Batch{6000, 1000, 1}}) {
    const GuardedArray<float, Exec> in(Pitch{0, 0}.place(b),
                                       random.values<float>(b.rows * b.columns)),
        out(Pitch{0, 0}.place(b));
    const TallTable<float, float> tables(exec, b.rows, b.columns,
                                         exec.cuda_device_prop().multiProcessorCount);
    std::vector<float> expected;
    for (std::int64_t k = 0; k < cases_wanted(100); ++k) {
      ASSERT_TRUE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, in, out)));
      if (k == 0) expected = out.values();
    }
    ASSERT_TRUE(same_bits(out.values(), expected)) << random.trace();
  }
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
