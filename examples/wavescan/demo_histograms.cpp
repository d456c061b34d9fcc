// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_IntegralHistogram.hpp>

#include "demo.hpp"
#include "plain_loops.hpp"
#include "regions.hpp"
#include "text.hpp"
#include "views.hpp"

namespace wavescan_tool {

void demo_histograms(Demo& demo) {
  demo.heading("Histograms of regions: integral histogram");
  const auto image = wavescan_io::read_png(demo.data / "coins.png");
  constexpr int bins = 32;
  // Two coins and two pieces of the ground, the first of each in good light: the bright ground is
  // as bright as the dark coin, which is why one level cannot tell coins from ground.
  const std::vector<wavescan::Rectangle> regions{
      {36, 136, 70, 174}, {242, 26, 280, 66}, {3, 60, 25, 130}, {148, 100, 174, 160}};
  const auto counts = region_histograms(image, bins, regions);
  write_png(demo.file("histograms.png"), draw_regions(image, bins, regions, counts).picture());

  auto& result = demo.session.result["histograms"] = nlohmann::ordered_json::array();
  for (std::size_t q = 0; q < regions.size(); ++q) {
    const auto first = counts.begin() + static_cast<std::ptrdiff_t>(q * bins);
    const std::vector<std::int64_t> histogram(first, first + bins);
    double sum = 0;
    for (std::size_t z = 0; z < histogram.size(); ++z)
      sum += (static_cast<double>(z) + 0.5) * (image.white() + 1) / bins *
             static_cast<double>(histogram[z]);
    const double mean = sum / static_cast<double>(regions[q].area());
    demo.session.say("  region " + std::to_string(q + 1) + " (" + to_string(regions[q]) +
                     "): " + std::to_string(regions[q].area()) + " pixels, mean gray level about " +
                     fixed(mean, 0));
    result.push_back({{"region", to_string(regions[q])}, {"counts", histogram}});
  }

  const auto pixels = to_device("image", image.pixels, image.rows, image.columns);
  const DeviceCube<std::int32_t> histogram("histogram", bins, image.rows, image.columns);
  const wavescan::UniformBins<int> binning{0, image.white() + 1, bins};
  const wavescan::IntegralHistogram<Exec, std::uint16_t, wavescan::UniformBins<int>, std::int32_t>
      plan(Exec(), bins, static_cast<std::int64_t>(image.rows),
           static_cast<std::int64_t>(image.columns));
  const double wavescan_time = best_time([&] { plan(pixels, binning, histogram); });
  std::vector<std::int32_t> plain(bins * image.pixels.size());
  const double plain_time = best_time([&] {
    plain::integral_histogram(image.pixels, image.rows, image.columns,
                              static_cast<std::size_t>(image.white()) + 1, bins, plain);
  });
  demo.require_agreement(to_host(histogram) == plain, "integral histogram");
  demo.timings.push_back({"integral histogram, " + std::to_string(bins) + " bins, " +
                              std::to_string(image.rows) + " x " + std::to_string(image.columns),
                          plain_time, wavescan_time});
}

}  // namespace wavescan_tool
