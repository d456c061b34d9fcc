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

#include "SummedAreaTables.hpp"

/// @file
/// @brief The one-kernel tables of GPUs with bulk copies, for one pair of types: schemes on sizes
/// around their tiles, pitches and alignments, batches, squares, and in place.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/sat/gpu/WaveScan_GpuTable.hpp>

namespace wavescan::Test::GpuTables {

using Exec = Kokkos::Cuda;
using Impl::sat::Decompositions;
using Impl::sat::GpuTable;
using Impl::sat::NoSquares;
using Impl::sat::Resident;
using Impl::sat::Scheme;
using Impl::sat::Strips;
using Impl::sat::TableProblem;
using Impl::sat::TableTypes;
using Impl::sat::Walk;

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
  return image_at(all, m * (b.rows + 1) * b.columns, b.rows, b.columns);
}

/// @brief Checks all tables of a batch and that nothing was written to the rows
/// between them.
template <class T, class Pixel>
void expect_tables_of(const std::vector<T>& got, const std::vector<Pixel>& pixels,
                      const std::vector<T>& before, const Batch& b) {
  for (std::int64_t m = 0; m < b.images; ++m) {
    ASSERT_TRUE(is_table_of(image_of(got, b, m).pixels, image_of(pixels, b, m))) << "image " << m;
    if (m + 1 == b.images) break;
    const auto between = (m * (b.rows + 1) + b.rows) * b.columns;
    const auto row = [&](const std::vector<T>& all) {
      return std::vector<T>(all.begin() + between, all.begin() + between + b.columns);
    };
    ASSERT_TRUE(same_bits(row(got), row(before))) << "after image " << m;
  }
}

/// @brief What is summed up of pixels.
template <class Types>
auto terms_of(const std::vector<typename Types::Pixel>& pixels) {
  if constexpr (Types::squared) {
    std::vector<typename Types::T> squares;
    for (const auto x : pixels)
      squares.push_back(static_cast<typename Types::T>(x) * static_cast<typename Types::T>(x));
    return squares;
  } else {
    return pixels;
  }
}

/// @brief Tables by a given scheme: `decompose(d)` sets it in Decompositions of d.shape.
template <class Types, class Decompose>
GpuTable<Types> tables_by(const Exec& exec, const Batch& b, const Decompose& decompose,
                          int blocks) {
  const auto along = [&](std::int64_t rows, std::int64_t columns) {
    Decompositions d{.shape = {b.images, rows, columns}, .blocks = blocks};
    decompose(d);
    return d;
  };
  return {exec, along(b.rows, b.columns), along(b.columns, b.rows)};
}

inline int all_blocks() { return Exec().cuda_device_prop().multiProcessorCount; }

/// @brief Checks the tables that a scheme computes, if it does, twice, and in place, too.
template <class Types, class Decompose>
void expect_tables_by(const Batch& b, const Pitch& in_pitch, const Pitch& out_pitch,
                      const Decompose& decompose, int blocks = all_blocks(), bool required = true) {
  using Pixel = typename Types::Pixel;
  using T = typename Types::T;
  Random random;
  SCOPED_TRACE(std::to_string(b.images) + " of " + std::to_string(b.rows) + " x " +
               std::to_string(b.columns) + ", gaps " + std::to_string(in_pitch.gap) + ", " +
               std::to_string(out_pitch.gap) + ", first " + std::to_string(in_pitch.first) + ", " +
               std::to_string(out_pitch.first) + ", blocks " + std::to_string(blocks) + ", " +
               random.trace());
  const Exec exec;
  const auto pixels = random_pixels<Pixel>(random, b.all_rows() * b.columns);
  const auto terms = terms_of<Types>(pixels);
  const GuardedArray<Pixel, Exec> in(in_pitch.place(b), pixels);
  const GuardedArray<T, Exec> out(out_pitch.place(b));
  const auto before = out.values();
  const GpuTable<Types> tables = tables_by<Types>(exec, b, decompose, blocks);
  const auto problem = problem_of<Pixel, T, NoSquares>(b, in, out);
  if (!required && tables.scheme(problem) == Scheme::TwoScans) return;
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_TRUE(tables.enqueue(exec, problem));
    expect_tables_of(out.values(), terms, before, b);
  }
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), pixels));
  if constexpr (std::same_as<Pixel, T>) {
    ASSERT_TRUE(tables.enqueue(exec, problem_of<Pixel, T, NoSquares>(b, in, in)));
    expect_tables_of(in.values(), terms, pixels, b);
    EXPECT_TRUE(in.guards_intact());
  }
}

