// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPASS_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>

#include <cstdint>

/// @file
/// @brief Passes over matrices of two long sequences, as kernels are given them (CUDA).

namespace wavescan::Impl {

/// @brief The scores of pairs of letters, and what gaps cost.
struct DeviceScores {
  const std::int32_t* scores = nullptr;  ///< (letter of a, letter of b), row-major
  int letters = 0;
  int padding = -1;  ///< score of what is no letter: less than 0, and no more than any pair's
  int open = 0;      ///< of a gap's first letter
  int extend = 0;
};

/// @brief Rows of a matrix that are kept: the lowest ones of every so many, which are whole bands.
struct PairKeptRows {
  BoundaryEntry* entries = nullptr;  ///< row by row
  Index distance = 1;                ///< from one to the next
  Index offset = 0;                  ///< rows that are counted before the pass's first one

  /// @brief Rows kept before a row, the end of a band.
  KOKKOS_FUNCTION Index until(Index end) const { return (end + offset) / distance; }
  /// @brief Whether the row before that is kept.
  KOKKOS_FUNCTION bool has(Index end) const {
    return entries != nullptr && (end + offset) % distance == 0;
  }
};

/// @brief A part of a computation in stages, in slots of time: a band computes a chunk in each, and
/// stores its state between stages.
struct PairStage {
  Index begin = 0;
  Index end = 0;

  /// @brief The number of slots from the beginning of the first band to that of another one. A band
  /// takes three to hand on what the next one needs for a chunk, and the message takes its way.
  static KOKKOS_FUNCTION Index slots_until(Index band) { return 7 * band / 2; }

  /// @brief The number of chunks of a band that are computed before a slot.
  static KOKKOS_FUNCTION int chunks(Index slot, Index first_slot, int all) {
    const Index chunks = slot - first_slot;
    return chunks < 0 ? 0 : chunks < all ? static_cast<int>(chunks) : all;
  }
};

/// @brief A matrix, or some of its rows, and what is wanted of it.
struct PairPass : PassBorders {
  CodeSequence a, b;       ///< letters of rows and of columns; neither empty
  Index target = 0;        ///< local: no entry is larger, and one is as large; 0: unknown
  Index first_column = 0;  ///< local: the best entry's position is counted from there on
  Index padding = 0;       ///< local: rows above the first letter's, which match nothing
  PairKeptRows kept;
  const BoundaryEntry* row_above = nullptr;  ///< [columns]: what is above, if not the border
  BoundaryEntry* row = nullptr;              ///< [columns]: becomes the last row, if it is wanted
  Index row_from = 0;                        ///< but for so many columns
  Index* last_column = nullptr;              ///< [rows]: becomes the last column, if it is wanted
  Index first_slot = 0;                      ///< in stages: when the first band begins

  /// @name What the passes' runner fills in
  /// @{
  Index first_task = 0;              ///< number of the first band among all passes' bands
  gpu::TaggedWord* words = nullptr;  ///< of the rows that bands hand on
  std::uint32_t first_stream = 0;    ///< in stages: number of the first band's messages, from 1 on
  gpu::TaggedWord* best = nullptr;   ///< local: the best score so far, of all passes
  BestEntry* band_best = nullptr;    ///< local: [bands], zero before
  /// @}

  KOKKOS_FUNCTION Index rows() const { return padding + a.length; }
};

}  // namespace wavescan::Impl

#endif
