// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <WaveScanIO_Error.hpp>
#include <WaveScan_Version.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "processes.hpp"

namespace {

const std::string hint = "\nRun with --help for more information.";
constexpr int success = 0, runtime_failure = 1, bad_usage = 2;

void tell_error(const std::string& message) {
  std::cout.flush();
  std::cerr << "wavescan: error: " << message << std::endl;
}

void print_json(wavescan_tool::Session& session) {
  if (!session.warnings.empty()) session.result["warnings"] = session.warnings;
  // Names of files need not be UTF-8, as JSON is.
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::cout << session.result.dump(2, ' ', false, replace) << std::endl;
}

int run(wavescan_tool::Session& session) {
  if (session.json && session.writes_output)
    throw std::invalid_argument("--json: takes standard output, to which a file goes");
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if (session.threads > 0) settings.set_num_threads(session.threads);
  const Kokkos::ScopeGuard kokkos(settings);
  if (session.processes > 1 && !session.takes_processes)
    throw std::invalid_argument("only sor runs on several processes");
  session.action();
  if (session.json && session.rank == 0) print_json(session);
  std::cout.flush();
  if (!std::cout) throw std::runtime_error("standard output: cannot be written");
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace wavescan_tool;
  const Processes processes(argc, argv);
  Session session;
  session.rank = processes.rank;
  session.processes = processes.size;
  const std::vector<std::string> words(argv, argv + argc);
  const auto fail = [&](int code, const std::string& message) {
    processes.let_first_speak();
    tell_error(message);
    // The option itself may not have been reached.
    const bool wants_json = std::find(words.begin(), words.end(), "--json") != words.end();
    if (wants_json && session.rank == 0) {
      session.result["error"] = {{"message", message.substr(0, message.find(hint))},
                                 {"exit_code", code}};
      print_json(session);
    }
    processes.end_all(code);
    return code;
  };
  CLI::App app(
      "Scans and wavefront loops on images, arrays and sequences, on every processor that Kokkos "
      "runs on.",
      "wavescan");
  app.set_version_flag("--version", std::string("wavescan " WAVESCAN_VERSION_STRING));
  app.require_subcommand(0, 1);  // an unknown command is then reported by its name
  for (const auto add : {add_info, add_scan, add_segments, add_filter, add_select, add_unique,
                         add_pad, add_sor, add_inpaint, add_sat, add_threshold, add_dither,
                         add_histogram, add_align, add_demo, add_tune})
    add(app, session);
  app.footer(
      "Every command explains itself: wavescan COMMAND --help\n"
      "A file of the name - is standard input, or standard output.\n"
      "Exit codes: 0 success, 1 failure while running (a solver diverged, the disk is full), "
      "2 bad usage or bad input.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // An option that is missing, or what stands in its place, may be one of an unknown name.
    const std::string unknown = unknown_argument(app);
    return fail(bad_usage, (unknown.empty() ? error.what() : unknown) + hint);
  }
  if (!session.action) return fail(bad_usage, "a command is required" + hint);
  try {
    processes.require_to_know_all();
    return run(session);
  } catch (const wavescan_io::FileError& error) {
    return fail(bad_usage, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(bad_usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(runtime_failure, "not enough memory");
  } catch (const std::exception& error) {
    return fail(runtime_failure, error.what());
  }
}
