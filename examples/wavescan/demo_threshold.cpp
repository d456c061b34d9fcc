// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SummedAreaTable.hpp>

#include "demo.hpp"
#include "panels.hpp"
#include "plain_loops.hpp"
#include "thresholding.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

// An image of `copies` x `copies` images: one photograph alone is over before threads have started.
wavescan_io::GrayImage tiled(const wavescan_io::GrayImage& image, std::size_t copies) {
  wavescan_io::GrayImage result{image.rows * copies, image.columns * copies, image.bit_depth, {}};
  result.pixels.reserve(result.rows * result.columns);
  for (std::size_t i = 0; i < result.rows; ++i)
    for (std::size_t j = 0; j < result.columns; ++j)
      result.pixels.push_back(image.pixels[i % image.rows * image.columns + j % image.columns]);
  return result;
}

void compare_with_plain_loop(Demo& demo, const wavescan_io::GrayImage& image) {
  const auto pixels = to_device("image", image.pixels, image.rows, image.columns);
  const DeviceMatrix<std::int64_t> table("table", image.rows, image.columns);
  const wavescan::SummedAreaTable<Exec, std::uint16_t, std::int64_t> plan(
      Exec(), static_cast<std::int64_t>(image.rows), static_cast<std::int64_t>(image.columns));
  const double wavescan_time = best_time([&] { plan(pixels, table); });
  std::vector<std::int64_t> plain(image.pixels.size());
  const double plain_time =
      best_time([&] { plain::summed_area_table(image.pixels, image.rows, image.columns, plain); });
  demo.require_agreement(to_host(table) == plain, "summed-area table");
  demo.timings.push_back(
      {"summed-area table, " + std::to_string(image.rows) + " x " + std::to_string(image.columns),
       plain_time, wavescan_time});
}

}  // namespace

void demo_threshold(Demo& demo) {
  demo.heading("Thresholding an unevenly lit photograph: summed-area table");
  const auto image = wavescan_io::read_png(demo.data / "coins.png");
  const int level = otsu_level(image);
  const auto globally = threshold_globally(image, level);
  const LocalOptions options{
      .radius = 40, .fraction = 0.1, .objects = Objects::Bright};  // wider than a coin
  const auto locally = threshold_locally(image, options);

  write_png(demo.file("threshold_before.png"), image);
  write_png(demo.file("threshold_global.png"), globally);
  write_png(demo.file("threshold_after.png"), locally);
  write_png(demo.file("threshold.png"), side_by_side({{"photograph", image},
                                                      {"one level for all (Otsu)", globally},
                                                      {"local mean (Bradley)", locally}})
                                            .picture());
  demo.session.say("  one level for all (Otsu): " + std::to_string(level));
  demo.session.say("  local mean (Bradley): within " + std::to_string(options.radius) + " pixels");
  demo.session.result["threshold"] = {{"otsu_level", level}, {"radius", options.radius}};

  for (const std::size_t copies : {1, 8}) compare_with_plain_loop(demo, tiled(image, copies));
}

}  // namespace wavescan_tool
