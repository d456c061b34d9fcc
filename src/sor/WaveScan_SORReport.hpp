// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORREPORT_HPP
#define WAVESCAN_SORREPORT_HPP

#include <functional>
#include <sstream>
#include <string>
#include <vector>

/// @file
/// @brief The controls of an iterative solve, and its report.

namespace wavescan {

/// @brief The norm that makes one number of the residuals of all points.
enum class ResidualNorm {
  RootMeanSquare,  ///< sqrt(mean of r^2): the discrete L2 norm, whatever the number of points
  Maximum          ///< max |r|
};

/// @brief The quantity that a convergence check measures.
///
/// After a forward pass of SORCoefficients c that has moved the unknowns by d the residual is
///
///     r = (center*d + right*d_right + down*d_down) / rhs
///
/// (after a backward one with left and up). So both norms of it are at most (|center| + |right| +
/// |down|) / |rhs| times that of the update: for poisson(omega, h) 4 (|1-omega| + omega/2) /
/// (omega h^2) times.
enum class Criterion {
  Residual,  ///< b - A x, in the units of b: see sor_residual
  Update     ///< x - x_old of the last pass, in the units of x
};

/// @brief The criterion's name: "residual", "update".
inline const char* to_string(Criterion criterion) {
  return criterion == Criterion::Update ? "update" : "residual";
}

/// @brief The criteria by which an iterative solve stops.
struct SolveControl {
  /// Converged when the residual is at most this, in the units of the right-hand side, ...
  double tolerance = 1e-6;
  /// ... or at most this fraction of the initial residual.
  double relative_tolerance = 0;
  int max_sweeps = 10000;
  /// Sweeps between two convergence checks. A check costs about as much as a sweep, or less where
  /// it comes out of the last sweep.
  int check_every = 10;
  ResidualNorm norm = ResidualNorm::RootMeanSquare;
  /// Diverged when the residual exceeds this many times the initial one.
  double divergence_factor = 1e6;
  /// With Update all that is said here of residuals holds for updates, and the initial one is that
  /// of the first sweep.
  Criterion criterion = Criterion::Residual;
  /// Called at every check (also before the first sweep) after which the solve would go on; the
  /// solve is cancelled if it returns false.
  std::function<bool(int sweeps, double residual)> progress{};
};

/// @brief The reason why a solve stopped.
enum class StopReason {
  Converged,
  MaxSweeps,
  Diverged,   ///< the residual grew beyond divergence_factor, or to infinity
  NonFinite,  ///< NaN or infinity in the data: seen before the first sweep, or in its update
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

/// @brief The result of a convergence check: the residual, or the update where that is the
/// criterion.
struct ResidualSample {
  int sweeps = 0;
  double residual = 0;
};

/// @brief The outcome of a solve. Its residuals are updates where those are the criterion.
struct SolveReport {
  StopReason reason = StopReason::MaxSweeps;
  Criterion criterion = Criterion::Residual;
  int sweeps = 0;  ///< that x has had; where a divergence was undone, those that remain
  double initial_residual = 0;  ///< NaN without a check: no sweep, and the criterion is Update
  double final_residual = 0;    ///< of x as it is left
  std::vector<ResidualSample> history;  ///< every check, the last one diverged where that happened

  bool converged() const { return reason == StopReason::Converged; }

  /// @brief One line: "converged after 120 sweeps, residual 0.5 -> 9.1e-07".
  std::string to_string() const {
    std::ostringstream text;
    text.precision(3);
    text << wavescan::to_string(reason) << " after " << sweeps << " sweeps, "
         << wavescan::to_string(criterion) << " " << initial_residual << " -> " << final_residual;
    return text.str();
  }
};

}  // namespace wavescan

#endif
