// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "image_repair.hpp"
#include "progress.hpp"
#include "solve_report.hpp"
#include "text.hpp"

namespace wavescan_tool {
namespace {

struct InpaintOptions {
  std::string image, mask, output, plot;
  std::optional<double> omega;
  double tolerance = 1e-3;
  int max_sweeps = 20000;
  bool keep = false;
};

void run(const InpaintOptions& options, Session& session) {
  const auto channels = wavescan_io::read_png_channels(options.image);
  const auto mask = wavescan_io::read_png(options.mask);
  const auto& image = channels.front();
  if (mask.rows != image.rows || mask.columns != image.columns)
    throw wavescan_io::FileError(
        options.mask, "has " + std::to_string(mask.rows) + " x " + std::to_string(mask.columns) +
                          " pixels, expected " + std::to_string(image.rows) + " x " +
                          std::to_string(image.columns) + " as in " + options.image);
  std::vector<RepairProblem> problems;
  for (const auto& channel : channels) problems.push_back(repair_problem(channel, mask));
  const std::size_t lost = problems.front().lost;
  if (lost == 0) session.warn(options.mask + ": has no white pixel, so that nothing is restored");
  const double omega = options.omega.value_or(repair_omega(problems.front()));
  const wavescan_io::OutputFile output(options.output);
  std::optional<wavescan_io::OutputFile> plot;
  if (!options.plot.empty()) plot.emplace(options.plot);

  std::vector<wavescan::SolveReport> reports;
  std::vector<wavescan_io::GrayImage> restored;
  for (RepairProblem& problem : problems) {
    Progress progress("Restoring");
    double initial = 0;
    reports.push_back(repair(problem, {omega, options.tolerance, options.max_sweeps,
                                       session.schedule, [&](int sweeps, double residual) {
                                         if (sweeps == 0) initial = residual;
                                         progress.update(
                                             solve_fraction(initial, residual, options.tolerance),
                                             "residual " + scientific(residual));
                                       }}));
    restored.push_back(repaired_image(problem, image.bit_depth));
  }
  const auto require_all_convergence = [&reports] {
    for (const auto& report : reports) require_convergence(report);
  };
  if (!options.keep) require_all_convergence();
  write_png_channels(output, restored);
  if (plot) write_residual_plot(*plot, "SOR restores " + options.image, reports);

  auto solves = nlohmann::ordered_json::array();
  for (const auto& report : reports) solves.push_back(to_json(report));
  session.result = {{"image", options.image},
                    {"rows", image.rows},
                    {"columns", image.columns},
                    {"channels", channels.size()},
                    {"lost_pixels", lost},
                    {"omega", omega},
                    {"schedule", to_string(session.schedule)},
                    {"solves", solves},
                    {"output", options.output}};
  session.say("Restored " + std::to_string(lost) + " of " + std::to_string(image.pixels.size()) +
              " pixels: " + reports.front().to_string());
  for (std::size_t k = 1; k < reports.size(); ++k)
    session.say((k == 1 ? "Green: " : "Blue: ") + reports[k].to_string());
  session.say("Wrote " + options.output);
  require_all_convergence();
}

}  // namespace

void add_inpaint(CLI::App& app, Session& session) {
  const auto options = std::make_shared<InpaintOptions>();
  CLI::App* command =
      add_command(app, session, "inpaint",
                  "Fill the lost parts of a photograph: Laplace's equation, solved by SOR",
                  [options, &session] { run(*options, session); });
  add_input(command, session, "image",
            {options->image, "PNG image, gray or of colours", "IMAGE.png"})
      ->required();
  add_input(command, session, "--mask",
            {options->mask, "PNG image of its size, white where pixels are lost", "MASK.png"})
      ->required();
  add_output(command, session, "-o,--output",
             {options->output, "Where to write the restored image", "OUT.png"})
      ->required();
  add_output(command, session, "--plot",
             {options->plot, "Where to draw the residual over the sweeps", "PLOT.png"});
  add_number(command, "--omega", options->omega, relaxation_factors,
             "Relaxation factor between 0 and 2 (default: from the widest hole)")
      ->type_name("W");
  add_number(command, "--tolerance", options->tolerance, positive,
             "Root mean square residual to reach, in gray levels (default: 1e-3)")
      ->type_name("T");
  add_number(command, "--max-sweeps", options->max_sweeps, at_least(1),
             "Give up after so many (default: 20000)")
      ->type_name("N");
  add_keep_option(command, options->keep);
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
