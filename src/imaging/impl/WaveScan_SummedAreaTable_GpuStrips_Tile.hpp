// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_TILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_TILE_HPP

#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief The tiles into which the kernel for large images cuts them.

namespace wavescan::Impl {

/// @brief Sizes of a tile and of what a block keeps of it.
/// @tparam Squared the pixels' squares are summed up
/// @tparam Bytes   of a row of the table's tile at most: 256, 512 or 1024. Narrow tiles are high,
///                 and wide ones low.
template <class PixelType, class TableType, bool Squared = false, int Bytes = 512>
struct StripsTile {
  using Pixel = PixelType;
  using T = TableType;
  using V = typename TableSum<T>::type;

  static constexpr bool squared = Squared;
  static constexpr bool wide = Bytes == 1024;
  static constexpr int columns = Bytes / static_cast<int>(sizeof(T));  ///< at most
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< a lane's neighbours in a row
  /// Strips are as wide as a multiple of this, so that rows of tiles begin at sectors of L2, and
  /// those of pixels where the copy engine wants it.
  static constexpr int quantum = static_cast<int>(std::max(32 / sizeof(T), 16 / sizeof(Pixel)));
  static constexpr int line = 128 / static_cast<int>(sizeof(T));  ///< of L2
  static constexpr int lanes = std::min(columns / chunk, 32);     ///< side by side in a row
  static constexpr int chunks = columns / (lanes * chunk);        ///< of a lane in a row
  /// The table's tile takes the place of the image's in shared memory.
  static constexpr bool in_place = sizeof(Pixel) == sizeof(T);
  static constexpr int rows = wide && !in_place ? 32 : 16384 / Bytes;
  static constexpr int warps = 4;  ///< that share the rows of a tile
  static constexpr int warp_rows = rows / warps;
  /// Sets of warps, which put tiles of the table together in turn: it takes longer than tiles
  /// follow each other. Tiles that are twice as large take their time, and all registers for one
  /// set.
  static constexpr int sets = wide && !in_place ? 1 : 2;
  /// A warp's lanes take one or two sections of rows, one below the other.
  static constexpr int sections = warps * 32 / lanes;
  static constexpr int section_rows = rows / sections;
  static_assert(lanes == 32 || chunks == 1);

  /// Tiles of the table between their scan and the end of their store.
  static constexpr int outs = in_place ? 0 : wide ? 3 : 4 * sizeof(Pixel) <= sizeof(T) ? 6 : 5;
  /// Tiles between the beginning of their reduction and the end of their scan.
  static constexpr int slots = wide || outs == 5 ? 8 : 12;
};

}  // namespace wavescan::Impl

#endif
