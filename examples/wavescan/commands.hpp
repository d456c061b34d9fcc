// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_COMMANDS_HPP
#define WAVESCAN_TOOL_COMMANDS_HPP

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "session.hpp"

// One command each, in the file command_<name>.cpp.
namespace wavescan_tool {

void add_info(CLI::App& app, Session& session);
void add_scan(CLI::App& app, Session& session);
void add_filter(CLI::App& app, Session& session);
void add_select(CLI::App& app, Session& session);
void add_unique(CLI::App& app, Session& session);
void add_pad(CLI::App& app, Session& session);
void add_sor(CLI::App& app, Session& session);
void add_inpaint(CLI::App& app, Session& session);
void add_sat(CLI::App& app, Session& session);
void add_threshold(CLI::App& app, Session& session);
void add_dither(CLI::App& app, Session& session);
void add_histogram(CLI::App& app, Session& session);
void add_align(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);

/// @brief A command with the options that all of them have. `run` is called after Kokkos has
/// started, with all options read.
CLI::App* add_command(CLI::App& app, Session& session, const std::string& name,
                      const std::string& description, std::function<void()> run);

/// @brief A file that a command reads or writes.
struct FileOption {
  std::string& name;
  const char* description;
  const char* type;  ///< as the help writes it
};

/// @brief The file to read, and -o, the one to write. Both must be named.
void add_files(CLI::App* command, const FileOption& input, const FileOption& output);

/// @brief --schedule, for commands whose solver has schedules to choose from.
void add_schedule_option(CLI::App* command, Session& session);

/// @brief The validator of a number that must be greater than zero and finite.
CLI::Validator positive_number();

/// @brief The validator of a whole number of at least `least`.
CLI::Validator at_least(long long least);

}  // namespace wavescan_tool

#endif
