// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct ScanOptions {
  std::string input, output;
  std::string op = "plus";
  std::optional<std::string> weight;  // of the type that is computed in
  bool exclusive = false;
  std::optional<int> axis;
};

/// @param array of the type that is computed in
template <class T>
T weight_of(const std::string& text, const wavescan_io::NpyArray& array) {
  const T weight = value_of<T>("--weight", text, array);
  constexpr T largest = std::is_integral_v<T> ? T(1'000'000'000) : std::numeric_limits<T>::max();
  if (!(weight <= largest) || (std::is_signed_v<T> && weight < -largest))
    throw std::invalid_argument(
        "--weight: must be finite, and for whole numbers at most 1e9, got " + text);
  return weight;
}

template <class T>
void scan(const DeviceMatrix<T>& data, int axis, const ScanOptions& options,
          const wavescan_io::NpyArray& result) {
  const Exec exec;
  const auto scan_options = wavescan::ScanOptions<>().axis(axis);
  const auto plain = [&](const auto& op) {
    if (options.exclusive)
      wavescan::exclusive_scan(exec, data, data, op, scan_options);
    else
      wavescan::inclusive_scan(exec, data, data, op, scan_options);
  };
  const auto weighted = [&](const auto& algebra) {
    wavescan::weighted_scan(exec, data, weight_of<T>(*options.weight, result), data, algebra,
                            scan_options);
  };
  if (options.weight) {
    if (options.op == "plus") weighted(wavescan::PlusTimes<T>{});
    if (options.op == "max") weighted(wavescan::MaxPlus<T>{});
    if (options.op == "min") weighted(wavescan::MinPlus<T>{});
  } else {
    if (options.op == "plus") plain(wavescan::Plus<T>{});
    if (options.op == "times") plain(wavescan::Times<T>{});
    if (options.op == "max") plain(wavescan::Max<T>{});
    if (options.op == "min") plain(wavescan::Min<T>{});
  }
}

void run(const ScanOptions& options, Session& session) {
  if (options.weight && options.exclusive)
    throw std::invalid_argument("--exclusive: a scan with --weight is always inclusive");
  if (options.weight && options.op == "times")
    throw std::invalid_argument("--weight: there is none for --op times");
  const wavescan_io::NpyArray input = wavescan_io::read_npy(options.input);
  const int rank = static_cast<int>(input.shape.size());
  const int axis = options.axis.value_or(rank - 1);
  if (axis < -rank || axis >= rank)
    throw std::invalid_argument("--axis: " + options.input + " has rank " + std::to_string(rank) +
                                ", got axis " + std::to_string(axis));
  const wavescan_io::OutputFile output(options.output);

  wavescan_io::NpyArray result{input.shape, {}};
  std::visit(
      [&]<class T>(const std::vector<T>& entries) {
        result.entries = std::vector<Computed<T>>();
        if (entries.empty()) return;  // however many rows there are without columns
        // A vector is scanned as a matrix of one row.
        const std::size_t rows = rank == 1 ? 1 : input.shape[0], columns = input.shape.back();
        const auto data = to_device("scan", input.as<Computed<T>>(), rows, columns);
        scan(data, rank == 1 || axis == -1 ? 1 : (axis + rank) % rank, options, result);
        result.entries = to_host(data);
      },
      input.entries);
  write_npy(output, result);

  session.result = {{"input", options.input},       {"shape", input.shape},
                    {"type", result.type_name()},   {"op", options.op},
                    {"axis", (axis + rank) % rank}, {"output", options.output}};
  session.say("Wrote " + options.output + " (" + result.type_name() + ")");
}

}  // namespace

void add_scan(CLI::App& app, Session& session) {
  const auto options = std::make_shared<ScanOptions>();
  CLI::App* command =
      add_command(app, session, "scan", "Prefix sums and other scans of an array in a .npy file",
                  [options, &session] { run(*options, session); });
  add_files(command, session, {options->input, "Array of rank 1 or 2", "IN.npy"},
            {options->output, "Where to write the scan", "OUT.npy"});
  command->add_option("--op", options->op, "plus, times, max or min (default: plus)")
      ->check(CLI::IsMember({"plus", "times", "max", "min"}))
      ->type_name("NAME");
  command
      ->add_option(
          "--weight", options->weight,
          "Weighted scan: plus gives y[j] = w y[j-1] + x[j], max and min give\n"
          "y[j] = max(y[j-1] + w, x[j]); sums of integers stop at the end of the range rather\n"
          "than wrap around to a better value. Of integers at most 1e9")
      ->type_name("W");
  command->add_flag("--exclusive", options->exclusive, "Leave each element out of its own result");
  add_number(command, "--axis", options->axis, Limits<int>{},
             "Axis to scan along (default: the last)")
      ->type_name("K");
}

}  // namespace wavescan_tool
