// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_CANVAS_HPP
#define WAVESCAN_TOOL_CANVAS_HPP

#include <WaveScanIO_Png.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wavescan_tool {

struct Color {
  std::uint8_t red, green, blue;
};

inline constexpr Color white{255, 255, 255};
inline constexpr Color black{0, 0, 0};
inline constexpr Color dark_gray{70, 70, 70};
inline constexpr Color light_gray{225, 225, 225};

/// @brief x to the right, y downwards, in pixels; pixel (i, j) covers [j, j+1) x [i, i+1).
struct Point {
  double x, y;
};

/// @brief Where a text stands relative to its point.
enum class Anchor { Left, Middle, Right };

/// @brief A small colour picture to draw on: smooth lines, filled rectangles, text, images.
/// Whatever lies outside is cut off.
class Canvas {
 public:
  Canvas(std::size_t rows, std::size_t columns, Color background = white);

  void line(Point from, Point to, double width, Color color) { polyline({from, to}, width, color); }
  void polyline(const std::vector<Point>& points, double width, Color color);
  void fill(Point top_left, Point bottom_right, Color color, double opacity = 1);
  void frame(Point top_left, Point bottom_right, double width, Color color);

  /// @brief Text whose baseline is at `at`; `height` is that of a capital letter.
  void text(Point at, std::string_view text, double height, Color color,
            Anchor anchor = Anchor::Left);

  /// @brief Text with strokes of a given width, as for writing on a photograph.
  void text(Point at, std::string_view text, double height, double stroke_width, Color color,
            Anchor anchor);

  void image(Point top_left, const wavescan_io::GrayImage& image);

  const wavescan_io::ColorImage& picture() const { return picture_; }

 private:
  void blend(std::size_t row, std::size_t column, Color color, double opacity);

  wavescan_io::ColorImage picture_;
};

/// @brief Width in pixels of a text drawn with capital letters of this height.
double text_width(std::string_view text, double height);

}  // namespace wavescan_tool

#endif
