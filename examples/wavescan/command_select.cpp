// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct SelectOptions {
  std::string input, output;
  std::optional<double> above, below;
  bool finite = false, invert = false;
};

/// @brief Whether an element of the array, or the first one of its row, is within the limits.
struct Within {
  double above, below;
  bool has_above, has_below, finite, wanted;
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    const auto x = static_cast<double>(row[0]);
    const bool is_within = (!has_above || x > above) && (!has_below || x < below) &&
                           (!finite || x - x == 0);  // neither infinite nor NaN
    return is_within == wanted;
  }
};

/// @brief Reads an array, lets `reduce(matrix)` shorten it to so many rows, and writes these.
template <class Reduce>
void shorten(const std::string& name, const std::string& input_name, const std::string& output_name,
             Session& session, const Reduce& reduce) {
  const wavescan_io::NpyArray input = wavescan_io::read_npy(input_name);
  const wavescan_io::OutputFile output(output_name);
  wavescan_io::NpyArray result{input.shape, {}};
  std::visit(
      [&]<class T>(const std::vector<T>& entries) {
        std::vector<T> kept_entries;
        std::size_t kept = 0;
        if (!entries.empty()) {
          // A vector is a matrix of one column.
          const std::size_t rows = input.shape[0], columns = entries.size() / rows;
          const auto data = to_device(name, entries, rows, columns);
          kept = static_cast<std::size_t>(reduce(data));
          kept_entries = to_host(data);
          kept_entries.resize(kept * columns);
        }
        result.shape[0] = kept;
        result.entries = kept_entries;
      },
      input.entries);
  write_npy(output, result);
  session.result = {{"input", input_name},
                    {"shape", input.shape},
                    {"type", result.type_name()},
                    {"kept", result.shape[0]},
                    {"output", output_name}};
  session.say("Kept " + std::to_string(result.shape[0]) + " of " + std::to_string(input.shape[0]) +
              ", wrote " + output_name + " (" + result.type_name() + ")");
}

void run_select(const SelectOptions& options, Session& session) {
  if (!options.above && !options.below && !options.finite)
    throw std::invalid_argument("select: needs --above, --below or --finite");
  const Within within{options.above.value_or(0),
                      options.below.value_or(0),
                      options.above.has_value(),
                      options.below.has_value(),
                      options.finite,
                      !options.invert};
  shorten("select", options.input, options.output, session,
          [&](const auto& data) { return wavescan::copy_if(Exec(), data, data, within); });
}

void run_unique(const SelectOptions& options, Session& session) {
  shorten("unique", options.input, options.output, session,
          [](const auto& data) { return wavescan::unique(Exec(), data); });
}

void add_own_files(CLI::App* command, SelectOptions& options) {
  add_files(command, {options.input, "Array of rank 1 or 2", "IN.npy"},
            {options.output, "Where to write what is kept", "OUT.npy"});
}

}  // namespace

void add_select(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SelectOptions>();
  CLI::App* command = add_command(app, session, "select",
                                  "Elements, or rows by their first element, within limits, of an "
                                  "array in a .npy file",
                                  [options, &session] { run_select(*options, session); });
  add_own_files(command, *options);
  command->add_option("--above", options->above, "Keep what is greater")
      ->check(CLI::Number)
      ->type_name("X");
  command->add_option("--below", options->below, "Keep what is less")
      ->check(CLI::Number)
      ->type_name("X");
  command->add_flag("--finite", options->finite, "Keep what is neither infinite nor NaN");
  command->add_flag("--invert", options->invert, "Keep the others instead");
}

void add_unique(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SelectOptions>();
  CLI::App* command =
      add_command(app, session, "unique",
                  "The first of each run of equal elements, or rows, of an array in "
                  "a .npy file",
                  [options, &session] { run_unique(*options, session); });
  add_own_files(command, *options);
}

}  // namespace wavescan_tool
