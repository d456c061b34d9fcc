// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_BLOCK_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_BLOCK_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_EvictLast.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Memory.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>

#include <cstdint>

/// @file
/// @brief What the warps of a block share that goes down a strip of a large image.
///
/// One thread loads tiles to a ring of stages and stores those of the table. Some warps *reduce* a
/// tile when it arrives, some exchange its sums with the other blocks, and some *scan* it, that is,
/// put the table's tile together. Each warp has one task and goes through the tiles by itself, so
/// that nothing waits for an exchange but what needs its result.

namespace wavescan::Impl::sat {

/// @brief The warps of a block beside those that copy, reduce and scan tiles, and the one that
/// accumulates columns.
struct StripsWarps {
  /// With more, those that scan tiles would have too few registers to do so in time.
  template <class Tile>
  static constexpr int max = Tile::in_place && sizeof(typename Tile::V) == 4 ? 8 : 6;

  int row_scanners;    ///< sum up rows over all strips
  int prefix_readers;  ///< fetch the sums to the left of the block's own strip
  int gatherers;       ///< fetch the sums of columns of other groups, if there are any
  int delay;           ///< tiles that go by before sums are asked for

  int all() const { return row_scanners + prefix_readers + gatherers; }

  /// @brief Those that suit best.
  /// @param blocks that could run
  template <class Tile>
  static StripsWarps of(const Strips& cut, int blocks) {
    constexpr bool words = sizeof(typename Tile::V) == 4;
    // Where a block has a row of every other tile, one must not keep the next one waiting.
    const int scanners = Tile::wide || cut.strips >= 3 * Tile::rows ? 1 : 2;
    const int gatherers = cut.groups == 1 ? 0 : Tile::wide ? 3 : 2;
    // To ask late saves questions, which only counts where memory is the limit, and costs time at
    // the end, which only counts where that is near.
    const bool at_the_limit = cut.tiles() >= 64 && 20 * cut.blocks() >= 19 * blocks;
    return {scanners, 2, gatherers, words && at_the_limit ? 2 : 1};
  }
};

/// @brief The kernel's arguments.
template <class Tile>
struct StripsTask {
  CUtensorMap image;
  CUtensorMap tiles;  ///< of the table, without its tail
  /// The last columns are too few for a word of 16 bytes: whoever stores tiles would store whole
  /// words.
  Grid<typename Tile::T> table;
  Index tail;
  SumsAbove<typename Tile::V> above;
  Strips cut;
  StripsWarps warps;
  StripsMemory<Tile> memory;
  gpu::BlockEpochs words;
  StripsRing<Tile> ring;
};

/// @brief Goes through a block's tiles, and knows where in the panels it is: to divide for each
/// tile would take a warp as long as all else that it does for it.
class StripsCursor {
 public:
  __device__ StripsCursor(const Strips& cut, int first)
      : steps_(cut.steps),
        tile_(first),
        panel_(first / cut.steps),
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

/// @brief A block: its strip and group, and its tiles on their way through shared memory.
template <class Tile>
struct StripsBlock {
  using V = typename Tile::V;
  using Barriers = typename StripsMemory<Tile>::Barriers;

  const StripsTask<Tile>& task;
  const Strips& cut;
  const StripsMemory<Tile>& layout;
  char* memory;
  Barriers& barriers;
  int strip;
  int group;
  int tiles;  ///< of the block
  gpu::EvictLastAccess access{};

  __device__ StripsBlock(const StripsTask<Tile>& given, char* shared)
      : task(given),
        cut(given.cut),
        layout(given.memory),
        memory(shared),
        barriers(layout.barriers(shared)),
        strip(static_cast<int>(blockIdx.x) % given.cut.strips),
        group(static_cast<int>(blockIdx.x) / given.cut.strips),
        tiles(given.cut.tiles()) {}

  /// @brief By the thread that starts the loads.
  __device__ void init_arrivals() const {
    for (int s = 0; s < layout.stages.places(); ++s) barriers.arrived[s].init(1);
    gpu::publish_barriers();
    gpu::order_before_bulk_copies();
  }
  __device__ void init_other_barriers() const {
    constexpr int of_tile = Tile::warps * gpu::arrivals_of_warp;
    for (int s = 0; s < layout.stages.places(); ++s) barriers.scanned[s].init(of_tile);
    if constexpr (!Tile::in_place)
      for (int s = 0; s < layout.outs.places(); ++s) barriers.out_free[s].init(1);
    for (int s = 0; s < layout.slots.places(); ++s) {
      barriers.reduced[s].init(of_tile);
      barriers.accumulated[s].init(gpu::arrivals_of_warp);
      barriers.gathered[s].init(gpu::arrivals_of_warp);
      barriers.prefixed[s].init(gpu::arrivals_of_warp);
    }
  }

  __device__ char* stage(int at) const { return layout.stage(memory, at); }
  __device__ char* out(int at) const { return layout.out(memory, at); }
  __device__ StripsSlot<Tile> slot(int at) const { return layout.slot(memory, at, cut.width); }
  __device__ StripsSlot<Tile> slot_of(int t) const { return slot(layout.slots.place(t)); }
  __device__ StripsCursor cursor(int first) const { return {cut, first}; }

  __device__ std::uint32_t tag(int t) const {
    return barriers.tags.of(static_cast<std::uint32_t>(t));
  }
  /// @brief Tells the other blocks a sum over a tile.
  template <class Sum>
  __device__ void publish(gpu::TaggedWord* place, const Sum& sum, int t) const {
    gpu::Tagged<Sum>::publish(place, sum, tag(t), access);
  }

