// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SOROPTIONS_HPP
#define WAVESCAN_MPI_SOROPTIONS_HPP

#include <WaveScan_SOROptions.hpp>

/// @file
/// @brief Options of SOR on several processes.

namespace wavescan::mpi {

/// @brief Schemes by which processes that have to sweep one after the other nevertheless work at
/// the same time. Results are bit for bit the same.
enum class SORScheme {
  Automatic,
  /// A process does a sweep, or a pass of fused ones, as soon as what it needs of the rows above
  /// has come, while the one above does the next.
  Pipeline,
  /// Every process begins some rows early, from old values, and all check afterwards that each came
  /// to the bits of its neighbour; where it did not, the sweeps are done again, in the pipeline.
  Speculation
};

/// @brief Options of SOR on several processes; what is left out is chosen.
struct SOROptions {
  SweepOrder order = SweepOrder::Forward;
  SORScheme scheme = SORScheme::Automatic;
  int depth = 0;        ///< sweeps between two exchanges of rows; 0: up to 8
  int overlap = -1;     ///< rows by which speculation begins early; -1: estimated
  bool restore = true;  ///< as wavescan::SOROptions::restore
  /// Processes beside each other in a row of blocks: ranks 0 to process_columns - 1 have the first
  /// rows of the grid, from left to right. 1: blocks of rows.
  int process_columns = 1;
};

}  // namespace wavescan::mpi

#endif
