// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_RESIDENT_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_SAT_GPU_RESIDENT_DECOMPOSITION_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <algorithm>

/// @file
/// @brief Tiles that blocks keep in registers, and which block has which.

namespace wavescan::Impl::sat {

/// @brief A tile, as wide as a warp: a warp has up to `MaxRows` of its rows in registers.
/// @tparam Whole rows consist of whole chunks at multiples of their size: less code, which matters
///               to kernels that run through it once
template <class Types, int MaxRows, bool Whole>
struct ResidentTile : Types {
  using typename Types::T, typename Types::V;
  static constexpr bool whole = Whole;
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));  ///< of a lane
  static constexpr int columns = 32 * chunk;
  static constexpr int warps = 16;
  static constexpr int threads = 32 * warps;
  static constexpr int max_rows = MaxRows;  ///< of a warp
  static_assert(MaxRows % 4 == 0);

  // Which warps ask the other blocks for which sums.
  static constexpr int column_warps = 4;
  static constexpr int row_warps = 8;
  static constexpr int corner_warps = warps - column_warps - row_warps;
  /// Pairs of words that a warp asks for of a tile to the left, and how many tiles it asks at once.
  static constexpr int pair = 8 / static_cast<int>(sizeof(V));
  static constexpr int warp_rows = max_rows * warps / row_warps;
  static constexpr int row_pairs = warp_rows / pair;
  static constexpr int row_parts = 32 / row_pairs;
  static constexpr int column_pairs = columns / pair;
  static constexpr int column_parts = 32 * column_warps / column_pairs;
  static_assert(row_pairs * row_parts == 32 && column_pairs % 32 == 0);
  /// Tiles, as a power of two, whose sums are asked for at once; as many are beside each other at
  /// most.
  static constexpr int corner_bits = 6;

  /// Words of the sums over a tile, as they are published.
  static constexpr int value_words = static_cast<int>(sizeof(V)) / 4;
  static constexpr int total_words = 4;  ///< over as many (or half as many) warps' columns
  static_assert(32 * corner_warps == total_words / 2 << corner_bits);
  static constexpr int columns_at = 16;
  static constexpr int rows_at = columns_at + columns * value_words;
  static constexpr int record_words = rows_at + warps * max_rows * value_words;
};

/// @brief The assignment of tiles: a *team* of `across` x `down` blocks takes an image, a tile
/// each.
struct Resident {
  /// Of a warp, in high tiles and in low ones.
  static constexpr int max_rows = 16, low_rows = 4;

  Index rows = 0;
  Index columns = 0;
  int across = 0;
  int across_bits = 0;  ///< 1 << across_bits is at least `across`
  int down = 0;
  int teams = 0;      ///< 0: images do not fit
  int warp_rows = 0;  ///< of a tile, that a warp has

  KOKKOS_FUNCTION int team_blocks() const { return across * down; }
  KOKKOS_FUNCTION int blocks() const { return team_blocks() * teams; }
  bool is_low() const { return warp_rows <= low_rows; }

  /// @brief Decomposes images for as many blocks as are on the chip.
  template <class Types>
  static Resident of(const TableShape& shape, int blocks) {
    const auto& [images, rows, columns] = shape;
    using Tile = ResidentTile<Types, max_rows, true>;
    constexpr Index max_down = 32;  // each block asks all above it for the sums over their columns
    const Index across = ceil_div(columns, Index(Tile::columns));
    if (across > std::min(blocks, 1 << Tile::corner_bits)) return {};
    const Index warp_rows =
        std::max<Index>(low_rows, ceil_div(rows, blocks / across * Tile::warps));
    const Index down = ceil_div(rows, Tile::warps * warp_rows);
    if (warp_rows > max_rows || down > max_down || images > blocks / (across * down)) return {};
    int across_bits = 0;
    while (Index(1) << across_bits < across) ++across_bits;
    return {rows, columns, int(across), across_bits, int(down), int(images), int(warp_rows)};
  }
};

}  // namespace wavescan::Impl::sat

#endif
