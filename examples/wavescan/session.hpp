// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_SESSION_HPP
#define WAVESCAN_TOOL_SESSION_HPP

#include <WaveScan_Schedule.hpp>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace wavescan_tool {

/// @brief One run of the tool: the options that all commands share, and what they report.
struct Session {
  bool json = false;
  int threads = 0;  ///< 0: Kokkos' choice
  int rank = 0;     ///< of this process among `processes`
  int processes = 1;
  wavescan::Schedule schedule = wavescan::Schedule::Hybrid;

  /// What to do once Kokkos has started: the command that was asked for.
  std::function<void()> action;

  bool takes_processes = false;  ///< the command runs on several processes

  /// What --json prints at the end.
  nlohmann::ordered_json result = nlohmann::ordered_json::object();

  /// @brief Prints a line for people, who have not asked for JSON.
  void say(const std::string& line) const {
    if (!json && rank == 0) std::cout << line << std::endl;
  }
};

}  // namespace wavescan_tool

#endif
