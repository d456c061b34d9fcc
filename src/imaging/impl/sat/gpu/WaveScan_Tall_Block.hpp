// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TALL_BLOCK_HPP
#define WAVESCAN_IMPL_SAT_GPU_TALL_BLOCK_HPP

#include <impl/WaveScan_Gpu_TilePipeline.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>
#include <impl/sat/gpu/WaveScan_Tall_Decomposition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief What the warps of a block share that computes tiles of a tall table, and how blocks tell
/// each other the sums of their tiles' columns: two hops, and no chain.
///
/// Every block publishes the sums of its tile's columns. Those of a chunk of columns are summed up
/// from tile to tile by one block, which keeps the sum over all waves and publishes what lies above
/// each tile; that is what blocks fetch.

namespace wavescan::Impl::sat {

/// @brief Places in global memory, which waves take in turn.
///
/// A block reduces a tile after its scan of the one `slots` before it, for which all scanners had
/// to read that wave's sums, and the block itself its prefixes: so there are no more than `slots`
/// places.
template <class Tile>
class TallRing {
 public:
  /// A sector of 32 bytes, of which L2 would otherwise have to fetch the rest.
  static constexpr int chunk_words = gpu::Tagged<SumChunk<typename Tile::V>>::words;
  static_assert(chunk_words == 4);

  TallRing() = default;
  TallRing(const TallTiles& cut, const gpu::RingSize& slots, gpu::TaggedWord* words)
      : words_(words), blocks_(cut.blocks), slots_(slots), block_words_(cut.chunks * chunk_words) {}

  /// @brief Words that a ring needs.
  std::size_t words() const { return 2 * half(); }
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

/// @brief Slots are sums over the columns of each warp's sections. There are no places if tiles are
/// too large.
template <class Tile>
struct TallMemory : gpu::PipelineMemory {
  using V = typename Tile::V;
  static constexpr int max_stages = 16;
  static constexpr int limit = 227 * 1024;
  static constexpr int strip_bytes = Tile::strip_columns * static_cast<int>(sizeof(V));

  struct Fixed : gpu::PipelineBarriers<max_stages, Tile::outs> {
    /// The strips' warps have published the sums over their rows, of this tile or the next one.
    gpu::Barrier strips_ready[Tile::warps];
    alignas(16) V strips[2][Tile::warps][Tile::max_rows];
    /// Scanners have published the sums of their columns over all waves so far.
    gpu::Barrier waves_ready[Tile::scanners];
    alignas(16) V waves[Tile::scanners][Tile::chunk];
  };

  explicit TallMemory(const TallTiles& cut)
      : gpu::PipelineMemory(cut.tile_rows * cut.columns * int(sizeof(typename Tile::Pixel)),
                            cut.tile_rows * cut.columns * int(sizeof(typename Tile::T)),
                            Tile::warps * strip_bytes) {
    for (int stages = max_stages; stages >= 3; --stages) {
      make_room(stages, Tile::outs, std::min(stages, 5));
      if (bytes() <= limit) return;
    }
    rings = {};
  }
  int bytes() const { return fixed + static_cast<int>(sizeof(Fixed)); }
};

/// @brief The kernel's arguments.
template <class Tile>
struct TallTask {
  const typename Tile::Pixel* image;
  typename Tile::T* table;
  TallTiles cut;
  TallMemory<Tile> memory;
  gpu::BlockEpochs words;
  TallRing<Tile> ring;
};

/// @brief Goes through a block's tiles.
class TallCursor {
 public:
  __device__ explicit TallCursor(int first) : tile_(first) {}
  __device__ int tile() const { return tile_; }
  __device__ void advance(int tiles) { tile_ += tiles; }

 private:
  int tile_;
};

/// @brief A block and its pipeline.
template <class TileType>
struct TallBlock : gpu::Pipeline<typename TallMemory<TileType>::Fixed> {
  using Tile = TileType;
  using V = typename Tile::V;
  using Memory = TallMemory<Tile>;
  using Base = gpu::Pipeline<typename Memory::Fixed>;
  static constexpr int stores_behind = 0;

  const TallTask<Tile>& task;
  const TallTiles& cut;
  int number;

  __device__ TallBlock(const TallTask<Tile>& given, char* shared)
      : Base(given.memory, shared,
             given.cut.waves -
                 (static_cast<int>(blockIdx.x) < given.cut.tiles_of(given.cut.waves - 1) ? 0 : 1)),
        task(given),
        cut(given.cut),
        number(static_cast<int>(blockIdx.x)) {}

  __device__ TallCursor cursor(int first) const { return TallCursor(first); }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(cut.waves); }
  __device__ void init_barriers() const {
    this->barriers.init_others(this->rings, Tile::warps);
    for (gpu::Barrier& b : this->barriers.strips_ready) b.init(cut.strips * gpu::arrivals_of_warp);
    for (gpu::Barrier& b : this->barriers.waves_ready) b.init(gpu::arrivals_of_warp);
  }

  __device__ int tile(int t) const { return t * cut.blocks + number; }
  __device__ int rows_of(int t) const { return cut.rows_of(tile(t)); }
  __device__ Index first(int t) const { return Index(tile(t)) * (cut.tile_rows * cut.columns); }
  __device__ void load(const TallCursor& at, char* to, gpu::Barrier& arrived,
                       std::uint64_t policy) const {
    const auto* const end = task.image + cut.rows * cut.columns;
    arrived.arrive_expecting(
        gpu::load_row(task.image + first(at.tile()), rows_of(at.tile()) * cut.columns,
                      reinterpret_cast<const char*>(end), to, arrived, policy));
  }
  __device__ void store(const TallCursor& at, const char* from, std::uint64_t policy) const {
    const int elements = rows_of(at.tile()) * cut.columns;
    gpu::bulk_store(task.table + first(at.tile()), from,
                    static_cast<std::uint32_t>(elements * sizeof(typename Tile::T)), policy);
  }

