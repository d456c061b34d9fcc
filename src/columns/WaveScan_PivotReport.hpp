// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PIVOTREPORT_HPP
#define WAVESCAN_PIVOTREPORT_HPP

#include <limits>

namespace wavescan {

/// @brief Sizes of pivots in an elimination without pivoting, over all systems of a plan.
struct PivotReport {
  /// The smallest size of a pivot; zero if one was zero or not a number, infinity without systems.
  double smallest_pivot = std::numeric_limits<double>::infinity();
  /// The largest size of a number of a row beside the pivot, divided by the pivot. Of tridiagonal
  /// matrices that are diagonally dominant by rows those above it are at most 1; numbers much
  /// larger than 1 tell that errors have grown.
  double largest_factor = 0;
};

}  // namespace wavescan

#endif
