// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
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
  std::optional<std::string> above, below;  // of the array's type
  bool finite = false, invert = false;
};

/// @brief Whether an element of the array, or the first one of its row, is within the limits.
template <class T>
struct Within {
  T above, below;
  bool has_above, has_below, finite, wanted;
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    const T x = row[0];
    const bool is_within = (!has_above || x > above) && (!has_below || x < below) &&
                           (!finite || x - x == 0);  // neither infinite nor NaN
    return is_within == wanted;
  }
};

/// @throws std::invalid_argument if a limit is no number of the array's type, or NaN
template <class T>
T limit_of(const std::string& option, const std::string& text, const wavescan_io::NpyArray& array) {
  const T limit = value_of<T>(option, text, array);
  if (limit != limit) throw std::invalid_argument(option + ": must not be NaN");
  return limit;
}

template <class T>
Within<T> within(const SelectOptions& options, const wavescan_io::NpyArray& array) {
  Within<T> limits{
      T(0),           T(0),           options.above.has_value(), options.below.has_value(),
      options.finite, !options.invert};
  if (options.above) limits.above = limit_of<T>("--above", *options.above, array);
  if (options.below) limits.below = limit_of<T>("--below", *options.below, array);
  return limits;
}

/// @brief Reads an array, lets `reduce(matrix, array)` shorten it to so many rows, and writes
/// these.
template <class Reduce>
void shorten(const std::string& name, const std::string& input_name, const std::string& output_name,
             Session& session, const Reduce& reduce) {
  const wavescan_io::NpyArray input = wavescan_io::read_npy(input_name);
  const wavescan_io::OutputFile output(output_name);
  wavescan_io::NpyArray result{input.shape, {}, input.is_bool};
  std::visit(
      [&]<class T>(const std::vector<T>& entries) {
        std::vector<T> kept_entries;
        std::size_t kept = 0;
        if (!entries.empty()) {
          // A vector is a matrix of one column.
          const std::size_t rows = input.shape[0], columns = entries.size() / rows;
          const auto data = to_device(name, entries, rows, columns);
          kept = static_cast<std::size_t>(reduce(data, input));
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
  shorten("select", options.input, options.output, session,
          [&]<class T>(const DeviceMatrix<T>& data, const wavescan_io::NpyArray& array) {
            return wavescan::copy_if(Exec(), data, data, within<T>(options, array));
          });
}

void run_unique(const SelectOptions& options, Session& session) {
  shorten("unique", options.input, options.output, session,
          [](const auto& data, const auto&) { return wavescan::unique(Exec(), data); });
}

void add_own_files(CLI::App* command, Session& session, SelectOptions& options) {
  add_files(command, session, {options.input, "Array of rank 1 or 2", "IN.npy"},
            {options.output, "Where to write what is kept", "OUT.npy"});
}

}  // namespace

void add_select(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SelectOptions>();
  CLI::App* command = add_command(app, session, "select",
                                  "Elements, or rows by their first element, within limits, of an "
                                  "array in a .npy file",
                                  [options, &session] { run_select(*options, session); });
  add_own_files(command, session, *options);
  command
      ->add_option("--above", options->above, "Keep what is greater than this, of the array's type")
      ->type_name("X");
  command->add_option("--below", options->below, "Keep what is less than this, of the array's type")
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
  add_own_files(command, session, *options);
}

}  // namespace wavescan_tool
