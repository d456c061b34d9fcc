// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SOR.hpp>
#include <algorithm>
#include <cmath>

#include "damage.hpp"
#include "demo.hpp"
#include "image_repair.hpp"
#include "panels.hpp"
#include "plain_loops.hpp"
#include "progress.hpp"
#include "solve_report.hpp"
#include "text.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

// Runs the same number of sweeps with both, compares the results and notes the times.
void compare_with_plain_loop(Demo& demo, const RepairProblem& problem, double omega, int sweeps) {
  const auto start = to_device("image", problem.x, problem.rows, problem.columns);
  const auto fixed = to_device("mask", problem.fixed, problem.rows, problem.columns);
  const DeviceMatrix<double> x("restored image", problem.rows, problem.columns);
  const wavescan::SOR<Exec, double> plan(Exec(), static_cast<std::int64_t>(problem.rows),
                                         static_cast<std::int64_t>(problem.columns),
                                         {.schedule = demo.session.schedule});
  const double wavescan_time = best_time([&] {
    Kokkos::deep_copy(x, start);
    plan.sweeps(x, wavescan::poisson<double>(omega, 1), sweeps,
                wavescan::SORInputs<>().mask(fixed));
  });
  std::vector<double> plain;
  const double plain_time = best_time([&] {
    plain = problem.x;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      plain::sor_sweep(plain, problem.rows, problem.columns, omega, {}, problem.fixed);
  });
  const auto result = to_host(x);
  double difference = 0;
  for (std::size_t k = 0; k < plain.size(); ++k)
    difference = std::max(difference, std::abs(plain[k] - result[k]));
  demo.require_agreement(difference < 1e-6, "restoration");
  demo.timings.push_back({"restoration: " + std::to_string(sweeps) + " sweeps of SOR, " +
                              std::to_string(problem.rows - 2) + " x " +
                              std::to_string(problem.columns - 2),
                          plain_time, wavescan_time});
}

}  // namespace

void demo_restoration(Demo& demo) {
  demo.heading("Restoring a damaged photograph: Laplace's equation by SOR");
  const auto image = wavescan_io::read_png(demo.data / "camera.png");
  const auto mask = damage_mask(image.rows, image.columns);
  auto damaged = image;
  for (std::size_t k = 0; k < mask.pixels.size(); ++k)
    if (mask.pixels[k] != 0) damaged.pixels[k] = static_cast<std::uint16_t>(image.white());

  const RepairProblem problem = repair_problem(damaged, mask);
  const double omega = repair_omega(problem);
  RepairProblem solved = problem;
  RepairOptions options{.omega = omega, .schedule = demo.session.schedule, .progress = {}};
  wavescan::SolveReport report;
  {
    Progress progress("Restoring");
    double initial = 0;
    options.progress = [&](int sweeps, double residual) {
      if (sweeps == 0) initial = residual;
      progress.update(solve_fraction(initial, residual, options.tolerance));
    };
    report = repair(solved, options);
  }
  require_convergence(report);
  const auto restored = repaired_image(solved, image.bit_depth);

  write_png(demo.file("restoration_before.png"), damaged);
  write_png(demo.file("restoration_mask.png"), mask);
  write_png(demo.file("restoration_after.png"), restored);
  write_png(
      demo.file("restoration.png"),
      side_by_side({{"damaged", damaged}, {"restored", restored}, {"original", image}}).picture());
  write_residual_plot(demo.file("restoration_residual.png"), "SOR restores camera.png", {report});

  const double before = peak_signal_to_noise(damaged, image);
  const double after = peak_signal_to_noise(restored, image);
  const double share =
      100 * static_cast<double>(problem.lost) / static_cast<double>(image.pixels.size());
  demo.session.say("  " + std::to_string(problem.lost) + " pixels lost (" + fixed(share, 1) +
                   " %), relaxation factor " + fixed(omega, 3));
  demo.session.say("  " + report.to_string());
  demo.session.say("  PSNR " + fixed(before, 2) + " dB before, " + fixed(after, 2) + " dB after");
  demo.session.result["restoration"] = {{"lost_pixels", problem.lost},
                                        {"omega", omega},
                                        {"psnr_before", before},
                                        {"psnr_after", after},
                                        {"solve", to_json(report)}};
  compare_with_plain_loop(demo, problem, omega, report.sweeps);
}

}  // namespace wavescan_tool
