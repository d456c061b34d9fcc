// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <vector>

#include "gpu_tables.hpp"

/// @file
/// @brief The scheme for tall images, on small ones: with few blocks there are many waves.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

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

template <class Types>
void cut_into_tall_tiles(Decompositions& d) {
  d.tall = TallTiles::of<Types>(d.shape.rows, d.shape.columns, d.blocks);
}

template <class Pixel, class T, bool Squared = false>
void expect_tall_tables() {
  using Types = TableTypes<Pixel, T, Squared>;
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const TallCase& c : tall_cases()) {
    const Batch b{c.rows, c.chunks * std::int64_t(16 / sizeof(T)), c.images};
    expect_tables_by<Types>(b, {0, 0}, {0, 0}, cut_into_tall_tiles<Types>, c.blocks);
  }
}

TEST(GpuTall, Float) { expect_tall_tables<float, float>(); }
TEST(GpuTall, Double) { expect_tall_tables<double, double>(); }
TEST(GpuTall, Int32) { expect_tall_tables<std::int32_t, std::int32_t>(); }
TEST(GpuTall, Uint8ToUint32) { expect_tall_tables<std::uint8_t, std::uint32_t>(); }
TEST(GpuTall, Uint8ToDouble) { expect_tall_tables<std::uint8_t, double>(); }
TEST(GpuTall, Uint8Squares) { expect_tall_tables<std::uint8_t, std::uint64_t, true>(); }

using Floats = TableTypes<float, float>;

TEST(GpuTall, RowsWithGapsAreNotForIt) {
  const Exec exec;
  const Batch b{3000, 64, 1};
  const auto tables = tables_by<Floats>(exec, b, cut_into_tall_tiles<Floats>, 16);
  const GuardedArray<float, Exec> whole(Pitch{0, 0}.place(b));
  for (const Pitch& pitch : {Pitch{4, 0}, Pitch{0, 1}}) {
    const GuardedArray<float, Exec> other(pitch.place(b));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, other, whole)));
    EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>(b, whole, other)));
  }
}

TEST(GpuTall, EverySizeFitsSharedMemory) {
  for (std::int64_t chunks = 1; chunks <= 256; ++chunks) {
    const auto stages_of = [&]<class Types>(Types) {
      const auto cut =
          TallTiles::of<Types>(100000, chunks * std::int64_t(16 / sizeof(typename Types::T)), 132);
      return Impl::sat::TallMemory<Impl::sat::TallTile<Types>>(cut).rings.stages.places();
    };
    EXPECT_GE(stages_of(Floats()), 3) << chunks;
    EXPECT_GE(stages_of(TableTypes<double, double>()), 3) << chunks;
    EXPECT_GE(stages_of(TableTypes<std::uint8_t, std::uint32_t>()), 3) << chunks;
    EXPECT_GE(stages_of(TableTypes<std::uint8_t, double>()), 3) << chunks;
  }
}

TEST(GpuTall, SameBitsEveryTime) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : {Batch{60000, 64, 1}, Batch{6000, 1000, 1}})
    expect_same_bits<Floats>(b, cut_into_tall_tiles<Floats>);
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
