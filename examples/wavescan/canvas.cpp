// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "canvas.hpp"

#include <algorithm>
#include <cmath>

#include "stroke_font.hpp"

namespace wavescan_tool {
namespace {

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  const double along =
      length2 == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0);
  return std::hypot(p.x - (a.x + along * dx), p.y - (a.y + along * dy));
}

std::size_t clamped(double coordinate, std::size_t size) {
  return static_cast<std::size_t>(std::clamp(coordinate, 0.0, static_cast<double>(size)));
}

}  // namespace

Canvas::Canvas(std::size_t rows, std::size_t columns, Color background)
    : picture_{rows, columns, std::vector<std::uint8_t>(rows * columns * 3)} {
  fill({0, 0}, {static_cast<double>(columns), static_cast<double>(rows)}, background);
}

void Canvas::blend(std::size_t row, std::size_t column, Color color, double opacity) {
  std::uint8_t* pixel = &picture_.pixels[(row * picture_.columns + column) * 3];
  const std::uint8_t ink[] = {color.red, color.green, color.blue};
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + opacity * (ink[c] - pixel[c])));
}

void Canvas::polyline(const std::vector<Point>& points, double width, Color color) {
  if (points.empty()) return;
  double left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const Point& p : points) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  // How much of each pixel the line covers, the most that any of its segments does: joints are not
  // drawn twice.
  const double margin = width / 2 + 1;
  const std::size_t i0 = clamped(top - margin, picture_.rows);
  const std::size_t i1 = clamped(bottom + margin + 1, picture_.rows);
  const std::size_t j0 = clamped(left - margin, picture_.columns);
  const std::size_t j1 = clamped(right + margin + 1, picture_.columns);
  if (i0 >= i1 || j0 >= j1) return;
  std::vector<double> coverage((i1 - i0) * (j1 - j0), 0.0);
  const auto add_segment = [&](Point a, Point b) {
    const std::size_t from_i = std::max(i0, clamped(std::min(a.y, b.y) - margin, picture_.rows));
    const std::size_t to_i = std::min(i1, clamped(std::max(a.y, b.y) + margin + 1, picture_.rows));
    const std::size_t from_j = std::max(j0, clamped(std::min(a.x, b.x) - margin, picture_.columns));
    const std::size_t to_j =
        std::min(j1, clamped(std::max(a.x, b.x) + margin + 1, picture_.columns));
    for (std::size_t i = from_i; i < to_i; ++i)
      for (std::size_t j = from_j; j < to_j; ++j) {
        const Point center{static_cast<double>(j) + 0.5, static_cast<double>(i) + 0.5};
        const double cover = width / 2 - distance_to_segment(center, a, b) + 0.5;
        double& most = coverage[(i - i0) * (j1 - j0) + (j - j0)];
        most = std::max(most, std::clamp(cover, 0.0, 1.0));
      }
  };
  if (points.size() == 1) add_segment(points[0], points[0]);
  for (std::size_t k = 0; k + 1 < points.size(); ++k) add_segment(points[k], points[k + 1]);
  for (std::size_t i = i0; i < i1; ++i)
    for (std::size_t j = j0; j < j1; ++j)
      if (const double opacity = coverage[(i - i0) * (j1 - j0) + (j - j0)]; opacity > 0)
        blend(i, j, color, opacity);
}

void Canvas::fill(Point top_left, Point bottom_right, Color color, double opacity) {
  for (std::size_t i = clamped(top_left.y, picture_.rows);
       i < clamped(bottom_right.y, picture_.rows); ++i)
    for (std::size_t j = clamped(top_left.x, picture_.columns);
         j < clamped(bottom_right.x, picture_.columns); ++j)
      blend(i, j, color, opacity);
}

void Canvas::frame(Point top_left, Point bottom_right, double width, Color color) {
  polyline({top_left,
            {bottom_right.x, top_left.y},
            bottom_right,
            {top_left.x, bottom_right.y},
            top_left},
           width, color);
}

void Canvas::text(Point at, std::string_view text, double height, Color color, Anchor anchor) {
  this->text(at, text, height, std::max(1.2, 0.125 * height), color, anchor);
}

void Canvas::text(Point at, std::string_view text, double height, double stroke_width, Color color,
                  Anchor anchor) {
  const double width = text_width(text, height);
  double pen = at.x - (anchor == Anchor::Left ? 0 : anchor == Anchor::Right ? width : width / 2);
  for (const char letter : text) {
    const Glyph glyph = glyph_of(letter);
    for (const auto& stroke : glyph.strokes) {
      std::vector<Point> points;
      for (const auto& vertex : stroke)
        points.push_back({pen + vertex.x * height, at.y - vertex.y * height});
      polyline(points, stroke_width, color);
    }
    pen += glyph.advance * height;
  }
}

void Canvas::image(Point top_left, const wavescan_io::GrayImage& image) {
  const int shift = image.bit_depth - 8;
  for (std::size_t i = 0; i < image.rows; ++i)
    for (std::size_t j = 0; j < image.columns; ++j) {
      const auto gray = static_cast<std::uint8_t>(image.pixels[i * image.columns + j] >> shift);
      const double x = top_left.x + static_cast<double>(j), y = top_left.y + static_cast<double>(i);
      fill({x, y}, {x + 1, y + 1}, {gray, gray, gray});
    }
}

double text_width(std::string_view text, double height) {
  double width = 0;
  for (const char letter : text) width += glyph_of(letter).advance * height;
  return width;
}

}  // namespace wavescan_tool
