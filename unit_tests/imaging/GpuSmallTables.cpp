// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "GpuTables.hpp"

/// @file
/// @brief The schemes for images that fit the chip and for many images.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

/// @brief Images that are on the chip at once, with rows of any alignment.
template <class Pixel, class T, bool Squared = false>
void expect_resident_tables() {
  using Types = TableTypes<Pixel, T, Squared>;
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  std::vector<Batch> all{{1, 1, 1},    {1, 2, 3},     {5, 3, 1},     {63, 127, 1},
                         {64, 128, 2}, {65, 129, 1},  {131, 64, 3},  {7, 1009, 1},
                         {997, 5, 1},  {257, 263, 1}, {1021, 96, 5}, {96, 96, 50}};
  if (!few_cases_wanted())
    for (const Batch& b : {Batch{1024, 1024, 1}, Batch{2048, 512, 1}, Batch{1021, 1039, 1},
                           Batch{2000, 128, 3}, Batch{4096, 256, 1}})
      all.push_back(b);
  for (const Batch& b : all) {
    const bool fits = Resident::of<Types>({b.images, b.rows, b.columns}, all_blocks()).teams > 0;
    const auto expect = [&](const Pitch& in_pitch, const Pitch& out_pitch, bool required) {
      expect_tables_by<Types>(
          b, in_pitch, out_pitch,
          [](Decompositions& d) { d.resident = Resident::of<Types>(d.shape, d.blocks); },
          all_blocks(), required && fits);
    };
    // Rows that do not consist of whole chunks are for low tiles only.
    const bool low = b.rows <= 64;
    const bool whole = b.columns % 16 == 0;
    expect({0, 0}, {0, 0}, low || whole);
    if (b.rows * b.columns > 100000) continue;
    expect({16, 16}, {32, 16}, low || whole);
    expect({0, 1}, {1, 1}, low);
    expect({5, 3}, {2, 2}, low);
  }
}

TEST(GpuResident, Float) { expect_resident_tables<float, float>(); }
TEST(GpuResident, Double) { expect_resident_tables<double, double>(); }
TEST(GpuResident, Uint8ToUint32) { expect_resident_tables<std::uint8_t, std::uint32_t>(); }
TEST(GpuResident, Uint8ToDouble) { expect_resident_tables<std::uint8_t, double>(); }
TEST(GpuResident, Uint8Squares) { expect_resident_tables<std::uint8_t, std::uint64_t, true>(); }

/// @brief Many images, of one block each and of a few side by side, in which a few warps share
/// strips or not.
template <class Pixel, class T, bool Squared = false>
void expect_walked_tables() {
  using Types = TableTypes<Pixel, T, Squared>;
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  constexpr std::int64_t strip = 512 / sizeof(T);
  for (const Batch& b :
       {Batch{1, 4, 200}, Batch{17, 16, 1}, Batch{33, strip, 3}, Batch{100, strip + 4, 20},
        Batch{16, 3 * strip - 8, 7}, Batch{35, 2 * strip - 1, 3}, Batch{9, 29, 5},
        Batch{65, 7 * strip + 12, 3}, Batch{31, 8 * strip, 2}})
    for (const auto& [blocks, group] : {std::pair(1, 1), {1, 2}, {2, 4}, {3, 4}, {4, 2}, {8, 1}}) {
      SCOPED_TRACE(std::to_string(blocks) + " blocks for an image, " + std::to_string(group) +
                   " warps for a strip");
      const auto walk = [blocks = blocks, group = group](Decompositions& d) {
        d.walk = Walk::with<Types>(d.shape, blocks, group);
      };
      expect_tables_by<Types>(b, {0, 0}, {0, 0}, walk);
      expect_tables_by<Types>(b, {16, 16}, {4, 4}, walk);
      expect_tables_by<Types>(b, {5, 3}, {2, 1}, walk);
    }
  expect_tables_by<Types>({20, strip, 400}, {0, 0}, {0, 0},
                          [](Decompositions& d) { d.walk = Walk::of<Types>(d.shape, d.blocks); });
}

TEST(GpuWalk, Float) { expect_walked_tables<float, float>(); }
TEST(GpuWalk, Double) { expect_walked_tables<double, double>(); }
TEST(GpuWalk, Uint8ToUint32) { expect_walked_tables<std::uint8_t, std::uint32_t>(); }
TEST(GpuWalk, Uint8ToDouble) { expect_walked_tables<std::uint8_t, double>(); }
TEST(GpuWalk, Uint8Squares) { expect_walked_tables<std::uint8_t, std::uint64_t, true>(); }

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
