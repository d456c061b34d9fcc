// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_TILEDSELECT_HPP
#define WAVESCAN_IMPL_SELECT_GPU_TILEDSELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/select/gpu/WaveScan_Sample.hpp>
#include <impl/select/gpu/WaveScan_SelectTuning.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief A selection on a GPU: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One warp or a few load. Some
/// warps ask the selector, each about its segment of a tile; one publishes how many elements are
/// kept; one joins the totals of the tiles before; the others know by these where each segment
/// goes, and store it there. Everything is read once and written once, with one launch, and the
/// same from run to run. All blocks must be resident (cooperative launch).
///
/// Why it works in place: elements move to lower places only, so what a tile's elements overwrite
/// belongs to it or to tiles before. The totals of these have arrived before it is stored, and were
/// published when the tiles had been read. Memory is overwritten by nothing else while a tile's
/// left neighbour is loaded: what is kept and does not move is the same again.
///
/// A partition goes *behind* what is kept with what is rejected when the totals of all tiles have
/// arrived, so all of them have been read. If they do not fit in the stages, it may be *mirrored*:
/// tiles are taken from the last one on, rejected elements move to higher places where those kept
/// move to lower ones otherwise, and those kept go where rejected ones do.

namespace wavescan::Impl::select {

/// @brief A selection as the kernel gets it.
/// @tparam Tiles how tiles lie in shared memory, how they are loaded, what of them is kept, and how
///               it is stored
template <class Tiles>
struct TiledSelection {
  typename Tiles::Arrays arrays;
  Index* count;
  gpu::TotalsMailbox totals;
  bool behind = false;                       ///< rejected elements go behind all that are kept
  const gpu::TaggedWord* sampled = nullptr;  ///< of a partition that may be mirrored
};

/// @brief Barriers and memory that the warps of a block share.
template <int Stages>
struct SelectShared {
  static constexpr int segments = SelectWarps::compacting;
  gpu::Barrier filled[Stages];     ///< the tile has been loaded,
  gpu::Barrier counted[Stages];    ///< what is kept of its segments is known,
  gpu::Barrier compacted[Stages];  ///< and lies at their fronts,
  gpu::Barrier published[Stages];  ///< its total is known to other blocks,
  gpu::Barrier joined[Stages];     ///< how many are kept before it has been found out,
  gpu::Barrier stored[Stages];     ///< and its segments are where they belong
  gpu::Barrier joined_all;         ///< how many are kept of all tiles is known
  int kept[Stages][segments];
  int kept_before[Stages][segments];  ///< in the tile
  int total[Stages];
  Index before[Stages];  ///< kept of all tiles before
  Index all;             ///< kept of all tiles
  gpu::LaunchTags tags;
};

template <class Tiles>
class TiledSelect {
  using Shared = SelectShared<Tiles::stages>;
  using Exchange = gpu::PrefixExchange<gpu::CountTraits, 5>;
  static constexpr int stages = Tiles::stages;
  static constexpr int segments = SelectWarps::compacting;

 public:
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * Tiles::stage_bytes + sizeof(Shared) + 128;

  __device__ TiledSelect(const TiledSelection<Tiles>& selection, char* memory)
      : selection_(selection),
        mirrored_(Tiles::keeps_rejected && selection.sampled != nullptr &&
                  is_mirrored(selection.sampled)),
        inside_(selection.arrays, memory, mirrored_),
        shared_(*reinterpret_cast<Shared*>(memory + stages * Tiles::stage_bytes)),
        tiles_{Tiles::count(selection.arrays), static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        count_(tiles_.count()) {}

  __device__ void run() {
    const int warp = gpu::warp();
    if (threadIdx.x == SelectWarps::loader * gpu::warp_size) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(gpu::mover_arrivals);
        shared_.counted[s].init(segments * gpu::arrivals_of_warp);
        shared_.compacted[s].init(segments * gpu::arrivals_of_warp);
        shared_.published[s].init(gpu::arrivals_of_warp);
        shared_.joined[s].init(gpu::arrivals_of_warp);
        shared_.stored[s].init(SelectWarps::storing * gpu::arrivals_of_warp);
      }
      shared_.joined_all.init(gpu::arrivals_of_warp);
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (threadIdx.x == 0) shared_.tags = selection_.totals.epoch().tags();
    __syncthreads();
    if (warp < segments)
      compact_tiles(warp);
    else if (warp < SelectWarps::loader)
      store_tiles(warp - segments);
    else if (warp == SelectWarps::publisher)
      publish_totals();
    else if (warp == SelectWarps::joiner)
      join_totals();
    else if (gpu::MovingThread::moves(SelectWarps::loader, Tiles::loading_lanes))
      load_tiles();
  }

 private:
  /// @brief The block's tile of wave k.
  __device__ Index tile(int k) const {
    return mirrored_ ? tiles_.tiles - 1 - tiles_.of(k) : tiles_.of(k);
  }
  __device__ bool behind() const { return Tiles::keeps_rejected && selection_.behind; }

