// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TUNING_MACHINETUNING_HPP
#define WAVESCAN_IMPL_TUNING_MACHINETUNING_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Tuning.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_File.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/tuning/WaveScan_MeasuredTuning.hpp>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

/// @file
/// @brief The Tuning that a program uses: the file that the environment names, or the measured one
/// that comes with the library.

namespace wavescan::Impl {

/// @brief The section of a tuning file for an execution space. Other devices use cuda's, if there
/// is none for them.
template <ExecutionSpace Exec>
constexpr std::string_view tuning_section() {
  return runs_on_host<Exec> ? "host" : vendor_of<Exec> == Vendor::Amd ? "hip" : "cuda";
}

WAVESCAN_SELDOM inline std::string read_tuning_file(const std::string& path) {
  const auto text = read_file(path);
  require(text.has_value(), "tuning", "WAVESCAN_TUNING", "must name a readable file", path);
  return *text;
}

template <ExecutionSpace Exec>
WAVESCAN_SELDOM Tuning read_tuning() {
  const auto section_of = [](std::string_view text, std::string_view source) {
    auto tuning = Tuning::parse(text, tuning_section<Exec>(), source);
    return tuning || runs_on_host<Exec> ? tuning : Tuning::parse(text, "cuda", source);
  };
  if (const char* const path = std::getenv("WAVESCAN_TUNING"); path && *path)
    if (const auto tuning = section_of(read_tuning_file(path), path)) return *tuning;
  return *section_of(measured_tuning, "the library's own tuning");
}

/// @brief The Tuning of this program, read when it is first asked for.
/// @throws std::invalid_argument if WAVESCAN_TUNING names a file that is not one
template <ExecutionSpace Exec>
const Tuning& machine_tuning() {
  static const Tuning tuning = read_tuning<Exec>();
  return tuning;
}

}  // namespace wavescan::Impl

#endif
