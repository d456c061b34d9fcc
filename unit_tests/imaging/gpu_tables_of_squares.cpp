// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu_strips.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using namespace wavescan::Test;
using namespace wavescan::Test::GpuTables;

using wavescan::Impl::GpuStripsWithSquares;
using wavescan::Impl::TallTableWithSquares;

/// @param gap at least so many elements between the tables' rows
template <class Tables, class Pixel, class T, class S>
void expect_tables_and_squares(const Batch& b, int blocks, std::int64_t gap) {
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", blocks " + std::to_string(blocks) + ", " +
               random.trace());
  const Exec exec;
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  std::vector<S> squared;
  for (const Pixel x : pixels) squared.push_back(static_cast<S>(x) * static_cast<S>(x));
  const GuardedArray<Pixel, Exec> in(aligned_pitch<Pixel>(b, 0).place(b), pixels);
  const GuardedArray<T, Exec> out(aligned_pitch<T>(b, 2 * gap).place(b));
  const GuardedArray<S, Exec> squares(aligned_pitch<S>(b, gap).place(b));
  const auto before = out.values();
  const auto squares_before = squares.values();
  const Tables tables(exec, b.rows, b.columns, blocks);
  const auto enqueue = [&](const GuardedArray<T, Exec>& to) {
    auto problem = problem_of<Pixel, T, S>(b, in, to);
    problem.squares = first_image<S>(squares, b);
    problem.squares_stride = (b.rows + 1) * problem.squares.row_stride;
    return tables.enqueue(exec, problem);
  };
  ASSERT_TRUE(enqueue(out));
  expect_tables_of(out.values(), pixels, before, b);
  expect_tables_of(squares.values(), squared, squares_before, b);
  EXPECT_TRUE(out.guards_intact() && squares.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), pixels));
  if constexpr (std::same_as<Pixel, T>) {
    ASSERT_TRUE(enqueue(in));
    expect_tables_of(in.values(), pixels, pixels, b);
    expect_tables_of(squares.values(), squared, squares_before, b);
    EXPECT_TRUE(in.guards_intact());
  }
}

template <class Pixel, class T, class S>
void expect_strips_with_squares(const Batch& b, int blocks) {
  expect_tables_and_squares<GpuStripsWithSquares<Pixel, T, S>, Pixel, T, S>(b, blocks, 4);
}

TEST(GpuStripsWithSquares, Computes) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const int all = Exec().cuda_device_prop().multiProcessorCount;
  for (const Batch& b : {Batch{33, 257, 2}, Batch{200, 1021, 1}})
    for (const int blocks : {2, 7, all}) {
      expect_strips_with_squares<std::uint8_t, std::uint32_t, std::uint64_t>(b, blocks);
      expect_strips_with_squares<float, float, double>(b, blocks);
    }
}

template <class Pixel, class T, class S>
void expect_tall_tables_with_squares(const Batch& b, int blocks) {
  if (blocks <= Exec().cuda_device_prop().multiProcessorCount)
    expect_tables_and_squares<TallTableWithSquares<Pixel, T, S>, Pixel, T, S>(b, blocks, 0);
}

TEST(TallTableWithSquares, Computes) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const auto& [b, blocks] : {std::pair{Batch{1600, 16, 2}, 4},
                                  {Batch{1601, 16, 1}, 7},
                                  {Batch{2311, 64, 1}, 16},
                                  {Batch{1009, 208, 1}, 53}}) {
    expect_tall_tables_with_squares<std::uint8_t, std::uint32_t, std::uint64_t>(b, blocks);
    expect_tall_tables_with_squares<float, float, double>(b, blocks);
  }
}

TEST(GpuStripsWithSquares, RefusesRowsThatAreNotAligned) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const Exec exec;
  const Batch b{50, 400, 1};
  const GuardedArray<float, Exec> in(Pitch{0, 0}.place(b)), out(Pitch{0, 0}.place(b));
  const GpuStripsWithSquares<float, float, float> tables(exec, 50, 400, 4);
  for (const bool table_aligned : {true, false}) {
    const GuardedArray<float, Exec> some(Pitch{1, 0}.place(b));
    auto problem = problem_of<float, float, float>(b, in, table_aligned ? out : some);
    problem.squares = first_image<float>(table_aligned ? some : out, b);
    EXPECT_FALSE(tables.enqueue(exec, problem));
  }
}

}  // namespace

#endif
