// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_GPU_PADROWTILES_HPP
#define WAVESCAN_IMPL_PAD_GPU_PADROWTILES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Rows that move to another pitch, as tiles of units that follow each other in the rows,
/// and where these lie in a stage of shared memory.

namespace wavescan::Impl::pad {

/// @brief Rows of units; lengths and pitches count units.
///
/// In its stage the rows of a tile are `stage_pitch` apart, and lie as in memory between 16-byte
/// boundaries, the first one between those of cache lines.
struct RowTiles {
  static constexpr Index line = 128;  ///< bytes

  Index rows = 0, columns = 0;
  Index in_pitch = 0, out_pitch = 0;
  Index tile = 0;             ///< units of a tile; 0 if tiles would hold too little
  Index stage_pitch = 0;      ///< in_pitch, if what lies between the rows is loaded, too
  std::uint32_t inverse = 0;  ///< of the columns, times 2^32 and rounded up

  RowTiles() = default;
  /// @param unit_bytes  1, 2, 4, 8 or 16
  /// @param stage_bytes of a stage
  RowTiles(Index number, Index length, Index in, Index out, Index unit_bytes, Index stage_bytes)
      : rows(number),
        columns(length),
        in_pitch(number > 1 ? in : length),
        out_pitch(number > 1 ? out : length) {
    if (columns > 1) inverse = static_cast<std::uint32_t>(ceil_div(Index(1) << 32, columns));
    // Bulk copies begin and end at boundaries, so that rows which are copied one by one must be two
    // words apart.
    const Index word = 16 / unit_bytes;
    const Index apart = columns + 2 * word;
    const Index by_rows = apart + ((in_pitch - apart) % word + word) % word;
    const auto fill = [&](Index pitch) {
      const Index gap = pitch - columns;
      return ((stage_bytes - line) / unit_bytes - 2 * word - gap) * columns / pitch;
    };
    const Index together = fill(in_pitch), one_by_one = fill(by_rows);
    const bool together_preferred = together >= one_by_one - one_by_one / 8;
    stage_pitch = together_preferred || columns * unit_bytes < least_copy ? in_pitch : by_rows;
    tile = std::min(fill(stage_pitch), units());
    if (tile < std::min(one_by_one / 3, units())) tile = 0;
  }

  KOKKOS_FUNCTION Index units() const { return rows * columns; }
  Index tiles() const { return ceil_div(units(), tile); }
  KOKKOS_FUNCTION bool is_loaded_by_rows() const { return stage_pitch != in_pitch; }

  /// @brief Returns the number of rows from the one in which a tile begins to that of its unit j.
  /// @param first_row_units of that row that belong to the tile
  __device__ int rows_on(int first_row_units, int j) const {
    if (columns >= tile) return j >= first_row_units;
    return static_cast<int>(gpu::multiply_high(
        static_cast<std::uint32_t>(static_cast<int>(columns) - first_row_units + j), inverse));
  }

 private:
  static constexpr Index least_copy = 128;  ///< bytes for which a bulk copy is worth its trouble
};

}  // namespace wavescan::Impl::pad

#endif
