// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_ALGORITHM_HPP
#define WAVESCAN_IMPL_WAVEFRONT_ALGORITHM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

namespace wavescan::Impl {

/// @brief Rows and columns of a tile, and threads of a team.
struct TileShape {
  Index rows = 0;
  Index columns = 0;
  int team_size = 1;
};

/// @brief The options of a way to run a schedule, which allocates its workspace once.
struct AlgorithmOptions {
  Block range;
  TileShape tile{};
  double stall_seconds = 0;  ///< see WavefrontOptions
};

}  // namespace wavescan::Impl

#endif