/// @brief The same bits from every launch of a scheme.
template <class Types, class Decompose>
void expect_same_bits(const Batch& b, const Decompose& decompose) {
  using Pixel = typename Types::Pixel;
  using T = typename Types::T;
  const Exec exec;
  Random random;
  const GuardedArray<Pixel, Exec> in(Pitch{0, 0}.place(b),
                                     random.values<Pixel>(b.all_rows() * b.columns));
  const GuardedArray<T, Exec> out(Pitch{0, 0}.place(b));
  const GpuTable<Types> tables = tables_by<Types>(exec, b, decompose, all_blocks());
  std::vector<T> expected;
  for (std::int64_t k = 0; k < cases_wanted(100); ++k) {
    ASSERT_TRUE(tables.enqueue(exec, problem_of<Pixel, T, NoSquares>(b, in, out)));
    if (k == 0) expected = out.values();
    if (k % 10 == 0) ASSERT_TRUE(same_bits(out.values(), expected)) << random.trace();
  }
  ASSERT_TRUE(same_bits(out.values(), expected)) << random.trace();
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

/// @brief Tiles of both widths, as far as they reach: a wave is as wide as the image.
template <class Pixel, class T, bool Squared = false>
void expect_tiles() {
  using Types = TableTypes<Pixel, T, Squared>;
  for (const Batch& b : batches())
    for (const int columns : {64, 128}) {
      if (!GpuTable<Types>::has_tiles(columns)) continue;
      SCOPED_TRACE("tiles of " + std::to_string(columns));
      const auto expect = [&](const Pitch& in_pitch, const Pitch& out_pitch) {
        expect_tables_by<Types>(
            b, in_pitch, out_pitch, [=](Decompositions& d) { d.divide_into_tiles<Types>(columns); },
            all_blocks(), b.columns <= std::int64_t(all_blocks()) * columns);
      };
      expect({0, 0}, {0, 0});
      if (b.rows * b.columns > 100000) continue;
      expect({0, 1}, {1, 1});
      expect({5, 3}, {2, 2});
      expect({16, 0}, {1, 3});
    }
}

/// @brief Rows at 16-byte boundaries, with at least so many elements between them.
template <class T>
Pitch aligned_pitch(const Batch& b, std::int64_t gap) {
  constexpr auto whole = std::int64_t(16 / sizeof(T));
  return {(b.columns + gap + whole - 1) / whole * whole - b.columns, 0};
}

/// @brief The scheme for large images, on small ones: with few blocks there are panels, with many
/// there are groups.
template <class Pixel, class T, bool Squared = false>
void expect_strips() {
  using Types = TableTypes<Pixel, T, Squared>;
  if (Impl::gpu::mover == Impl::gpu::Mover::Plain) GTEST_SKIP() << "needs asynchronous copies";
  const auto expect = [](const Batch& b, std::int64_t gap, int blocks) {
    if (!GpuTable<Types>::has_strips(Strips::of<Types>({b.images, b.rows, b.columns}, blocks)))
      return;
    expect_tables_by<Types>(
        b, aligned_pitch<Pixel>(b, gap), aligned_pitch<T>(b, 2 * gap),
        [](Decompositions& d) { d.strips = Strips::of<Types>(d.shape, d.blocks); }, blocks);
  };
  for (const std::int64_t rows : {1, 15, 17, 33, 200})
    for (const std::int64_t columns : {129, 255, 257, 1021})
      for (const int blocks : {1, 2, 3, 7, all_blocks()})
        expect({rows, columns, columns == 257 ? 2 : 1}, columns % 3, blocks);
  if (few_cases_wanted()) return;
  // Places are taken again; many groups; many panels; more strips than a warp has lanes.
  for (const Batch& b : {Batch{1500, 300, 1}, Batch{40, 9001, 1}, Batch{600, 4500, 1}})
    for (const int blocks : {5, 40, all_blocks()}) expect(b, 0, blocks);
}

}  // namespace wavescan::Test::GpuTables

#endif

#endif
