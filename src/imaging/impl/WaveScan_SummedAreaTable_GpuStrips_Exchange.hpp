// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_EXCHANGE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_EXCHANGE_HPP

#include <impl/WaveScan_Gpu_KeptWords.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Plan.hpp>

#include <bit>
#include <cstddef>

/// @file
/// @brief How the strips tell each other the sums over their tiles.
///
/// A strip publishes the sums of its tile's rows. Those of one row are summed up from left to right
/// by one block, and each strip fetches what lies to the left of it: two hops, and no chain. Where
/// groups share a strip, the sum of the whole tile goes the same way, as one more row, and the sums
/// of the columns go straight to the other groups.

namespace wavescan::Impl {

/// @brief A lane's neighbouring columns, which travel together.
template <class Tile>
struct StripsChunk {
  typename Tile::V value[Tile::chunk] = {};
};

/// @brief Places in global memory, which tiles take in turn.
///
/// Records fill whole sectors of 32 bytes, of which L2 would otherwise have to fetch the rest.
template <class Tile>
class StripsRing {
  using V = typename Tile::V;
  static constexpr int value_words = gpu::Tagged<V>::words;

 public:
  static constexpr int total_copies = 4;  ///< a sector at least
  static constexpr int sum_rows = Tile::rows + total_copies;
  static constexpr int prefix_rows = Tile::rows + 1;
  static constexpr int carry_words = prefix_rows * value_words;  ///< of a band of tiles

  StripsRing() = default;
  /// @param slots of a block
  StripsRing(const StripsPlan& plan, int slots, gpu::TaggedWord* words)
      : words_(words),
        strips_(plan.strips),
        groups_(plan.groups),
        pitch_((strips_ + 3) / 4 * 4),
        prefixes_(strips_ * sum_rows * value_words),
        columns_(prefixes_ + prefix_rows * pitch_ * value_words),
        record_words_(columns_ + (groups_ > 1 ? strips_ * Tile::columns * value_words : 0)),
        depth_(static_cast<int>(std::bit_ceil(2u * static_cast<unsigned>(slots) + 1u))) {}

  /// @brief Words that a ring needs.
  std::size_t size() const {
    return static_cast<std::size_t>(depth_) * static_cast<std::size_t>(groups_) *
           static_cast<std::size_t>(record_words_);
  }

  /// @brief The sums over a strip's tile: of each row, and copies of the total.
  __device__ gpu::TaggedWord* row_sums(int tile, int group, int strip) const {
    return record(tile, group) + strip * sum_rows * value_words;
  }
  /// @brief The sum over row `row` of the tiles to the left of each strip.
  __device__ gpu::TaggedWord* prefixes(int tile, int group, int row) const {
    return record(tile, group) + prefixes_ + row * pitch_ * value_words;
  }
  /// @brief The sums over the columns of a strip's tile.
  __device__ gpu::TaggedWord* column_sums(int tile, int group, int strip) const {
    return record(tile, group) + columns_ + strip * Tile::columns * value_words;
  }
  /// @brief Prefixes of a row with those that fill its last sector.
  __device__ int prefix_pitch() const { return pitch_; }

 private:
  __device__ gpu::TaggedWord* record(int tile, int group) const {
    return words_ + static_cast<std::size_t>((tile & (depth_ - 1)) * groups_ + group) *
                        static_cast<std::size_t>(record_words_);
  }

  gpu::TaggedWord* words_ = nullptr;
  int strips_ = 0;
  int groups_ = 0;
  int pitch_ = 0;
  int prefixes_ = 0;  ///< words from a record's begin
  int columns_ = 0;
  int record_words_ = 0;
  /// A tile's places are taken again after as many tiles, a power of two. Nobody reduces a tile
  /// before its own scan of the one `slots` before it, which needs all the strips' sums of that
  /// one; so nobody is further behind than twice that.
  int depth_ = 0;
};

}  // namespace wavescan::Impl

#endif
