// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_MEMORY_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_MEMORY_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Decomposition.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

/// @file
/// @brief Strips of large images: how they tell each other the sums over their tiles, through
/// global memory, and what a block has in shared memory.
///
/// A strip publishes the sums of its tile's rows. Those of one row are summed up from left to right
/// by one block, and each strip fetches what lies to the left of it: two hops, and no chain. Where
/// groups share a strip, the sum of the whole tile goes the same way, as one more row, and the sums
/// of the columns go straight to the other groups.

namespace wavescan::Impl::sat {

/// @brief Places in global memory, which tiles take in turn.
///
/// Records fill whole sectors of 32 bytes, of which L2 would otherwise have to fetch the rest.
template <class Tile>
class StripsRing {
  static constexpr int value_words = gpu::Tagged<typename Tile::V>::words;

 public:
  static constexpr int total_copies = 4;  ///< a sector at least
  static constexpr int sum_rows = Tile::rows + total_copies;
  static constexpr int prefix_rows = Tile::rows + 1;

  StripsRing() = default;
  /// @param slots of a block
  StripsRing(const Strips& cut, int slots, gpu::TaggedWord* words)
      : words_(words),
        strips_(cut.strips),
        groups_(cut.groups),
        pitch_((strips_ + 3) / 4 * 4),
        prefixes_(strips_ * sum_rows * value_words),
        columns_(prefixes_ + prefix_rows * pitch_ * value_words),
        record_words_(columns_ + (groups_ > 1 ? strips_ * Tile::columns * value_words : 0)),
        depth_(static_cast<int>(std::bit_ceil(2u * static_cast<unsigned>(slots) + 1u))) {}

  /// @brief The words of a ring and, if there are panels, of the carries that follow it.
  std::size_t words(const Strips& cut) const {
    const int bands = cut.panels > 1 ? cut.steps * groups_ : 0;
    return ring_words() + static_cast<std::size_t>(bands * prefix_rows * value_words);
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
  /// @brief Sums of rows over the panels before, if there are panels.
  KOKKOS_FUNCTION gpu::TaggedWord* carries() const { return words_ + ring_words(); }
  /// @brief Prefixes of a row with those that fill its last sector.
  __device__ int prefix_pitch() const { return pitch_; }

 private:
  KOKKOS_FUNCTION std::size_t ring_words() const {
    return static_cast<std::size_t>(depth_) * static_cast<std::size_t>(groups_) *
           static_cast<std::size_t>(record_words_);
  }
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

/// @brief What a block keeps of a tile between its reduction and its scan.
template <class Tile>
class StripsSlot {
 public:
  using V = typename Tile::V;

  __device__ StripsSlot(V* values, int width) : values_(values), width_(width) {}

  static KOKKOS_FUNCTION int values(int width) { return (Tile::warps + 1) * width + Tile::rows; }
  /// @brief Sums over the columns of a warp's rows. Then: of all the block's rows above them.
  __device__ V* columns(int warp) const { return values_ + warp * width_; }
  /// @brief Sums over the columns of the other groups' tiles above it.
  __device__ V* others() const { return columns(Tile::warps); }
  /// @brief Sums over all to the left of the strip, down to each row.
  __device__ V* left() const { return columns(Tile::warps + 1); }

 private:
  V* values_;
  int width_;
};

/// @brief What lies where in a block's shared memory: a ring of stages for tiles of the image; one
/// for those of the table, unless these take the place of the image's; one of slots, for what is
/// kept of a tile between the beginning of its reduction and the end of its scan; and barriers.
template <class Tile>
class StripsMemory {
  static constexpr int max_places = 24;  ///< of a ring

 public:
  static constexpr int alignment = 128;

  struct Barriers {
    gpu::Barrier arrived[max_places];  ///< at a stage
    gpu::Barrier scanned[max_places];  ///< and may be stored; also frees the slot
    gpu::Barrier out_free[Tile::in_place ? 1 : max_places];
    gpu::Barrier reduced[max_places];      ///< the slot has the tile's sums, ...
    gpu::Barrier accumulated[max_places];  ///< ... those above in the own tiles, ...
    gpu::Barrier gathered[max_places];     ///< ... those in other groups' tiles, ...
    gpu::Barrier prefixed[max_places];     ///< ... and those to the left
    gpu::LaunchTags tags;
  };

  gpu::RingSize stages;
  gpu::RingSize outs;
  gpu::RingSize slots;
  int stage_bytes;

  /// @param columns of a strip: the fewer, the more tiles there are
  explicit StripsMemory(int columns)
      : stage_bytes(Tile::rows * columns * static_cast<int>(sizeof(typename Tile::Pixel))),
        out_bytes_(Tile::rows * columns * static_cast<int>(sizeof(typename Tile::T))),
        slot_bytes_(StripsSlot<Tile>::values(columns) *
                    static_cast<int>(sizeof(typename Tile::V))) {
    constexpr int limit = 227 * 1024 - alignment - static_cast<int>(sizeof(Barriers));
    const auto places = [=](int of_whole_tiles) {
      return std::min(of_whole_tiles * Tile::columns / columns, max_places);
    };
    const int out_places = places(Tile::outs);
    const int room = limit - out_places * out_bytes_;
    const int slot_places = std::min(places(Tile::slots), room / (stage_bytes + slot_bytes_));
    const int stage_places = std::min((room - slot_places * slot_bytes_) / stage_bytes, max_places);
    stages = gpu::RingSize(stage_places);
    outs = gpu::RingSize(std::max(out_places, 2));
    slots = gpu::RingSize(slot_places);
    first_out_ = stage_places * stage_bytes;
    first_slot_ = first_out_ + out_places * out_bytes_;
    barriers_ = first_slot_ + slot_places * slot_bytes_;
  }
  int bytes() const { return barriers_ + static_cast<int>(sizeof(Barriers)) + alignment; }

  // Places in the block's shared memory.
  __device__ char* stage(char* memory, int at) const { return memory + at * stage_bytes; }
  __device__ char* out(char* memory, int at) const { return memory + first_out_ + at * out_bytes_; }
  __device__ StripsSlot<Tile> slot(char* memory, int at, int columns) const {
    return {reinterpret_cast<typename Tile::V*>(memory + first_slot_ + at * slot_bytes_), columns};
  }
  __device__ Barriers& barriers(char* memory) const {
    return *reinterpret_cast<Barriers*>(memory + barriers_);
  }

 private:
  int out_bytes_;
  int slot_bytes_;
  int first_out_;
  int first_slot_;
  int barriers_;
};

}  // namespace wavescan::Impl::sat

#endif