  /// @brief The sums over columns of which a warp's lanes have a chunk each.
  __device__ V* sums(int slot, int warp) const {
    return reinterpret_cast<V*>(this->slot_memory(slot) + warp * Memory::strip_bytes);
  }
};

/// @brief The part of a tile that is a warp's, and in it the lane's.
template <class Tile>
struct TallPart {
  int strip;
  int level;    ///< of the warp among those of its strip
  int column;   ///< the first of the chunk
  int row;      ///< the first of the section
  bool inside;  ///< of the image

  __device__ TallPart(const TallTiles& cut, int warp)
      : strip(warp >> cut.level_bits),
        level(warp & ((1 << cut.level_bits) - 1)),
        column(strip * Tile::strip_columns + (gpu::lane() & (cut.lanes - 1)) * Tile::chunk),
        row((level * (32 / cut.lanes) + gpu::lane() / cut.lanes) * cut.section_rows),
        inside(column < cut.columns) {}
  /// @brief The sums over the lane's columns of a warp of the same strip, which its last lane with
  /// these columns has.
  __device__ auto sums_of_level(const TallBlock<Tile>& block, int slot, int other_level) const {
    const int lanes = block.cut.lanes, last_lane = 32 - lanes + (gpu::lane() & (lanes - 1));
    return SumChunk<typename Tile::V>::load(
        block.sums(slot, (strip << block.cut.level_bits) + other_level) + last_lane * Tile::chunk);
  }
  /// @brief How many of a tile's first rows are in the section.
  __device__ int rows_of(int tile_rows, int section_rows) const {
    const int rows = tile_rows - row;
    return inside ? min(rows, section_rows) : 0;
  }
  /// @brief Words from a block's sums to those of the lane's chunk.
  __device__ int words() const { return column / Tile::chunk * TallRing<Tile>::chunk_words; }
};

/// @brief A warp that sums up a chunk of columns from tile to tile. Several take waves in turn, and
/// publish the sum over the waves so far.
///
/// Two neighbouring lanes take the halves of the chunk, and each two of them a number of tiles that
/// follow each other.
template <class Tile>
class ColumnScanner {
  using Pair = SumPair<typename Tile::V>;
  static constexpr int parts = Tile::scanner_parts;
  static constexpr int max_tiles = Tile::part_tiles;

 public:
  __device__ ColumnScanner(const TallBlock<Tile>& block, int number)
      : block_(block),
        period_(block.cut.chunks > block.cut.blocks ? 1 : Tile::scanners),
        turn_(number & (period_ - 1)),
        first_(number - turn_),
        chunk_(number / period_ * block.cut.blocks + block.number) {}

  __device__ void run() const {
    const TallTiles& cut = block_.cut;
    if (chunk_ >= cut.chunks) return;
    const int part_tiles = (cut.blocks + parts - 1) / parts;
    const int first = gpu::lane() / 2 * part_tiles;
    for (int t = turn_; t < cut.waves; t += period_) {
      const int left = cut.tiles_of(t) - first;
      block_.wait_reduced(t);
      scan(t, first, left < part_tiles ? left : part_tiles);
    }
  }

 private:
  __device__ void scan(int t, int first, int count) const {
    const TallRing<Tile>& ring = block_.task.ring;
    const int stride = ring.block_words();
    const int word = chunk_ * TallRing<Tile>::chunk_words + gpu::lane() % 2 * 2;
    const std::uint32_t tag = block_.tag(t);
    gpu::TaggedWord* const published = ring.sums(t, first) + word;
    typename gpu::Tagged<Pair>::Found sums[max_tiles];  // zero beyond `count`
    gpu::await_all<Pair, max_tiles>(
        sums, count, [=](int m) { return published + m * stride; }, [=](int) { return tag; },
        block_.access);
    Pair sum;
#pragma unroll
    for (int m = 0; m < max_tiles; ++m) sum += sums[m].value();
    sum = gpu::warp_inclusive_scan<gpu::warp_size, 2>(sum);
    Pair above = gpu::shuffle_up(sum, 2);
    if (gpu::lane() < 2) above = Pair();
    above += add_wave(t, gpu::broadcast(sum, 30 + gpu::lane() % 2));
    gpu::TaggedWord* const prefixes = ring.prefixes(t, first) + word;
#pragma unroll
    for (int m = 0; m < max_tiles; ++m) {
      gpu::Tagged<Pair>::publish_if(m < count, prefixes + m * stride, above, tag, block_.access);
      above += sums[m].value();
    }
  }

  /// @brief The sum over the waves before; with the wave's own one it is published for the next.
  __device__ Pair add_wave(int t, const Pair& own) const {
    gpu::Barrier* const ready = block_.barriers.waves_ready;
    Pair before;
    if (t > 0) {
      const int last = first_ + ((t - 1) & (period_ - 1));
      ready[last].wait(((t - 1) / period_) & 1);
      before = place(last);
    }
    Pair sum = before;
    sum += own;
    gpu::sync_warp();  // a scanner alone overwrites what all its lanes have read
    if (gpu::lane() < 2) place(first_ + turn_) = sum;
    gpu::arrive_as_warp(ready[first_ + turn_]);
    return before;
  }
  __device__ Pair& place(int scanner) const {
    return reinterpret_cast<Pair*>(block_.barriers.waves[scanner])[gpu::lane() % 2];
  }

  const TallBlock<Tile>& block_;
  int period_;
  int turn_;
  int first_;  ///< of the scanners of this chunk
  int chunk_;
};

}  // namespace wavescan::Impl::sat

#endif
