// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TILEDLINES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TILEDLINES_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/gpu/WaveScan_ThreadSamples.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// @file
/// @brief The common part of kernels that filter tiles of lines: one persistent block a
/// multiprocessor, which moves its tiles through a ring of stages in shared memory.
///
/// Some threads do nothing but move tiles. Some warps find what a tile leaves behind if nothing
/// enters it, and filter it `delay` tiles later, when the state that enters it is known: a warp
/// joins and publishes what the block's warps left behind, another one joins the totals of the
/// tiles before. Every sample is read once and written once, in one launch. All blocks must be
/// resident (cooperative launch).
///
/// A tile belongs to one line. Lines begin and end anywhere, but in all arrays at the same distance
/// from 16-byte boundaries; the first tile of a line begins at the boundary before it. Reverse
/// lines have tiles that are reversed as a whole: their first one ends at a boundary.

namespace wavescan::Impl::filter {

/// @brief Lines in tiles, as kernels get them.
/// @tparam Inputs  the most arrays that are read
/// @tparam Outputs arrays that are written
template <class T, int Inputs = 1, int Outputs = 1>
struct TiledLines {
  LineExtents extents;
  StateLines<const T> initial;
  StateLines<T> final;
  int inputs;
  bool reverse;
  int front;  ///< samples of a first tile before its line
  Index tiles_of_line;
  Index blocks;
  Index lines_a_wave;                   ///< whole ones, from a block's tile to its next one
  gpu::TileStream<const T> in[Inputs];  ///< of line 0
  Index in_bytes[Inputs];               ///< from line to line
  gpu::TileStream<T> out[Outputs];
  Index out_bytes[Outputs];
  gpu::TotalsMailbox totals;

  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int fronts = 16 / size;  ///< samples between two 16-byte boundaries

  static Index count_tiles(Index length, int front, Index tile) {
    return ceil_div(front + length, tile);
  }
  static Index count_blocks(LineExtents extents, int front, Index tile, Index max_blocks) {
    return std::min(extents.lines * count_tiles(extents.length, front, tile), max_blocks);
  }
  /// @brief Samples between the 16-byte boundary where the tiles of lines begin and the first one.
  static int front_of(const Lines<T>& lines) {
    // Of a reverse line the first sample is the last one in memory.
    const bool reverse = lines.stride < 0;
    const auto bytes = (address(lines.data) + (reverse ? size : 0)) % 16;
    return static_cast<int>(reverse ? (16 - bytes) % 16 : bytes) / size;
  }

  /// @brief The lines without states and `totals`; nothing if they are empty or cannot be moved in
  /// 16-byte words.
  /// @param in as many as are used
  static std::optional<TiledLines> of(LineExtents extents, std::span<const Lines<const T>> in,
                                      std::span<const Lines<T>, Outputs> out, Index tile,
                                      Index max_blocks) {
    const Index n = extents.length, stride = out[0].stride;
    if (max_blocks == 0 || n == 0 || (stride != 1 && stride != -1)) return {};
    const bool reverse = stride < 0;
    const int front = front_of(out[0]);
    const Index tiles = count_tiles(n, front, tile);
    const Index before = reverse ? tiles * tile - front - n : front;
    bool supported = true;
    const auto tiled = [&]<class Element>(const Lines<Element>& lines) {
      supported = supported && lines.stride == stride &&
                  address(lines.data) % 16 == address(out[0].data) % 16 &&
                  (extents.lines == 1 || lines.line_stride * size % 16 == 0);
      return gpu::TileStream<Element>({reverse ? lines.data - (n - 1) : lines.data, 0, 1}, {1, n},
                                      before * size);
    };
    TiledLines all{};
    all.extents = extents;
    all.inputs = static_cast<int>(in.size());
    all.reverse = reverse;
    all.front = front;
    all.tiles_of_line = tiles;
    all.blocks = count_blocks(extents, front, tile, max_blocks);
    all.lines_a_wave = all.blocks / tiles;
    for (std::size_t i = 0; i < in.size(); ++i) {
      all.in[i] = tiled(in[i]);
      all.in_bytes[i] = in[i].line_stride * size;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      all.out[i] = tiled(out[i]);
      all.out_bytes[i] = out[i].line_stride * size;
    }
    return supported ? std::optional(all) : std::nullopt;
  }
  /// @brief Whether they can be moved in 16-byte words.
  static bool can_move(LineExtents extents, std::span<const Lines<const T>> in,
                       std::span<const Lines<T>, Outputs> out) {
    return of(extents, in, out, 1, 1).has_value();
  }
  static bool can_move(const Problem<T>& problem) { return of(problem, 1, 1).has_value(); }

