// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BATCHEDCHECKS_HPP
#define WAVESCAN_IMPL_SOR_BATCHEDCHECKS_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/sor/WaveScan_Norms.hpp>

/// @file
/// @brief Convergence checks of a solve for which sweeps are done at once, and what they measure.

namespace wavescan::Impl::sor {

/// @brief The convergence checks of a batch.
struct BatchedChecks {
  int number = 0;  ///< of the first one, counted since the solve began
  int checks = 1;
  int first = 1;  ///< sweeps before the first one
  int every = 1;  ///< and before each of the others
  Criterion criterion = Criterion::Residual;

  int sweeps() const { return first + (checks - 1) * every; }
};

/// @brief The sums of the checks, in their order.
using CheckSums = InplaceVector<ResidualSum, 8>;

}  // namespace wavescan::Impl::sor

#endif
