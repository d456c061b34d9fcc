// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "commands.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace wavescan_tool {

CLI::App* add_command(CLI::App& app, Session& session, const std::string& name,
                      const std::string& description, std::function<void()> run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", session.json, "Print the results as one JSON object");
  command->add_option("--threads", session.threads, "Threads on the host (default: Kokkos' choice)")
      ->check(at_least(1))
      ->type_name("N");
  command->callback([&session, run = std::move(run)] { session.action = run; });
  return command;
}

void add_files(CLI::App* command, const FileOption& input, const FileOption& output) {
  const auto add = [command](const char* option, const FileOption& file) {
    command->add_option(option, file.name, file.description)->required()->type_name(file.type);
  };
  add("input", input);
  add("-o,--output", output);
}

void add_schedule_option(CLI::App* command, Session& session) {
  std::vector<std::string> names;
  for (const wavescan::Schedule schedule : wavescan::exact_schedules)
    names.emplace_back(to_string(schedule));
  command
      ->add_option_function<std::string>(
          "--schedule",
          [&session](const std::string& name) { session.schedule = wavescan::schedule_of(name); },
          "How to run the wavefront loop (default: hybrid, which chooses)")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

CLI::Validator positive_number() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        return is_number && value > 0 && std::isfinite(value)
                   ? std::string()
                   : "must be a number greater than zero, got " + text;
      },
      "");
}

CLI::Validator at_least(long long least) {
  return CLI::Validator(
      [least](const std::string& text) {
        long long value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        return error == std::errc{} && stop == end && value >= least
                   ? std::string()
                   : "must be a whole number of at least " + std::to_string(least) + ", got " +
                         text;
      },
      "");
}

}  // namespace wavescan_tool