  // ---- who loads

  __device__ void load_tiles() {
    const gpu::MovingThread moving(SelectWarps::loader);
    gpu::load_through<stages, Tiles::slow_start>(
        moving, shared_.filled, shared_.stored, count_, [&](int k, int place, auto& ready) {
          inside_.load(tile(k), place, shared_.filled[place], moving, ready);
        });
  }

  // ---- the warps that compact

  __device__ void compact_tiles(int segment) {
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      inside_.compact(tile(k), at.place, segment, [&](int kept) {
        if (gpu::lane() == 0) shared_.kept[at.place][segment] = kept;
        gpu::arrive_as_warp(shared_.counted[at.place]);
      });
      gpu::arrive_as_warp(shared_.compacted[at.place]);
    }
  }

  // ---- the warp that publishes totals

  __device__ void publish_totals() {
    const gpu::LaunchTags tags = shared_.tags;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.counted[at.place].wait(at.parity);
      const int segment = mirrored_ ? segments - 1 - gpu::lane() : gpu::lane();
      const int kept = gpu::lane() < segments ? shared_.kept[at.place][segment] : 0;
      const int sum = gpu::warp_inclusive_scan(kept);
      const int total = gpu::broadcast(sum, gpu::warp_size - 1);
      if (gpu::lane() == 0) {
        Exchange::publish(selection_.totals, static_cast<std::uint32_t>(k), tiles_.block,
                          tiles_.blocks, total, tags);
        shared_.total[at.place] = total;
      }
      if (gpu::lane() < segments) shared_.kept_before[at.place][segment] = sum - kept;
      gpu::arrive_as_warp(shared_.published[at.place]);
    }
  }

  // ---- the warp that joins those of other blocks

  __device__ void join_totals() {
    const gpu::CountTraits traits;
    const gpu::LaunchTags tags = shared_.tags;
    const Exchange exchange(traits, selection_.totals, tiles_.block, tiles_.blocks,
                            [](Index) { return gpu::CountTraits::weight_type{}; });
    Index kept = 0;  // up to and with the block's last tile
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      kept += exchange.join_totals(static_cast<std::uint32_t>(k), tags, tiles_.blocks);
      shared_.published[at.place].wait(at.parity);
      if (gpu::lane() == 0) shared_.before[at.place] = kept;
      kept += shared_.total[at.place];
      if (tiles_.is_last(k) && gpu::lane() == 0) {
        *selection_.count = mirrored_ ? selection_.arrays.elements - kept : kept;
        // Everybody has published by now, and so has read the epoch.
        selection_.totals.epoch().end(tags, static_cast<std::uint32_t>(k));
      }
      gpu::arrive_as_warp(shared_.joined[at.place]);
    }
    if (!behind()) return;
    kept += exchange.join_totals_after(static_cast<std::uint32_t>(count_ - 1), tags, tiles_.tiles);
    if (gpu::lane() == 0) shared_.all = kept;
    gpu::arrive_as_warp(shared_.joined_all);
  }

  // ---- the warps that store

  __device__ void store_tiles(int mover) {
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.compacted[at.place].wait(at.parity);
      shared_.published[at.place].wait(at.parity);
      shared_.joined[at.place].wait(at.parity);
      for_segments(mover, at.place, [&](int segment, int kept, Index before) {
        inside_.store_kept(tile(k), at.place, segment, kept, before);
        if constexpr (Tiles::keeps_rejected)
          if (!behind()) inside_.store_rejected(tile(k), at.place, segment, kept, before, 0);
      });
      gpu::arrive_as_warp(shared_.stored[at.place]);
    }
    if constexpr (Tiles::keeps_rejected)
      if (behind()) store_behind(mover);
  }
  /// @brief Stores what is rejected, of all tiles; each has a stage of its own.
  __device__ void store_behind(int mover) {
    shared_.joined_all.wait(0);
    for (int k = 0; k < count_; ++k)
      for_segments(mover, k, [&](int segment, int kept, Index before) {
        inside_.store_rejected(tile(k), k, segment, kept, before, shared_.all);
      });
  }
  /// @brief Calls store(segment, kept, kept before it) for those of a warp.
  template <class Store>
  __device__ void for_segments(int mover, int place, const Store& store) const {
    const Index before = shared_.before[place];
    for (int s = mover; s < segments; s += SelectWarps::storing)
      store(s, shared_.kept[place][s], before + shared_.kept_before[place][s]);
  }

  const TiledSelection<Tiles>& selection_;
  bool mirrored_;
  Tiles inside_;
  Shared& shared_;
  gpu::CyclicTiles tiles_;
  int count_;
};

template <class Tiles>
__global__ void __launch_bounds__(SelectWarps::threads, 1)
    tiled_select(const WAVESCAN_GRID_CONSTANT TiledSelection<Tiles> selection) {
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  TiledSelect<Tiles>(selection, memory + (128 - address % 128) % 128).run();
}

}  // namespace wavescan::Impl::select

#endif
