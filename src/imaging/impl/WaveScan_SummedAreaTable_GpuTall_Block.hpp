// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_BLOCK_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_BLOCK_HPP

#include <impl/WaveScan_Gpu_KeptWords.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Tile.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Rows.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief What the warps of a block share that computes tiles of a tall table.

namespace wavescan::Impl {

/// @brief Places in global memory, which waves take in turn.
///
/// A block reduces a tile after its scan of the one `slots` before it, for which all scanners had
/// to read that wave's sums, and the block itself its prefixes: so there are no more than `slots`
/// places.
template <class Tile>
class TallRing {
 public:
  /// A sector of 32 bytes, of which L2 would otherwise have to fetch the rest.
  static constexpr int chunk_words = 4;
  static_assert(Tile::chunk * gpu::Tagged<typename Tile::V>::words == chunk_words);

  TallRing() = default;
  TallRing(const TallPlan& plan, gpu::TaggedWord* words)
      : words_(words),
        blocks_(plan.blocks),
        slots_(plan.slots),
        block_words_(plan.chunks * chunk_words) {}

  /// @brief Words that a ring needs.
  std::size_t size() const { return 2 * half(); }
  /// @brief Words from one block's sums to the next one's.
  __device__ int block_words() const { return block_words_; }
  /// @brief The sums over the columns of a block's tile.
  __device__ gpu::TaggedWord* sums(int wave, int block) const {
    return words_ + static_cast<std::size_t>(slots_.place(wave) * blocks_ + block) *
                        static_cast<std::size_t>(block_words_);
  }
  /// @brief The sums over the columns of all tiles above it.
  __device__ gpu::TaggedWord* prefixes(int wave, int block) const {
    return sums(wave, block) + half();
  }

 private:
  KOKKOS_FUNCTION std::size_t half() const {
    return static_cast<std::size_t>(slots_.places() * blocks_) *
           static_cast<std::size_t>(block_words_);
  }

  gpu::TaggedWord* words_ = nullptr;
  int blocks_ = 0;
  gpu::RingSize slots_;
  int block_words_ = 0;
};

/// @brief What the kernel is told.
template <class Tile>
struct TallTask {
  const typename Tile::Pixel* image;
  typename Tile::T* table;
  TallPlan plan;
  SumRing epochs;
  TallRing<Tile> ring;
};

/// @brief A block and its shared memory.
template <class Tile>
struct TallBlock {
  using Shared = TallShared<Tile>;
  using V = typename Tile::V;

  const TallTask<Tile>& task;
  const TallPlan& plan;
  typename Shared::Layout layout;
  char* memory;
  typename Shared::Fixed& fixed;
  int number;
  int tiles;  ///< of the block, one of each wave
  gpu::KeptAccess access;

  __device__ TallBlock(const TallTask<Tile>& given, char* shared)
      : task(given),
        plan(given.plan),
        layout(given.plan),
        memory(shared),
        fixed(*reinterpret_cast<typename Shared::Fixed*>(shared + layout.fixed)),
        number(static_cast<int>(blockIdx.x)),
        tiles(plan.waves - (number < plan.tiles_of(plan.waves - 1) ? 0 : 1)) {}

  __device__ int tile(int t) const { return t * plan.blocks + number; }
  __device__ std::uint32_t tag(int t) const {
    return fixed.first_tag + static_cast<std::uint32_t>(t);
  }
  __device__ int slot(int t) const { return plan.slots.place(t); }
  __device__ char* stage(int t) const { return memory + plan.stages.place(t) * layout.pixel_bytes; }
  /// @brief Where a tile of the table is put together.
  __device__ char* out_stage(int t) const {
    if constexpr (Tile::in_place)
      return stage(t);
    else
      return memory + layout.out + t % Tile::out_stages * layout.table_bytes;
  }
  /// @brief The sums over columns of which a warp's lanes have a chunk each.
  __device__ V* sums(int t, int warp) const {
    return reinterpret_cast<V*>(memory + layout.sums + slot(t) * Shared::sums_bytes +
                                warp * Shared::strip_bytes);
  }

  __device__ void wait_reduced(int t) const { gpu::wait_in_turn(fixed.reduced, t, plan.slots); }
  __device__ void wait_arrived(int t) const { gpu::wait_in_turn(fixed.arrived, t, plan.stages); }
  __device__ void wait_scanned(int t) const { gpu::wait_in_turn(fixed.scanned, t, plan.stages); }
  __device__ void wait_out_free(int t) const {
    fixed.out_free[t % Tile::out_stages].wait((t / Tile::out_stages) & 1);
  }
};

/// @brief Adds values in shared memory.
template <class V, int N>
__device__ void add_values(V (&sums)[N], const V* from) {
  V x[N];
  load_values(x, from);
#pragma unroll
  for (int e = 0; e < N; ++e) sums[e] += x[e];
}

/// @brief The part of a tile that is a warp's, and in it the lane's.
template <class Tile>
struct TallPart {
  int strip;
  int level;    ///< of the warp among those of its strip
  int column;   ///< the first of the chunk
  int row;      ///< the first of the section
  bool inside;  ///< of the image

  __device__ TallPart(const TallPlan& plan, int warp)
      : strip(warp >> plan.level_bits),
        level(warp & ((1 << plan.level_bits) - 1)),
        column(strip * Tile::strip_columns + (gpu::lane() & (plan.lanes - 1)) * Tile::chunk),
        row((level * (32 / plan.lanes) + gpu::lane() / plan.lanes) * plan.section_rows),
        inside(column < plan.columns) {}
  /// @brief The number of a warp of the same strip.
  __device__ int warp_of(const TallPlan& plan, int other_level) const {
    return (strip << plan.level_bits) + other_level;
  }
  /// @brief The lane that has the sums over a warp, of the lane's columns.
  __device__ static int last_lane(const TallPlan& plan) {
    return 32 - plan.lanes + (gpu::lane() & (plan.lanes - 1));
  }
  /// @brief How many of a tile's first rows are in the section.
  __device__ int rows_of(int tile_rows, int section_rows) const {
    const int rows = tile_rows - row;
    return inside ? min(rows, section_rows) : 0;
  }
};

}  // namespace wavescan::Impl

#endif
