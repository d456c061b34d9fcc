// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TILEPIPELINE_HPP
#define WAVESCAN_IMPL_GPU_TILEPIPELINE_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_EvictLast.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_TileMap.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

/// @file
/// @brief A block whose warps each have one task in the way of tiles through shared memory (CUDA).
///
/// One thread, or two warps if the mover is not bulk, loads tiles of the input to a ring of stages
/// and stores those of the output. Some warps *reduce* a tile when it arrives, some exchange its
/// sums with the other blocks, and some *scan* it, that is, put the output's tile together. Each
/// warp goes through the tiles by itself, so that nothing waits for an exchange but what needs its
/// result.

namespace wavescan::Impl::gpu {

/// @brief The numbers of tiles that there is room for.
struct PipelineRings {
  RingSize stages;  ///< of the input
  RingSize outs;    ///< of the output, where they do not take the place of the input's
  RingSize slots;   ///< between the beginning of their reduction and the end of their scan
};

/// @brief The layout of a block's shared memory: tiles of the input, those of the output where they
/// do not take the place of the input's, slots, and what has a fixed size.
struct PipelineMemory {
  PipelineRings rings;
  int stage_bytes;  ///< of one of each
  int out_bytes;
  int slot_bytes;
  int first_out = 0;
  int first_slot = 0;
  int fixed = 0;

  PipelineMemory(int bytes_of_stage, int bytes_of_out, int bytes_of_slot)
      : stage_bytes(bytes_of_stage), out_bytes(bytes_of_out), slot_bytes(bytes_of_slot) {}
  void make_room(int stages, int outs, int slots) {
    rings = {RingSize(stages), RingSize(std::max(outs, 2)), RingSize(slots)};
    first_out = stages * stage_bytes;
    first_slot = first_out + outs * out_bytes;
    fixed = first_slot + slots * slot_bytes;
  }
};

/// @brief Warps that copy tiles: one that loads and one that stores, of which one thread does both
/// if the mover is bulk.
inline constexpr int copier_warps = mover == Mover::Bulk ? 1 : 2;
inline constexpr int copying_lanes = mover == Mover::Bulk ? 1 : warp_size;

/// @tparam Places of a ring at most
/// @tparam Outs   of the ring of the output's tiles at most, or 0
template <int Places, int Outs>
struct PipelineBarriers {
  Barrier arrived[Places];                ///< at a stage
  Barrier scanned[Places];                ///< and may be stored; also frees the slot
  Barrier out_free[Outs > 0 ? Outs : 1];  ///< of the output's tile, or, in place, the stage
  Barrier reduced[Places];                ///< the slot has the tile's sums
  LaunchTags tags;

  /// @brief Initializes the barriers of arriving tiles; called by the thread that starts the loads.
  __device__ void init_arrivals(const PipelineRings& rings) {
    for (int s = 0; s < rings.stages.places(); ++s) arrived[s].init(tile_arrivals);
    publish_barriers();
    order_before_bulk_copies();
  }
  /// @param warps that reduce a tile, and that scan it
  __device__ void init_others(const PipelineRings& rings, int warps) {
    for (int s = 0; s < rings.stages.places(); ++s) scanned[s].init(warps * arrivals_of_warp);
    if constexpr (Outs > 0)
      for (int s = 0; s < (copier_warps == 1 ? rings.outs.places() : Outs); ++s)
        out_free[s].init(storing_arrivals);
    for (int s = 0; s < rings.slots.places(); ++s) reduced[s].init(warps * arrivals_of_warp);
  }
};

/// @brief A block's pipeline, for its warps.
template <class Barriers>
struct Pipeline {
  const PipelineMemory& layout;
  const PipelineRings& rings;
  char* memory;
  Barriers& barriers;
  int tiles;  ///< of the block
  EvictLastAccess access{};

  __device__ Pipeline(const PipelineMemory& what_lies_where, char* shared, int all_tiles)
      : layout(what_lies_where),
        rings(layout.rings),
        memory(shared),
        barriers(*reinterpret_cast<Barriers*>(shared + layout.fixed)),
        tiles(all_tiles) {}

