// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOROPTIONS_HPP
#define WAVESCAN_SOROPTIONS_HPP

#include <WaveScan_Schedule.hpp>

#include <cstdint>

/// @file
/// @brief The options of SOR.

namespace wavescan {

/// @brief The order in which a sweep visits the points.
enum class SweepOrder {
  Forward,   ///< row by row from the first point to the last
  Backward,  ///< from the last point to the first
  Symmetric  ///< a forward pass and then a backward one; both together count as one sweep
};

/// @brief The order's name: "forward", "backward", "symmetric".
inline const char* to_string(SweepOrder order) {
  switch (order) {
    case SweepOrder::Forward:
      return "forward";
    case SweepOrder::Backward:
      return "backward";
    case SweepOrder::Symmetric:
      return "symmetric";
  }
  return "unknown";
}

/// @brief Options of SOR; what is left out is chosen.
struct SOROptions {
  SweepOrder order = SweepOrder::Forward;
  /// Auto, Serial or TileSkewed, which give the same bits. Where sweeps have no kernels of their
  /// own, Auto is Serial or TileSkewed: on devices as the model of Tuning says, on hosts Serial
  /// where there is one thread.
  Schedule schedule = Schedule::Auto;
  std::int64_t tile_rows = 0;     ///< rows of a tile; 0: chosen
  std::int64_t tile_columns = 0;  ///< columns of a tile; 0: chosen
  /// A solve that diverges puts x back to the last good check, from a second array that the plan
  /// keeps. Without it x is left diverged, and the memory is saved.
  bool restore = true;
  /// Seconds without progress after which blocks that wait for each other on a GPU give up; 0:
  /// never, for instance while a debugger stops them.
  double stall_seconds = 10;
  /// Whether the last row of unknowns comes before the first one, and likewise the last column; of
  /// arrays of rank 2. Then the halo there is written: before each pass it gets the values of the
  /// unknowns that it stands for, so that a sweep sees what these were before it, and so it does
  /// before a solve computes a residual, calls `progress` or ends. Sweeps are done one by one.
  bool periodic_rows = false;
  bool periodic_columns = false;

  friend bool operator==(const SOROptions&, const SOROptions&) = default;
};

}  // namespace wavescan

#endif
