// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_WALK_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_SAT_GPU_WALK_DECOMPOSITION_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <algorithm>

/// @file
/// @brief The decomposition of many images: blocks and warps for each.

namespace wavescan::Impl::sat {

/// @brief The rows of a warp: each lane has some neighbouring elements of each.
/// @tparam Whole rows consist of whole chunks at multiples of their size
template <class Types, bool Whole>
struct WalkTile : Types {
  using typename Types::Pixel, typename Types::T;
  static constexpr bool whole = Whole;
  static constexpr int chunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int chunk_bytes = chunk * static_cast<int>(sizeof(Pixel));
  /// Of pixels in shared memory, with another word where pixels begin inside of one.
  static constexpr int row_bytes = 32 * chunk_bytes + (Whole ? 0 : 16);
  static constexpr int columns = 32 * chunk;  ///< of a strip
  static constexpr int rows = 8;              ///< of a band that a warp does
  static constexpr int loads = 2;             ///< bands that are on their way
  static constexpr int max_warps = 16;        ///< of a block
  static constexpr int max_blocks = 8;        ///< of a cluster
};

/// @brief The assignment of images to *clusters* of blocks side by side, and of each strip of
/// columns to a *group* of warps, which take turns in a band of rows.
struct Walk {
  static constexpr int barrier_bytes = 8;

  Index blocks = 0;  ///< that share an image; 0: images are not for a walk
  int group = 0;     ///< warps that share a strip
  int strips = 0;    ///< of a block
  int bands = 0;     ///< of an image

  int warps() const { return strips * group; }

  /// @brief The layout of shared memory: the pixels of the bands that are on their
  /// way, each warp's own; the sums over the columns of the warps' rows and the sums over rows of
  /// the block's strips, of this band and the next; and those of the strips to the left, of all
  /// bands, so that nobody waits to send, with the barriers at which they arrive.
  template <class Tile>
  struct Memory {
    int columns;
    int own;
    int others;
    int barriers;
    int bytes;

    KOKKOS_FUNCTION explicit Memory(const Walk& walk) {
      const int warps = walk.strips * walk.group, blocks = static_cast<int>(walk.blocks);
      const int sums = warps * Tile::rows * static_cast<int>(sizeof(typename Tile::V));
      columns = Tile::loads * Tile::rows * warps * Tile::row_bytes;
      own = columns + 2 * warps * Tile::columns * static_cast<int>(sizeof(typename Tile::V));
      others = own + 2 * sums;
      barriers = others + walk.bands * (blocks - 1) * sums;
      bytes = barriers + (blocks > 1 ? walk.bands * barrier_bytes : 0);
    }
  };

  /// @brief Makes a walk with so many blocks for an image and warps for a strip, or none if there
  /// is no room.
  template <class Types>
  static Walk with(const TableShape& shape, Index blocks, Index group) {
    using Tile = WalkTile<Types, false>;
    constexpr Index max_bytes = 220 * 1024;
    const Index strips = ceil_div(ceil_div(shape.columns, Index(Tile::columns)), blocks);
    if (blocks > Tile::max_blocks || strips * group > Tile::max_warps || shape.rows > max_bytes)
      return {};
    const Walk walk{blocks, static_cast<int>(group), static_cast<int>(strips),
                    static_cast<int>(ceil_div(shape.rows, group * Tile::rows))};
    return Memory<Tile>(walk).bytes <= max_bytes ? walk : Walk{};
  }

  /// @brief The decomposition with as many blocks for an image as run at the same time, and as many
  /// warps as are useful; none if these do not suffice to keep the memory busy.
  template <class Types>
  static Walk of(const TableShape& shape, Index processors) {
    using Tile = WalkTile<Types, false>;
    constexpr Index max_useful_blocks = 5, max_useful_group = 8;
    // For each processor, of which three in five have blocks: with fewer, tiles are quicker. So
    // they are for large images of wide entries unless nearly all have.
    constexpr Index min_warps = 7, large = 1 << 19;
    // Clusters of more than two do not reach all processors of a device's partitions.
    const auto run_at_once = [=](Index blocks) {
      return shape.images * blocks <= (blocks <= 2 ? processors : processors * 7 / 8);
    };
    Index blocks = 1;
    while (blocks < max_useful_blocks && run_at_once(blocks + 1)) ++blocks;
    // Little more than an image for each processor: halves spread more evenly.
    const bool many = shape.images >= 2 * processors;
    if (shape.images > processors && !many) blocks = 2;
    const Index all_strips = ceil_div(shape.columns, Index(Tile::columns));
    blocks = std::max(blocks, ceil_div(all_strips, Index(Tile::max_warps)));
    const Index strips = ceil_div(all_strips, blocks);
    blocks = ceil_div(all_strips, strips);
    // Of many images two blocks of half as many warps run on a processor.
    const Index max_warps = many ? Tile::max_warps / 2 : Tile::max_warps;
    const auto too_many = [&](Index group) {
      return strips * group > max_warps || group / 2 * Tile::rows >= shape.rows ||
             with<Types>(shape, blocks, group).blocks == 0;
    };
    Index group = max_useful_group;
    while (group > 1 && too_many(group)) group /= 2;
    const bool all = sizeof(typename Types::T) == 8 && blocks > 1 && shape.pixels() >= large;
    const bool busy = shape.images * blocks * 10 >= processors * (all ? 9 : 6) &&
                      shape.images * blocks * strips * group >= min_warps * processors;
    return busy ? with<Types>(shape, blocks, group) : Walk{};
  }
};

}  // namespace wavescan::Impl::sat

#endif