  /// @brief A tile of the input.
  __device__ char* stage(int at) const { return memory + at * layout.stage_bytes; }
  /// @brief A tile of the output that does not take the place of the input's.
  __device__ char* out(int at) const { return memory + layout.first_out + at * layout.out_bytes; }
  /// @brief The slot of a tile: what is kept of it.
  __device__ char* slot_memory(int at) const {
    return memory + layout.first_slot + at * layout.slot_bytes;
  }
  __device__ std::uint32_t tag(int t) const {
    return barriers.tags.of(static_cast<std::uint32_t>(t));
  }
  /// @brief Tells the other blocks a sum over a tile.
  template <class V>
  __device__ void publish(TaggedWord* place, const V& sum, int t) const {
    Tagged<V>::publish(place, sum, tag(t), access);
  }
  /// @brief A warp waits for a tile at a barrier of its slot.
  ///
  /// Lanes can leave a barrier one after the other. They are brought together again, because all
  /// shuffles of a warp whose lanes are apart take several times as long.
  __device__ void wait(Barrier* of_slots, int t) const {
    wait_in_turn(of_slots, t, rings.slots);
    sync_warp();
  }
  /// @brief A warp arrives there.
  __device__ void arrive(Barrier* of_slots, int t) const {
    arrive_as_warp(of_slots[rings.slots.place(t)]);
  }
  /// @brief Waits until a tile is reduced, and up to `delay` after it: to ask for its neighbours'
  /// sums any earlier would be in vain, and keep L2 busy.
  __device__ void wait_reduced(int t, int delay = 0) const {
    wait(barriers.reduced, min(t + delay, tiles - 1));
  }

  /// @brief Calls reduce(tile, its stage, its slot) when tiles have arrived and their slots are
  /// free.
  template <class Reduce>
  __device__ void for_arriving(const Reduce& reduce) const {
    RingTurn stage(rings.stages, 0), slot(rings.slots, 0), scanned(rings.stages, 0);
    for (int t = 0; t < tiles; ++t) {
      if (t >= rings.slots.places()) {
        scanned.wait(barriers.scanned);
        scanned.advance();
      }
      stage.wait(barriers.arrived);
      sync_warp();
      reduce(t, stage.place(), slot.place());
      stage.advance();
      slot.advance();
    }
  }

  /// @brief Calls scan(tile, its stage, the turn of its slot, that of its place among the
  /// output's tiles) for the tiles of one of some sets of warps, and tells when they may be stored.
  template <class Scan>
  __device__ void for_scanning(int set, int sets, const Scan& scan) const {
    RingTurn stage(rings.stages, set), slot(rings.slots, set), out(rings.outs, set);
    for (int t = set; t < tiles; t += sets) {
      scan(t, this->stage(stage.place()), slot, out);
      order_before_bulk_copies();
      arrive_as_warp(barriers.scanned[stage.place()]);
      stage.advance(sets);
      slot.advance(sets);
      out.advance(sets);
    }
  }
};

/// @brief Starts the loads of all tiles and their stores: one thread if the mover is bulk, else a
/// warp each.
/// @tparam Block a Pipeline with a cursor that goes through tiles, and their loads and stores
template <class Block>
class TileCopier {
  static constexpr bool in_place = Block::Tile::in_place;
  /// Stores that may still read their places when a place is taken again.
  static constexpr int stores_behind = 1;
  /// As many loads at first, and then one more with each that arrives: many at once would keep the
  /// first ones waiting, and with them the first exchange.
  static constexpr int first_loads = 3;

 public:
  __device__ explicit TileCopier(const Block& block)
      : block_(block),
        policy_(mover == Mover::Bulk ? stream_policy() : 0),
        next_(block.cursor(0)),
        next_stage_(block.rings.stages, 0) {}

  __device__ void begin() {
    for (int i = 0; i < first_loads; ++i) load_next();
  }

