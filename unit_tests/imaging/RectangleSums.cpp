// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

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
void expect_rectangle_sums(std::uint8_t darkest) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image<std::uint8_t> image{43, 59, random.integers<std::uint8_t>(43 * 59, darkest, 255)};
  const GuardedArray<std::uint8_t> in(row_major(43, 59), image.pixels);
  const GuardedArray<T> table(column_major(43, 59));
  summed_area_table(in.matrix(), table.matrix());
  const std::vector<Rectangle> rectangles = random_rectangles(random, 43, 59);
  const GuardedArray<std::int64_t> out(line(static_cast<std::int64_t>(rectangles.size()), 2));
  rectangle_sums(table.matrix(), on_device(rectangles), out.vector());
  std::vector<std::int64_t> expected;
  for (const Rectangle& r : rectangles)
    expected.push_back(
        static_cast<T>(sum_over<std::uint64_t>(image, r, [](std::uint8_t p) { return p; })));
  EXPECT_TRUE(equal(out.values(), expected));
  EXPECT_TRUE(out.guards_intact());
}

TEST(RectangleSums, AgainstPlainLoops) { expect_rectangle_sums<std::uint32_t>(0); }
TEST(RectangleSums, OfTablesThatOverflow) { expect_rectangle_sums<std::uint16_t>(200); }
TEST(RectangleSums, OfTablesOfFloat) { expect_rectangle_sums<float>(0); }

TEST(RectangleSums, OfNoRectangles) {
  const GuardedArray<std::uint32_t> table(row_major(3, 3));
  const GuardedArray<std::uint32_t> out(line(0));
  rectangle_sums(table.matrix(), on_device({}), out.vector());
  EXPECT_TRUE(out.guards_intact());
}

TEST(RectangleSums, RejectsWrongArguments) {
  const GuardedArray<std::uint32_t> table(row_major(4, 6), std::vector<std::uint32_t>(24, 1));
  const GuardedArray<std::uint32_t> out(line(2));
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
  const auto rectangles = on_device({good, good});
  const Kokkos::View<std::uint32_t*, Kokkos::LayoutStride, Kokkos::DefaultExecutionSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      inside(reinterpret_cast<std::uint32_t*>(rectangles.data()), Kokkos::LayoutStride(2, 1));
  EXPECT_TRUE(rejects("rectangle_sums", "out",
                      [&] { rectangle_sums(table.matrix(), rectangles, inside); }));
  const GuardedArray<std::uint32_t> repeated(line(2, 0));
  EXPECT_TRUE(rejects("rectangle_sums", "out",
                      [&] { rectangle_sums(table.matrix(), rectangles, repeated.vector()); }));
  EXPECT_TRUE(equal(out.values(), std::vector<std::uint32_t>(2, ~std::uint32_t(0))));
  EXPECT_TRUE(equal(table.values(), std::vector<std::uint32_t>(24, 1)));
}

}  // namespace
