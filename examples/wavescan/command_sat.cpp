// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScanIO_Png.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct SatOptions {
  std::string image, output, squares;
  bool border = false;
};

using Table = DeviceMatrix<std::int64_t>;

void write_table(const wavescan_io::OutputFile& output, const Table& table) {
  write_npy(output, {{table.extent(0), table.extent(1)}, to_host(table)});
}

void run(const SatOptions& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  const wavescan_io::OutputFile output(options.output);
  std::optional<wavescan_io::OutputFile> squares_output;
  if (!options.squares.empty()) squares_output.emplace(options.squares);
  const auto pixels = to_device("image", image.pixels, image.rows, image.columns);
  const std::size_t border = options.border ? 1 : 0;
  const Table table("table", image.rows + border, image.columns + border);
  const wavescan::SummedAreaTableOptions how{.zero_border = options.border};
  if (squares_output) {
    const Table squares("squares", table.extent(0), table.extent(1));
    wavescan::summed_area_table(Exec(), pixels, table, squares, how);
    write_table(*squares_output, squares);
  } else {
    wavescan::summed_area_table(Exec(), pixels, table, how);
  }
  write_table(output, table);

  std::int64_t sum = 0;
  Kokkos::deep_copy(sum, Kokkos::subview(table, table.extent(0) - 1, table.extent(1) - 1));
  session.result = {{"image", options.image},   {"rows", image.rows},
                    {"columns", image.columns}, {"sum", sum},
                    {"type", "int64"},          {"border", options.border},
                    {"output", options.output}};
  if (squares_output) session.result["squares"] = options.squares;
  session.say("Sum of all " + std::to_string(image.pixels.size()) +
              " pixels: " + std::to_string(sum));
  for (const auto& file : {options.output, options.squares})
    if (!file.empty()) session.say("Wrote " + file + " (int64)");
}

}  // namespace

void add_sat(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SatOptions>();
  CLI::App* command = add_command(
      app, session, "sat", "Summed-area table: entry (i, j) is the sum of the pixels (0..i, 0..j)",
      [options, &session] { run(*options, session); });
  add_input(command, session, "image", {options->image, "PNG image", "IMAGE.png"})->required();
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the table", "TABLE.npy"})
      ->required();
  add_output(
      command, session, "--squares",
      {options->squares, "Where to write the table of the squared pixels, too", "TABLE.npy"});
  command->add_flag("--border", options->border,
                    "Begin with a row and a column of zeros, as OpenCV's integral does");
}

}  // namespace wavescan_tool
