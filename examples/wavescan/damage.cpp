// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "damage.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "canvas.hpp"

namespace wavescan_tool {
namespace {

// The standard fixes what the engine gives, but not what its distributions make of it.
class Random {
 public:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 engine_{2018};
};

void scratch(Canvas& canvas, Random& random, double width, double height) {
  Point tip{random.between(0, width), random.between(0, height)};
  double direction = random.between(0, 2 * std::numbers::pi);
  std::vector<Point> points{tip};
  for (int step = 0; step < 40; ++step) {
    direction += random.between(-0.25, 0.25);
    tip.x += 0.009 * width * std::cos(direction);
    tip.y += 0.009 * height * std::sin(direction);
    points.push_back(tip);
  }
  canvas.polyline(points, random.between(1.5, 3.5), white);
}

void blot(Canvas& canvas, Random& random, double width, double height) {
  const Point center{random.between(0.05, 0.95) * width, random.between(0.05, 0.95) * height};
  const double size = 0.012 * width;
  for (int drop = 0; drop < 4; ++drop)
    canvas.polyline(
        {{center.x + random.between(-size, size), center.y + random.between(-size, size)}},
        random.between(size, 2 * size), white);
}

}  // namespace

wavescan_io::GrayImage damage_mask(std::size_t rows, std::size_t columns) {
  const double width = static_cast<double>(columns), height = static_cast<double>(rows);
  Canvas canvas(rows, columns, black);
  const double letter = 0.06 * width, bolder = 0.0025 * width;
  double y = 0.17;
  for (const char* line :
       {"the left neighbour can", "be ignored at first and", "put right afterwards"}) {
    canvas.text({0.5 * width, y * height}, line, letter, white, Anchor::Middle, bolder);
    y += 0.32;
  }
  Random random;
  for (int k = 0; k < 24; ++k) scratch(canvas, random, width, height);
  for (int k = 0; k < 16; ++k) blot(canvas, random, width, height);

  const auto& pixels = canvas.picture().pixels;
  wavescan_io::GrayImage mask{rows, columns, 8, std::vector<std::uint16_t>(rows * columns)};
  for (std::size_t k = 0; k < mask.pixels.size(); ++k)
    mask.pixels[k] = pixels[3 * k] >= 128 ? 255 : 0;
  return mask;
}

}  // namespace wavescan_tool
