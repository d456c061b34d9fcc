// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_FILTERSELECTION_HPP
#define WAVESCAN_IMPL_FILTER_FILTERSELECTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <limits>

/// @file
/// @brief Selection of the algorithm that filters lines on a device. Hosts have one for all filters
/// of numbers, host/WaveScan_HostFilter.hpp.

namespace wavescan::Impl::filter {

enum class FilterAlgorithm {
  Chunks,       ///< any device: a thread takes a chunk of a line
  FiniteTiles,  ///< any but hosts, without feedback: a team takes a tile
  Tiles,        ///< NVIDIA's and AMD's GPUs: one launch, whose blocks join the states of tiles
  TensorTiles   ///< Hopper: likewise, by tensor cores for double precision
};

/// @brief Limits of the filters that a kernel supports.
struct FilterLimits {
  bool exists = false;    ///< for such a filter
  double max_growth = 0;  ///< of states, before they decay
  Index tile = 1;
  Index shortest_line = 1, shortest_of_lines = 1;  ///< tiles belong to one line each
  Index most_tiles = std::numeric_limits<Index>::max();

  constexpr bool include(LineExtents extents, double growth) const {
    const auto [lines, length] = extents;
    return exists && growth <= max_growth && lines > 0 &&
           length >= (lines == 1 ? shortest_line : shortest_of_lines) &&
           (length + tile - 1) / tile <= most_tiles / lines;
  }
};

/// @brief Properties of a filter on which the choice of an algorithm depends.
struct FilterRequest {
  LineExtents extents;
  double growth = 0;
  FilterLimits finite{}, tiles{}, tensor{};
  bool movable = true;  ///< kernels can move the lines; not known before there are some
};

/// @brief Properties of a device on which the choice of an algorithm depends.
struct FilterDevice {
  bool has_double_tensor_cores = false;
};

constexpr FilterAlgorithm select_algorithm(const FilterRequest& f, const FilterDevice& device) {
  using A = FilterAlgorithm;
  if (f.movable) {
    if (device.has_double_tensor_cores && f.tensor.include(f.extents, f.growth))
      return A::TensorTiles;
    if (f.tiles.include(f.extents, f.growth)) return A::Tiles;
    if (f.finite.include(f.extents, f.growth)) return A::FiniteTiles;
  }
  return A::Chunks;
}

}  // namespace wavescan::Impl::filter

#endif
