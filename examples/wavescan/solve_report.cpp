// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "solve_report.hpp"

#include <WaveScanIO_Png.hpp>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plot.hpp"

namespace wavescan_tool {

void write_residual_plot(const wavescan_io::OutputFile& file, const std::string& title,
                         const std::vector<wavescan::SolveReport>& reports) {
  constexpr const char* channels[] = {"red", "green", "blue"};
  constexpr Color colors[] = {{200, 50, 40}, {30, 140, 80}, {31, 90, 166}};
  std::vector<Series> residuals;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    if (reports.size() == 1)
      residuals.push_back({"residual", series_colors[0], {}});
    else
      residuals.push_back({channels[k], colors[k], {}});
    for (const auto& sample : reports[k].history)
      residuals.back().points.push_back({static_cast<double>(sample.sweeps), sample.residual});
  }
  constexpr std::size_t rows = 420, columns = 720;
  Canvas canvas(rows, columns);
  draw_plot(canvas, {0, 0}, {columns, rows},
            {.title = title,
             .x_label = "sweeps",
             .y_label = "root mean square residual",
             .logarithmic_y = true},
            residuals);
  write_png(file, canvas.picture());
}

nlohmann::ordered_json to_json(const wavescan::SolveReport& report) {
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
  for (const auto& sample : report.history) history.push_back({sample.sweeps, sample.residual});
  return {{"outcome", to_string(report.reason)},
          {"sweeps", report.sweeps},
          {"initial_residual", report.initial_residual},
          {"final_residual", report.final_residual},
          {"history", history}};
}

void require_convergence(const wavescan::SolveReport& report) {
  if (!report.converged())
    throw std::runtime_error("the solver has not converged: " + report.to_string());
}

double solve_fraction(double initial, double residual, double tolerance) {
  if (!(residual > tolerance)) return 1;
  if (!(initial > residual) || tolerance <= 0) return 0;
  return std::log(initial / residual) / std::log(initial / tolerance);
}

}  // namespace wavescan_tool
