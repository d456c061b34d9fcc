// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_GPU_STRIPS_HPP
#define WAVESCAN_TEST_GPU_STRIPS_HPP

#include <string>

#include "gpu_tables.hpp"

/// @file
/// @brief The kernel for large images, on small ones: with few blocks there are
/// panels, with many there are groups.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {

using Impl::GpuStripsTable;

/// @brief Rows at 16-byte boundaries, with at least so many elements between
/// them.
template <class T>
Pitch aligned_pitch(const Batch& b, std::int64_t gap) {
  constexpr auto whole = std::int64_t(16 / sizeof(T));
  return {(b.columns + gap + whole - 1) / whole * whole - b.columns, 0};
}

template <class Pixel, class T>
void expect_strips(const Batch& b, std::int64_t gap, int blocks) {
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", gap " + std::to_string(gap) + ", blocks " +
               std::to_string(blocks) + ", " + random.trace());
  const Exec exec;
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  const GuardedArray<Pixel, Exec> in(aligned_pitch<Pixel>(b, gap).place(b), pixels);
  const GuardedArray<T, Exec> out(aligned_pitch<T>(b, 2 * gap).place(b));
  const auto before = out.values();
  const GpuStripsTable<Pixel, T> tables(exec, b.rows, b.columns, blocks);
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_TRUE(tables.enqueue(exec, problem_of<Pixel, T, NoSquares>(b, in, out)));
    expect_tables_of(out.values(), pixels, before, b);
  }
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), pixels));
  if constexpr (std::same_as<Pixel, T>) {
    ASSERT_TRUE(tables.enqueue(exec, problem_of<Pixel, T, NoSquares>(b, in, in)));
    expect_tables_of(in.values(), pixels, pixels, b);
    EXPECT_TRUE(in.guards_intact());
  }
}

template <class Pixel, class T>
void expect_strips_of_all_sizes() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const int all = Exec().cuda_device_prop().multiProcessorCount;
  for (const std::int64_t rows : {1, 15, 17, 33, 200})
    for (const std::int64_t columns : {129, 255, 257, 1021})
      for (const int blocks : {1, 2, 3, 7, all})
        expect_strips<Pixel, T>({rows, columns, columns == 257 ? 2 : 1}, columns % 3, blocks);
  if (few_cases_wanted()) return;
  // Places are taken again; many groups; many panels; more strips than a warp
  // has lanes.
  for (const Batch& b : {Batch{1500, 300, 1}, Batch{40, 9001, 1}, Batch{600, 4500, 1}})
    for (const int blocks : {5, 40, all}) expect_strips<Pixel, T>(b, 0, blocks);
}

}  // namespace wavescan::Test::GpuTables

#endif

#endif
