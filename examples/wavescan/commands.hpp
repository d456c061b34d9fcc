// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_COMMANDS_HPP
#define WAVESCAN_TOOL_COMMANDS_HPP

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "numbers.hpp"
#include "session.hpp"

// One command each, in the file command_<name>.cpp.
namespace wavescan_tool {

void add_info(CLI::App& app, Session& session);
void add_scan(CLI::App& app, Session& session);
void add_segments(CLI::App& app, Session& session);
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

/// @brief An option that hands its text to `take`, which may throw a CLI::ValidationError.
CLI::Option* add_text(CLI::App* command, const std::string& option, const std::string& description,
                      std::function<void(const std::string&)> take);

/// @brief An option that is a number within limits.
/// @param number T or std::optional<T>
template <class Number, class T>
CLI::Option* add_number(CLI::App* command, const std::string& option, Number& number,
                        const Limits<T>& limits, const std::string& description) {
  return add_text(command, option, description, [&number, option, limits](const std::string& text) {
    const auto value = number_of<T>(text);
    if (!value || !limits.hold(*value))
      throw CLI::ValidationError(option, "must be " + limits.to_string() + ", got " + text);
    number = *value;
  });
}

/// @brief A file that a command reads or writes.
struct FileOption {
  std::string& name;
  const char* description;
  const char* type;  ///< as the help writes it
};

/// @brief A file to read; "-" is standard input.
CLI::Option* add_input(CLI::App* command, Session& session, const std::string& option,
                       const FileOption& file);

/// @brief A file to write; "-" is standard output. Where its type has an ending, as OUT.png, the
/// name must not have that of another format.
CLI::Option* add_output(CLI::App* command, Session& session, const std::string& option,
                        const FileOption& file);

/// @brief The file to read, and -o, the one to write. Both must be named.
void add_files(CLI::App* command, Session& session, const FileOption& input,
               const FileOption& output);

/// @brief Why a file of one format (".png") should not have this name; empty if it may.
std::string objection_to_name(const std::string& name, const std::string& ending);

/// @brief --schedule, for commands whose solver has schedules to choose from.
void add_schedule_option(CLI::App* command, Session& session);

/// @brief --keep, for commands that solve.
void add_keep_option(CLI::App* command, bool& keep);

/// @throws std::invalid_argument if one of these options was given, which has no effect because of
/// `why`
void refuse_unused(const Session& session, std::initializer_list<const char*> options,
                   const std::string& why);

/// @brief The first argument that no command knows, as an error message, with the name that may be
/// meant; empty if all are known.
std::string unknown_argument(const CLI::App& app);

}  // namespace wavescan_tool

#endif
