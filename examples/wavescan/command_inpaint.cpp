// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScanIO_Error.hpp>
#include <memory>
#include <optional>

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
};

void run(const InpaintOptions& options, Session& session) {
  const auto image = wavescan_io::read_png(options.image);
  const auto mask = wavescan_io::read_png(options.mask);
  if (mask.rows != image.rows || mask.columns != image.columns)
    throw wavescan_io::FileError(
        options.mask, "has " + std::to_string(mask.rows) + " x " + std::to_string(mask.columns) +
                          " pixels, expected " + std::to_string(image.rows) + " x " +
                          std::to_string(image.columns) + " as in " + options.image);
  RepairProblem problem = repair_problem(image, mask);
  const double omega = options.omega.value_or(repair_omega(problem));
  const wavescan_io::OutputFile output(options.output);
  std::optional<wavescan_io::OutputFile> plot;
  if (!options.plot.empty()) plot.emplace(options.plot);

  wavescan::SolveReport report;
  {
    Progress progress("Restoring");
    double initial = 0;
    report =
        repair(problem, {omega, options.tolerance, options.max_sweeps, session.schedule,
                         [&](int sweeps, double residual) {
                           if (sweeps == 0) initial = residual;
                           progress.update(solve_fraction(initial, residual, options.tolerance),
                                           "residual " + scientific(residual));
                         }});
  }
  require_convergence(report);
  write_png(output, repaired_image(problem, image.bit_depth));
  if (plot) write_residual_plot(*plot, "SOR restores " + options.image, report);

  session.result = {{"image", options.image},   {"rows", image.rows},
                    {"columns", image.columns}, {"lost_pixels", problem.lost},
                    {"omega", omega},           {"schedule", to_string(session.schedule)},
                    {"solve", to_json(report)}, {"output", options.output}};
  session.say("Restored " + std::to_string(problem.lost) + " of " +
              std::to_string(image.pixels.size()) + " pixels: " + report.to_string());
  session.say("Wrote " + options.output);
}

}  // namespace

void add_inpaint(CLI::App& app, Session& session) {
  const auto options = std::make_shared<InpaintOptions>();
  CLI::App* command =
      add_command(app, session, "inpaint",
                  "Fill the lost parts of a photograph: Laplace's equation, solved by SOR",
                  [options, &session] { run(*options, session); });
  command->add_option("image", options->image, "PNG image")->required()->type_name("IMAGE.png");
  command->add_option("--mask", options->mask, "PNG image of its size, white where pixels are lost")
      ->required()
      ->type_name("MASK.png");
  command->add_option("-o,--output", options->output, "Where to write the restored image")
      ->required()
      ->type_name("OUT.png");
  command->add_option("--plot", options->plot, "Where to draw the residual over the sweeps")
      ->type_name("PLOT.png");
  command
      ->add_option("--omega", options->omega,
                   "Relaxation factor between 0 and 2 (default: from the widest hole)")
      ->check(positive_number())
      ->type_name("W");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Root mean square residual to reach, in gray levels (default: 1e-3)")
      ->check(positive_number())
      ->type_name("T");
  command->add_option("--max-sweeps", options->max_sweeps, "Give up after so many (default: 20000)")
      ->check(at_least(1))
      ->type_name("N");
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
