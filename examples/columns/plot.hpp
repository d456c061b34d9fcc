// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_EXAMPLE_PLOT_HPP
#define WAVESCAN_EXAMPLE_PLOT_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

/// A picture of curves, as an SVG file.
class Plot {
 public:
  struct Point {
    double x, y;
  };
  Plot(std::string title, std::string x_label, std::string y_label)
      : title_(std::move(title)), x_label_(std::move(x_label)), y_label_(std::move(y_label)) {}

  void add_line(std::string name, std::vector<Point> points) {
    curves_.push_back({std::move(name), std::move(points), true});
  }
  void add_points(std::string name, std::vector<Point> points) {
    curves_.push_back({std::move(name), std::move(points), false});
  }

  /// Returns false if the file cannot be written.
  bool write(const char* path) const {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) {
      std::fprintf(stderr, "cannot write %s\n", path);
      return false;
    }
    std::fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<text x=\"%g\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">%s</text>\n"
        "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n"
        "<text transform=\"translate(16 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n"
        "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" "
        "stroke=\"black\"/>\n",
        width + left + right, height + top + bottom, left + width / 2, title_.c_str(),
        left + width / 2, top + height + 40, x_label_.c_str(), top + height / 2, y_label_.c_str(),
        left, top, width, height);
    draw_axes(file);
    for (std::size_t i = 0; i < curves_.size(); ++i) draw(file, i);
    std::fprintf(file, "</svg>\n");
    return std::fclose(file) == 0;
  }

 private:
  struct Curve {
    std::string name;
    std::vector<Point> points;
    bool is_line;
  };
  struct Range {
    double first, last;
    double part(double value) const { return (value - first) / (last - first); }
  };
  static constexpr double width = 460, height = 300, left = 70, right = 130, top = 36, bottom = 52;
  static constexpr std::array colors{"#1f77b4", "#d62728", "#2ca02c",
                                     "#ff7f0e", "#9467bd", "#7f7f7f"};

  Range range_of(double Point::*coordinate) const {
    Range range{1e300, -1e300};
    for (const Curve& curve : curves_)
      for (const Point& point : curve.points) {
        range.first = std::min(range.first, point.*coordinate);
        range.last = std::max(range.last, point.*coordinate);
      }
    const double margin = range.last > range.first ? 0.04 * (range.last - range.first) : 1;
    return {range.first - margin, range.last + margin};
  }
  double x_of(double x) const { return left + width * range_of(&Point::x).part(x); }
  double y_of(double y) const { return top + height * (1 - range_of(&Point::y).part(y)); }

  /// Values to write at an axis: 1, 2 or 5 times a power of ten apart.
  static std::vector<double> ticks_of(const Range& range) {
    const double wanted = (range.last - range.first) / 4;
    double step = std::pow(10, std::floor(std::log10(wanted)));
    for (const double factor : {2.0, 2.5, 2.0})
      if (step < wanted) step *= factor;
    std::vector<double> ticks;
    for (double number = std::ceil(range.first / step); number * step <= range.last; ++number)
      ticks.push_back(number * step + 0.0);  // no "-0"
    return ticks;
  }
  void draw_axes(std::FILE* file) const {
    for (const double x : ticks_of(range_of(&Point::x)))
      std::fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%g</text>\n", x_of(x),
                   top + height + 18, x);
    for (const double y : ticks_of(range_of(&Point::y)))
      std::fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%g</text>\n", left - 6,
                   y_of(y) + 4, y);
  }
  void draw(std::FILE* file, std::size_t number) const {
    const Curve& curve = curves_[number];
    const char* const color = colors[number % colors.size()];
    if (curve.is_line) {
      std::fprintf(file, "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"",
                   color);
      for (const Point& p : curve.points) std::fprintf(file, "%.1f,%.1f ", x_of(p.x), y_of(p.y));
      std::fprintf(file, "\"/>\n");
    } else {
      for (const Point& p : curve.points)
        std::fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(p.x),
                     y_of(p.y), color);
    }
    const double y = top + 14 + 18 * static_cast<double>(number);
    std::fprintf(file,
                 "<rect x=\"%g\" y=\"%g\" width=\"14\" height=\"4\" fill=\"%s\"/>\n"
                 "<text x=\"%g\" y=\"%g\">%s</text>\n",
                 left + width + 10, y - 6, color, left + width + 30, y, curve.name.c_str());
  }

  std::string title_, x_label_, y_label_;
  std::vector<Curve> curves_;
};

#endif
