// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "alignment_plot.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wavescan_tool {
namespace {

constexpr double margin = 40;
constexpr double longest_side = 900;
constexpr Color dot_color{150, 170, 200};
constexpr Color path_color{214, 84, 20};

// So long that chance alone makes few dots.
std::size_t word_length(const std::string& a, const std::string& b) {
  const double pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
  const std::set<char> letters(a.begin(), a.end());
  const double kinds = std::max<double>(2, static_cast<double>(letters.size()));
  return static_cast<std::size_t>(std::ceil(std::log(pairs / 1000 + 2) / std::log(kinds)));
}

class Dots {
 public:
  Dots(Canvas& canvas, double scale) : canvas_(canvas), scale_(scale) {}
  Point at(std::size_t i, std::size_t j) const {
    return {margin + scale_ * static_cast<double>(j), margin + scale_ * static_cast<double>(i)};
  }
  // The square of two letters, or a pixel, each once, however many words lie there.
  void add(std::size_t i, std::size_t j) {
    const Point p = at(i, j);
    const std::pair pixel{static_cast<int>(p.x), static_cast<int>(p.y)};
    if (!drawn_.insert(pixel).second) return;
    const Point corner{static_cast<double>(pixel.first), static_cast<double>(pixel.second)};
    const double side = std::max(1., std::floor(0.9 * scale_));
    canvas_.fill(corner, {corner.x + side, corner.y + side}, dot_color);
  }

 private:
  Canvas& canvas_;
  double scale_;
  std::set<std::pair<int, int>> drawn_;
};

}  // namespace

Canvas alignment_plot(const std::string& a, const std::string& b,
                      const wavescan::Alignment& alignment) {
  const double longest = static_cast<double>(std::max({a.size(), b.size(), std::size_t{1}}));
  const double scale = longest_side / longest;
  const double height = std::max(20., scale * static_cast<double>(a.size())),
               width = std::max(20., scale * static_cast<double>(b.size()));
  Canvas canvas(static_cast<std::size_t>(height + 2 * margin),
                static_cast<std::size_t>(width + 2 * margin));
  Dots dots(canvas, scale);

  const std::size_t length = word_length(a, b);
  constexpr std::size_t most_places = 64;  // repeats would fill the picture
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i + length <= a.size(); ++i) {
    auto& list = places[std::string_view(a).substr(i, length)];
    if (list.size() < most_places) list.push_back(i);
  }
  for (std::size_t j = 0; j + length <= b.size(); ++j)
    if (const auto found = places.find(std::string_view(b).substr(j, length));
        found != places.end())
      for (const std::size_t i : found->second) dots.add(i, j);

  std::vector<Point> path;
  auto i = static_cast<std::size_t>(alignment.begin_a);
  auto j = static_cast<std::size_t>(alignment.begin_b);
  path.push_back(dots.at(i, j));
  const char* position = alignment.cigar.data();
  const char* const end = position + alignment.cigar.size();
  while (position != end) {
    std::size_t count = 0;
    const char* const operation = std::from_chars(position, end, count).ptr;
    if (*operation != 'D') i += count;
    if (*operation != 'I') j += count;
    path.push_back(dots.at(i, j));
    position = operation + 1;
  }
  if (!alignment.empty()) canvas.polyline(path, 2, path_color);

  canvas.frame({margin, margin}, {margin + width, margin + height}, 1, dark_gray);
  constexpr double letter = 11;
  canvas.text({margin, margin - 12}, "b: " + std::to_string(b.size()) + " letters", letter, black);
  canvas.text(
      {margin, margin + height + 24},
      "a, downwards: " + std::to_string(a.size()) + " letters; words of " + std::to_string(length),
      letter, black);
  return canvas;
}

}  // namespace wavescan_tool