  /// @brief A warp waits for a tile at a barrier of its slot.
  ///
  /// Lanes can leave a barrier one after the other. They are brought together again, because all
  /// shuffles of a warp whose lanes are apart take several times as long.
  __device__ void wait(gpu::Barrier* of_slots, int t) const {
    gpu::wait_in_turn(of_slots, t, layout.slots);
    gpu::sync_warp();
  }
  /// @brief A warp arrives there.
  __device__ void arrive(gpu::Barrier* of_slots, int t) const {
    gpu::arrive_as_warp(of_slots[layout.slots.place(t)]);
  }
  /// @brief Waits until a tile is reduced, and up to `delay` after it: to ask for its neighbours'
  /// sums any earlier would be in vain, and keep L2 busy.
  __device__ void wait_reduced(int t, int delay = 0) const {
    wait(barriers.reduced, min(t + delay, tiles - 1));
  }

  /// @brief The tile of the strip that comes so many after the block's last one before tile `t`.
  struct Other {
    int tile;
    int group;
  };
  __device__ Other other(int t, int ahead) const {
    const bool before = group + ahead < cut.groups;
    return {before ? t - 1 : t, group + ahead - (before ? 0 : cut.groups)};
  }

  /// @brief A tile's place in memory.
  struct Place {
    const CUtensorMap* map;
    int x;
    int y;
  };
  __device__ Place place(const StripsCursor& at, const CUtensorMap& map) const {
    return {&map, (at.panel() * cut.strips + strip) * cut.width,
            (at.step() * cut.groups + group) * Tile::rows};
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
};

/// @brief The thread that starts the loads of all tiles and their stores.
template <class Tile>
class StripsCopier {
  /// As many loads at first, and then one more with each that arrives: many at once would keep the
  /// first ones waiting, and with them the first exchange.
  static constexpr int first_loads = 3;

 public:
  __device__ explicit StripsCopier(const StripsBlock<Tile>& block)
      : block_(block),
        policy_(gpu::stream_policy()),
        next_(block.cursor(0)),
        next_stage_(block.layout.stages, 0) {}

  __device__ void begin() {
    for (int i = 0; i < first_loads; ++i) load_next();
  }
  __device__ void run() {
    const gpu::RingSize& stages = block_.layout.stages;
    const gpu::RingSize& outs = block_.layout.outs;
    auto& barriers = block_.barriers;
    gpu::RingTurn stage(stages, 0), out(outs, 0), left(outs, 0);
    for (int t = first_loads; t < stages.places() && t < block_.tiles; ++t) {
      stage.wait(barriers.arrived);
      stage.advance();
      load_next();
    }
    stage = gpu::RingTurn(stages, 0);
    for (StripsCursor at = block_.cursor(0); at.tile() < block_.tiles; at.advance(1)) {
      stage.wait(barriers.scanned);
      if constexpr (!Tile::in_place) load_next();
      const char* const from =
          Tile::in_place ? block_.stage(stage.place()) : block_.out(out.place());
      gpu::store_tile(block_.place(at, block_.task.tiles), gpu::shared_address(from), policy_);
      gpu::commit_stores();
      stage.advance();
      out.advance();
      if (at.tile() == 0) continue;
      gpu::wait_for_stores<1>();  // the tile before has left its place
      if constexpr (Tile::in_place) {
        load_next();
      } else {
        barriers.out_free[left.place()].arrive();
        left.advance();
      }
    }
    gpu::wait_for_stores<0>();
  }

 private:
  /// @brief Starts to load the next tile, if there is one.
  __device__ void load_next() {
    if (next_.tile() >= block_.tiles) return;
    const int stage = next_stage_.place();
    gpu::Barrier& arrived = block_.barriers.arrived[stage];
    // What lies outside of the image arrives as zeros.
    arrived.arrive_expecting(static_cast<std::uint32_t>(block_.layout.stage_bytes));
    gpu::load_tile(gpu::shared_address(block_.stage(stage)), block_.place(next_, block_.task.image),
                   &arrived);
    next_.advance(1);
    next_stage_.advance();
  }

  const StripsBlock<Tile>& block_;
  std::uint64_t policy_;
  StripsCursor next_;  ///< to be loaded
  gpu::RingTurn next_stage_;
};

/// @brief The lane's part of a warp's rows in a tile.
template <class Tile>
class StripsRows {
 public:
  int warp;

  __device__ StripsRows(const Strips& cut, int warp_of_tile)
      : warp(warp_of_tile), width_(cut.width) {}

  /// @brief The warp's first row.
  __device__ int first() const { return warp * Tile::warp_rows; }
  /// @brief Whether there are columns for the lane's chunk.
  __device__ bool has(int chunk) const { return begin(chunk) < width_; }
  /// @brief The first column of the lane's chunk, or one to read in vain if it has none.
  __device__ int column(int chunk) const { return has(chunk) ? begin(chunk) : 0; }
  /// @brief Elements from a tile's begin.
  __device__ int place(int row, int chunk) const {
    return (first() + row) * width_ + column(chunk);
  }
  /// @brief What is summed up of the lane's pixels in one of the rows.
  __device__ auto load(const char* stage, int row, int chunk) const {
    return load_terms<Tile>(reinterpret_cast<const typename Tile::Pixel*>(stage) +
                            place(row, chunk));
  }

 private:
  __device__ static int begin(int chunk) { return (chunk * 32 + gpu::lane()) * Tile::chunk; }

  int width_;
};

}  // namespace wavescan::Impl::sat

#endif
