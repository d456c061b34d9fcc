// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <cstdint>
#include <impl/WaveScan_SummedAreaTable_Gpu_Choice.hpp>
#include <sstream>
#include <string>

// How the kernels of GPUs cut images, and for which they pay. That is decided on the host, so it is
// tested there, for devices that need not exist. Which kernel runs also depends on the kernels for
// many and for small images, which ask the device: see GpuTables.KernelOfEachSize.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;

constexpr int h200 = 132;  // multiprocessors

template <class Pixel, class T>
std::string strips(Index rows, Index columns, int blocks, Index images = 1) {
  if (!strips_pay<Pixel, T>(rows, columns, images, blocks)) return "none";
  const StripsChoice<Pixel, T> chosen(rows, columns, blocks);
  const StripsPlan& p = chosen.plan;
  return std::to_string(p.width) + "/" + std::to_string(chosen.bytes) + ", " +
         std::to_string(p.strips) + " x " + std::to_string(p.groups) + " x " +
         std::to_string(p.panels);
}

TEST(TableKernels, StripsOfFloat) {
  const auto of = [](auto... sizes) { return strips<float, float>(sizes...); };
  EXPECT_EQ(of(2048, 2048, h200), "64/256, 32 x 4 x 1");
  EXPECT_EQ(of(4096, 4096, h200), "128/512, 32 x 4 x 1");
  EXPECT_EQ(of(5120, 5120, h200), "128/512, 40 x 3 x 1");
  EXPECT_EQ(of(8192, 8192, h200), "64/256, 128 x 1 x 1");
  EXPECT_EQ(of(8704, 8704, h200), "72/512, 121 x 1 x 1");
  EXPECT_EQ(of(10240, 10240, h200), "80/512, 128 x 1 x 1");
  EXPECT_EQ(of(16384, 16384, h200), "128/512, 128 x 1 x 1");
  EXPECT_EQ(of(20480, 20480, h200), "160/1024, 128 x 1 x 1");
  EXPECT_EQ(of(64, Index(1) << 22, h200), "256/1024, 132 x 1 x 125");
}

TEST(TableKernels, StripsOfManyImages) {
  const auto of = [](auto... sizes) { return strips<float, float>(sizes...); };
  EXPECT_EQ(of(2048, 2048, h200, 16), "none");
  EXPECT_EQ(of(8192, 8192, h200, 16), "64/256, 128 x 1 x 1");
}

TEST(TableKernels, StripsOfDouble) {
  const auto of = [](auto... sizes) { return strips<double, double>(sizes...); };
  EXPECT_EQ(of(4096, 4096, h200), "32/256, 128 x 1 x 1");
  EXPECT_EQ(of(5120, 5120, h200), "40/512, 128 x 1 x 1");
  EXPECT_EQ(of(8192, 8192, h200), "64/512, 128 x 1 x 1");
  EXPECT_EQ(of(10240, 10240, h200), "80/1024, 128 x 1 x 1");
}

TEST(TableKernels, StripsOfUint8ToUint32) {
  const auto of = [](auto... sizes) { return strips<std::uint8_t, std::uint32_t>(sizes...); };
  EXPECT_EQ(of(4096, 4096, h200), "none");
  EXPECT_EQ(of(8192, 8192, h200), "64/256, 128 x 1 x 1");
  EXPECT_EQ(of(16384, 16384, h200), "128/512, 128 x 1 x 1");
  EXPECT_EQ(of(20480, 20480, h200), "64/256, 107 x 1 x 3");
  EXPECT_EQ(of(32768, 32768, h200), "128/512, 128 x 1 x 2");
  EXPECT_EQ(of(1000, 40000, h200), "64/256, 125 x 1 x 5");
}

TEST(TableKernels, TallImages) {
  EXPECT_TRUE((tall_table_pays<float, float>(1000000, 64, h200)));
  EXPECT_TRUE((tall_table_pays<double, double>(500000, 256, h200)));
  EXPECT_FALSE((tall_table_pays<float, float>(4096, 4096, h200)));
  EXPECT_FALSE((tall_table_pays<float, float>(64, 1000000, h200)));
}

TEST(TableKernels, TileColumns) {
  EXPECT_EQ((best_tile_columns<float>(1, 1000, 1)), 0) << "a line";
  EXPECT_EQ((best_tile_columns<float>(1024, 1024, 1)), 128);
  EXPECT_EQ((best_tile_columns<float>(256, 256, 100)), 64);
  EXPECT_EQ((best_tile_columns<float>(2048, 2048, 16)), 256);
  EXPECT_EQ((best_tile_columns<float>(1000, 40000, 1)), 512);
}

template <class Pixel, class T>
void expect_plans_cover(const char* name) {
  for (const Index rows : {1, 31, 500, 20000})
    for (const Index columns : {129, 257, 1021, 9001, 40000})
      for (const int blocks : {1, 2, 7, 58, 132, 159}) {
        std::ostringstream trace;
        trace << name << ' ' << rows << " x " << columns << ", " << blocks << " blocks";
        SCOPED_TRACE(trace.str());
        const StripsChoice<Pixel, T> chosen(rows, columns, blocks);
        const StripsPlan& p = chosen.plan;
        chosen.with_tile([&](auto tile) {
          using Tile = typename decltype(tile)::type;
          EXPECT_EQ(Tile::columns * static_cast<int>(sizeof(T)), chosen.bytes);
          EXPECT_LE(p.width, Tile::columns);
          EXPECT_EQ(p.width % Tile::quantum, 0);
          EXPECT_GE(Index(p.steps) * p.groups * Tile::rows, rows);
        });
        EXPECT_GE(p.strips, 1);
        EXPECT_LE(p.blocks(), blocks);
        EXPECT_GE(Index(p.width) * p.strips * p.panels, columns);
      }
}

TEST(TableKernels, PlansCoverImages) {
  expect_plans_cover<float, float>("float");
  expect_plans_cover<double, double>("double");
  expect_plans_cover<std::uint8_t, std::uint32_t>("uint8 to uint32");
  expect_plans_cover<float, double>("float to double");
}

TEST(TableKernels, OneStripIsNone) {
  EXPECT_EQ((StripsChoice<float, float>(1000, 128, h200).plan.strips), 0);
  EXPECT_EQ((StripsChoice<float, float>(0, 1000, h200).plan.strips), 0);
}

}  // namespace
