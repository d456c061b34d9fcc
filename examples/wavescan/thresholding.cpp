// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "thresholding.hpp"

#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <algorithm>
#include <vector>

#include "views.hpp"

namespace wavescan_tool {
namespace {

constexpr int two_level_white = 255;

void invert(std::vector<std::uint16_t>& pixels, int white) {
  for (auto& pixel : pixels) pixel = static_cast<std::uint16_t>(white - pixel);
}

}  // namespace

std::int64_t usual_radius(const wavescan_io::GrayImage& image) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(image.columns) / 16);
}

wavescan_io::GrayImage threshold_locally(const wavescan_io::GrayImage& image,
                                         const LocalOptions& options) {
  // Bright objects are the dark ones of the negative.
  const bool negative = options.objects == Objects::Bright;
  auto pixels = image.pixels;
  if (negative) invert(pixels, image.white());
  const Exec exec;
  const auto levels = to_device("image", pixels, image.rows, image.columns);
  const DeviceMatrix<std::int64_t> table("table", image.rows, image.columns);
  if (options.method == LocalMethod::Bradley) {
    wavescan::summed_area_table(exec, levels, table);
    wavescan::threshold_bradley(exec, levels, table, options.radius, options.fraction, levels);
  } else {
    const DeviceMatrix<std::int64_t> squares("squares", image.rows, image.columns);
    wavescan::summed_area_table(exec, levels, table, squares);
    const wavescan::SauvolaOptions sauvola{.k = options.k, .range = (image.white() + 1) / 2.0};
    wavescan::threshold_sauvola(exec, levels, table, squares, options.radius, sauvola, levels);
  }
  wavescan_io::GrayImage result{image.rows, image.columns, 8, to_host(levels)};
  if (negative) invert(result.pixels, two_level_white);
  return result;
}

int otsu_level(const wavescan_io::GrayImage& image) {
  const auto levels = static_cast<std::size_t>(image.white()) + 1;
  std::vector<double> counts(levels, 0.0);
  double total_sum = 0;
  for (const auto pixel : image.pixels) ++counts[pixel], total_sum += pixel;
  const double total = static_cast<double>(image.pixels.size());
  double below = 0, sum_below = 0, best = -1;
  int best_level = 0;
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    below += counts[level];
    sum_below += counts[level] * static_cast<double>(level);
    if (below == 0 || below == total) continue;
    const double distance = sum_below / below - (total_sum - sum_below) / (total - below);
    const double variance_between = below * (total - below) * distance * distance;
    if (variance_between > best) best = variance_between, best_level = static_cast<int>(level);
  }
  return best_level;
}

wavescan_io::GrayImage threshold_globally(const wavescan_io::GrayImage& image, int level) {
  wavescan_io::GrayImage result{image.rows, image.columns, 8, {}};
  for (const auto pixel : image.pixels)
    result.pixels.push_back(pixel > level ? two_level_white : 0);
  return result;
}

}  // namespace wavescan_tool
