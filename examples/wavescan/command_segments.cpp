// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_File.hpp>
#include <WaveScanIO_Npy.hpp>
#include <WaveScan_CheckSegments.hpp>
#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "commands.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

struct SegmentsOptions {
  std::string input, output;
  std::optional<std::string> offsets, keys, heads;  // files, one of which is given
  std::string op = "plus";
  bool totals = false, exclusive = false, reverse = false;
};

/// @brief An array of rank 1 with as many elements as the input.
wavescan_io::NpyArray read_vector(const std::string& option, const std::string& name,
                                  std::optional<std::size_t> elements) {
  wavescan_io::NpyArray array = wavescan_io::read_npy(name);
  if (array.shape.size() != 1)
    throw std::invalid_argument(option + ": " + name + " must have rank 1");
  if (elements && array.shape[0] != *elements)
    throw std::invalid_argument(option + ": must have " + std::to_string(*elements) +
                                " elements, as the input, got " + std::to_string(array.shape[0]));
  return array;
}

/// @brief Offsets of segments that begin with the first element and where `begins(j)` is true.
template <class Begins>
std::vector<std::int64_t> offsets_where(std::size_t elements, const Begins& begins) {
  std::vector<std::int64_t> offsets;
  for (std::size_t j = 0; j < elements; ++j)
    if (j == 0 || begins(j)) offsets.push_back(static_cast<std::int64_t>(j));
  offsets.push_back(static_cast<std::int64_t>(elements));
  return offsets;
}

std::vector<std::int64_t> read_offsets(const SegmentsOptions& options, std::size_t elements) {
  const int given = int(options.offsets.has_value()) + int(options.keys.has_value()) +
                    int(options.heads.has_value());
  if (given != 1)
    throw std::invalid_argument("segments: needs one of --offsets, --keys and --heads");
  if (options.offsets) {
    const auto array = read_vector("--offsets", *options.offsets, std::nullopt);
    if (array.type_name().find("int") == std::string::npos)
      throw std::invalid_argument("--offsets: must be integers, got " + array.type_name());
    return array.as<std::int64_t>();
  }
  const auto array = options.keys ? read_vector("--keys", *options.keys, elements)
                                  : read_vector("--heads", *options.heads, elements);
  return std::visit(
      [&](const auto& entries) {
        return offsets_where(elements, [&](std::size_t j) {
          return options.keys ? !(entries[j] == entries[j - 1]) : entries[j] != 0;
        });
      },
      array.entries);
}

/// @brief The scan, in place, or the totals of all segments.
template <class T>
std::vector<T> scan_or_reduce(const DeviceVector<T>& data,
                              const DeviceVector<std::int64_t>& offsets,
                              const SegmentsOptions& options) {
  const Exec exec;
  const auto segments = wavescan::segment_offsets(offsets);
  wavescan::check_segments(exec, segments, static_cast<std::int64_t>(data.extent(0)));
  const DeviceVector<T> totals("totals", options.totals ? offsets.extent(0) - 1 : 0);
  const auto run = [&](const auto& op) {
    const wavescan::SegmentedScanOptions direction{.reverse = options.reverse};
    if (options.totals)
      wavescan::segmented_reduce(exec, data, segments, totals, op);
    else if (options.exclusive)
      wavescan::segmented_exclusive_scan(exec, data, segments, data, op, {}, direction);
    else
      wavescan::segmented_inclusive_scan(exec, data, segments, data, op, {}, direction);
  };
  if (options.op == "plus") run(wavescan::Plus<T>{});
  if (options.op == "max") run(wavescan::Max<T>{});
  if (options.op == "min") run(wavescan::Min<T>{});
  return to_host(options.totals ? totals : data);
}

void run(const SegmentsOptions& options, Session& session) {
  if (options.totals) refuse_unused(session, {"--exclusive", "--reverse"}, "on totals");
  const wavescan_io::NpyArray input = read_vector("input", options.input, std::nullopt);
  const auto offsets = to_device("offsets", read_offsets(options, input.shape[0]));
  if (offsets.extent(0) == 0)
    throw std::invalid_argument("--offsets: must be one more than there are segments, got 0");
  const wavescan_io::OutputFile output(options.output);
  wavescan_io::NpyArray result;
  std::visit(
      [&]<class T>(const std::vector<T>&) {
        auto found =
            scan_or_reduce(to_device("segments", input.as<Computed<T>>()), offsets, options);
        result.shape = {found.size()};
        result.entries = std::move(found);
      },
      input.entries);
  write_npy(output, result);

  session.result = {{"input", options.input},
                    {"shape", input.shape},
                    {"type", result.type_name()},
                    {"op", options.op},
                    {"segments", offsets.extent(0) - 1},
                    {"output", options.output}};
  session.say("Wrote " + options.output + " (" + result.type_name() + "), " +
              std::to_string(offsets.extent(0) - 1) + " segments");
}

}  // namespace

void add_segments(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SegmentsOptions>();
  CLI::App* command = add_command(
      app, session, "segments",
      "Scans that begin anew in every segment of an array in a .npy file, or its totals",
      [options, &session] { run(*options, session); });
  add_files(command, session, {options->input, "Array of rank 1", "IN.npy"},
            {options->output, "Where to write the scan or the totals", "OUT.npy"});
  const auto add_file = [&](const char* option, std::optional<std::string>& name,
                            const char* description) {
    command->add_option(option, name, description)->type_name("FILE.npy");
  };
  add_file("--offsets", options->offsets,
           "Where segments begin, and the number of elements, as rows of a CSR matrix");
  add_file("--keys", options->keys, "A key for each element: equal neighbours are a segment");
  add_file("--heads", options->heads,
           "A flag for each element, not 0 where a segment begins besides the first one");
  command->add_option("--op", options->op, "plus, max or min (default: plus)")
      ->check(CLI::IsMember({"plus", "max", "min"}))
      ->type_name("NAME");
  command->add_flag("--totals", options->totals, "Write one number for each segment");
  command->add_flag("--exclusive", options->exclusive, "Leave each element out of its own result");
  command->add_flag("--reverse", options->reverse,
                    "From the last element of a segment to its first");
}

}  // namespace wavescan_tool
