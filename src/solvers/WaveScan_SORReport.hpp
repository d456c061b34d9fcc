// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORREPORT_HPP
#define WAVESCAN_SORREPORT_HPP

#include <functional>
#include <sstream>
#include <string>
#include <vector>

/// @file
/// @brief How an iterative solve is steered, and what it reports.

namespace wavescan {

/// @brief How the residuals of all points become one number.
enum class ResidualNorm {
  RootMeanSquare,  ///< sqrt(mean of r^2): the discrete L2 norm, whatever the number of points
  Maximum          ///< max |r|
};

/// @brief When an iterative solve stops.
struct SolveControl {
  /// Converged when the residual is at most this, in the units of the right-hand side, ...
  double tolerance = 1e-6;
  /// ... or at most this fraction of the initial residual.
  double relative_tolerance = 0;
  int max_sweeps = 10000;
  /// Sweeps between two looks at the residual. A look costs about as much as a sweep.
  int check_every = 10;
  ResidualNorm norm = ResidualNorm::RootMeanSquare;
  /// Diverged when the residual exceeds this many times the initial one.
  double divergence_factor = 1e6;
  /// Called at every check (also before the first sweep) after which the solve would go on; the
  /// solve is cancelled if it returns false.
  std::function<bool(int sweeps, double residual)> progress{};
};

/// @brief Why a solve stopped.
enum class StopReason {
  Converged,
  MaxSweeps,
  Diverged,   ///< the residual grew beyond divergence_factor, or to infinity
  NonFinite,  ///< NaN or infinity in the data, before the first sweep
  Cancelled   ///< by the progress function
};

/// @brief The reason's name: "converged", "sweep limit reached", "diverged", "data not finite",
/// "cancelled".
inline const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::Converged:
      return "converged";
    case StopReason::MaxSweeps:
      return "sweep limit reached";
    case StopReason::Diverged:
      return "diverged";
    case StopReason::NonFinite:
      return "data not finite";
    case StopReason::Cancelled:
      return "cancelled";
  }
  return "unknown";
}

/// @brief One look at the residual.
struct ResidualSample {
  int sweeps = 0;
  double residual = 0;
};

/// @brief The outcome of a solve.
struct SolveReport {
  StopReason reason = StopReason::MaxSweeps;
  int sweeps = 0;  ///< that x has had; where a divergence was undone, those that remain
  double initial_residual = 0;
  double final_residual = 0;            ///< of x as it is left
  std::vector<ResidualSample> history;  ///< every check, the last one diverged where that happened

  bool converged() const { return reason == StopReason::Converged; }

  /// @brief One line: "converged after 120 sweeps, residual 0.5 -> 9.1e-07".
  std::string to_string() const {
    std::ostringstream text;
    text.precision(3);
    text << wavescan::to_string(reason) << " after " << sweeps << " sweeps, residual "
         << initial_residual << " -> " << final_residual;
    return text.str();
  }
};

}  // namespace wavescan

#endif
