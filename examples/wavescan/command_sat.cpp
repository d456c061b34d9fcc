// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScanIO_Png.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <memory>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct Options {
  std::string image, output;
};

void run(const Options& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  const wavescan_io::OutputFile output(options.output);
  const auto pixels = to_device("image", image.pixels, image.rows, image.columns);
  const DeviceMatrix<std::int64_t> table("table", image.rows, image.columns);
  wavescan::summed_area_table(Exec(), pixels, table, {.schedule = session.schedule});
  const auto sums = to_host(table);
  write_npy(output, {{image.rows, image.columns}, sums});

  session.result = {{"image", options.image},   {"rows", image.rows},
                    {"columns", image.columns}, {"sum", sums.back()},
                    {"type", "int64"},          {"schedule", to_string(session.schedule)},
                    {"output", options.output}};
  session.say("Sum of all " + std::to_string(sums.size()) +
              " pixels: " + std::to_string(sums.back()));
  session.say("Wrote " + options.output + " (int64)");
}

}  // namespace

void add_sat(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, session, "sat", "Summed-area table: entry (i, j) is the sum of the pixels (0..i, 0..j)",
      [options, &session] { run(*options, session); });
  command->add_option("image", options->image, "PNG image")->required()->type_name("IMAGE.png");
  command->add_option("-o,--output", options->output, "Where to write the table")
      ->required()
      ->type_name("TABLE.npy");
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
