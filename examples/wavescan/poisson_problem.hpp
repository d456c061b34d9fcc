// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_POISSON_PROBLEM_HPP
#define WAVESCAN_TOOL_POISSON_PROBLEM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace wavescan_tool {

/// @brief Poisson's equation -Laplace(u) = f with u = 0 on the boundary, on a square mesh of
/// `rows` x `columns` points with the boundary.
struct PoissonProblem {
  std::size_t rows, columns;
  double spacing;
  std::vector<double> rhs;    ///< f; its boundary is not used
  std::vector<double> exact;  ///< the solution, where it is known
};

/// @brief A problem with a known solution, u = x (1-x) exp(x) sin(pi y / height), on m x n unknowns
/// in a rectangle of width 1.
inline PoissonProblem model_problem(std::size_t m, std::size_t n) {
  const double h = 1 / static_cast<double>(n + 1);
  PoissonProblem problem{m + 2, n + 2, h, {}, {}};
  const double wave = std::numbers::pi / (static_cast<double>(m + 1) * h);
  problem.rhs.reserve(problem.rows * problem.columns);
  problem.exact.reserve(problem.rows * problem.columns);
  for (std::size_t i = 0; i < problem.rows; ++i)
    for (std::size_t j = 0; j < problem.columns; ++j) {
      const double x = static_cast<double>(j) * h;
      const double factor = std::exp(x) * std::sin(wave * static_cast<double>(i) * h);
      problem.exact.push_back(x * (1 - x) * factor);
      problem.rhs.push_back((x * (x + 3) + wave * wave * x * (1 - x)) * factor);
    }
  return problem;
}

/// @brief The largest difference between a solution and the known one.
inline double largest_error(const PoissonProblem& problem, const std::vector<double>& u) {
  double error = 0;
  for (std::size_t i = 1; i + 1 < problem.rows; ++i)
    for (std::size_t j = 1; j + 1 < problem.columns; ++j) {
      const std::size_t k = i * problem.columns + j;
      error = std::max(error, std::abs(u[k] - problem.exact[k]));
    }
  return error;
}

}  // namespace wavescan_tool

#endif
