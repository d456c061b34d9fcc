// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_CANVAS_HPP
#define WAVESCAN_TOOL_CANVAS_HPP

#include <cairo.h>

#include <WaveScanIO_Png.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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

struct Release {
  void operator()(cairo_t* pen) const { cairo_destroy(pen); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Pen = std::unique_ptr<cairo_t, Release>;
using Surface = std::unique_ptr<cairo_surface_t, Release>;

/// @brief A colour picture to draw on by Cairo: smooth lines, filled rectangles, text, images.
/// Whatever lies outside is cut off.
class Canvas {
 public:
  /// @throws std::invalid_argument if Cairo does not draw pictures of this size
  Canvas(std::size_t rows, std::size_t columns, Color background = white);

  void line(Point from, Point to, double width, Color color) { polyline({from, to}, width, color); }
  /// @brief Lines with round ends; a single point is a dot.
  void polyline(const std::vector<Point>& points, double width, Color color);
  void fill(Point top_left, Point bottom_right, Color color, double opacity = 1);
  void frame(Point top_left, Point bottom_right, double width, Color color);

  /// @brief Text whose baseline is at `at`; `height` is that of a capital letter. Lines of the
  /// width `bolder` around its letters make them bolder.
  void text(Point at, const std::string& text, double height, Color color,
            Anchor anchor = Anchor::Left, double bolder = 0);
  /// @brief Width in pixels of a text with capital letters of this height.
  double text_width(const std::string& text, double height) const;

  void image(Point top_left, const wavescan_io::GrayImage& image);

  wavescan_io::ColorImage picture() const;

 private:
  std::size_t rows_, columns_;
  Surface surface_;
  Pen pen_;
};

}  // namespace wavescan_tool

#endif
