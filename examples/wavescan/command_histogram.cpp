// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "regions.hpp"
#include "text.hpp"

namespace wavescan_tool {
namespace {

struct HistogramOptions {
  std::string image, output, plot;
  int bins = 16;
  std::vector<std::string> regions;
};

wavescan::Rectangle parse_region(const std::string& text, const wavescan_io::GrayImage& image) {
  const auto numbers = numbers_of<std::int64_t>("--region", text);
  if (numbers.size() != 4)
    throw std::invalid_argument("--region: expected four numbers r0,c0,r1,c1, got " + text);
  const wavescan::Rectangle region{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (!region.inside(static_cast<std::int64_t>(image.rows),
                     static_cast<std::int64_t>(image.columns)))
    throw std::invalid_argument("--region: " + text + " is not inside the image of " +
                                std::to_string(image.rows) + " rows and " +
                                std::to_string(image.columns) + " columns");
  return region;
}

void run(const HistogramOptions& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  std::vector<wavescan::Rectangle> regions;
  for (const auto& text : options.regions) regions.push_back(parse_region(text, image));
  if (regions.empty())
    regions.push_back(
        {0, 0, static_cast<std::int64_t>(image.rows), static_cast<std::int64_t>(image.columns)});
  if (options.bins > image.white() + 1)
    throw std::invalid_argument("--bins: the image has only " + std::to_string(image.white() + 1) +
                                " gray levels, got " + std::to_string(options.bins));
  if (options.bins > most_bins)
    throw std::invalid_argument("--bins: expected at most " + std::to_string(most_bins) + ", got " +
                                std::to_string(options.bins));
  std::optional<wavescan_io::OutputFile> output, plot;
  wavescan_io::ColorImage picture;
  if (!options.output.empty()) output.emplace(options.output);
  if (!options.plot.empty()) plot.emplace(options.plot);

  const auto counts = region_histograms(image, options.bins, regions);
  const auto bins = static_cast<std::size_t>(options.bins);
  // Images may be too large to be drawn: nothing is written then.
  if (plot) picture = draw_regions(image, options.bins, regions, counts).picture();
  if (output) write_npy(*output, {{regions.size(), bins}, counts});
  if (plot) write_png(*plot, picture);

  session.result = {{"image", options.image}, {"bins", bins}, {"white", image.white()}};
  auto& listed = session.result["regions"] = nlohmann::ordered_json::array();
  std::string line = left_aligned("gray level", 14);
  for (const auto& region : regions) line += right_aligned(to_string(region), 18);
  session.say(line);
  for (std::size_t z = 0; z < bins; ++z) {
    // The first level of bin z: the least one that z * levels / bins rounds up to.
    const auto levels = static_cast<std::size_t>(image.white()) + 1;
    line = left_aligned("from " + std::to_string((z * levels + bins - 1) / bins), 14);
    for (std::size_t q = 0; q < regions.size(); ++q)
      line += right_aligned(std::to_string(counts[q * bins + z]), 18);
    session.say(line);
  }
  for (std::size_t q = 0; q < regions.size(); ++q) {
    const auto first = counts.begin() + static_cast<std::ptrdiff_t>(q * bins);
    listed.push_back(
        {{"region", to_string(regions[q])},
         {"counts", std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(bins))}});
  }
  for (const auto& file : {options.output, options.plot})
    if (!file.empty()) session.say("Wrote " + file);
}

}  // namespace

void add_histogram(CLI::App& app, Session& session) {
  const auto options = std::make_shared<HistogramOptions>();
  CLI::App* command = add_command(app, session, "histogram", "Histograms of regions of an image",
                                  [options, &session] { run(*options, session); });
  add_input(command, session, "image", {options->image, "PNG image", "IMAGE.png"})->required();
  add_number(command, "--bins", options->bins, at_least(1),
             "Number of bins, at most 32767 (default: 16)")
      ->type_name("N");
  command
      ->add_option("--region", options->regions,
                   "Rows r0 to r1-1 and columns c0 to c1-1; any number of regions\n"
                   "(default: the whole image)")
      ->type_name("r0,c0,r1,c1");
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the counts, regions x bins", "COUNTS.npy"});
  add_output(command, session, "--plot",
             {options->plot, "Where to draw the regions and their histograms", "PLOT.png"});
}

}  // namespace wavescan_tool
