// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_PASSBORDERS_HPP
#define WAVESCAN_IMPL_ALIGN_PASSBORDERS_HPP

#include <WaveScan_Concepts.hpp>

/// @file
/// @brief What passes over the matrix of two sequences have in common, on whatever device.

namespace wavescan::Impl {

/// @brief What a row hands on to the row below: its entry in a column, and the gap of letters of
/// `a` that ends there.
struct BoundaryEntry {
  Index h = 0;
  Index e = 0;
};

/// @brief The mode and the borders of a matrix, or of those of its rows that a pass computes.
struct PassBorders {
  bool local = false;       ///< entries are at least 0, and the best one is wanted
  bool free_left = false;   ///< column -1 is 0; otherwise a gap
  bool free_above = false;  ///< row -1 is 0; otherwise a gap
  Index left_open = 0;      ///< what that gap's first letter costs
  Index above_open = 0;
  Index first_row = 0;  ///< rows of the matrix above the pass: positions are counted from there on

  /// @brief The entry to the left of the pass's row i; -1: of the row above.
  KOKKOS_FUNCTION Index left(Index i, Index extend) const {
    const Index row = first_row + i;
    return local || free_left || row < 0 ? 0 : -left_open - row * extend;
  }
  /// @brief The entry above the matrix in column j.
  KOKKOS_FUNCTION Index above(Index j, Index extend) const {
    return local || free_above || j < 0 ? 0 : -above_open - j * extend;
  }
};

}  // namespace wavescan::Impl

#endif
