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
#include <type_traits>

/// @file
/// @brief Filters on a GPU with bulk copies: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One thread does nothing but
/// start copies. The others find what a tile leaves behind if nothing enters it, and filter it
/// `delay` tiles later, when the state that enters it is known: a warp joins and publishes what the
/// block's warps left behind, another one joins the totals of the tiles before. Every sample is
/// read once and written once, in one launch. All blocks must be resident (cooperative launch).
///
/// A tile belongs to one line. Lines begin and end anywhere, but alike between 16-byte boundaries;
/// the first tile of a line begins at the boundary before it.

namespace wavescan::Impl::filter {

/// @brief States as segments of a scan: they are joined by the matrix of the later one's length.
template <class Form>
struct StateTraits {
  using segment = StateVector<typename Form::value_type, Form::states>;
  using weight_type = const StateMatrix<typename Form::coefficient_type, Form::states>*;
  static constexpr bool ordered = true;
  static constexpr bool weighs_by_length = true;
  __device__ static segment identity() { return {}; }
  __device__ static segment join(const segment& left, const segment& right, weight_type over) {
    return over->template advance<Form>(left, right);
  }
};

/// @brief A filter's tiles as the kernel gets them.
template <class Form, class Shape>
struct TiledFilter {
  using T = typename Form::value_type;
  Form form;
  Problem<T> problem;
  int front;  ///< samples of a first tile before its line
  Index tiles_of_line;
  Index lines_a_wave;           ///< whole ones, from a block's tile to its next one
  int depth;                    ///< tiles after which a state has no effect any more
  gpu::TileStream<const T> in;  ///< of line 0
  gpu::TileStream<T> out;
  gpu::TotalsMailbox totals;
  const SharedTables<Form, Shape>* tables;
  const StateMatrix<typename Form::coefficient_type, Form::states>*
      wave;  ///< over the tiles between two of a block
  std::conditional_t<Shape::in_shared, const WarpTables<Form, Shape>*, WarpTables<Form, Shape>>
      warp_tables;
};

/// @brief What the warps of a block share.
template <class Form, class Shape>
struct FilterShared {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = Tuning<T, K, Shape>;
  static constexpr int slots = 8;  ///< of tiles between their reduction and their run
  static constexpr int tables_bytes = static_cast<int>(
      sizeof(SharedTables<Form, Shape>) + sizeof(StateMatrix<typename Form::coefficient_type, K>) +
      (Shape::in_shared ? sizeof(WarpTables<Form, Shape>) : 0));
  static constexpr int room =
      (227 - 1) * 1024 - tables_bytes - 2 * slots * Sizes::warps * K * Sizes::size - 1024;
  static constexpr int stages = std::min(16, room / Sizes::stage_bytes);
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

template <class Form, class Shape>
class FilterKernel {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = Tuning<T, K, Shape>;
  using State = StateVector<T, K>;
  using Matrix = StateMatrix<typename Form::coefficient_type, K>;
  using Shared = FilterShared<Form, Shape>;
  using Tables = SharedTables<Form, Shape>;
  using OfWarp = WarpTables<Form, Shape>;
  using Exchange = gpu::PrefixExchange<StateTraits<Form>, Sizes::look_back_loads>;
  static constexpr int stages = Shared::stages;
  static constexpr int slow_start = Sizes::delay;
  static constexpr int steps_unrolled = Shape::in_shared ? 1 : 5;  ///< of a warp's scans
  static constexpr int copier = Sizes::warps, publisher = copier + 1, reader = copier + 2;

 public:
  static constexpr int block_threads = (Sizes::warps + 3) * 32;
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr int max_depth = Exchange::max_depth;
  static constexpr int loads_of(int depth) { return Exchange::loads_of(depth); }
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * Sizes::stage_bytes + Shared::tables_bytes + sizeof(Shared) + 128;

