// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_SOLVE_REPORT_HPP
#define WAVESCAN_TOOL_SOLVE_REPORT_HPP

#include <WaveScanIO_File.hpp>
#include <WaveScan_SORReport.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wavescan_tool {

/// @brief Draws the residuals of a solve, or of three for red, green and blue, over their sweeps
/// into a PNG file.
void write_residual_plot(const wavescan_io::OutputFile& file, const std::string& title,
                         const std::vector<wavescan::SolveReport>& reports);

/// @brief A solve's report for --json.
nlohmann::ordered_json to_json(const wavescan::SolveReport& report);

/// @throws std::runtime_error unless the solve converged
void require_convergence(const wavescan::SolveReport& report);

/// @brief How far a solve is, 0 to 1, if its residual falls evenly on a logarithmic scale.
double solve_fraction(double initial, double residual, double tolerance);

}  // namespace wavescan_tool

#endif
