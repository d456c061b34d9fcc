// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <memory>
#include <string>

#include "commands.hpp"
#include "dithering.hpp"

namespace wavescan_tool {
namespace {

struct DitherOptions {
  std::string image, output;
  int levels = 2;
};

void run(const DitherOptions& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  const wavescan_io::OutputFile output(options.output);
  const auto dithered = dither(image, options.levels, session.schedule);
  write_png(output, dithered.image);
  session.result = {{"image", options.image},
                    {"levels", options.levels},
                    {"schedule", to_string(dithered.schedule)},
                    {"output", options.output}};
  session.say("Diffused the errors of " + std::to_string(options.levels) + " levels, wrote " +
              options.output);
}

}  // namespace

void add_dither(CLI::App& app, Session& session) {
  const auto options = std::make_shared<DitherOptions>();
  CLI::App* command =
      add_command(app, session, "dither", "Reduce an image to a few levels by error diffusion",
                  [options, &session] { run(*options, session); });
  add_input(command, session, "image", {options->image, "PNG image", "IMAGE.png"})->required();
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the result", "OUT.png"})
      ->required();
  add_number(command, "--levels", options->levels, Limits<int>{2, 256},
             "Gray levels of the result, evenly spaced (2 to 256; default: 2)")
      ->type_name("N");
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
