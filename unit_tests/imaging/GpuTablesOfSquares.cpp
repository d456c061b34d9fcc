// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <vector>

#include "GpuTables.hpp"

/// @file
/// @brief Tables with those of the squares, as a plan computes them: schemes are tested each by
/// itself.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

template <class Pixel, class T, class S>
void expect_tables_and_squares(const Batch& b, const Pitch& in_pitch, const Pitch& out_pitch) {
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", " + random.trace());
  const Exec exec;
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  const auto squared = terms_of<TableTypes<Pixel, S, true>>(pixels);
  const GuardedArray<Pixel, Exec> in(in_pitch.place(b), pixels);
  const GuardedArray<T, Exec> out(out_pitch.place(b));
  const GuardedArray<S, Exec> squares(out_pitch.place(b));
  const auto before = out.values();
  const auto squares_before = squares.values();
  const GpuTable<TableTypes<Pixel, T>> tables(exec, {b.images, b.rows, b.columns});
  const GpuTable<TableTypes<Pixel, S, true>> tables_of_squares(exec, {b.images, b.rows, b.columns});
  const auto enqueue = [&](const GuardedArray<T, Exec>& to) {
    auto problem = problem_of<Pixel, T, S>(b, in, to);
    problem.squares = first_image<S>(squares, b);
    problem.squares_stride = (b.rows + 1) * problem.squares.row_stride;
    return tables_of_squares.enqueue(exec, problem.of_squares()) &&
           tables.enqueue(exec, problem.of_sums());
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
void expect_tables_and_squares() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : {Batch{33, 257, 2}, Batch{200, 1021, 1}, Batch{1601, 16, 1},
                         Batch{64, 64, 200}, Batch{2000, 2200, 1}})
    for (const auto& [in_pitch, out_pitch] : {std::pair{Pitch{0, 0}, Pitch{0, 0}},
                                              {Pitch{5, 3}, Pitch{2, 2}},
                                              {Pitch{0, 0, true}, Pitch{0, 0, true}}})
      expect_tables_and_squares<Pixel, T, S>(b, in_pitch, out_pitch);
}

TEST(GpuTablesWithSquares, Uint8) {
  expect_tables_and_squares<std::uint8_t, std::uint32_t, std::uint64_t>();
}
TEST(GpuTablesWithSquares, Float) { expect_tables_and_squares<float, float, double>(); }

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
