// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_BLOCK_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_BLOCK_HPP

#include <impl/WaveScan_Gpu_TilePipeline.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Decomposition.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief The state of a block that goes down a strip of a large image, which its warps share, and
/// the exchange of sums over tiles between strips.
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
  StripsRing(const Strips& decomposition, int slots, gpu::TaggedWord* words)
      : words_(words),
        strips_(decomposition.strips),
        groups_(decomposition.groups),
        pitch_((strips_ + 3) / 4 * 4),
        prefixes_(strips_ * sum_rows * value_words),
        columns_(prefixes_ + prefix_rows * pitch_ * value_words),
        record_words_(columns_ + (groups_ > 1 ? strips_ * Tile::columns * value_words : 0)),
        depth_(static_cast<int>(std::bit_ceil(2u * static_cast<unsigned>(slots) + 1u))) {}

  /// @brief The words of a ring and, if there are panels, of the carries that follow it.
  std::size_t words(const Strips& decomposition) const {
    const int bands = decomposition.panels > 1 ? decomposition.steps * groups_ : 0;
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

/// @brief The sums that a block keeps of a tile between its reduction and its scan.
template <class Tile>
class StripsSlot {
 public:
  using V = typename Tile::V;

  __device__ StripsSlot(V* values, int width) : values_(values), width_(width) {}

  static KOKKOS_FUNCTION int values(int width) { return (Tile::sections + 1) * width + Tile::rows; }
  /// @brief Sums over a section's columns. Then: over all rows of the block's tiles above it.
  __device__ V* columns(int section) const { return values_ + section * width_; }
  /// @brief Sums over the columns of the other groups' tiles above it.
  __device__ V* others() const { return columns(Tile::sections); }
  /// @brief Sums over all to the left of the strip, down to each row.
  __device__ V* left() const { return columns(Tile::sections + 1); }

 private:
  V* values_;
  int width_;
};

template <class Tile>
struct StripsMemory : gpu::PipelineMemory {
  using V = typename Tile::V;
  static constexpr int max_places = 24;  ///< of a ring

  static constexpr bool tells_of_stores = !Tile::in_place || gpu::copier_warps > 1;
  struct Barriers : gpu::PipelineBarriers<max_places, tells_of_stores ? max_places : 0> {
    gpu::Barrier accumulated[max_places];  ///< the slot has the sums above in the own tiles, ...
    gpu::Barrier gathered[max_places];     ///< ... those in other groups' tiles, ...
    gpu::Barrier prefixed[max_places];     ///< ... and those to the left
  };
  static constexpr int alignment = 128;
  static constexpr int limit = gpu::block_memory - alignment;

  /// @param columns of a strip: the fewer, the more tiles there are
  explicit StripsMemory(int columns)
      : gpu::PipelineMemory(Tile::rows * columns * int(sizeof(typename Tile::Pixel)),
                            Tile::rows * columns * int(sizeof(typename Tile::T)),
                            StripsSlot<Tile>::values(columns) * int(sizeof(V))) {
    const auto places = [=](int of_whole_tiles) {
      return std::min(of_whole_tiles * Tile::columns / columns, max_places);
    };
    const int outs = places(Tile::outs);
    const int room = limit - static_cast<int>(sizeof(Barriers)) - outs * out_bytes;
    const int slots = std::min(places(Tile::slots), room / (stage_bytes + slot_bytes));
    make_room(std::min((room - slots * slot_bytes) / stage_bytes, max_places), outs, slots);
  }
  int bytes() const { return fixed + static_cast<int>(sizeof(Barriers)); }
  /// @brief Whether there is room for as many tiles as it takes to go on. Who stores tiles must not
  /// be a round of the stages behind: the output's places are no more than stages.
  bool suffices() const {
    return std::min(rings.stages.places(), rings.slots.places()) >= 4 &&
           rings.stages.places() >= rings.outs.places() && bytes() <= limit;
  }
};

/// @brief The warps of a block beside those that copy, reduce and scan tiles, and the one that
/// accumulates columns.
struct StripsWarps {
  /// With more, those that scan tiles would have too few registers to do so in time.
  template <class Tile>
  static constexpr int max = Tile::in_place && sizeof(typename Tile::V) == 4 ? 8 : 6;

  int row_scanners;    ///< sum up rows over all strips
  int prefix_readers;  ///< fetch the sums to the left of the block's own strip
  int gatherers;       ///< fetch the sums of columns of other groups, if there are any
  int delay;           ///< tiles that pass before sums are asked for

  int all() const { return row_scanners + prefix_readers + gatherers; }

  /// @brief The quickest numbers of warps.
  /// @param blocks that could run
  template <class Tile>
  static StripsWarps of(const Strips& decomposition, int blocks) {
    constexpr bool words = sizeof(typename Tile::V) == 4;
    constexpr bool wide = Tile::in_place && Tile::wide;
    // Where a block has a row of every other tile, one must not keep the next one waiting.
    const int scanners = (wide && !words) || decomposition.strips >= 3 * Tile::rows ? 1 : 2;
    const int gatherers = decomposition.groups == 1 ? 0 : wide ? 3 : 2;
    // To ask late saves questions, which only counts where memory is the limit, and costs time at
    // the end, which only counts where that is near.
    const bool at_the_limit =
        decomposition.tiles() >= 64 && 20 * decomposition.blocks() >= 19 * blocks;
    return {scanners, 2, gatherers, words && at_the_limit ? 2 : 1};
  }
};

/// @brief The kernel's arguments.
template <class Tile>
struct StripsTask {
  gpu::TileMap image;
  gpu::TileMap tiles;  ///< of the table, without its tail
  /// The last columns are too few for a word of 16 bytes: copies of tiles would store whole
  /// words.
  Grid<typename Tile::T> table;
  Index tail;
  SumsAbove<typename Tile::V> above;
  Strips decomposition;
  StripsWarps warps;
  StripsMemory<Tile> memory;
  gpu::BlockEpochs words;
  StripsRing<Tile> ring;
};

/// @brief Goes through a block's tiles, and knows where in the panels it is: to divide for each
/// tile would take a warp as long as all else that it does for it.
class StripsCursor {
 public:
  __device__ StripsCursor(const Strips& decomposition, int first)
      : steps_(decomposition.steps),
        tile_(first),
        panel_(first / decomposition.steps),
        step_(first - panel_ * steps_) {}

  __device__ int tile() const { return tile_; }
  __device__ int panel() const { return panel_; }
  __device__ int step() const { return step_; }  ///< of the panel
  /// @brief Whether the block's tile before is of the same panel.
  __device__ bool goes_on() const { return step_ > 0; }
  __device__ void advance(int tiles) {
    tile_ += tiles;
    step_ += tiles;
    while (step_ >= steps_) {
      step_ -= steps_;
      ++panel_;
    }
  }

 private:
  int steps_;
  int tile_;
  int panel_;
  int step_;
};

/// @brief A block: its strip and group, and its pipeline.
template <class TileType>
struct StripsBlock : gpu::Pipeline<typename StripsMemory<TileType>::Barriers> {
  using Tile = TileType;
  using V = typename Tile::V;
  using Base = gpu::Pipeline<typename StripsMemory<Tile>::Barriers>;

  const StripsTask<Tile>& task;
  const Strips& decomposition;
  int strip;
  int group;

  __device__ StripsBlock(const StripsTask<Tile>& given, char* shared)
      : Base(given.memory, shared, given.decomposition.tiles()),
        task(given),
        decomposition(given.decomposition),
        strip(static_cast<int>(blockIdx.x) % given.decomposition.strips),
        group(static_cast<int>(blockIdx.x) / given.decomposition.strips) {}

  __device__ StripsCursor cursor(int first) const { return {decomposition, first}; }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(this->tiles); }
  __device__ void init_barriers() const {
    auto& barriers = this->barriers;
    barriers.init_others(this->rings, Tile::warps);
    for (int s = 0; s < this->rings.slots.places(); ++s) {
      barriers.accumulated[s].init(gpu::arrivals_of_warp);
      barriers.gathered[s].init(gpu::arrivals_of_warp);
      barriers.prefixed[s].init(gpu::arrivals_of_warp);
    }
  }

  /// @brief The tile of the strip that comes so many after the block's last one before tile `t`.
  struct Other {
    int tile;
    int group;
  };
  __device__ Other other(int t, int ahead) const {
    const bool before = group + ahead < decomposition.groups;
    return {before ? t - 1 : t, group + ahead - (before ? 0 : decomposition.groups)};
  }

  /// @brief A tile's place in memory.
  template <class E>
  struct Place {
    static constexpr int element_bytes = sizeof(E);
    const gpu::TileMap* map;
    int x;
    int y;
  };
  template <class E = typename Tile::T>
  __device__ Place<E> place(const StripsCursor& at, const gpu::TileMap& map) const {
    return {&map, (at.panel() * decomposition.strips + strip) * decomposition.width,
            (at.step() * decomposition.groups + group) * Tile::rows};
  }
  /// @brief The sums over what is above the image, in a chunk of the strip's columns.
  __device__ SumChunk<V> columns_above(const StripsCursor& at, int column) const {
    const Index first = place(at, task.image).x + column;
    if (!task.above.columns || first >= task.table.columns) return {};
    return SumChunk<V>::load(task.above.columns + first);
  }
  /// @brief The sum over what is above the image and to the left of the strip.
  __device__ V corner_above(const StripsCursor& at) const {
    const Index first = place(at, task.image).x;
    if (!task.above.columns || first == 0) return V();
    return task.above.up_to[(first < task.table.columns ? first : task.table.columns) - 1];
  }
  __device__ void load(const StripsCursor& at, char* to, gpu::Barrier& arrived,
                       std::uint64_t) const {
    // What lies outside of the image arrives as zeros.
    gpu::begin_loads(arrived, static_cast<std::uint32_t>(this->layout.stage_bytes));
    gpu::load_tile(gpu::shared_address(to), place<typename Tile::Pixel>(at, task.image), arrived);
    gpu::end_loads(arrived);
  }
  __device__ void store(const StripsCursor& at, const char* from, std::uint64_t policy) const {
    gpu::store_tile(place(at, task.tiles), gpu::shared_address(from), policy);
  }

  __device__ StripsSlot<Tile> slot(int at) const {
    return {reinterpret_cast<V*>(this->slot_memory(at)), decomposition.width};
  }
  __device__ StripsSlot<Tile> slot_of(int t) const { return slot(this->rings.slots.place(t)); }
};

