// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_EXCHANGE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_EXCHANGE_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief How blocks tell each other the sums over their tiles.
///
/// Every block publishes the sums over the rows and columns of its tile, and over the whole tile,
/// as soon as the tile has arrived; it needs those of the tiles to the left and above in the same
/// wave, and nothing that would first have to be summed up along a chain of blocks.

namespace wavescan::Impl {

/// @brief As many sums as travel in two words.
template <class V>
struct SumPair {
  static constexpr int count = 8 / static_cast<int>(sizeof(V));
  V value[count] = {};

  __device__ SumPair& operator+=(const SumPair& other) {
#pragma unroll
    for (int i = 0; i < count; ++i) value[i] += other.value[i];
    return *this;
  }
};

/// @brief Words of the sums over a tile that a block publishes.
template <class V, class Tile>
struct SumRecord {
  static constexpr int value_words = gpu::Tagged<V>::words;
  static constexpr int total = 0;
  /// Copies of the total fill a sector, so that L2 need not fetch the rest of it from memory.
  static constexpr int total_copies = 4 / value_words;
  static constexpr int rows = 16;  // a line of its own
  static constexpr int columns = rows + (Tile::rows * value_words + 15) / 16 * 16;
  static constexpr int group_columns = columns + Tile::columns * value_words;
  static constexpr int words = group_columns + Tile::columns * value_words;
};

/// @brief The words in global memory: an epoch for each block, and rings of records.
/// @tparam Waves after as many, a slot is used again
template <int Waves>
struct SumRingOf {
  static constexpr int waves = Waves;

  gpu::TaggedWord* words;
  int blocks;  ///< that there is room for

  /// @brief Words for `blocks` blocks with records of so many words each.
  static std::size_t size(int blocks, int record_words) {
    return header(blocks) + static_cast<std::size_t>(waves) * static_cast<std::size_t>(blocks) *
                                static_cast<std::size_t>(record_words);
  }
  KOKKOS_FUNCTION static std::size_t header(int blocks) {
    return static_cast<std::size_t>((blocks + 15) / 16 * 16);
  }
  /// @brief The place of a block's record; `record_words` is that of all planes.
  __device__ gpu::TaggedWord* record(int tile, int block, int record_words) const {
    return words + header(blocks) +
           static_cast<std::size_t>((tile % waves) * blocks + block) *
               static_cast<std::size_t>(record_words);
  }
  /// @brief The last tag of the block's launch before.
  __device__ std::uint32_t epoch(int block) const {
    return static_cast<std::uint32_t>(words[block]);
  }
  /// @brief The same, which is moved on by the tags of this launch. Epochs of blocks that it does
  /// without are moved on as well, so that all are the same ever.
  __device__ std::uint32_t advance_epoch(int block, int launched, std::uint32_t tags) const {
    const std::uint32_t before = epoch(block);
#pragma unroll 1
    for (int b = block; b < blocks; b += launched) words[b] = before + tags;
    return before;
  }
};

/// A block publishes at most `slots` tiles ahead of its own scan, which waits for the totals of the
/// whole team, so nobody is further behind than twice that.
using SumRing = SumRingOf<16>;

/// @brief Waits for tagged values and calls take(i, i % AtOnce, value) for those wanted among [0,
/// count), in order. All lanes of a warp call it with the same count.
template <class V, int AtOnce, class Wanted, class PlaceOf, class Take>
__device__ void gather(int count, std::uint32_t tag, const Wanted& wanted, const PlaceOf& place_of,
                       const Take& take) {
  for (int first = 0; first < count; first += AtOnce) {
    typename gpu::Tagged<V>::Found found[AtOnce];
    unsigned missing = 0;
#pragma unroll
    for (int m = 0; m < AtOnce; ++m)
      if (first + m < count && wanted(first + m)) missing |= 1u << m;
    const unsigned all = missing;
    while (gpu::any(missing != 0)) {
#pragma unroll
      for (int m = 0; m < AtOnce; ++m) found[m].load_if(missing >> m & 1, place_of(first + m));
#pragma unroll
      for (int m = 0; m < AtOnce; ++m)
        if ((missing >> m & 1) && found[m].has_tag(tag)) missing &= ~(1u << m);
    }
#pragma unroll
    for (int m = 0; m < AtOnce; ++m)
      if (all >> m & 1) take(first + m, m, found[m].value());
  }
}

}  // namespace wavescan::Impl

#endif
