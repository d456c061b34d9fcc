// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_GPU_TABLES_HPP
#define WAVESCAN_TEST_GPU_TABLES_HPP

#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Grid.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "summed_area_tables.hpp"

/// @file
/// @brief The one-kernel tables of GPUs with bulk copies, for one pair of
/// types: every tile width on sizes around tiles, pitches and alignments,
/// batches, squares, and in place.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_SummedAreaTable_Gpu.hpp>

namespace wavescan::Test::GpuTables {

using Exec = Kokkos::Cuda;
using Impl::GpuTable;
using Impl::NoSquares;
using Impl::TableProblem;

inline bool has_gpu_tables() { return Impl::gpu::has_bulk_copies(Exec()); }

/// @brief Images of one size below each other, with one row between them that
/// is no image's.
struct Batch {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t images;
  std::int64_t all_rows() const { return images * (rows + 1) - 1; }
};

/// @brief How far rows lie apart, and the first element from its alignment.
struct Pitch {
  std::int64_t gap;
  std::int64_t first;
  bool column_major = false;
  Placement place(const Batch& b) const {
    return column_major ? Placement{b.all_rows(), b.columns, 1, b.all_rows() + gap, first}
                        : Placement{b.all_rows(), b.columns, b.columns + gap, 1, first};
  }
};

template <class T>
Grid<T> first_image(const GuardedArray<std::remove_const_t<T>, Exec>& array, const Batch& b) {
  const auto view = array.matrix();
  return {view.data(), b.rows, b.columns, static_cast<std::int64_t>(view.stride(0)),
          static_cast<std::int64_t>(view.stride(1))};
}

template <class Pixel, class T, class S>
TableProblem<Pixel, T, S> problem_of(const Batch& b, const GuardedArray<Pixel, Exec>& in,
                                     const GuardedArray<T, Exec>& out) {
  TableProblem<Pixel, T, S> p;
  p.image = first_image<const Pixel>(in, b);
  p.table = first_image<T>(out, b);
  p.images = b.images;
  p.image_stride = (b.rows + 1) * p.image.row_stride;
  p.table_stride = (b.rows + 1) * p.table.row_stride;
  return p;
}

/// @brief Pixels whose sums and squares neither overflow nor vanish.
template <class Pixel>
std::vector<Pixel> random_pixels(Random& random, std::int64_t count) {
  if constexpr (std::floating_point<Pixel>) return random.values<Pixel>(count);
  return random.integers<Pixel>(count, std::is_signed_v<Pixel> ? -100 : 0, 200);
}

/// @brief Image m of the batch as an image of its own.
template <class V>
Image<V> image_of(const std::vector<V>& all, const Batch& b, std::int64_t m) {
  const auto begin = all.begin() + m * (b.rows + 1) * b.columns;
  return {b.rows, b.columns, std::vector<V>(begin, begin + b.rows * b.columns)};
}

/// @brief Checks all tables of a batch and that nothing was written to the rows
/// between them.
template <class T, class Pixel>
void expect_tables_of(const std::vector<T>& got, const std::vector<Pixel>& pixels,
                      const std::vector<T>& before, const Batch& b) {
  for (std::int64_t m = 0; m < b.images; ++m) {
    ASSERT_TRUE(is_table_of(image_of(got, b, m).pixels, image_of(pixels, b, m), Schedule::Hybrid))
        << "image " << m;
    if (m + 1 == b.images) break;
    const auto between = (m * (b.rows + 1) + b.rows) * b.columns;
    const auto row = [&](const std::vector<T>& all) {
      return std::vector<T>(all.begin() + between, all.begin() + between + b.columns);
    };
    ASSERT_TRUE(same_bits(row(got), row(before))) << "after image " << m;
  }
}

template <class Pixel, class T, class S = NoSquares>
void expect_batch(const Batch& b, const Pitch& in_pitch, const Pitch& out_pitch, int tile_columns) {
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", gaps " + std::to_string(in_pitch.gap) + ", " +
               std::to_string(out_pitch.gap) + ", first " + std::to_string(in_pitch.first) + ", " +
               std::to_string(out_pitch.first) + ", tiles " + std::to_string(tile_columns) + ", " +
               random.trace());
  const Exec exec;
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  const GuardedArray<Pixel, Exec> in(in_pitch.place(b), pixels);
  const GuardedArray<T, Exec> out(out_pitch.place(b));
  const auto before = out.values();
  const GpuTable<Pixel, T, S> tables(exec, b.rows, b.columns, b.images, tile_columns);
  auto problem = problem_of<Pixel, T, S>(b, in, out);
  if constexpr (std::same_as<S, NoSquares>) {
    ASSERT_TRUE(tables.enqueue(exec, problem));
  } else {
    const GuardedArray<S, Exec> squares(out_pitch.place(b));
    const auto squares_before = squares.values();
    problem.squares = first_image<S>(squares, b);
    problem.squares_stride = problem.table_stride;
    ASSERT_TRUE(tables.enqueue(exec, problem));
    std::vector<S> squared;
    for (const Pixel x : pixels) squared.push_back(static_cast<S>(x) * static_cast<S>(x));
    expect_tables_of(squares.values(), squared, squares_before, b);
    EXPECT_TRUE(squares.guards_intact());
  }
  expect_tables_of(out.values(), pixels, before, b);
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), pixels));
  if constexpr (std::same_as<Pixel, T> && std::same_as<S, NoSquares>) {
    ASSERT_TRUE(tables.enqueue(exec, problem_of<Pixel, T, S>(b, in, in)));
    expect_tables_of(in.values(), pixels, pixels, b);
    EXPECT_TRUE(in.guards_intact());
  }
}

inline std::vector<Batch> batches() {
  std::vector<Batch> all{{1, 1, 1}, {1, 2, 3}, {5, 3, 1}, {700, 1, 1}, {1, 700, 1}, {20, 30, 300}};
  for (const std::int64_t rows : {15, 17, 33, 65})
    for (const std::int64_t columns : {63, 129, 257, 513})
      all.push_back({rows, columns, columns == 129 ? 3 : 1});
  if (!few_cases_wanted()) {
    // Several waves downwards; narrow, with sums of groups; wide enough to go rightwards.
    for (const Batch& b : {Batch{1100, 515, 1}, Batch{300, 2100, 1}, Batch{12000, 33, 1},
                           Batch{33, 20000, 1}, Batch{9, 40001, 1}, Batch{40, 70, 150}})
      all.push_back(b);
  }
  return all;
}

template <class Pixel, class T, class S = NoSquares>
void expect_batches() {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : batches())
    for (const int tile_columns : {64, 128, 256, 512}) {
      expect_batch<Pixel, T, S>(b, {0, 0}, {0, 0}, tile_columns);
      if (b.rows * b.columns > 100000) continue;
      expect_batch<Pixel, T, S>(b, {0, 1}, {1, 1}, tile_columns);
      expect_batch<Pixel, T, S>(b, {5, 3}, {2, 2}, tile_columns);
      expect_batch<Pixel, T, S>(b, {16, 0}, {1, 3}, tile_columns);
    }
}

}  // namespace wavescan::Test::GpuTables

#endif

#endif
