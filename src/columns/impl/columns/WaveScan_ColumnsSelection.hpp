// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_COLUMNSSELECTION_HPP
#define WAVESCAN_IMPL_COLUMNS_COLUMNSSELECTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Lines.hpp>

/// @file
/// @brief Selection of the algorithm that solves systems.

namespace wavescan::Impl::columns {

enum class ColumnsAlgorithm {
  Chunks,      ///< NVIDIA's and AMD's GPUs: threads own chunks of rows, in one pass
  Tiles,       ///< these GPUs: two scans of maps, in tiles
  Scans,       ///< devices: scans of the library
  LaneChunks,  ///< hosts: chunks of rows in the lanes of vectors
  Lanes,       ///< hosts: systems in the lanes of vectors
  Thomas       ///< any device: each system by a thread
};

/// @brief Properties of systems on which the choice of an algorithm depends.
struct ColumnsRequest {
  LineExtents extents;
  int reach = 1;  ///< unknowns to either side in a row; 0 for blocks
  bool cyclic = false;
  bool factorized = false;
  Index longest_in_one_pass = 0;  ///< rows of the longest system that GPUs solve by chunks
  bool movable = false;           ///< a GPU's kernel can move the lines in tiles
  bool has_lanes = false;         ///< there are vectors, and memory for them
};

#if defined(WAVESCAN_HAS_VECTORS)
inline constexpr bool has_vectors = true;
#else
inline constexpr bool has_vectors = false;
#endif

/// @brief Properties of a device on which the choice of an algorithm depends.
struct ColumnsDevice {
  bool is_host = true;
  Index threads = 1;
};

/// @brief The algorithm for systems of which there are some.
constexpr ColumnsAlgorithm select_algorithm(const ColumnsRequest& s, const ColumnsDevice& device) {
  using A = ColumnsAlgorithm;
  const auto [lines, length] = s.extents;
  if (length <= s.longest_in_one_pass) return A::Chunks;
  constexpr Index short_system = 256, short_on_hosts = 2048;
  // Of fewer systems than threads and lanes, most of these would have nothing to do.
  if (device.is_host && s.has_lanes && s.reach > 0 && !s.cyclic && !s.factorized &&
      length > short_on_hosts && (lines <= 2 || lines < device.threads))
    return A::LaneChunks;
  if (!device.is_host && s.reach == 1 && !s.cyclic) {
    if (!s.factorized && s.movable) return A::Tiles;
    // Scans take about eight times the work of a loop; with factors, less.
    if ((s.factorized || 8 * lines < device.threads) && length > short_system) return A::Scans;
  }
  // A vector takes as long as two systems, however many lanes have one; and where the ends meet,
  // there must be rows between them.
  const bool has_lanes = device.is_host && s.has_lanes && !(s.reach == 0 && s.cyclic);
  const int reach = s.reach == 0 ? 1 : s.reach;
  return has_lanes && lines > 2 && length > 2 * reach ? A::Lanes : A::Thomas;
}

}  // namespace wavescan::Impl::columns

#endif