  __device__ FilterKernel(const TiledFilter<Form, Shape>& filter, char* memory)
      : filter_(filter),
        stages_(memory),
        tables_(*reinterpret_cast<Tables*>(memory + stages * Sizes::stage_bytes)),
        wave_(*reinterpret_cast<Matrix*>(&tables_ + 1)),
        shared_warp_tables_(*reinterpret_cast<OfWarp*>(&wave_ + 1)),
        shared_(*reinterpret_cast<Shared*>(memory + stages * Sizes::stage_bytes +
                                           Shared::tables_bytes)),
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
  /// @brief Where a block's tile lies, and then the ones after it.
  struct Place {
    Index line;
    Index tile;  ///< of the line
  };
  __device__ Place first_place() const {
    const Index line = tiles_.block / filter_.tiles_of_line;
    return {line, tiles_.block - line * filter_.tiles_of_line};
  }
  __device__ void advance(Place& at) const {
    at.line += filter_.lines_a_wave;
    at.tile += tiles_.blocks - filter_.lines_a_wave * filter_.tiles_of_line;
    if (at.tile < filter_.tiles_of_line) return;
    at.tile -= filter_.tiles_of_line;
    ++at.line;
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

  template <class Table>
  __device__ static void copy_table(const Table* from, Table& to) {
    constexpr int words = static_cast<int>(sizeof(Table) / 4);
    for (int i = static_cast<int>(threadIdx.x); i < words; i += block_threads)
      reinterpret_cast<std::uint32_t*>(&to)[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
  }
  __device__ void copy_tables() {
    copy_table(filter_.tables, tables_);
    copy_table(filter_.wave, wave_);
    if constexpr (Shape::in_shared) copy_table(filter_.warp_tables, shared_warp_tables_);
  }
  __device__ const OfWarp& warp_tables() const {
    if constexpr (Shape::in_shared)
      return shared_warp_tables_;
    else
      return filter_.warp_tables;
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
    Place loading = first_place(), storing = loading;
    const auto load = [&](int k) {
      const Place at = loading;
      advance(loading);
      gpu::Barrier& filled = gpu::barrier_of(shared_.filled, k);
      filled.arrive_expecting(gpu::load_window(of_line(filter_.in, filter_.problem.in, at.line),
                                               at.tile * Sizes::tile_bytes, Sizes::tile_bytes,
                                               stage(k), filled, policy));
    };
    for (int k = 0; k < slow_start && k < waves_; ++k) load(k);
    gpu::copy_through<stages, slow_start>(
        shared_.filled, shared_.filtered, waves_, load, [&](int k) {
          const Place at = storing;
          advance(storing);
          gpu::store_window(of_line(filter_.out, filter_.problem.out, at.line),
                            at.tile * Sizes::tile_bytes, Sizes::tile_bytes, stage(k), policy);
        });
  }

  // ---- the warp that publishes totals

  /// @brief The tables' matrices of some lengths, as the scans of warps ask for them.
  struct Lengths {
    const Matrix* matrices;
    __device__ const Matrix* operator[](int j) const { return matrices + j; }
  };

  __device__ void publish_totals() {
    const int lane = gpu::lane();
    for (int k = 0; k < waves_; ++k) {
      const int slot = k % Shared::slots;
      gpu::wait_in_turn(shared_.reduced, k);
      State sum = lane < Sizes::warps ? shared_.left_behind[slot][lane] : State{};
      constexpr int lanes = 16, unrolled = K <= 4 ? 4 : 1;
      static_assert(Sizes::warps <= lanes);
      sum = gpu::warp_weighted_scan<lanes, unrolled>(StateTraits<Form>(), sum, 0,
                                                     Lengths{tables_.warps});
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
    const StateTraits<Form> traits;
    const Exchange exchange(
        traits, filter_.totals, tiles_.block, tiles_.blocks,
        [&](Index tiles) { return over_tiles(tiles); }, filter_.depth);
    const bool lasts = filter_.depth >= tiles_.blocks - 1;
    State after{};  // the block's last tile
    Place at = first_place();
    for (int k = 0; k < waves_; ++k, advance(at)) {
      const int slot = k % Shared::slots;
      State before = exchange.join_totals(static_cast<std::uint32_t>(k), shared_.tags, at.tile);
      if (lasts && k > 0 && at.tile >= tiles_.blocks) before = traits.join(after, before, &wave_);
      gpu::wait_in_turn(shared_.published, k);
      if (tiles_.is_last(k)) {
        // Who has published has read the epoch.
        exchange.await_others(static_cast<std::uint32_t>(k), shared_.tags);
        if (lane == 0) filter_.totals.epoch().end(shared_.tags, static_cast<std::uint32_t>(k));
      }
      if (lane < Sizes::warps)
        shared_.entering[slot][lane] =
            traits.join(before, shared_.left_behind[slot][lane], &tables_.before_warp[lane]);
      gpu::arrive_as_warp(shared_.entered[slot]);
      if (lasts) after = traits.join(before, shared_.total[slot], &tables_.tile);
    }
  }
  /// @param tiles 1, or a lane's loads times a power of two
  __device__ const Matrix* over_tiles(Index tiles) const {
    if (tiles == 1) return &tables_.tile;
    int j = 0;
    while (Index(Exchange::loads_of(filter_.depth)) << j < tiles) ++j;
    return &tables_.tiles[j];
  }

  // ---- the warps that filter

  __device__ void filter_tiles(int warp) {
    State offsets[Sizes::delay + 1];  // what the lanes before leave, of tiles not yet filtered
    Place reduced = first_place(), run = reduced;
    for (int k = 0; k < waves_ + Sizes::delay; ++k) {
#pragma unroll
      for (int i = Sizes::delay; i > 0; --i) offsets[i] = offsets[i - 1];
      if (k < waves_) {
        offsets[0] = reduce_tile(k, reduced, warp);
        advance(reduced);
      }
      if (k >= Sizes::delay) {
        run_tile(k - Sizes::delay, run, warp, offsets[Sizes::delay]);
        advance(run);
      }
    }
  }

  static constexpr int per_word = 16 / Sizes::size;
  using Word = gpu::Items<T, per_word>;
  __device__ char* own_samples(int k) const { return stage(k) + threadIdx.x * Sizes::bytes; }

  /// @brief Filters those of the thread's samples of a tile that belong to its line, or only finds
  /// the state after them.
  template <bool Stores>
  __device__ void filter_ends(int k, const Place& at, State& s) const {
    T* const own = reinterpret_cast<T*>(own_samples(k));
    const Index first = first_sample(at), length = filter_.problem.extents.length;
#pragma unroll 1
    for (int i = 0; i < Sizes::items; ++i)
      if (first + i >= 0 && first + i < length) {
        const T y = filter_.form.step(own[i], s);
        if constexpr (Stores) own[i] = y;
      }
  }
  /// @brief Filters all of the thread's samples, or only finds the state after them.
  template <bool Stores>
  __device__ void filter_samples(int k, State& s) const {
    char* const own = own_samples(k);
#pragma unroll Shape::run_words
    for (int w = 0; w < Sizes::words; ++w) {
      Word x;
      x.load(own + 16 * w);
#pragma unroll
      for (int i = 0; i < per_word; ++i) {
        const T y = filter_.form.step(x.value[i], s);
        if constexpr (Stores) x.value[i] = y;
      }
      if constexpr (Stores) x.store(own + 16 * w);
    }
  }

  /// @brief What the thread's samples of a tile leave behind where nothing enters them, as a sum.
  __device__ State responses(int k) const {
    const char* const own = own_samples(k);
    State s{};
    constexpr int unrolled = Shape::in_shared ? 1 : Sizes::words;
#pragma unroll unrolled
    for (int w = 0; w < Sizes::words; ++w) {
      Word x;
      x.load(own + 16 * w);
#pragma unroll
      for (int i = 0; i < per_word; ++i)
#pragma unroll
        for (int r = 0; r < K; ++r)
          s.value[r] =
              accumulated(warp_tables().response[w * per_word + i][r], x.value[i], s.value[r]);
    }
    return s;
  }

  /// @brief Hands over what the thread's samples leave behind; returns what those of the lanes
  /// before do.
  __device__ State reduce_tile(int k, const Place& at, int warp) {
    const int slot = k % Shared::slots;
    State initial{};
    if (begins_line(at)) initial = filter_.problem.initial.template load<K>(at.line);
    gpu::wait_in_turn(shared_.filled, k);
    State sum = initial;
    if (has_ends(at))
      filter_ends<false>(k, at, sum);
    else if constexpr (Shape::by_responses)
      sum = responses(k);
    else
      filter_samples<false>(k, sum);
    sum = gpu::warp_weighted_scan<gpu::warp_size, steps_unrolled>(StateTraits<Form>(), sum, 0,
                                                                  Lengths{warp_tables().threads});
    if (gpu::lane() == 31) shared_.left_behind[slot][warp] = sum;
    gpu::arrive_as_warp(shared_.reduced[slot]);
    const State before = gpu::shuffle_up(sum, 1);
    return gpu::lane() == 0 ? initial : before;
  }

  __device__ void run_tile(int k, const Place& at, int warp, const State& offset) {
    gpu::wait_in_turn(shared_.entered, k);
    const State entering = shared_.entering[k % Shared::slots][warp];
    State s = offset;
    const int lane = gpu::lane();
#pragma unroll
    for (int r = 0; r < K; ++r)
#pragma unroll
      for (int c = 0; c < K; ++c)
        if (Form::couples(r, c))
          s.value[r] = accumulated(tables_.before_lane[r][c][lane], entering.value[c], s.value[r]);
    if (has_ends(at))
      filter_ends<true>(k, at, s);
    else
      filter_samples<true>(k, s);
    gpu::order_before_bulk_copies();
    gpu::arrive_as_warp(shared_.filtered[k % stages]);
    const Index rest = filter_.problem.extents.length - first_sample(at);
    if (rest > 0 && rest <= Sizes::items) filter_.problem.final.store(at.line, s);
  }

  const TiledFilter<Form, Shape>& filter_;
  char* stages_;
  Tables& tables_;
  Matrix& wave_;
  OfWarp& shared_warp_tables_;  ///< if they are
  Shared& shared_;
  gpu::CyclicTiles tiles_;
  int waves_;
};

template <class Form, class Shape>
__global__ void __launch_bounds__(FilterKernel<Form, Shape>::block_threads, 1)
    tiled_filter([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TiledFilter<Form, Shape> filter) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  FilterKernel<Form, Shape>(filter, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl::filter

#endif