  /// @brief Does the work of the thread.
  __device__ void run() {
    const PipelineRings& rings = block_.rings;
    auto& barriers = block_.barriers;
    RingTurn stage(rings.stages, 0), out(rings.outs, 0), left(rings.outs, 0);
    for (int t = first_loads; t < rings.stages.places() && t < block_.tiles; ++t) {
      stage.wait(barriers.arrived);
      stage.advance();
      load_next();
    }
    stage = RingTurn(rings.stages, 0);
    for (auto at = block_.cursor(0); at.tile() < block_.tiles; at.advance(1)) {
      stage.wait(barriers.scanned);
      if constexpr (!in_place) load_next();
      block_.store(at, in_place ? block_.stage(stage.place()) : block_.out(out.place()), policy_);
      commit_stores();
      stage.advance();
      out.advance();
      if (at.tile() < stores_behind) continue;
      wait_for_stores<stores_behind>();  // the tile so far behind has left its place
      if constexpr (in_place) {
        load_next();
      } else {
        barriers.out_free[left.place()].arrive();
        left.advance();
      }
    }
    wait_for_stores<0>();
  }

  /// @brief Does the work of the warp that loads.
  __device__ void run_loads() {
    auto& barriers = block_.barriers;
    const RingSize& stages = block_.rings.stages;
    RingTurn arrived(stages, 0), freed(stages, 0);
    for (int t = first_loads; t < block_.tiles; ++t) {
      if (t < stages.places()) {
        arrived.wait(barriers.arrived);
        arrived.advance();
      } else {
        freed.wait(in_place ? barriers.out_free : barriers.scanned);
        freed.advance();
      }
      load_next();
    }
  }
  __device__ void run_stores() const {
    auto& barriers = block_.barriers;
    const PipelineRings& rings = block_.rings;
    RingTurn stage(rings.stages, 0), out(in_place ? rings.stages : rings.outs, 0);
    for (auto at = block_.cursor(0); at.tile() < block_.tiles; at.advance(1)) {
      stage.wait(barriers.scanned);
      MovingThread::meet();
      block_.store(at, in_place ? block_.stage(stage.place()) : block_.out(out.place()), policy_);
      arrive_as_warp(barriers.out_free[out.place()]);
      stage.advance();
      out.advance();
    }
  }

 private:
  /// @brief Starts to load the next tile, if there is one.
  __device__ void load_next() {
    if (next_.tile() >= block_.tiles) return;
    const int stage = next_stage_.place();
    MovingThread::meet();
    block_.load(next_, block_.stage(stage), block_.barriers.arrived[stage], policy_);
    next_.advance(1);
    next_stage_.advance();
  }

  const Block& block_;
  std::uint64_t policy_;
  decltype(std::declval<const Block&>().cursor(0)) next_;  ///< to be loaded
  RingTurn next_stage_;
};

/// @brief Readies barriers and tags, and starts the first loads; the first warp, and the last one
/// if there are several copier_warps, then copies all tiles. All threads of a block call it.
/// @return whether it is such a warp, which has nothing else to do
template <class Block>
__device__ bool copies_tiles(const Block& block) {
  TileCopier<Block> copier(block);
  const int loader = copier_warps == 1 ? 0 : warps() - 1;
  if (warp() == loader && lane() < copying_lanes) {
    if (lane() == 0) block.barriers.init_arrivals(block.rings);
    copier.begin();
  }
  // By others, so that the first loads need not wait.
  if (threadIdx.x == 32) block.init_barriers();
  if (threadIdx.x == 64) block.barriers.tags = block.task.words.take(block.tags());
  __syncthreads();
  if constexpr (mover == Mover::Bulk) {
    if (warp() != 0) return false;
    if (lane() == 0) copier.run();
  } else {
    if (warp() != 0 && warp() != loader) return false;
    if (warp() == 0)
      copier.run_stores();
    else
      copier.run_loads();
  }
  return true;
}

}  // namespace wavescan::Impl::gpu

#endif
