// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TILEDLINES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TILEDLINES_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/filter/WaveScan_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

/// @file
/// @brief What kernels that filter tiles of lines have in common: one persistent block a
/// multiprocessor, which moves its tiles through a ring of stages in shared memory.
///
/// One thread does nothing but start copies. Some warps find what a tile leaves behind if nothing
/// enters it, and filter it `delay` tiles later, when the state that enters it is known: a warp
/// joins and publishes what the block's warps left behind, another one joins the totals of the
/// tiles before. Every sample is read once and written once, in one launch. All blocks must be
/// resident (cooperative launch).
///
/// A tile belongs to one line. Lines begin and end anywhere, but alike between 16-byte boundaries;
/// the first tile of a line begins at the boundary before it.

namespace wavescan::Impl::filter {

/// @brief Lines in tiles, as kernels get them.
template <class T>
struct TiledLines {
  Problem<T> problem;
  int front;  ///< samples of a first tile before its line
  Index tiles_of_line;
  Index blocks;
  Index lines_a_wave;           ///< whole ones, from a block's tile to its next one
  int depth;                    ///< tiles after which a state has no effect any more
  gpu::TileStream<const T> in;  ///< of line 0
  gpu::TileStream<T> out;
  gpu::TotalsMailbox totals;

  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int fronts = 16 / size;  ///< samples between two 16-byte boundaries

  static Index count_tiles(Index length, int front, Index tile) {
    return ceil_div(front + length, tile);
  }
  static Index count_blocks(LineExtents extents, int front, Index tile, Index max_blocks) {
    return std::min(extents.lines * count_tiles(extents.length, front, tile), max_blocks);
  }

  /// @brief Nothing if bulk copies cannot move the lines.
  static std::optional<TiledLines> of(const Problem<T>& problem, Index tile, Index max_blocks,
                                      Index depth, gpu::TaggedWord* totals) {
    const Lines<const T>& in = problem.in;
    const Lines<T>& out = problem.out;
    const LineExtents extents = problem.extents;
    if (max_blocks == 0 || in.stride != 1 || out.stride != 1) return {};
    const auto begin = address(out.data);
    const Index pitch = extents.lines > 1 ? in.line_stride | out.line_stride : 0;
    if (address(in.data) % 16 != begin % 16 || pitch * size % 16 != 0) return {};
    const int front = static_cast<int>(begin % 16) / size;
    const Index front_bytes = Index(front) * size;
    const Index tiles = count_tiles(extents.length, front, tile);
    const Index blocks = count_blocks(extents, front, tile, max_blocks);
    return TiledLines{problem,
                      front,
                      tiles,
                      blocks,
                      blocks / tiles,
                      static_cast<int>(depth),
                      {Lines<const T>{in.data, 0, 1}, {1, extents.length}, front_bytes},
                      {Lines<T>{out.data, 0, 1}, {1, extents.length}, front_bytes},
                      {totals}};
  }

 private:
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
};

/// @brief Places for what is known of tiles between their reduction and their run.
inline constexpr int tile_slots = 8;

/// @brief Where a block's tile lies.
struct TilePlace {
  Index line;
  Index tile;  ///< of the line
};

/// @brief A block's tiles and the ring that they go through.
/// @tparam Sizes   `tile` samples, `warps` that filter, `delay`
/// @tparam Room    bytes of shared memory for stages
/// @tparam Readers warps that read prefixes, for tiles in turn
template <class T, class Sizes, int Room, int Readers = 1>
class FilterPipeline {
 public:
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int tile_bytes = static_cast<int>(Sizes::tile) * size;
  static constexpr int stage_bytes = static_cast<int>(ceil_div(tile_bytes, 128)) * 128;
  static constexpr int stages = std::min(16, Room / stage_bytes);
  static constexpr int slots = tile_slots;
  static_assert(stages >= Sizes::delay + 2 && slots > Sizes::delay + 1);
  static constexpr int copier = Sizes::warps, publisher = copier + 1, reader = copier + 2;
  static constexpr int block_threads = (reader + Readers) * 32;

  struct Barriers {
    gpu::Barrier filled[stages];
    gpu::Barrier filtered[stages];
    gpu::Barrier reduced[slots];    ///< all warps have left their totals
    gpu::Barrier published[slots];  ///< and they have been joined
    gpu::Barrier entered[slots];    ///< what enters the warps is known
    gpu::LaunchTags tags;
  };

  __device__ FilterPipeline(const TiledLines<T>& lines, char* stages, Barriers& barriers)
      : lines_(lines),
        stages_(stages),
        barriers_(barriers),
        tiles_{lines.tiles_of_line * lines.problem.extents.lines, static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        waves_(tiles_.count()) {}

  /// @brief To be called by the copying thread before all others pass a barrier.
  __device__ void init() {
    for (int s = 0; s < stages; ++s) {
      barriers_.filled[s].init(1);
      barriers_.filtered[s].init(Sizes::warps * gpu::arrivals_of_warp);
    }
    for (int s = 0; s < slots; ++s) {
      barriers_.reduced[s].init(Sizes::warps * gpu::arrivals_of_warp);
      barriers_.published[s].init(gpu::arrivals_of_warp);
      barriers_.entered[s].init(gpu::arrivals_of_warp);
    }
    barriers_.tags = lines_.totals.epoch().tags();
    gpu::publish_barriers();
    gpu::order_before_bulk_copies();
  }

  __device__ TilePlace first_place() const {
    const Index line = tiles_.block / lines_.tiles_of_line;
    return {line, tiles_.block - line * lines_.tiles_of_line};
  }
  /// @brief To the block's next tile.
  __device__ void advance(TilePlace& at) const {
    at.line += lines_.lines_a_wave;
    at.tile += tiles_.blocks - lines_.lines_a_wave * lines_.tiles_of_line;
    if (at.tile < lines_.tiles_of_line) return;
    at.tile -= lines_.tiles_of_line;
    ++at.line;
  }
  __device__ bool begins_line(const TilePlace& at) const { return at.tile == 0; }
  __device__ bool ends_line(const TilePlace& at) const {
    return at.tile + 1 == lines_.tiles_of_line;
  }
  __device__ bool has_ends(const TilePlace& at) const { return begins_line(at) || ends_line(at); }

  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % stages) * stage_bytes;
  }

