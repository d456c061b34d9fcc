// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "commands.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace wavescan_tool {
namespace {

/// @brief How many letters have to be put in, left out or replaced to make one word of another.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// @brief "; did you mean ...?" with the word most like this one, if one is.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  std::size_t least = word.size() / 3 + 2;
  const std::string* nearest = nullptr;
  for (const std::string& other : known)
    if (const std::size_t d = distance(word, other); d < least) least = d, nearest = &other;
  return nearest == nullptr ? "" : "; did you mean " + *nearest + "?";
}

/// @brief Takes one of the standard streams, if that is meant: there is only one of each.
void take_stream(const std::string& option, const std::string& file, bool& taken,
                 const char* stream) {
  if (file != "-") return;
  if (taken)
    throw CLI::ValidationError(option, std::string("standard ") + stream + " is taken already");
  taken = true;
}

}  // namespace

CLI::App* add_command(CLI::App& app, Session& session, const std::string& name,
                      const std::string& description, std::function<void()> run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", session.json, "Print the results as one JSON object");
  add_number(command, "--threads", session.threads, at_least(1),
             "Threads on the host (default: Kokkos' choice)")
      ->type_name("N");
  command->callback([&session, command, run = std::move(run)] {
    session.command = command;
    session.action = run;
  });
  return command;
}

CLI::Option* add_text(CLI::App* command, const std::string& option, const std::string& description,
                      std::function<void(const std::string&)> take) {
  return command->add_option_function<std::string>(option, take, description);
}

CLI::Option* add_input(CLI::App* command, Session& session, const std::string& option,
                       const FileOption& file) {
  return add_text(command, option, file.description,
                  [&session, &name = file.name, option](const std::string& text) {
                    take_stream(option, text, session.reads_input, "input");
                    name = text;
                  })
      ->type_name(file.type);
}

CLI::Option* add_output(CLI::App* command, Session& session, const std::string& option,
                        const FileOption& file) {
  const std::string ending = std::filesystem::path(file.type).extension().string();
  return add_text(command, option, file.description,
                  [&session, &name = file.name, option, ending](const std::string& text) {
                    take_stream(option, text, session.writes_output, "output");
                    if (const auto objection = objection_to_name(text, ending); !objection.empty())
                      throw CLI::ValidationError(option, objection);
                    name = text;
                  })
      ->type_name(file.type);
}

void add_files(CLI::App* command, Session& session, const FileOption& input,
               const FileOption& output) {
  add_input(command, session, "input", input)->required();
  add_output(command, session, "-o,--output", output)->required();
}

std::string objection_to_name(const std::string& name, const std::string& ending) {
  std::string other = std::filesystem::path(name).extension().string();
  for (char& letter : other)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  const auto formats = {".png",  ".npy",  ".wav", ".jpg",  ".jpeg", ".gif", ".bmp", ".tif",
                        ".tiff", ".webp", ".pgm", ".ppm",  ".pbm",  ".svg", ".pdf", ".npz",
                        ".mat",  ".csv",  ".mp3", ".flac", ".ogg",  ".raw", ".txt", ".json"};
  const bool is_known = std::find(formats.begin(), formats.end(), other) != formats.end();
  if (ending.empty() || other == ending || !is_known) return "";
  return name + " would hold what is in " + ending + " files: its name must not end in " + other;
}

void add_schedule_option(CLI::App* command, Session& session) {
  std::vector<std::string> names;
  for (const wavescan::Schedule schedule : wavescan::exact_schedules)
    names.emplace_back(to_string(schedule));
  add_text(command, "--schedule", "How to run the wavefront loop (default: auto, which chooses)",
           [&session](const std::string& name) { session.schedule = wavescan::schedule_of(name); })
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

void add_keep_option(CLI::App* command, bool& keep) {
  command->add_flag("--keep", keep,
                    "Write and print what there is, too, if the solve does not converge; the exit\n"
                    "code is 1 all the same");
}

void refuse_unused(const Session& session, std::initializer_list<const char*> options,
                   const std::string& why) {
  for (const char* option : options)
    if (session.command->count(option) > 0)
      throw std::invalid_argument(std::string(option) + ": has no effect " + why);
}

std::string unknown_argument(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const auto unknown = app.remaining(true);
  if (unknown.empty()) return "";
  // Behind an unknown option its value is unknown, too.
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto found = std::find_if(unknown.begin(), unknown.end(), is_option);
  std::vector<std::string> names;
  if (found != unknown.end()) {
    for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
    const std::string word = found->substr(0, found->find('='));
    return "unknown option " + word + suggestion(word, names);
  }
  if (!parsed.empty()) return "unexpected argument " + unknown.front();
  for (const CLI::App* other : app.get_subcommands({})) names.push_back(other->get_name());
  return "unknown command " + unknown.front() + suggestion(unknown.front(), names);
}

}  // namespace wavescan_tool
