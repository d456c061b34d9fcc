// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "canvas.hpp"

#include <new>
#include <stdexcept>

namespace wavescan_tool {
namespace {

// Cairo's own letters, which are the same on every machine, whatever fonts that has.
constexpr const char* font = "@cairo:semibold";
constexpr double capital_height = 0.65;  // of the font's size

void require_success(cairo_status_t status, std::size_t rows, std::size_t columns) {
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::invalid_argument("a picture of " + std::to_string(rows) + " rows and " +
                                std::to_string(columns) +
                                " columns cannot be drawn: " + cairo_status_to_string(status));
}

Surface surface_of(std::size_t rows, std::size_t columns) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns),
                                             static_cast<int>(rows)));
  require_success(cairo_surface_status(surface.get()), rows, columns);
  return surface;
}

// Pixels are numbers 0x00rrggbb.
std::uint32_t* row_of(cairo_surface_t* surface, std::size_t row) {
  return reinterpret_cast<std::uint32_t*>(
      cairo_image_surface_get_data(surface) +
      row * static_cast<std::size_t>(cairo_image_surface_get_stride(surface)));
}

void choose(cairo_t* pen, Color color, double opacity = 1) {
  cairo_set_source_rgba(pen, color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
}

}  // namespace

Canvas::Canvas(std::size_t rows, std::size_t columns, Color background)
    : rows_(rows),
      columns_(columns),
      surface_(surface_of(rows, columns)),
      pen_(cairo_create(surface_.get())) {
  cairo_set_line_cap(pen_.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(pen_.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_select_font_face(pen_.get(), font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  // Letters stand where they are, not at whole pixels.
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(pen_.get(), options);
  cairo_font_options_destroy(options);
  choose(pen_.get(), background);
  cairo_paint(pen_.get());
}

void Canvas::polyline(const std::vector<Point>& points, double width, Color color) {
  for (const Point& p : points) cairo_line_to(pen_.get(), p.x, p.y);
  if (points.size() == 1) cairo_close_path(pen_.get());  // else nothing would be drawn
  cairo_set_line_width(pen_.get(), width);
  choose(pen_.get(), color);
  cairo_stroke(pen_.get());
}

void Canvas::fill(Point top_left, Point bottom_right, Color color, double opacity) {
  cairo_rectangle(pen_.get(), top_left.x, top_left.y, bottom_right.x - top_left.x,
                  bottom_right.y - top_left.y);
  choose(pen_.get(), color, opacity);
  cairo_fill(pen_.get());
}

void Canvas::frame(Point top_left, Point bottom_right, double width, Color color) {
  polyline({top_left,
            {bottom_right.x, top_left.y},
            bottom_right,
            {top_left.x, bottom_right.y},
            top_left},
           width, color);
}

void Canvas::text(Point at, const std::string& text, double height, Color color, Anchor anchor,
                  double bolder) {
  const double width = text_width(text, height);
  const double before = anchor == Anchor::Left ? 0 : anchor == Anchor::Right ? width : width / 2;
  cairo_move_to(pen_.get(), at.x - before, at.y);
  cairo_text_path(pen_.get(), text.c_str());
  choose(pen_.get(), color);
  cairo_set_line_width(pen_.get(), bolder);
  cairo_fill_preserve(pen_.get());
  cairo_stroke(pen_.get());
}

double Canvas::text_width(const std::string& text, double height) const {
  cairo_set_font_size(pen_.get(), height / capital_height);
  cairo_text_extents_t extents;
  cairo_text_extents(pen_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::image(Point top_left, const wavescan_io::GrayImage& image) {
  const Surface picture = surface_of(image.rows, image.columns);
  const int shift = image.bit_depth - 8;
  for (std::size_t i = 0; i < image.rows; ++i) {
    std::uint32_t* const row = row_of(picture.get(), i);
    for (std::size_t j = 0; j < image.columns; ++j)
      row[j] = 0x010101u * (image.pixels[i * image.columns + j] >> shift);
  }
  cairo_surface_mark_dirty(picture.get());
  cairo_set_source_surface(pen_.get(), picture.get(), top_left.x, top_left.y);
  cairo_paint(pen_.get());
}

wavescan_io::ColorImage Canvas::picture() const {
  require_success(cairo_status(pen_.get()), rows_, columns_);
  cairo_surface_flush(surface_.get());
  wavescan_io::ColorImage picture{rows_, columns_, {}};
  picture.pixels.reserve(3 * rows_ * columns_);
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < columns_; ++j)
      for (const int shift : {16, 8, 0})
        picture.pixels.push_back(
            static_cast<std::uint8_t>(row_of(surface_.get(), i)[j] >> shift & 0xff));
  return picture;
}

}  // namespace wavescan_tool
