// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_PASSBORDERS_HPP
#define WAVESCAN_IMPL_ALIGN_PASSBORDERS_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>

/// @file
/// @brief Common parts of passes over the matrix of two sequences, on whatever device.

namespace wavescan::Impl {

/// @brief An entry that a row hands on to the row below: its value in a column, and the gap of
/// letters of `a` that ends there.
struct BoundaryEntry {
  Index h = 0;
  Index e = 0;
};

/// @brief The best entry of a matrix: the largest one in the first row, and in it in the first
/// column.
struct BestEntry {
  Index score = 0;  ///< 0: there is none
  Index row = -1;
  Index column = -1;
  KOKKOS_FUNCTION bool precedes(const BestEntry& other) const {
    if (score != other.score) return score > other.score;
    return row != other.row ? row < other.row : column < other.column;
  }
  /// @brief Returns the end of a local alignment.
  AlignmentScore end() const {
    return score == 0 ? AlignmentScore{} : AlignmentScore{score, row + 1, column + 1};
  }
};

/// @brief The mode and the borders of a matrix, or of those of its rows that a pass computes.
struct PassBorders {
  bool local = false;       ///< entries are at least 0, and the best one is wanted
  bool free_left = false;   ///< column -1 is 0; otherwise a gap
  bool free_above = false;  ///< row -1 is 0; otherwise a gap
  Index left_open = 0;      ///< what that gap's first letter costs
  Index above_open = 0;
  Index first_row = 0;  ///< rows of the matrix above the pass: positions are counted from there on

  /// @brief Lets alignments begin as the edges say.
  void set_edges(const AlignmentEdges& edges, Index open) {
    local = edges.local;
    free_left = edges.free.begin_a;
    free_above = edges.free.begin_b;
    left_open = above_open = open;
  }

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
