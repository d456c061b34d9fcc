// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "regions.hpp"

#include <WaveScan_IntegralHistogram.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "plot.hpp"
#include "views.hpp"

namespace wavescan_tool {

std::string to_string(const wavescan::Rectangle& region) {
  return std::to_string(region.row_begin) + "," + std::to_string(region.column_begin) + "," +
         std::to_string(region.row_end) + "," + std::to_string(region.column_end);
}

namespace {

/// @brief Bins from `first` on, of many: all of them may not fit into memory at once.
struct BinsFrom {
  wavescan::UniformBins<int> all;
  int first;
  KOKKOS_FUNCTION int operator()(std::uint16_t pixel) const { return all(pixel) - first; }
};

std::vector<std::int64_t> counted(const wavescan_io::GrayImage& image, int bins,
                                  const std::vector<wavescan::Rectangle>& regions) {
  const wavescan::UniformBins<int> binning{0, image.white() + 1, bins};
  std::vector<std::size_t> bin_of;  // each gray level
  for (int level = 0; level <= image.white(); ++level)
    bin_of.push_back(static_cast<std::size_t>(binning(level)));
  std::vector<std::int64_t> result(regions.size() * static_cast<std::size_t>(bins));
  std::int64_t* counts = result.data();
  for (const wavescan::Rectangle& region : regions) {
    for (auto i = region.row_begin; i < region.row_end; ++i)
      for (auto j = region.column_begin; j < region.column_end; ++j)
        ++counts[bin_of[image.pixels[static_cast<std::size_t>(i) * image.columns +
                                     static_cast<std::size_t>(j)]]];
    counts += bins;
  }
  return result;
}

/// @brief Whether pixels are counted with less work than a table takes, which has an entry for each
/// pixel and bin.
bool are_few(const wavescan_io::GrayImage& image, int bins,
             const std::vector<wavescan::Rectangle>& regions) {
  double area = 0;
  for (const wavescan::Rectangle& region : regions) area += static_cast<double>(region.area());
  return area <= static_cast<double>(image.pixels.size()) * bins;
}

}  // namespace

std::vector<std::int64_t> region_histograms(const wavescan_io::GrayImage& image, int bins,
                                            const std::vector<wavescan::Rectangle>& regions) {
  using Count = std::int32_t;
  static_assert(most_bins <=
                    wavescan::IntegralHistogram<Exec, std::uint16_t, BinsFrom, Count>::max_bins &&
                wavescan_io::max_pixels <= std::numeric_limits<Count>::max());
  if (are_few(image, bins, regions)) return counted(image, bins, regions);
  const Exec exec;
  const auto pixels = to_device("image", image.pixels, image.rows, image.columns);
  const auto rectangles = to_device("regions", regions);
  // 64 MiB of counts, or 16 bins of large images.
  const int at_once = static_cast<int>(
      std::max<std::size_t>(16, (1 << 24) / std::max<std::size_t>(image.pixels.size(), 1)));

  std::vector<std::int64_t> result(regions.size() * static_cast<std::size_t>(bins));
  for (int first = 0; first < bins; first += at_once) {
    const auto count = static_cast<std::size_t>(std::min(at_once, bins - first));
    const DeviceCube<Count> histogram("histogram", count, image.rows, image.columns);
    wavescan::integral_histogram(exec, pixels, BinsFrom{{0, image.white() + 1, bins}, first},
                                 histogram);
    const DeviceMatrix<std::int64_t> counts("counts", regions.size(), count);
    wavescan::region_histograms(exec, histogram, rectangles, counts);
    const std::vector<std::int64_t> part = to_host(counts);
    for (std::size_t q = 0; q < regions.size(); ++q)
      std::copy_n(&part[q * count], count,
                  &result[q * static_cast<std::size_t>(bins) + static_cast<std::size_t>(first)]);
  }
  return result;
}

Canvas draw_regions(const wavescan_io::GrayImage& image, int bins,
                    const std::vector<wavescan::Rectangle>& regions,
                    const std::vector<std::int64_t>& counts) {
  const auto bin_count = static_cast<std::size_t>(bins);
  const double rows = static_cast<double>(image.rows), columns = static_cast<double>(image.columns);
  constexpr double plot_width = 560, margin = 12;
  Canvas canvas(std::max<std::size_t>(image.rows + 2 * static_cast<std::size_t>(margin), 330),
                image.columns + static_cast<std::size_t>(plot_width + margin));
  canvas.image({margin, margin}, image);
  std::vector<Series> series;
  for (std::size_t q = 0; q < regions.size(); ++q) {
    const Color color = series_colors[q % std::size(series_colors)];
    const auto& r = regions[q];
    canvas.frame({margin + static_cast<double>(r.column_begin) + 1,
                  margin + static_cast<double>(r.row_begin) + 1},
                 {margin + static_cast<double>(r.column_end) - 1,
                  margin + static_cast<double>(r.row_end) - 1},
                 2.5, color);
    Series one{"region " + std::to_string(q + 1), color, {}};
    for (std::size_t z = 0; z <= bin_count; ++z) {
      const double level = static_cast<double>(z) * (image.white() + 1) / bins;
      const double count = z < bin_count ? static_cast<double>(counts[q * bin_count + z]) : 0;
      const double area = static_cast<double>(std::max<std::int64_t>(1, r.area()));
      one.points.push_back({level, 100 * count / area});
    }
    series.push_back(std::move(one));
  }
  draw_plot(canvas, {columns + margin, 0},
            {columns + margin + plot_width, std::max(rows + 2 * margin, 330.0)},
            {.title = "Gray levels of regions",
             .x_label = "gray level",
             .y_label = "% of the region",
             .bars = true},
            series);
  return canvas;
}

}  // namespace wavescan_tool
