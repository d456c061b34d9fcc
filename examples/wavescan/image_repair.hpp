// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_IMAGE_REPAIR_HPP
#define WAVESCAN_TOOL_IMAGE_REPAIR_HPP

#include <WaveScanIO_Png.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_Schedule.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

// Fills the lost parts of an image with the smoothest surface that meets the pixels around them:
// the solution of Laplace's equation, by SOR with the known pixels held fixed.
namespace wavescan_tool {

/// @brief The image as SOR wants it: (rows+2) x (columns+2) with a halo.
struct RepairProblem {
  std::size_t rows, columns;  ///< with the halo
  std::vector<double> x;      ///< lost pixels and the halo have the value of a known pixel nearby
  std::vector<std::uint8_t> fixed;  ///< 1 for known pixels
  std::size_t lost;                 ///< number of lost pixels
  int depth;  ///< steps from the innermost lost pixel to the nearest known one
};

/// @brief Sets up the problem; pixels are lost where the mask is at least half white.
/// @throws std::invalid_argument if the sizes differ or no pixel is known
RepairProblem repair_problem(const wavescan_io::GrayImage& image,
                             const wavescan_io::GrayImage& mask);

/// @brief A good relaxation factor: the optimal one of a long strip as wide as the widest hole.
double repair_omega(const RepairProblem& problem);

struct RepairOptions {
  double omega;
  double tolerance = 1e-3;  ///< of the root mean square residual, in gray levels
  int max_sweeps = 20000;
  wavescan::Schedule schedule = wavescan::Schedule::Auto;
  std::function<void(int sweeps, double residual)> progress;
};

/// @brief Solves the problem in place.
wavescan::SolveReport repair(RepairProblem& problem, const RepairOptions& options);

/// @brief The problem's x as an image of the given bit depth.
wavescan_io::GrayImage repaired_image(const RepairProblem& problem, int bit_depth);

/// @brief Peak signal-to-noise ratio in dB of an image against the true one.
double peak_signal_to_noise(const wavescan_io::GrayImage& image,
                            const wavescan_io::GrayImage& truth);

}  // namespace wavescan_tool

#endif
