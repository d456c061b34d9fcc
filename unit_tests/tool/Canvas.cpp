// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "canvas.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

using namespace wavescan_tool;

namespace {

using Pixel = std::array<int, 3>;
constexpr Pixel paper{255, 255, 255}, ink{0, 0, 0};

Pixel pixel(const wavescan_io::ColorImage& picture, std::size_t row, std::size_t column) {
  const std::uint8_t* const at = &picture.pixels[3 * (row * picture.columns + column)];
  return {at[0], at[1], at[2]};
}
Pixel pixel(const Canvas& canvas, std::size_t row, std::size_t column) {
  return pixel(canvas.picture(), row, column);
}

// The first and the last row and column that are not white.
struct Drawn {
  std::size_t top, bottom, left, right;
};
Drawn drawn(const Canvas& canvas) {
  const auto picture = canvas.picture();
  Drawn result{picture.rows, 0, picture.columns, 0};
  for (std::size_t i = 0; i < picture.rows; ++i)
    for (std::size_t j = 0; j < picture.columns; ++j)
      if (pixel(picture, i, j) != paper)
        result = {std::min(result.top, i), std::max(result.bottom, i), std::min(result.left, j),
                  std::max(result.right, j)};
  return result;
}

TEST(ToolCanvas, RectanglesFillTheirPixelsAndNoOthers) {
  Canvas canvas(6, 7);
  canvas.fill({2, 1}, {5, 3}, {10, 20, 30});
  canvas.fill({-3, 4}, {1, 99}, black, 0.2);  // what lies outside is cut off
  EXPECT_EQ(pixel(canvas, 1, 2), (Pixel{10, 20, 30}));
  EXPECT_EQ(pixel(canvas, 2, 4), (Pixel{10, 20, 30}));
  EXPECT_EQ(pixel(canvas, 3, 4), paper);
  EXPECT_EQ(pixel(canvas, 2, 5), paper);
  EXPECT_EQ(pixel(canvas, 5, 0), (Pixel{204, 204, 204}));
  EXPECT_EQ(pixel(canvas, 5, 1), paper);
  EXPECT_EQ(pixel(Canvas(1, 1, {1, 2, 3}), 0, 0), (Pixel{1, 2, 3}));
}

TEST(ToolCanvas, ImagesKeepTheirGrayLevels) {
  Canvas canvas(3, 5);
  canvas.image({1, 1}, {1, 2, 8, {7, 200}});
  canvas.image({3, 1}, {2, 1, 16, {0x1234, 0xffff}});
  EXPECT_EQ(pixel(canvas, 1, 0), paper);
  EXPECT_EQ(pixel(canvas, 1, 1), (Pixel{7, 7, 7}));
  EXPECT_EQ(pixel(canvas, 1, 2), (Pixel{200, 200, 200}));
  EXPECT_EQ(pixel(canvas, 1, 3), (Pixel{0x12, 0x12, 0x12}));
  EXPECT_EQ(pixel(canvas, 2, 3), paper);
}

TEST(ToolCanvas, APointIsADot) {
  Canvas canvas(21, 21);
  canvas.polyline({{10.5, 10.5}}, 9, black);
  EXPECT_EQ(pixel(canvas, 10, 10), ink);
  EXPECT_EQ(pixel(canvas, 7, 10), ink);
  const Drawn dot = drawn(canvas);
  EXPECT_EQ(dot.top, 6u);
  EXPECT_EQ(dot.bottom, 14u);
  EXPECT_EQ(dot.left, 6u);
  EXPECT_EQ(dot.right, 14u);
}

TEST(ToolCanvas, TextsStandWhereTheyShould) {
  constexpr double height = 20;
  for (const Anchor anchor : {Anchor::Left, Anchor::Middle, Anchor::Right}) {
    Canvas canvas(60, 400);
    canvas.text({200, 40}, "HIL", height, black, anchor);
    const double width = canvas.text_width("HIL", height);
    const double left = anchor == Anchor::Left    ? 200
                        : anchor == Anchor::Right ? 200 - width
                                                  : 200 - width / 2;
    const Drawn text = drawn(canvas);
    EXPECT_NEAR(static_cast<double>(text.top), 40 - height, 2);
    EXPECT_NEAR(static_cast<double>(text.bottom), 40, 2);
    EXPECT_NEAR(static_cast<double>(text.left), left, 6);
    EXPECT_NEAR(static_cast<double>(text.right), left + width, 6);
    EXPECT_GT(width, 1.5 * height);
  }
}

TEST(ToolCanvas, PicturesThatAreTooLargeAreRefused) {
  EXPECT_THROW(Canvas(1, 40000), std::invalid_argument);
  Canvas canvas(1, 1);
  EXPECT_THROW(canvas.image({0, 0}, {40000, 1, 8, std::vector<std::uint16_t>(40000)}),
               std::invalid_argument);
}

}  // namespace
