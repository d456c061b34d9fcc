// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_GPU_SMALL_TABLES_HPP
#define WAVESCAN_TEST_GPU_SMALL_TABLES_HPP

#include <utility>

#include "gpu_tables.hpp"

/// @file
/// @brief The kernels for images that fit the chip and for many images, for one pair of types.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {

using Impl::ResidentTable;
using Impl::WalkedTables;

/// @brief Checks the tables that enqueue(problem) computes, if it does, and in place, too.
template <class Pixel, class T, class Enqueue>
void expect_enqueued(const Batch& b, const Pitch& in_pitch, const Pitch& out_pitch,
                     const Enqueue& enqueue, bool required) {
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", gaps " + std::to_string(in_pitch.gap) + ", " +
               std::to_string(out_pitch.gap) + ", first " + std::to_string(in_pitch.first) + ", " +
               std::to_string(out_pitch.first) + ", " + random.trace());
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  const GuardedArray<Pixel, Exec> in(in_pitch.place(b), pixels);
  const GuardedArray<T, Exec> out(out_pitch.place(b));
  const auto before = out.values();
  const bool done = enqueue(problem_of<Pixel, T, NoSquares>(b, in, out));
  EXPECT_TRUE(done || !required);
  if (!done) return;
  expect_tables_of(out.values(), pixels, before, b);
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), pixels));
  if constexpr (std::same_as<Pixel, T>) {
    ASSERT_TRUE(enqueue(problem_of<Pixel, T, NoSquares>(b, in, in)));
    expect_tables_of(in.values(), pixels, pixels, b);
    EXPECT_TRUE(in.guards_intact());
  }
}

/// @brief Images that are on the chip at once, with rows of any alignment.
template <class Pixel, class T>
void expect_resident_tables() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  std::vector<Batch> all{{1, 1, 1},    {1, 2, 3},     {5, 3, 1},    {63, 127, 1},
                         {64, 128, 2}, {65, 129, 1},  {131, 64, 3}, {7, 1009, 1},
                         {997, 5, 1},  {257, 263, 1}, {96, 96, 300}};
  if (!few_cases_wanted())
    for (const Batch& b : {Batch{1024, 1024, 1}, Batch{2048, 1536, 1}, Batch{1021, 2039, 1},
                           Batch{2000, 384, 3}, Batch{4096, 1024, 1}})
      all.push_back(b);
  for (const Batch& b : all) {
    const Exec exec;
    const ResidentTable<Pixel, T> tables(exec, b.rows, b.columns, b.images, 1000);
    const auto enqueue = [&](const auto& problem) { return tables.enqueue(exec, problem); };
    // Rows that do not consist of whole chunks are for low tiles only.
    const bool low = b.rows <= 64;
    const bool whole = b.columns % 16 == 0;
    expect_enqueued<Pixel, T>(b, {0, 0}, {0, 0}, enqueue, low || whole);
    if (b.rows * b.columns > 100000) continue;
    expect_enqueued<Pixel, T>(b, {16, 16}, {32, 16}, enqueue, low || whole);
    expect_enqueued<Pixel, T>(b, {0, 1}, {1, 1}, enqueue, low);
    expect_enqueued<Pixel, T>(b, {5, 3}, {2, 2}, enqueue, low);
  }
}

/// @brief Many images, of one block each and of a few side by side, in which a few warps share
/// strips or not.
template <class Pixel, class T>
void expect_walked_tables() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  constexpr std::int64_t strip = 512 / sizeof(T);
  for (const Batch& b :
       {Batch{1, 4, 200}, Batch{17, 16, 1}, Batch{33, strip, 3}, Batch{100, strip + 4, 20},
        Batch{16, 3 * strip - 8, 7}, Batch{65, 7 * strip + 12, 3}, Batch{31, 8 * strip, 2}})
    for (const auto& [blocks, group] : {std::pair(1, 1), {1, 2}, {2, 4}, {3, 4}, {4, 2}, {8, 1}}) {
      const auto enqueue = [blocks = blocks, group = group](const auto& problem) {
        return WalkedTables<Pixel, T>::enqueue(Exec(), problem, {blocks, group});
      };
      SCOPED_TRACE(std::to_string(blocks) + " blocks for an image, " + std::to_string(group) +
                   " warps for a strip");
      expect_enqueued<Pixel, T>(b, {0, 0}, {0, 0}, enqueue, true);
      expect_enqueued<Pixel, T>(b, {16, 16}, {4, 4}, enqueue, true);
    }
  expect_enqueued<Pixel, T>(
      {20, strip, 400}, {0, 0}, {0, 0},
      [](const auto& problem) { return WalkedTables<Pixel, T>::enqueue(Exec(), problem); }, true);
}

}  // namespace wavescan::Test::GpuTables

#endif

#endif