/// @brief The lane's part of the rows of one of the warps that share a tile.
template <class Tile>
class StripsRows {
 public:
  int section;
  int first;  ///< row of the section

  __device__ StripsRows(const Strips& decomposition, int warp)
      : section((warp * 32 + gpu::lane()) / Tile::lanes),
        first(section * Tile::section_rows),
        width_(decomposition.width) {}

  /// @brief The lane's place in its row.
  __device__ static int lane() { return gpu::lane() % Tile::lanes; }
  /// @brief Whether there are columns for the lane's chunk.
  __device__ bool has(int chunk) const { return begin(chunk) < width_; }
  /// @brief The first column of the lane's chunk, or one to read in vain if it has none.
  __device__ int column(int chunk) const { return has(chunk) ? begin(chunk) : 0; }
  /// @brief Elements from a tile's begin.
  __device__ int place(int row, int chunk) const { return (first + row) * width_ + column(chunk); }
  /// @brief The terms of the lane's pixels in one of the rows.
  __device__ auto load(const char* stage, int row, int chunk) const {
    return load_terms<Tile>(reinterpret_cast<const typename Tile::Pixel*>(stage) +
                            place(row, chunk));
  }

 private:
  __device__ static int begin(int chunk) { return (chunk * 32 + lane()) * Tile::chunk; }

  int width_;
};

}  // namespace wavescan::Impl::sat

#endif
