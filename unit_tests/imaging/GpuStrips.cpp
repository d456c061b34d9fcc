// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>

#include "GpuTables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

TEST(GpuStrips, Float) { expect_strips<float, float>(); }
TEST(GpuStrips, Uint8ToUint32) { expect_strips<std::uint8_t, std::uint32_t>(); }

using Floats = TableTypes<float, float>;

void divide_into_strips(Decompositions& d) { d.strips = Strips::of<Floats>(d.shape, d.blocks); }

TEST(GpuStrips, RowsThatAreNotAligned) {
  const Exec exec;
  const Batch b{50, 400, 1};
  const auto tables = tables_by<Floats>(exec, b, divide_into_strips, 4);
  for (const Pitch& pitch : {Pitch{1, 0}, Pitch{0, 1}}) {
    const GuardedArray<float, Exec> some(pitch.place(b)), aligned(Pitch{0, 0}.place(b));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, some, aligned)));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, aligned, some)));
  }
}

TEST(GpuStrips, OneStrip) {
  const Exec exec;
  const Batch b{50, 128, 1};
  const GuardedArray<float, Exec> in(row_major(50, 128)), out(row_major(50, 128));
  const auto tables = tables_by<Floats>(exec, b, divide_into_strips, 4);
  EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, in, out)));
}

TEST(GpuStrips, SameBitsEveryTime) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : {Batch{1500, 2000, 1}, Batch{200, 20000, 1}})
    expect_same_bits<Floats>(b, divide_into_strips);
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
