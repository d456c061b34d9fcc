// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace wavescan_tool {
namespace {

constexpr double text_height = 10, title_height = 13, tick_length = 4;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
};

// A round step, 1, 2 or 5 times a power of ten, that cuts the range into about `pieces`.
double round_step(double range, int pieces) {
  const double rough = range / pieces, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text;
}

class Plot {
 public:
  Plot(Canvas& canvas, Point top_left, Point bottom_right, const PlotStyle& style,
       const std::vector<Series>& series)
      : canvas_(canvas), style_(style), series_(series) {
    left_ = top_left.x + 68, right_ = bottom_right.x - 18;
    top_ = top_left.y + 46, bottom_ = bottom_right.y - 52;
    for (const auto& one : series)
      for (const Point& p : one.points)
        if (is_shown(p)) x_.include(p.x), y_.include(value_of(p.y));
    if (!(x_.low <= x_.high)) x_ = y_ = {0, 1};
    if (style.logarithmic_y) y_ = {std::floor(y_.low), std::ceil(y_.high)};
    if (style.bars) y_ = {0, 1.08 * y_.high};
    if (x_.low == x_.high) x_.high += 1;
    if (y_.low == y_.high) y_.high += 1;
  }

  void draw() {
    canvas_.text({left_, top_ - 20}, style_.title, title_height, black);
    if (style_.logarithmic_y)
      draw_decades();
    else
      draw_y_ticks();
    draw_x_ticks();
    for (const auto& one : series_) style_.bars ? draw_bars(one) : draw_line(one);
    canvas_.frame({left_, top_}, {right_, bottom_}, 1, dark_gray);
    canvas_.text({(left_ + right_) / 2, bottom_ + 40}, style_.x_label, text_height, dark_gray,
                 Anchor::Middle);
    canvas_.text({right_, top_ - 20}, style_.y_label, text_height, dark_gray, Anchor::Right);
    if (series_.size() > 1) draw_legend();
  }

 private:
  double value_of(double y) const { return style_.logarithmic_y ? std::log10(y) : y; }
  bool is_shown(const Point& p) const {
    return std::isfinite(p.x) && std::isfinite(p.y) && (!style_.logarithmic_y || p.y > 0);
  }
  double place_x(double x) const {
    return left_ + (x - x_.low) / (x_.high - x_.low) * (right_ - left_);
  }
  double place_y(double value) const {
    return bottom_ - (value - y_.low) / (y_.high - y_.low) * (bottom_ - top_);
  }
  // Thin straight lines look sharp if they run through the middle of pixels.
  static double sharp(double coordinate) { return std::floor(coordinate) + 0.5; }

  void horizontal_line(double value, Color color) {
    const double y = sharp(place_y(value));
    canvas_.line({left_, y}, {right_, y}, 1, color);
  }

  void draw_x_ticks() {
    const double step = round_step(x_.high - x_.low, 7);
    for (double x = std::ceil(x_.low / step) * step; x <= x_.high * (1 + 1e-12); x += step) {
      const double place = sharp(place_x(x));
      canvas_.line({place, bottom_}, {place, bottom_ + tick_length}, 1, dark_gray);
      canvas_.text({place, bottom_ + 20}, number(x), text_height, dark_gray, Anchor::Middle);
    }
  }

  void draw_y_ticks() {
    const double step = round_step(y_.high - y_.low, 5);
    for (double y = std::ceil(y_.low / step) * step; y <= y_.high; y += step) {
      horizontal_line(y, light_gray);
      canvas_.text({left_ - 8, place_y(y) + text_height / 2}, number(y), text_height, dark_gray,
                   Anchor::Right);
    }
  }

  void draw_decades() {
    const int decades = static_cast<int>(y_.high - y_.low);
    const int step = 1 + (decades - 1) / 8;
    for (int k = 0; k <= decades; k += step) {
      const double exponent = y_.low + k;
      horizontal_line(exponent, light_gray);
      const double y = place_y(exponent) + text_height / 2;
      const std::string power = number(exponent);
      const double width = canvas_.text_width(power, 0.75 * text_height);
      canvas_.text({left_ - 6, y - 0.6 * text_height}, power, 0.75 * text_height, dark_gray,
                   Anchor::Right);
      canvas_.text({left_ - 6 - width, y}, "10", text_height, dark_gray, Anchor::Right);
    }
  }

  void draw_line(const Series& one) {
    std::vector<Point> points;
    for (const Point& p : one.points)
      if (is_shown(p)) points.push_back({place_x(p.x), place_y(value_of(p.y))});
    canvas_.polyline(points, 1.6, one.color);
    constexpr std::size_t too_many_to_tell_apart = 80;
    if (points.size() < too_many_to_tell_apart)
      for (const Point& p : points) canvas_.polyline({p}, 6, one.color);
  }

  void draw_bars(const Series& one) {
    std::vector<Point> outline;
    const auto& points = one.points;
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const Point top_left{place_x(points[k].x), place_y(points[k].y)};
      const double end = place_x(points[k + 1].x);
      canvas_.fill(top_left, {end, bottom_}, one.color, 0.15);
      outline.push_back(top_left);
      outline.push_back({end, top_left.y});
    }
    canvas_.polyline(outline, 1.5, one.color);
  }

  void draw_legend() {
    double width = 0, y = top_ + 20;
    for (const auto& one : series_)
      width = std::max(width, canvas_.text_width(one.name, text_height));
    const double x = right_ - width - 14;
    canvas_.fill({x - 30, top_ + 4},
                 {right_ - 4, top_ + 12 + 19 * static_cast<double>(series_.size())}, white, 0.85);
    for (const auto& one : series_) {
      canvas_.line({x - 24, y - text_height / 2}, {x - 6, y - text_height / 2}, 3, one.color);
      canvas_.text({x, y}, one.name, text_height, dark_gray);
      y += 19;
    }
  }

  Canvas& canvas_;
  const PlotStyle& style_;
  const std::vector<Series>& series_;
  double left_, right_, top_, bottom_;
  Range x_, y_;
};

}  // namespace

void draw_plot(Canvas& canvas, Point top_left, Point bottom_right, const PlotStyle& style,
               const std::vector<Series>& series) {
  Plot(canvas, top_left, bottom_right, style, series).draw();
}

}  // namespace wavescan_tool
