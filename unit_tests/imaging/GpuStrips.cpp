// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "gpu_strips.hpp"

#include <cstdint>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

TEST(GpuStrips, Float) { expect_strips_of_all_sizes<float, float>(); }
TEST(GpuStrips, Uint8ToUint32) { expect_strips_of_all_sizes<std::uint8_t, std::uint32_t>(); }

TEST(GpuStrips, RowsThatAreNotAligned) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const Exec exec;
  const Batch b{50, 400, 1};
  const GpuStripsTable<float, float> tables(exec, b.rows, b.columns, 4);
  for (const Pitch& pitch : {Pitch{1, 0}, Pitch{0, 1}, Pitch{0, 0, true}}) {
    const GuardedArray<float, Exec> some(pitch.place(b)), aligned(Pitch{0, 0}.place(b));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, some, aligned)));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, aligned, some)));
  }
}

TEST(GpuStrips, OneStrip) {
  const Exec exec;
  const Batch b{50, 128, 1};
  const GuardedArray<float, Exec> in(row_major(50, 128)), out(row_major(50, 128));
  const GpuStripsTable<float, float> tables(exec, b.rows, b.columns, 4);
  EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, in, out)));
}

TEST(GpuStrips, SameBitsEveryTime) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const Exec exec;
  Random random;
  for (const Batch& b : {Batch{1500, 2000, 1}, Batch{200, 20000, 1}}) {
    const GuardedArray<float, Exec> in(row_major(b.rows, b.columns),
                                       random.values<float>(b.rows * b.columns)),
        out(row_major(b.rows, b.columns));
    const GpuStripsTable<float, float> tables(exec, b.rows, b.columns,
                                              exec.cuda_device_prop().multiProcessorCount);
    std::vector<float> expected;
    for (std::int64_t k = 0; k < cases_wanted(100); ++k) {
      ASSERT_TRUE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, in, out)));
      if (k == 0) expected = out.values();
      if (k % 10 == 0) ASSERT_TRUE(same_bits(out.values(), expected)) << random.trace();
    }
    ASSERT_TRUE(same_bits(out.values(), expected)) << random.trace();
  }
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
