// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "image_repair.hpp"

#include <WaveScan_SOR.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "views.hpp"

namespace wavescan_tool {
namespace {

// Gives every unknown point the value of a known one nearby, in two passes over the array: from the
// first point to the last along the neighbours before it, and back. Returns the distance of the
// unknown points from the known ones, counted in steps of a chess king.
class NearestKnown {
 public:
  NearestKnown(RepairProblem& problem, const std::vector<std::uint8_t>& known)
      : problem_(problem), distance_(known.size(), far) {
    for (std::size_t k = 0; k < known.size(); ++k)
      if (known[k]) distance_[k] = 0;
    const auto rows = static_cast<long>(problem.rows), columns = static_cast<long>(problem.columns);
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j) look(i, j, -1);
    for (long i = rows - 1; i >= 0; --i)
      for (long j = columns - 1; j >= 0; --j) look(i, j, +1);
  }

  int distance(std::size_t k) const { return distance_[k]; }

 private:
  static constexpr int far = std::numeric_limits<int>::max() - 1;

  void look(long i, long j, long step) {
    for (const auto& [di, dj] : {std::pair{0L, step}, {step, -1L}, {step, 0L}, {step, 1L}}) {
      const long ni = i + di, nj = j + dj;
      if (ni < 0 || nj < 0 || ni >= static_cast<long>(problem_.rows) ||
          nj >= static_cast<long>(problem_.columns))
        continue;
      const std::size_t here = index(i, j), there = index(ni, nj);
      if (distance_[there] + 1 >= distance_[here]) continue;
      distance_[here] = distance_[there] + 1;
      problem_.x[here] = problem_.x[there];
    }
  }
  std::size_t index(long i, long j) const {
    return static_cast<std::size_t>(i) * problem_.columns + static_cast<std::size_t>(j);
  }

  RepairProblem& problem_;
  std::vector<int> distance_;
};

}  // namespace

RepairProblem repair_problem(const wavescan_io::GrayImage& image,
                             const wavescan_io::GrayImage& mask) {
  if (mask.rows != image.rows || mask.columns != image.columns)
    throw std::invalid_argument("the mask has " + std::to_string(mask.rows) + " x " +
                                std::to_string(mask.columns) + " pixels, the image has " +
                                std::to_string(image.rows) + " x " + std::to_string(image.columns));
  RepairProblem problem{image.rows + 2, image.columns + 2, {}, {}, 0, 0};
  problem.x.assign(problem.rows * problem.columns, 0.0);
  problem.fixed.assign(problem.x.size(), 0);
  for (std::size_t i = 0; i < image.rows; ++i)
    for (std::size_t j = 0; j < image.columns; ++j) {
      const std::size_t from = i * image.columns + j, to = (i + 1) * problem.columns + j + 1;
      problem.x[to] = image.pixels[from];
      problem.fixed[to] = mask.pixels[from] <= mask.white() / 2;
      problem.lost += !problem.fixed[to];
    }
  if (problem.lost == image.pixels.size())
    throw std::invalid_argument("the mask leaves no known pixel");
  const NearestKnown nearest(problem, problem.fixed);
  for (std::size_t i = 1; i + 1 < problem.rows; ++i)
    for (std::size_t j = 1; j + 1 < problem.columns; ++j)
      problem.depth = std::max(problem.depth, nearest.distance(i * problem.columns + j));
  return problem;
}

double repair_omega(const RepairProblem& problem) {
  const std::int64_t width = std::max(1, 2 * problem.depth - 1);
  const auto length = static_cast<std::int64_t>(problem.rows + problem.columns);
  return wavescan::optimal_omega(width, length);
}

wavescan::SolveReport repair(RepairProblem& problem, const RepairOptions& options) {
  const auto x = to_device("image", problem.x, problem.rows, problem.columns);
  const auto fixed = to_device("mask", problem.fixed, problem.rows, problem.columns);
  wavescan::SolveControl control;
  control.tolerance = options.tolerance;
  control.max_sweeps = options.max_sweeps;
  control.check_every = 5;
  control.progress = [&options](int sweeps, double residual) {
    if (options.progress) options.progress(sweeps, residual);
    return true;
  };
  const auto report = wavescan::sor_solve(Exec(), x, wavescan::poisson<double>(options.omega, 1),
                                          wavescan::SORInputs<>().mask(fixed), control,
                                          {.schedule = options.schedule});
  problem.x = to_host(x);
  return report;
}

wavescan_io::GrayImage repaired_image(const RepairProblem& problem, int bit_depth) {
  wavescan_io::GrayImage image{problem.rows - 2, problem.columns - 2, bit_depth, {}};
  image.pixels.reserve(image.rows * image.columns);
  for (std::size_t i = 0; i < image.rows; ++i)
    for (std::size_t j = 0; j < image.columns; ++j) {
      const double value = problem.x[(i + 1) * problem.columns + j + 1];
      image.pixels.push_back(static_cast<std::uint16_t>(
          std::lround(std::clamp(value, 0.0, static_cast<double>(image.white())))));
    }
  return image;
}

double peak_signal_to_noise(const wavescan_io::GrayImage& image,
                            const wavescan_io::GrayImage& truth) {
  double sum = 0;
  for (std::size_t k = 0; k < truth.pixels.size(); ++k) {
    const double error = static_cast<double>(image.pixels[k]) - truth.pixels[k];
    sum += error * error;
  }
  const double mean_square = sum / static_cast<double>(truth.pixels.size());
  return 10 * std::log10(truth.white() * static_cast<double>(truth.white()) / mean_square);
}

}  // namespace wavescan_tool