  /// @brief The lines of a filter's problem.
  static std::optional<TiledLines> of(const Problem<T>& problem, Index tile, Index max_blocks) {
    auto lines = of(problem.extents, std::span(&problem.in, 1),
                    std::span<const Lines<T>, 1>(&problem.out, 1), tile, max_blocks);
    if (lines) {
      lines->initial = problem.initial;
      lines->final = problem.final;
    }
    return lines;
  }

 private:
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
};

using TotalsView = Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space>;

/// @brief Memory for the totals of blocks, of `values` V each, for the `totals` of lines. Zero is
/// no tag of a launch; after this nothing is ever cleared.
template <class V>
TotalsView totals_of(const gpu::Device& exec, Index blocks, int values = 1) {
  TotalsView totals;
  allocate_cleared(exec, totals, "WaveScan::filter::totals",
                   gpu::TotalsMailbox::size<V>(static_cast<int>(blocks), values));
  return totals;
}

/// @brief Places for what is known of tiles between their reduction and their run.
inline constexpr int tile_slots = 8;

/// @brief The place of a block's tile.
struct TilePlace {
  Index line;
  Index tile;  ///< of the line
};

/// @brief The base of kernels: a block's tiles, the ring that they go through, and its warps. A
/// stage has room for a tile of each input; outputs take the place of the first ones.
/// @tparam Sizes   `tile` samples, `warps` that filter, `delay`
/// @tparam Shared  what else the kernel has in shared memory
/// @tparam Readers warps that read prefixes, for tiles in turn
template <class T, class Sizes, class Shared, int Readers = 1, int Inputs = 1, int Outputs = 1>
class FilterPipeline {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int room = gpu::block_memory - 2048 - static_cast<int>(sizeof(Shared));

 public:
  static constexpr int tile_bytes = static_cast<int>(Sizes::tile) * size;
  static constexpr int input_bytes = static_cast<int>(ceil_div(tile_bytes, 128)) * 128;
  static constexpr int stage_bytes = Inputs * input_bytes;
  static constexpr int stages = gpu::whole_rounds(std::min(16, room / stage_bytes));
  static constexpr int slots = tile_slots;
  static_assert(stages >= Sizes::delay + 2 && slots > Sizes::delay + 1);
  static constexpr int copier = Sizes::warps, publisher = copier + gpu::mover_warps,
                       reader = publisher + 1;

 private:
  struct Barriers {
    gpu::Barrier filled[stages];
    gpu::Barrier filtered[stages];
    gpu::Barrier reduced[slots];    ///< all warps have left their totals
    gpu::Barrier published[slots];  ///< and they have been joined
    gpu::Barrier entered[slots];    ///< what enters the warps is known
    gpu::LaunchTags tags;
  };
  static constexpr int stages_bytes = stages * stage_bytes;

 public:
  static constexpr bool any_mover = true;
  static constexpr int block_threads = (reader + Readers) * gpu::warp_size;
  static constexpr std::size_t shared_bytes = stages_bytes + sizeof(Shared) + sizeof(Barriers);
  static constexpr int memory_alignment = 128;

  __device__ FilterPipeline(const TiledLines<T, Inputs, Outputs>& lines, char* memory)
      : lines_(lines),
        shared_(*reinterpret_cast<Shared*>(memory + stages_bytes)),
        stages_(memory),
        barriers_(*reinterpret_cast<Barriers*>(&shared_ + 1)),
        tiles_{lines.tiles_of_line * lines.extents.lines, static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        waves_(tiles_.count()) {}

  /// @brief Runs the roles of the block's threads.
  /// @param prepare what all do first
  /// @param filter  filter(warp) is the work of a warp that filters; `publish` and `read` are those
  ///                of the warp that publishes and of those that read prefixes
  template <class Prepare, class Filter, class Publish, class Read>
  __device__ void run_warps(const Prepare& prepare, const Filter& filter, const Publish& publish,
                            const Read& read) {
    if (threadIdx.x == copier * gpu::warp_size) init();
    prepare();
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Sizes::warps)
      filter(warp);
    else if (gpu::MovingThread::moves(copier))
      copy_tiles();
    else if (warp == publisher)
      publish();
    else if (warp >= reader)
      read();
  }
  /// @brief Copies a table to shared memory, a part for each thread.
  template <class Table>
  __device__ static void copy_table(const Table& from, Table& to) {
    static_assert(alignof(Table) % sizeof(uint4) == 0);
    for (int i = static_cast<int>(threadIdx.x); i < int(sizeof(Table) / sizeof(uint4));
         i += block_threads)
      reinterpret_cast<uint4*>(&to)[i] = reinterpret_cast<const uint4*>(&from)[i];
  }