  /// @brief The copying thread's work.
  __device__ void copy_tiles() {
    const std::uint64_t policy = gpu::stream_policy();
    TilePlace loading = first_place(), storing = loading;
    const auto load = [&](int k) {
      const TilePlace at = loading;
      advance(loading);
      gpu::Barrier& filled = gpu::barrier_of(barriers_.filled, k);
      filled.arrive_expecting(gpu::load_window(of_line(lines_.in, lines_.problem.in, at.line),
                                               at.tile * tile_bytes, tile_bytes, stage(k), filled,
                                               policy));
    };
    for (int k = 0; k < Sizes::delay && k < waves_; ++k) load(k);
    gpu::copy_through<stages, Sizes::delay>(
        barriers_.filled, barriers_.filtered, waves_, load, [&](int k) {
          const TilePlace at = storing;
          advance(storing);
          gpu::store_window(of_line(lines_.out, lines_.problem.out, at.line), at.tile * tile_bytes,
                            tile_bytes, stage(k), policy);
        });
  }

  /// @brief The work of a warp that filters: reduce(k, place) returns what run(k, place, kept)
  /// gets `delay` tiles later.
  template <class Kept, class Reduce, class Run>
  __device__ void filter_tiles(const Reduce& reduce, const Run& run) {
    Kept kept[Sizes::delay + 1];
    TilePlace reduced = first_place(), filtered = reduced;
    for (int k = 0; k < waves_ + Sizes::delay; ++k) {
#pragma unroll
      for (int i = Sizes::delay; i > 0; --i) kept[i] = kept[i - 1];
      if (k < waves_) {
        gpu::wait_in_turn(barriers_.filled, k);
        kept[0] = reduce(k, reduced);
        gpu::arrive_as_warp(barriers_.reduced[k % slots]);
        advance(reduced);
      }
      if (k >= Sizes::delay) {
        const int own = k - Sizes::delay;
        await_entered(own);
        run(own, filtered, kept[Sizes::delay]);
        gpu::order_before_bulk_copies();
        gpu::arrive_as_warp(barriers_.filtered[own % stages]);
        advance(filtered);
      }
    }
  }

  /// @brief The work of the warp that publishes: publish(k) joins and publishes what the block's
  /// warps left behind.
  template <class Publish>
  __device__ void publish_totals(const Publish& publish) {
    for (int k = 0; k < waves_; ++k) {
      gpu::wait_in_turn(barriers_.reduced, k);
      publish(k);
      gpu::arrive_as_warp(barriers_.published[k % slots]);
    }
  }

  /// @brief Waits until it is known what enters the tile.
  __device__ void await_entered(int k) { gpu::wait_in_turn(barriers_.entered, k); }

  /// @brief The work of a warp that reads prefixes: join(k, place) joins the totals of the tiles
  /// before, await_others(k) waits for all blocks' tiles of this wave, and enter(k, joined) says
  /// what enters the warps.
  template <class Join, class AwaitOthers, class Enter>
  __device__ void read_prefixes(const Join& join, const AwaitOthers& await_others,
                                const Enter& enter) {
    TilePlace at = first_place();
    for (int k = 0; k < waves_; ++k, advance(at)) {
      if (Readers > 1 && k % Readers != gpu::warp() - reader) continue;
      const auto before = join(k, at);
      gpu::wait_in_turn(barriers_.published, k);
      // Who has published has read the initial states of lines, which may lie where final ones
      // will, and the epoch.
      if (tiles_.is_last(k) || (ends_line(at) && lines_.problem.final.data != nullptr))
        await_others(k);
      if (tiles_.is_last(k) && gpu::lane() == 0)
        lines_.totals.epoch().end(barriers_.tags, static_cast<std::uint32_t>(k));
      enter(k, before);
      gpu::arrive_as_warp(barriers_.entered[k % slots]);
    }
  }

  __device__ const gpu::CyclicTiles& tiles() const { return tiles_; }
  __device__ const gpu::LaunchTags& tags() const { return barriers_.tags; }

 private:
  template <class Element>
  __device__ static gpu::TileStream<Element> of_line(gpu::TileStream<Element> stream,
                                                     const Lines<Element>& lines, Index line) {
    stream.base += line * lines.line_stride * size;
    return stream;
  }

  const TiledLines<T>& lines_;
  char* stages_;
  Barriers& barriers_;
  gpu::CyclicTiles tiles_;
  int waves_;
};

}  // namespace wavescan::Impl::filter

#endif
