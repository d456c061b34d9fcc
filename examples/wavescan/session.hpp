// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_SESSION_HPP
#define WAVESCAN_TOOL_SESSION_HPP

#include <WaveScan_Schedule.hpp>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wavescan_tool {

/// @brief One run of the tool: the options that all commands share, and what they report.
struct Session {
  bool json = false;
  int threads = 0;  ///< 0: Kokkos' choice
  int rank = 0;     ///< of this process among `processes`
  int processes = 1;
  wavescan::Schedule schedule = wavescan::Schedule::Auto;

  bool reads_input = false;    ///< a file is read from standard input
  bool writes_output = false;  ///< a file goes to standard output: people read on standard error

  /// What to do once Kokkos has started: the command that was asked for.
  std::function<void()> action;
  const CLI::App* command = nullptr;  ///< that command, which knows what options it was given

  bool takes_processes = false;  ///< the command runs on several processes

  /// What --json prints at the end.
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
  std::vector<std::string> warnings;

  /// @brief Prints a line for people, who have not asked for JSON.
  void say(const std::string& line) const {
    if (!json && rank == 0) (writes_output ? std::cerr : std::cout) << line << std::endl;
  }

  /// @brief Tells what is probably not meant, but can be done.
  void warn(const std::string& message) {
    if (rank == 0) std::cerr << "wavescan: warning: " << message << std::endl;
    warnings.push_back(message);
  }
};

}  // namespace wavescan_tool

#endif