  /// @brief Initializes the barriers; called by one thread before all others pass a barrier.
  __device__ void init() {
    for (int s = 0; s < stages; ++s) {
      barriers_.filled[s].init(gpu::mover_arrivals);
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
  /// @brief Goes on to the block's next tile.
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

  /// @brief The sample of the line that is the tile's first one.
  __device__ Index first_sample(const TilePlace& at) const {
    return at.tile * Sizes::tile - lines_.front;
  }

  /// @brief The number in its line of the thread's first sample, if all threads have as many.
  __device__ Index first_of_thread(const TilePlace& at) const {
    return first_sample(at) + Index(threadIdx.x) * Sizes::items;
  }

  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % stages) * stage_bytes;
  }
  /// @brief The thread's samples of an input's tile: those of the first ones become outputs.
  __device__ auto own_samples(int k, int input = 0) const {
    return ThreadSamples<T, Sizes::words>(stage(k) + input * input_bytes,
                                          static_cast<int>(threadIdx.x), Sizes::threads,
                                          lines_.reverse);
  }

  /// @brief The work of the threads that move tiles.
  __device__ void copy_tiles() {
    const gpu::MovingThread moving(copier);
    TilePlace loading = first_place(), storing = loading;
    for (int i = 0; i < moving.first_tile(); ++i) {
      advance(loading);
      advance(storing);
    }
    const auto next = [&](TilePlace& place) {
      const TilePlace at = place;
      for (int i = 0; i < moving.tile_step; ++i) advance(place);
      return at;
    };
    const auto load = [&](int k, auto& ready) {
      const TilePlace at = next(loading);
      gpu::Barrier& filled = gpu::barrier_of(barriers_.filled, k);
      std::uint32_t bytes = 0;
#pragma unroll 1
      for (int i = 0; i < (Inputs > 1 ? lines_.inputs : 1); ++i)
        bytes += gpu::load_window(of_line(lines_.in[i], at.line * lines_.in_bytes[i]), window(at),
                                  tile_bytes, stage(k) + i * input_bytes, filled, moving, ready);
      moving.fill(filled, bytes, ready);
    };
    gpu::start_loads<Sizes::delay>(moving, waves_, load);
    gpu::copy_through<stages, Sizes::delay>(
        moving, barriers_.filled, barriers_.filtered, waves_, load, [&](int k) {
          const TilePlace at = next(storing);
#pragma unroll
          for (int i = 0; i < Outputs; ++i)
            gpu::start_stores(of_line(lines_.out[i], at.line * lines_.out_bytes[i]), window(at),
                              tile_bytes, stage(k) + i * input_bytes, moving);
          gpu::commit_stores();
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
        wait(barriers_.filled, k);
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
      wait(barriers_.reduced, k);
      publish(k);
      gpu::arrive_as_warp(barriers_.published[k % slots]);
    }
  }

  /// @brief Waits until what the block's warps left behind has been joined.
  __device__ void await_published(int k) { wait(barriers_.published, k); }
  /// @brief Waits until it is known what enters the tile.
  __device__ void await_entered(int k) { wait(barriers_.entered, k); }

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
      await_published(k);
      // Who has published has read the initial states of lines, which may lie where final ones
      // will, and the epoch.
      if (tiles_.is_last(k) || (ends_line(at) && lines_.final.data != nullptr)) await_others(k);
      if (tiles_.is_last(k) && gpu::lane() == 0)
        lines_.totals.epoch().end(barriers_.tags, static_cast<std::uint32_t>(k));
      enter(k, before);
      gpu::arrive_as_warp(barriers_.entered[k % slots]);
    }
  }

  __device__ const gpu::CyclicTiles& tiles() const { return tiles_; }
  __device__ const gpu::LaunchTags& tags() const { return barriers_.tags; }

 protected:
  const TiledLines<T, Inputs, Outputs>& lines_;
  Shared& shared_;

 private:
  /// @brief A warp waits for tile k. Lanes can leave a barrier one after the other: they are
  /// brought together again, because apart they compute in turn, and shuffle in several times the
  /// time.
  template <int Places>
  __device__ static void wait(gpu::Barrier (&barriers)[Places], int k) {
    gpu::wait_in_turn(barriers, k);
    gpu::sync_warp();
  }
  template <class Element>
  __device__ static gpu::TileStream<Element> of_line(gpu::TileStream<Element> stream,
                                                     Index bytes_before) {
    stream.base += bytes_before;
    return stream;
  }
  /// @brief The byte at which the tile begins in memory, counted from the begin of the line's
  /// tiles.
  __device__ Index window(const TilePlace& at) const {
    return (lines_.reverse ? lines_.tiles_of_line - 1 - at.tile : at.tile) * tile_bytes;
  }

  char* stages_;
  Barriers& barriers_;
  gpu::CyclicTiles tiles_;
  int waves_;
};

}  // namespace wavescan::Impl::filter

#endif
