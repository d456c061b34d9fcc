// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_KERNEL_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/gpu/WaveScan_Tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Filters on a GPU with bulk copies: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One thread does nothing but
/// start copies. The others find what a tile leaves behind if nothing enters it (a sum of its
/// samples' responses, so that no sample waits for another), and filter it `delay` tiles later,
/// when the state that enters it is known: a warp joins and publishes what the block's warps left
/// behind, another one joins the totals of the tiles before. Every sample is read once and written
/// once, in one launch. All blocks must be resident (cooperative launch).
///
/// A tile belongs to one line. Lines begin and end anywhere, but alike between 16-byte boundaries;
/// the first tile of a line begins at the boundary before it.

namespace wavescan::Impl::filter {

/// @brief States as segments of a scan: they are joined by the matrix of the later one's length.
template <class T, int K>
struct StateTraits {
  using segment = StateVector<T, K>;
  using weight_type = const StateMatrix<T, K>*;
  static constexpr bool ordered = true;
  static constexpr bool weighs_by_length = true;
  __device__ static segment identity() { return {}; }
  __device__ static segment join(const segment& left, const segment& right, weight_type over) {
    return over->advance(left, right);
  }
};

/// @brief A filter's tiles as the kernel gets them.
template <class Form>
struct TiledFilter {
  using T = typename Form::value_type;
  Form form;
  Problem<T> problem;
  int front;  ///< samples of a first tile before its line
  Index tiles_of_line;
  gpu::TileStream<const T> in;  ///< of line 0
  gpu::TileStream<T> out;
  gpu::TotalsMailbox totals;
  const Tables<T, Form::states>* tables;
};

/// @brief What the warps of a block share.
template <class T, int K>
struct FilterShared {
  using Sizes = Tuning<T, K>;
  static constexpr int slots = 8;  ///< of tiles between their reduction and their run
  static constexpr int room = (227 - 1) * 1024 - static_cast<int>(sizeof(Tables<T, K>)) -
                              2 * slots * Sizes::warps * K * Sizes::size - 1024;
  static constexpr int stages = std::min(9, room / Sizes::stage_bytes);
  static_assert(stages >= Sizes::delay + 2 && slots > Sizes::delay + 1);

  gpu::Barrier filled[stages];
  gpu::Barrier filtered[stages];
  gpu::Barrier reduced[slots];    ///< all warps have left their totals
  gpu::Barrier published[slots];  ///< and they have been joined
  gpu::Barrier entered[slots];    ///< what enters the warps is known
  gpu::LaunchTags tags;
  alignas(16) StateVector<T, K> left_behind[slots][Sizes::warps];  ///< by the warps, then before
  alignas(16) StateVector<T, K> entering[slots][Sizes::warps];
  alignas(16) StateVector<T, K> total[slots];
};

template <class Form>
class FilterKernel {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = Tuning<T, K>;
  using State = StateVector<T, K>;
  using Shared = FilterShared<T, K>;
  using Exchange = gpu::PrefixExchange<StateTraits<T, K>, Sizes::look_back_loads>;
  static constexpr int stages = Shared::stages;
  static constexpr int slow_start = Sizes::delay;
  static constexpr int copier = Sizes::warps, publisher = copier + 1, reader = copier + 2;

 public:
  static constexpr int block_threads = (Sizes::warps + 3) * 32;
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * Sizes::stage_bytes + sizeof(Tables<T, K>) + sizeof(Shared) + 128;

  __device__ FilterKernel(const TiledFilter<Form>& filter, char* memory)
      : filter_(filter),
        stages_(memory),
        tables_(*reinterpret_cast<Tables<T, K>*>(memory + stages * Sizes::stage_bytes)),
        shared_(*reinterpret_cast<Shared*>(memory + stages * Sizes::stage_bytes +
                                           sizeof(Tables<T, K>))),
        tiles_{filter.tiles_of_line * filter.problem.extents.lines, static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        waves_(tiles_.count()) {}

  __device__ void run() {
    if (threadIdx.x == copier * 32) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(1);
        shared_.filtered[s].init(Sizes::warps * gpu::arrivals_of_warp);
      }
      for (int s = 0; s < Shared::slots; ++s) {
        shared_.reduced[s].init(Sizes::warps * gpu::arrivals_of_warp);
        shared_.published[s].init(gpu::arrivals_of_warp);
        shared_.entered[s].init(gpu::arrivals_of_warp);
      }
      shared_.tags = filter_.totals.epoch().tags();
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    copy_tables();
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Sizes::warps)
      filter_tiles(warp);
    else if (threadIdx.x == copier * 32)
      copy_tiles();
    else if (warp == publisher)
      publish_totals();
    else if (warp == reader)
      read_prefixes();
  }

