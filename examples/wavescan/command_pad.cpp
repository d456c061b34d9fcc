// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_Pad.hpp>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct ToPad {
  std::string input, output;
  long long columns = 0, leading = 0;
  std::string fill = "0";  // of the array's type
};

template <std::size_t Size>
using Bits =
    std::tuple_element_t<std::bit_width(Size) - 1,
                         std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;

/// @brief Gives a matrix `after` instead of `before` columns, in place.
template <class T>
void move_columns(T* data, std::size_t rows, std::size_t before, std::size_t after,
                  long long leading, T fill) {
  const DeviceMatrix<T> from(data, rows, before), to(data, rows, after);
  const auto where = wavescan::PadOptions().leading(leading);
  if (after >= before)
    wavescan::pad(Exec(), from, to, where.fill(fill));
  else
    wavescan::unpad(Exec(), from, to, where);
}

void run(const ToPad& options, Session& session) {
  const wavescan_io::NpyArray input = wavescan_io::read_npy(options.input);
  if (input.shape.size() != 2)
    throw std::invalid_argument(options.input + ": must have rank 2, has rank " +
                                std::to_string(input.shape.size()));
  const std::size_t rows = input.shape[0], columns = input.shape[1];
  const auto padded = static_cast<std::size_t>(options.columns);
  const auto leading = static_cast<std::size_t>(options.leading);
  const bool widens = padded >= columns;
  const std::size_t wider = widens ? padded : columns, narrower = widens ? columns : padded;
  if (leading > wider || wider - leading < narrower)
    throw std::invalid_argument("--leading: " + std::to_string(wider) +
                                " columns have no room for " + std::to_string(leading) + " and " +
                                std::to_string(narrower));
  if (rows > 0 && wider > std::size_t(std::numeric_limits<std::int64_t>::max()) / 8 / rows)
    throw std::invalid_argument("--columns: must keep the matrix within 64 bits, got " +
                                std::to_string(options.columns));
  if (!widens) refuse_unused(session, {"--fill"}, "where columns are left out");
  const wavescan_io::OutputFile output(options.output);

  wavescan_io::NpyArray result{{rows, padded}, {}, input.is_bool};
  std::visit(
      [&]<class T>(const std::vector<T>& entries) {
        const T fill = value_of<T>("--fill", options.fill, input);
        // In place: one allocation that holds the wider matrix. Elements move as they are, so
        // those of one size are all the same.
        std::vector<T> values(entries);
        values.resize(rows * wider);
        const auto memory = to_device("pad", values);
        move_columns(reinterpret_cast<Bits<sizeof(T)>*>(memory.data()), rows, columns, padded,
                     options.leading, std::bit_cast<Bits<sizeof(T)>>(fill));
        values = to_host(memory);
        values.resize(rows * padded);
        result.entries = values;
      },
      input.entries);
  write_npy(output, result);
  session.result = {{"input", options.input},     {"shape", input.shape},
                    {"type", result.type_name()}, {"columns", padded},
                    {"leading", options.leading}, {"output", options.output}};
  session.say("Wrote " + options.output + " (" + std::to_string(rows) + " x " +
              std::to_string(padded) + ", " + result.type_name() + ")");
}

}  // namespace

void add_pad(CLI::App& app, Session& session) {
  const auto options = std::make_shared<ToPad>();
  CLI::App* command = add_command(app, session, "pad",
                                  "Adds columns to a matrix in a .npy file, or leaves some out",
                                  [options, &session] { run(*options, session); });
  add_files(command, session, {options->input, "Matrix", "IN.npy"},
            {options->output, "Where to write the result", "OUT.npy"});
  add_number(command, "--columns", options->columns, at_least(0LL), "Columns of the result")
      ->required()
      ->type_name("N");
  add_number(command, "--leading", options->leading, at_least(0LL),
             "How many are added or left out before the others (default: 0)")
      ->type_name("N");
  command
      ->add_option("--fill", options->fill,
                   "Value of added columns, of the array's type (default: 0)")
      ->type_name("X");
}

}  // namespace wavescan_tool
