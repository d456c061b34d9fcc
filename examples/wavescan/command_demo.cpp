// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "commands.hpp"
#include "demo.hpp"
#include "text.hpp"

namespace wavescan_tool {
namespace {

namespace fs = std::filesystem;

/// @brief The installed tool's data, or those of the source tree.
std::string data_folder() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = (tool.parent_path() / WAVESCAN_TOOL_INSTALLED_DATA).lexically_normal();
  return !error && fs::is_directory(installed, error) ? installed.string() : WAVESCAN_TOOL_DATA;
}

struct DemoOptions {
  std::string output, data = data_folder();
};

void print_timings(const Demo& demo) {
  const auto row = [&](const std::string& step, const std::string& plain,
                       const std::string& wavescan, const std::string& speedup) {
    demo.session.say("  " + left_aligned(step, 48) + right_aligned(plain, 12) +
                     right_aligned(wavescan, 12) + right_aligned(speedup, 10));
  };
  demo.heading("Times (plain loop on one core, WaveScan on " +
               std::string(Kokkos::DefaultExecutionSpace::name()) + " with concurrency " +
               std::to_string(Kokkos::DefaultExecutionSpace().concurrency()) + "; results agree)");
  row("", "plain loop", "WaveScan", "speed-up");
  auto& listed = demo.session.result["timings"] = nlohmann::ordered_json::array();
  for (const auto& timing : demo.timings) {
    const double speedup = timing.plain / timing.wavescan;
    row(timing.step, duration(timing.plain), duration(timing.wavescan), fixed(speedup, 2));
    listed.push_back({{"step", timing.step},
                      {"plain_seconds", timing.plain},
                      {"wavescan_seconds", timing.wavescan},
                      {"speedup", speedup}});
  }
}

void run(const DemoOptions& options, Session& session) {
  Demo demo{session, options.output, options.data};
  for (const char* name : {"camera.png", "coins.png", "humanMito.fa", "mouseMito.fa"})
    if (std::error_code unknown; !fs::exists(demo.data / name, unknown))
      throw wavescan_io::FileError(demo.data / name, "is missing; --data DIR says where it is");
  std::error_code error;
  fs::create_directories(demo.output, error);
  if (error) throw wavescan_io::FileError(demo.output, "cannot be made: " + error.message());
  demo.file("alignment.txt");  // finds out whether files can be written there

  session.result["output"] = options.output;
  demo_restoration(demo);
  demo_threshold(demo);
  demo_dithering(demo);
  demo_histograms(demo);
  demo_poisson(demo);
  demo_alignment(demo);
  print_timings(demo);
  session.say("\nPictures and the alignment are in " + options.output);
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  const auto options = std::make_shared<DemoOptions>();
  CLI::App* command = add_command(
      app, session, "demo",
      "Restore and dither a photograph, threshold another, align genomes, solve Poisson's equation",
      [options, &session] { run(*options, session); });
  command->add_option("--output", options->output, "Folder for pictures and results")
      ->required()
      ->type_name("DIR");
  command
      ->add_option(
          "--data", options->data,
          "Folder with camera.png, coins.png, humanMito.fa and mouseMito.fa (default: what\n"
          "is installed with the tool, or the source tree's examples/data)")
      ->type_name("DIR");
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