 private:
  /// @brief Where a tile lies.
  struct Place {
    Index line;
    Index tile;  ///< of the line
  };
  __device__ Place place(int k) const {
    const Index line = tiles_.of(k) / filter_.tiles_of_line;
    return {line, tiles_.of(k) - line * filter_.tiles_of_line};
  }
  /// @brief Whether the line begins or ends in the tile.
  __device__ bool has_ends(const Place& at) const {
    return at.tile == 0 || at.tile + 1 == filter_.tiles_of_line;
  }
  /// @brief The sample of the line that is the thread's first one.
  __device__ Index first_sample(const Place& at) const {
    return at.tile * Sizes::tile - filter_.front + Index(threadIdx.x) * Sizes::items;
  }
  __device__ bool begins_line(const Place& at) const { return at.tile == 0 && threadIdx.x == 0; }

  __device__ void copy_tables() {
    constexpr int words = static_cast<int>(sizeof(Tables<T, K>) / 4);
    const auto* const from = reinterpret_cast<const std::uint32_t*>(filter_.tables);
    auto* const to = reinterpret_cast<std::uint32_t*>(&tables_);
    for (int i = static_cast<int>(threadIdx.x); i < words; i += block_threads) to[i] = from[i];
  }

  // ---- the copying thread

  template <class Element>
  __device__ static gpu::TileStream<Element> of_line(gpu::TileStream<Element> stream,
                                                     const Lines<Element>& lines, Index line) {
    stream.base += line * lines.line_stride * Sizes::size;
    return stream;
  }
  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % stages) * Sizes::stage_bytes;
  }
  __device__ void copy_tiles() {
    const std::uint64_t policy = gpu::stream_policy();
    const auto load = [&](int k) {
      const Place at = place(k);
      gpu::Barrier& filled = gpu::barrier_of(shared_.filled, k);
      filled.arrive_expecting(gpu::load_window(of_line(filter_.in, filter_.problem.in, at.line),
                                               at.tile * Sizes::tile_bytes, Sizes::tile_bytes,
                                               stage(k), filled, policy));
    };
    for (int k = 0; k < slow_start && k < waves_; ++k) load(k);
    gpu::copy_through<stages, slow_start>(
        shared_.filled, shared_.filtered, waves_, load, [&](int k) {
          const Place at = place(k);
          gpu::store_window(of_line(filter_.out, filter_.problem.out, at.line),
                            at.tile * Sizes::tile_bytes, Sizes::tile_bytes, stage(k), policy);
        });
  }

  // ---- the warp that publishes totals

  /// @brief The tables' matrices of some lengths, as the scans of warps ask for them.
  struct Lengths {
    const StateMatrix<T, K>* matrices;
    __device__ const StateMatrix<T, K>* operator[](int j) const { return matrices + j; }
  };

  __device__ void publish_totals() {
    const int lane = gpu::lane();
    for (int k = 0; k < waves_; ++k) {
      const int slot = k % Shared::slots;
      gpu::wait_in_turn(shared_.reduced, k);
      State sum = lane < Sizes::warps ? shared_.left_behind[slot][lane] : State{};
      sum = gpu::warp_weighted_scan(StateTraits<T, K>(), sum, 0, Lengths{tables_.warps});
      const State total = gpu::broadcast(sum, Sizes::warps - 1);
      const State before = gpu::shuffle_up(sum, 1);
      if (lane < Sizes::warps) shared_.left_behind[slot][lane] = lane == 0 ? State{} : before;
      if (lane == 0) {
        Exchange::publish(filter_.totals, static_cast<std::uint32_t>(k), tiles_.block,
                          tiles_.blocks, total, shared_.tags);
        shared_.total[slot] = total;
      }
      gpu::arrive_as_warp(shared_.published[slot]);
    }
  }

  // ---- the warp that reads prefixes

  __device__ void read_prefixes() {
    const int lane = gpu::lane();
    const StateTraits<T, K> traits;
    const Exchange exchange(traits, filter_.totals, tiles_.block, tiles_.blocks,
                            [&](Index tiles) { return over_tiles(tiles); });
    State after{};  // the block's last tile
    for (int k = 0; k < waves_; ++k) {
      const Place at = place(k);
      const int slot = k % Shared::slots;
      State before = exchange.join_totals(static_cast<std::uint32_t>(k), shared_.tags, at.tile);
      if (k > 0 && at.tile >= tiles_.blocks) before = traits.join(after, before, &tables_.wave);
      gpu::wait_in_turn(shared_.published, k);
      // Everybody has published by now, and so has read the epoch.
      if (tiles_.is_last(k) && lane == 0)
        filter_.totals.epoch().end(shared_.tags, static_cast<std::uint32_t>(k));
      if (lane < Sizes::warps)
        shared_.entering[slot][lane] =
            traits.join(before, shared_.left_behind[slot][lane], &tables_.before_warp[lane]);
      gpu::arrive_as_warp(shared_.entered[slot]);
      after = traits.join(before, shared_.total[slot], &tables_.tile);
    }
  }
  /// @param tiles 1, or a lane's loads times a power of two
  __device__ const StateMatrix<T, K>* over_tiles(Index tiles) const {
    if (tiles == 1) return &tables_.tile;
    int j = 0;
    while (Index(Sizes::look_back_loads) << j < tiles) ++j;
    return &tables_.tiles[j];
  }

  // ---- the warps that filter

  using Items = gpu::Items<T, Sizes::items>;

  __device__ void filter_tiles(int warp) {
    State offsets[Sizes::delay + 1];  // what the lanes before leave, of tiles not yet filtered
    for (int k = 0; k < waves_ + Sizes::delay; ++k) {
#pragma unroll
      for (int i = Sizes::delay; i > 0; --i) offsets[i] = offsets[i - 1];
      if (k < waves_) offsets[0] = reduce_tile(k, warp);
      if (k >= Sizes::delay) run_tile(k - Sizes::delay, warp, offsets[Sizes::delay]);
    }
  }

  /// @brief Makes samples that are not the line's zero.
  __device__ void drop_outside(Items& x, Index first) const {
#pragma unroll
    for (int i = 0; i < Sizes::items; ++i)
      if (first + i < 0 || first + i >= filter_.problem.extents.length) x.value[i] = T(0);
  }

  /// @brief Hands over what the thread's samples leave behind; returns what those of the lanes
  /// before do.
  __device__ State reduce_tile(int k, int warp) {
    const Place at = place(k);
    const int slot = k % Shared::slots;
    gpu::wait_in_turn(shared_.filled, k);
    Items x;
    x.load(stage(k) + threadIdx.x * Sizes::bytes);
    if (has_ends(at)) drop_outside(x, first_sample(at));
    State sum{};
#pragma unroll
    for (int i = 0; i < Sizes::items; ++i)
#pragma unroll
      for (int s = 0; s < K; ++s)
        sum.value[s] = accumulated(tables_.response[i][s], x.value[i], sum.value[s]);
    State initial{};
    if (begins_line(at)) {
      initial = filter_.problem.initial.template load<K>(at.line);
      sum = tables_.first_thread.advance(initial, sum);
    }
    sum = gpu::warp_weighted_scan(StateTraits<T, K>(), sum, 0, Lengths{tables_.threads});
    if (gpu::lane() == 31) shared_.left_behind[slot][warp] = sum;
    gpu::arrive_as_warp(shared_.reduced[slot]);
    const State before = gpu::shuffle_up(sum, 1);
    return gpu::lane() == 0 ? initial : before;
  }

  __device__ void run_tile(int k, int warp, const State& offset) {
    const Place at = place(k);
    const int slot = k % Shared::slots;
    char* const own = stage(k) + threadIdx.x * Sizes::bytes;
    Items x;
    x.load(own);
    gpu::wait_in_turn(shared_.entered, k);
    State s = offset;
    {
      const State entering = shared_.entering[slot][warp];
      const int lane = gpu::lane();
#pragma unroll
      for (int r = 0; r < K; ++r)
#pragma unroll
        for (int c = 0; c < K; ++c)
          s.value[r] = accumulated(tables_.before_lane[r][c][lane], entering.value[c], s.value[r]);
    }
    if (has_ends(at)) {
      const Index first = first_sample(at), length = filter_.problem.extents.length;
#pragma unroll
      for (int i = 0; i < Sizes::items; ++i)
        if (first + i >= 0 && first + i < length) {
          x.value[i] = filter_.form.step(x.value[i], s);
          if (first + i == length - 1) filter_.problem.final.store(at.line, s);
        }
    } else {
#pragma unroll
      for (int i = 0; i < Sizes::items; ++i) x.value[i] = filter_.form.step(x.value[i], s);
    }
    x.store(own);
    gpu::order_before_bulk_copies();
    gpu::arrive_as_warp(shared_.filtered[k % stages]);
  }

  const TiledFilter<Form>& filter_;
  char* stages_;
  Tables<T, K>& tables_;
  Shared& shared_;
  gpu::CyclicTiles tiles_;
  int waves_;
};

template <class Form>
__global__ void __launch_bounds__(FilterKernel<Form>::block_threads, 1)
    tiled_filter([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TiledFilter<Form> filter) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  FilterKernel<Form>(filter, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl::filter

#endif
