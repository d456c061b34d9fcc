// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;
using Pixel = std::uint8_t;
using Sum = std::uint32_t;
using TablePlan = SummedAreaTable<Exec, Pixel, Sum>;

Image<Pixel> random_image(std::int64_t rows, std::int64_t columns) {
  Random random;
  return {rows, columns, random.values<Pixel>(rows * columns)};
}

std::vector<Sum> reference(const Image<Pixel>& image) {
  return sums_of_prefixes<Sum>(image, [](Pixel p) { return p; });
}

TEST(SummedAreaTable, StaticExtentsConstViewsAndDefaultInstance) {
  const Image<Pixel> image = random_image(13, 17);
  const GuardedArray<Pixel> in(row_major(13, 17), image.pixels);
  const Kokkos::View<Sum[13][17], Kokkos::LayoutLeft, Exec> table("table");
  const Kokkos::View<const Pixel**, Kokkos::LayoutRight, Exec> pixels =
      in.matrix<Kokkos::LayoutRight>();
  summed_area_table(pixels, table);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
  const std::vector<Sum> expected = reference(image);
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 17; ++j)
      EXPECT_EQ(host(i, j), expected[static_cast<std::size_t>(17 * i + j)]);
}

TEST(SummedAreaTable, OnAnotherInstance) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Image<Pixel> image = random_image(101, 211);
  const GuardedArray<Pixel> in(row_major(101, 211), image.pixels);
  for (const Exec& exec : instances) {
    const GuardedArray<Sum> out(row_major(101, 211));
    summed_area_table(exec, in.matrix(), out.matrix());
    EXPECT_TRUE(equal(out.values(), reference(image)));
  }
}

TEST(SummedAreaTable, PlanServesManyImagesWithoutAllocating) {
  const TablePlan plan(Exec(), 67, 131);
  Random random;
  for (int image_number = 0; image_number < 3; ++image_number) {
    const Image<Pixel> image{67, 131, random.values<Pixel>(67 * 131)};
    const GuardedArray<Pixel> in(row_major(67, 131), image.pixels);
    const GuardedArray<Sum> out(row_major(67, 131));
    const auto pixels = in.matrix();
    const auto table = out.matrix();
    plan(pixels, table);  // Kokkos itself may prepare something for the first launch of a kernel
    Kokkos::fence();
    {
      const Recorder recorder;
      plan(pixels, table);
      EXPECT_EQ(join(recorder.allocations()), "");
      EXPECT_EQ(join(recorder.fences()), "");
    }
    EXPECT_TRUE(equal(out.values(), reference(image)));
  }
}

TEST(SummedAreaTable, RejectsWrongArguments) {
  const GuardedArray<Pixel> image(row_major(4, 6));
  const GuardedArray<Sum> table(row_major(4, 6));
  const GuardedArray<Sum> narrow(row_major(4, 5));
  EXPECT_TRUE(rejects("summed_area_table", "table",
                      [&] { summed_area_table(image.matrix(), narrow.matrix()); }));
  EXPECT_TRUE(rejects("summed_area_table", "image",
                      [&] { TablePlan(Exec(), 4, 5)(image.matrix(), table.matrix()); }));
  EXPECT_TRUE(rejects("SummedAreaTable", "rows", [&] { TablePlan(Exec(), -1, 5); }));
  EXPECT_TRUE(rejects("SummedAreaTable", "columns", [&] { TablePlan(Exec(), 4, -5); }));
  EXPECT_TRUE(rejects("SummedAreaTable", "columns",
                      [&] { TablePlan(Exec(), std::int64_t(1) << 40, std::int64_t(1) << 40); }));
  EXPECT_TRUE(equal(narrow.values(), std::vector<Sum>(20, ~Sum(0))));
  EXPECT_TRUE(equal(table.values(), std::vector<Sum>(24, ~Sum(0))));

  const Kokkos::View<Sum**, Kokkos::LayoutRight, Exec> both("both", 9, 8);
  const auto rows = [&](int first) {
    return Kokkos::subview(both, Kokkos::make_pair(first, first + 5), Kokkos::ALL);
  };
  EXPECT_TRUE(rejects("summed_area_table", "table", [&] { summed_area_table(rows(0), rows(1)); }));
  EXPECT_NO_THROW(summed_area_table(rows(0), rows(0)));
  Kokkos::fence();
}

TEST(SummedAreaTable, AccumulatorSuffices) {
  EXPECT_TRUE(accumulator_suffices<std::uint32_t>(4096, 4096, 255));
  EXPECT_TRUE(accumulator_suffices<std::uint32_t>(1, 1, 0xffffffffu));
  EXPECT_FALSE(accumulator_suffices<std::uint32_t>(1, 2, 0x80000000u));
  EXPECT_FALSE(accumulator_suffices<std::uint32_t>(4200, 4200, 255));
  EXPECT_FALSE(accumulator_suffices<std::int32_t>(4096, 4096, 255));
  EXPECT_TRUE(accumulator_suffices<std::int32_t>(2896, 2896, 255));
  EXPECT_FALSE(
      accumulator_suffices<std::uint64_t>(std::int64_t(1) << 32, std::int64_t(1) << 32, 1));
  EXPECT_TRUE(accumulator_suffices<std::uint64_t>(std::int64_t(1) << 32, std::int64_t(1) << 31, 1));
  EXPECT_TRUE(accumulator_suffices<float>(4096, 4096, 1));
  EXPECT_FALSE(accumulator_suffices<float>(4096, 4097, 1));
  EXPECT_TRUE(accumulator_suffices<double>(1 << 20, 1 << 20, 255));
  EXPECT_TRUE(accumulator_suffices<std::uint8_t>(0, 100, 255));
  EXPECT_TRUE(accumulator_suffices<std::uint8_t>(100, 100, 0));
  EXPECT_TRUE(
      rejects("accumulator_suffices", "rows", [&] { accumulator_suffices<int>(-1, 2, 3); }));
  EXPECT_TRUE(
      rejects("accumulator_suffices", "columns", [&] { accumulator_suffices<int>(1, -2, 3); }));
}

}  // namespace
