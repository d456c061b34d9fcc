// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "thresholding.hpp"

namespace wavescan_tool {
namespace {

struct ThresholdOptions {
  std::string image, output, method = "bradley";
  std::optional<int> radius;
  double fraction = 0.15, k = 0.5;
  bool bright = false;
};

void run(const ThresholdOptions& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  const wavescan_io::OutputFile output(options.output);
  if (options.method != "bradley")
    refuse_unused(session, {"--fraction"}, "with --method " + options.method);
  if (options.method != "sauvola")
    refuse_unused(session, {"--k"}, "with --method " + options.method);
  if (options.method == "otsu")
    refuse_unused(session, {"--radius", "--bright"}, "with --method otsu");
  auto& result = session.result;
  result = {{"image", options.image}, {"method", options.method}};
  if (options.method == "otsu") {
    const int level = otsu_level(image);
    write_png(output, threshold_globally(image, level));
    result["level"] = level;
    session.say("Pixels brighter than " + std::to_string(level) + " are white");
  } else {
    const LocalOptions local{
        .radius = options.radius ? *options.radius : usual_radius(image),
        .method = options.method == "sauvola" ? LocalMethod::Sauvola : LocalMethod::Bradley,
        .fraction = options.fraction,
        .k = options.k,
        .objects = options.bright ? Objects::Bright : Objects::Dark};
    write_png(output, threshold_locally(image, local));
    result["radius"] = local.radius;
    if (local.method == LocalMethod::Bradley)
      result["fraction"] = local.fraction;
    else
      result["k"] = local.k;
    session.say("Compared each pixel with the mean within " + std::to_string(local.radius) +
                " pixels");
  }
  result["output"] = options.output;
  session.say("Wrote " + options.output);
}

}  // namespace

void add_threshold(CLI::App& app, Session& session) {
  const auto options = std::make_shared<ThresholdOptions>();
  CLI::App* command = add_command(app, session, "threshold", "Make an image black and white",
                                  [options, &session] { run(*options, session); });
  add_input(command, session, "image", {options->image, "PNG image", "IMAGE.png"})->required();
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the result", "OUT.png"})
      ->required();
  command
      ->add_option("--method", options->method,
                   "bradley compares each pixel with the mean of those around it (the default),\n"
                   "sauvola with their mean and deviation, otsu with one level for the whole image")
      ->check(CLI::IsMember({"bradley", "sauvola", "otsu"}))
      ->type_name("NAME");
  add_number(command, "--radius", options->radius, at_least(0),
             "How far around, in pixels (default: a sixteenth of the width)")
      ->type_name("R");
  add_number(command, "--fraction", options->fraction, Limits<double>{0, 1},
             "By which part of the mean a pixel must differ from it (bradley; default: 0.15)")
      ->type_name("F");
  add_number(command, "--k", options->k, Limits<double>{0, 1},
             "Weight of the deviation (sauvola; default: 0.5)")
      ->type_name("K");
  command->add_flag(
      "--bright", options->bright,
      "Look for bright objects on a dark ground, not for dark ones (bradley, sauvola)");
}

}  // namespace wavescan_tool
