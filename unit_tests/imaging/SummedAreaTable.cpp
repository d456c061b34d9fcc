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

#include "image_reference.hpp"

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

TEST(Rectangle, InsideAndClipped) {
  EXPECT_TRUE((Rectangle{0, 0, 4, 6}.inside(4, 6)));
  EXPECT_TRUE((Rectangle{4, 6, 4, 6}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{0, 0, 5, 6}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{0, 0, 4, 7}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{-1, 0, 4, 6}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{0, -1, 4, 6}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{3, 0, 2, 6}.inside(4, 6)));
  EXPECT_FALSE((Rectangle{0, 5, 4, 4}.inside(4, 6)));
  const auto clipped = [](const Rectangle& r) {
    const Rectangle c = r.clipped(4, 6);
    EXPECT_TRUE(c.inside(4, 6));
    return std::vector<std::int64_t>{c.row_begin, c.column_begin, c.row_end, c.column_end};
  };
  EXPECT_EQ(clipped({-3, 2, 9, 3}), (std::vector<std::int64_t>{0, 2, 4, 3}));
  EXPECT_EQ(clipped({1, -2, 3, 99}), (std::vector<std::int64_t>{1, 0, 3, 6}));
  EXPECT_TRUE((Rectangle{7, 0, 9, 3}.clipped(4, 6).empty()));
  EXPECT_TRUE((Rectangle{0, -9, 4, -3}.clipped(4, 6).empty()));
  EXPECT_TRUE((Rectangle{3, 0, 1, 6}.clipped(4, 6).empty()));
}

/// @brief Sums of random rectangles; tables in T may overflow where the sums do not.
template <class T>
void expect_rectangle_sums(Pixel darkest) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image<Pixel> image{43, 59, random.integers<Pixel>(43 * 59, darkest, 255)};
  const GuardedArray<Pixel> in(row_major(43, 59), image.pixels);
  const GuardedArray<T> table(column_major(43, 59));
  summed_area_table(in.matrix(), table.matrix());
  const std::vector<Rectangle> rectangles = random_rectangles(random, 43, 59);
  const GuardedArray<std::int64_t> out(line(static_cast<std::int64_t>(rectangles.size()), 2));
  rectangle_sums(table.matrix(), on_device(rectangles), out.vector());
  std::vector<std::int64_t> expected;
  for (const Rectangle& r : rectangles)
    expected.push_back(
        static_cast<T>(sum_over<std::uint64_t>(image, r, [](Pixel p) { return p; })));
  EXPECT_TRUE(equal(out.values(), expected));
  EXPECT_TRUE(out.guards_intact());
}

TEST(RectangleSums, AgainstPlainLoops) { expect_rectangle_sums<Sum>(0); }
TEST(RectangleSums, OfTablesThatOverflow) { expect_rectangle_sums<std::uint16_t>(200); }
TEST(RectangleSums, OfTablesOfFloat) { expect_rectangle_sums<float>(0); }

TEST(RectangleSums, OfNoRectangles) {
  const GuardedArray<Sum> table(row_major(3, 3));
  const GuardedArray<Sum> out(line(0));
  rectangle_sums(table.matrix(), on_device({}), out.vector());
  EXPECT_TRUE(out.guards_intact());
}

TEST(RectangleSums, RejectsWrongArguments) {
  const GuardedArray<Sum> table(row_major(4, 6), std::vector<Sum>(24, 1));
  const GuardedArray<Sum> out(line(2));
  const Rectangle good{0, 0, 4, 6};
  for (const Rectangle& bad :
       {Rectangle{0, 0, 5, 6}, Rectangle{0, 0, 4, 7}, Rectangle{-1, 0, 2, 2},
        Rectangle{0, -1, 2, 2}, Rectangle{3, 0, 2, 2}, Rectangle{0, 3, 2, 2}})
    EXPECT_TRUE(rejects("rectangle_sums", "rectangles", [&] {
      rectangle_sums(table.matrix(), on_device({good, bad}), out.vector());
    }));
  EXPECT_EQ(error_of([&] {
              rectangle_sums(table.matrix(), on_device({good, {1, 2, 5, 4}}), out.vector());
            }),
            "WaveScan::rectangle_sums: argument 'rectangles' must lie inside the image (4 x 6) and "
            "not be reversed, got rows [1, 5) and columns [2, 4) at index 1");
  EXPECT_TRUE(rejects("rectangle_sums", "out",
                      [&] { rectangle_sums(table.matrix(), on_device({good}), out.vector()); }));
  const auto row = Kokkos::subview(table.matrix<Kokkos::LayoutRight>(), 1, Kokkos::make_pair(0, 2));
  EXPECT_TRUE(rejects("rectangle_sums", "out", [&] {
    rectangle_sums(table.matrix(), on_device({good, good}), row);
  }));
  EXPECT_TRUE(equal(out.values(), std::vector<Sum>(2, ~Sum(0))));
  EXPECT_TRUE(equal(table.values(), std::vector<Sum>(24, 1)));
}

}  // namespace
