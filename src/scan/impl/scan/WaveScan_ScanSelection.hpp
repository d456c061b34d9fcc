// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SCANSELECTION_HPP
#define WAVESCAN_IMPL_SCAN_SCANSELECTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <numeric>

/// @file
/// @brief Selection of the algorithm that scans lines on a device. Hosts have one,
/// host/WaveScan_HostScan.hpp.

namespace wavescan::Impl {

enum class ScanAlgorithm {
  InterleavedBatch,  ///< any device: each line by a thread
  ReduceThenScan,    ///< any device: chunks of lines are reduced, then scanned
  // NVIDIA's and AMD's GPUs:
  Columns,         ///< each line by a lane
  StackedColumns,  ///< lines next to each other by the warps of some blocks
  SmallTiles,      ///< one line by blocks that hold a tile each in registers
  MediumTiles,     ///< likewise
  LargeTiles,      ///< likewise
  TilesInTurn,     ///< lines by blocks that hold one tile after the other in registers
  // NVIDIA's GPUs since Ampere, in shared memory:
  AlignedTiles,   ///< one line
  RowTiles,       ///< rows of which a tile holds several
  SegmentedTiles  ///< lines that start and end in tiles
};

/// @brief The tiles of a GPU's kernels for a type of scans, in elements; 0 where there is no
/// kernel.
struct ScanTiles {
  Index small = 0, medium = 0, large = 0, in_turn = 0;  ///< of one line each, in registers
  Index rows_of_columns = 0;                            ///< rows of a lane's tile
  Index columns = 0;    ///< lines of a block, where each is scanned by a lane
  Index segmented = 0;  ///< in shared memory, from here on
  Index aligned = 0, rows = 0;
  Index row_unit = 1;  ///< tiles of rows begin at multiples of it
};

/// @brief Sizes of tiles that are filled by rows.
struct RowTilesShape {
  Index rows = 0;      ///< of a tile; 0 if rows are too long, or fill too little of the tiles
  Index elements = 0;  ///< of a tile
  Index tiles = 0;

  /// @param capacity elements that a tile can hold
  /// @param unit     elements that fill whole 16-byte words: tiles begin there
  constexpr RowTilesShape(LineExtents extents, Index capacity, Index unit) {
    const Index step = unit / std::gcd(unit, extents.length);
    rows = capacity / extents.length / step * step;
    elements = rows * extents.length;
    if (extents.lines == 1 || elements < capacity / 2) rows = 0;
    if (rows > 0) tiles = ceil_div(extents.lines, rows);
  }
};

/// @brief Layout of a scan's lines in memory.
struct ScanLayout {
  bool neighbours = false;  ///< lines lie next to each other
  bool aligned = false;     ///< one line, with the same alignment to 16 bytes in all arrays
  bool in_words = false;    ///< 16-byte words can move the lines
  bool from_words = false;  ///< they begin at a 16-byte boundary
  bool carries_in_place = false;
};

/// @brief Properties of a scan on which the choice of an algorithm depends.
struct ScanRequest {
  LineExtents extents;
  ScanTiles tiles;
  ScanLayout layout;
};

/// @brief Properties of a device on which the choice of an algorithm depends.
struct ScanDevice {
  Index multiprocessors = 0;  ///< 0 if it has no kernels of its own
  Index teams = 1;            ///< of four threads, that it runs at once
};

/// @brief The fewest lines next to each other that fill enough of what a warp reads at once.
inline constexpr Index fewest_columns = 8;

constexpr ScanAlgorithm select_portable_algorithm(const ScanRequest& s, const ScanDevice& device) {
  // Lines are interleaved if there are enough of them, and neighbouring threads then read
  // neighbouring memory or the lines are too short for a team.
  return s.extents.length <= 32 || (s.layout.neighbours && s.extents.lines >= device.teams)
             ? ScanAlgorithm::InterleavedBatch
             : ScanAlgorithm::ReduceThenScan;
}

/// @brief The algorithm for a scan that is not empty.
constexpr ScanAlgorithm select_algorithm(const ScanRequest& s, const ScanDevice& device) {
  using A = ScanAlgorithm;
  const Index lines = s.extents.lines, length = s.extents.length;
  const ScanTiles& tiles = s.tiles;
  const ScanLayout& layout = s.layout;
  if (device.multiprocessors == 0) return select_portable_algorithm(s, device);

  if (tiles.columns > 0 && lines >= fewest_columns && length > 1 && layout.neighbours) {
    const Index crowd = device.multiprocessors * 2 * tiles.columns;
    return lines >= crowd || length <= tiles.rows_of_columns ? A::Columns : A::StackedColumns;
  }
  // A short line over as many blocks as there can be: nothing is quicker.
  const auto in_one_wave = [&](Index tile) {
    return tile > 0 && ceil_div(length, tile) <= device.multiprocessors;
  };
  if (lines == 1) {
    if (in_one_wave(tiles.small)) return A::SmallTiles;
    if (in_one_wave(tiles.medium)) return A::MediumTiles;
    if (in_one_wave(tiles.large)) return A::LargeTiles;
    if (tiles.aligned > 0 && layout.aligned) return A::AlignedTiles;
  }
  if (layout.in_words && !(lines > 1 && layout.carries_in_place)) {
    if (tiles.rows > 0 && layout.from_words &&
        RowTilesShape(s.extents, tiles.rows, tiles.row_unit).rows > 0)
      return A::RowTiles;
    if (tiles.segmented > 0) return A::SegmentedTiles;
  }
  // Lines have tiles of their own, which should be full.
  if (tiles.in_turn > 0 && (lines == 1 || length >= tiles.in_turn / 2)) return A::TilesInTurn;
  return select_portable_algorithm(s, device);
}

}  // namespace wavescan::Impl

#endif
