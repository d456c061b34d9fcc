// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_MAPSCAN_HPP
#define WAVESCAN_IMPL_FILTER_GPU_MAPSCAN_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/gpu/WaveScan_ThreadSamples.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>
#include <impl/filter/gpu/WaveScan_Tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

/// @file
/// @brief Scans of maps on a GPU, for recurrences of varying coefficients.
///
/// Tiles have elements of several arrays. What a tile does to the state before it is a map: threads
/// find their elements' maps, which are scanned over the block, and blocks exchange the maps of
/// tiles. When the state before a tile is known, outputs are computed from it, in place of the
/// first inputs. Of reverse tiles threads take their words from the end on.
///
/// A model says what is scanned: `value_type`; the numbers of `inputs`, of which the last ones may
/// be missing (and are zero), and `outputs`; `State`; `Map` with `identity()`, `constant(state)`,
/// to which a line's beginning leads, `value()` of such a map, `after(map)` and `after(state)`;
/// `begin(initial, line)`, `end(final, line, state)`; whether it `mends` a line's ends, by
/// `mend_ends(in, is_first, is_last)`; `push(map, in)`, and `step(state, in)`, which makes outputs
/// of the first inputs.

namespace wavescan::Impl::filter {

/// @brief Maps as segments of a scan.
template <class Map>
struct MapTraits {
  using segment = Map;
  struct weight_type {};
  static constexpr bool ordered = true;
  static constexpr bool loads_one_by_one = sizeof(Map) > 32;
  __device__ static Map identity() { return Map::identity(); }
  __device__ static weight_type weight_of(Index) { return {}; }
  __device__ static Map join(const Map& left, const Map& right, weight_type = {}) {
    return right.after(left);
  }
  __device__ Map operator()(const Map& left, const Map& right) const { return join(left, right); }
};

/// @brief Sizes of the kernel. A thread's words are an odd number, so that a warp reads shared
/// memory without bank conflicts.
template <class Model>
struct MapScanSizes {
  static constexpr int size = static_cast<int>(sizeof(typename Model::value_type));
  static constexpr int words = odd_words(3);
  static constexpr int bytes = 16 * words;
  static constexpr int items = bytes / size;
  static constexpr bool is_large = sizeof(typename Model::Map) > 96;
  static constexpr int delay = Model::inputs <= 3 && gpu::block_memory >= 128 * 1024 ? 2 : 1;
  /// As many as there is shared memory for.
  static constexpr int warps =
      std::clamp((gpu::block_memory - 10 * 1024) /
                     ((delay + 1 + gpu::mover_groups) * Model::inputs * gpu::warp_size * bytes),
                 1, is_large ? 4 : 8);
  static constexpr int threads = gpu::warp_size * warps;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int readers = MapTraits<typename Model::Map>::loads_one_by_one ? 2 : 1;
  static constexpr int look_back_loads = 5;
};

template <class Model>
using MapScanLines = TiledLines<typename Model::value_type, Model::inputs, Model::outputs>;

template <class Model>
class MapScanKernel {
  using T = typename Model::value_type;
  using State = typename Model::State;
  using Map = typename Model::Map;
  using Sizes = MapScanSizes<Model>;
  using Traits = MapTraits<Map>;
  using Exchange = gpu::PrefixExchange<Traits, Sizes::look_back_loads>;
  static constexpr int inputs = Model::inputs, outputs = Model::outputs;
  static constexpr int slots = tile_slots;
  /// @brief What the warps of a block tell each other.
  struct Shared {
    alignas(16) Map before[slots][Sizes::warps];  ///< of the warps, then of those before
    alignas(16) Map total[slots];
    alignas(16) State entering[slots][Sizes::warps];
    alignas(16) State after[slots];  ///< the tile
  };
  static constexpr int room = gpu::block_memory - 2048 - static_cast<int>(sizeof(Shared));
  using Pipeline = FilterPipeline<T, Sizes, room, Sizes::readers, inputs, outputs>;
  static constexpr int stages_bytes = Pipeline::stages * Pipeline::stage_bytes;

 public:
  static constexpr bool any_mover = true;
  static constexpr int block_threads = Pipeline::block_threads;
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      stages_bytes + sizeof(Shared) + sizeof(typename Pipeline::Barriers);
  static constexpr int memory_alignment = 128;
  using Parameters = MapScanLines<Model>;

  __device__ MapScanKernel(const Parameters& lines, char* memory)
      : lines_(lines),
        shared_(*reinterpret_cast<Shared*>(memory + stages_bytes)),
        pipeline_(lines, memory, *reinterpret_cast<typename Pipeline::Barriers*>(&shared_ + 1)) {}

  __device__ void run() {
    if (threadIdx.x == Pipeline::copier * gpu::warp_size) pipeline_.init();
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Sizes::warps)
      pipeline_.template filter_tiles<Map>(
          [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp); },
          [&](int k, const TilePlace& at, const Map& before) { run_tile(k, at, warp, before); });
    else if (Pipeline::copies())
      pipeline_.copy_tiles();
    else if (warp == Pipeline::publisher)
      pipeline_.publish_totals([&](int k) { publish_total(k); });
    else if (warp >= Pipeline::reader)
      read_prefixes();
  }

 private:
  // ---- the warp that publishes totals

  __device__ void publish_total(int k) {
    const int lane = gpu::lane();
    Map(&maps)[Sizes::warps] = shared_.before[k % slots];
    Map sum = lane < Sizes::warps ? maps[lane] : Map::identity();
    sum = gpu::warp_inclusive_scan<Sizes::warps>(sum, Traits());
    const Map total = gpu::broadcast(sum, Sizes::warps - 1);
    const Map before = gpu::shuffle_up(sum, 1);
    if (lane == 0)
      Exchange::publish(lines_.totals, static_cast<std::uint32_t>(k), tiles().block, tiles().blocks,
                        total, pipeline_.tags());
    if (lane < Sizes::warps) maps[lane] = lane == 0 ? Map::identity() : before;
    if (lane == 0) shared_.total[k % slots] = total;
  }

  // ---- the warp that reads prefixes

  __device__ void read_prefixes() {
    const Traits traits;
    const Exchange exchange(traits, lines_.totals, tiles().block, tiles().blocks,
                            [](Index) { return typename Traits::weight_type(); });
    pipeline_.read_prefixes(
        [&](int k, const TilePlace& at) {
          // A line's first tile maps everything to the same: this is what enters later ones.
          const Map before =
              exchange.join_totals(static_cast<std::uint32_t>(k), pipeline_.tags(), at.tile);
          if (at.tile < tiles().blocks) return before.value();
          pipeline_.await_entered(k - 1);
          return before.after(shared_.after[(k - 1) % slots]);
        },
        [](int) {},  // who joins totals has waited for all
        [&](int k, const State& entering) {
          const int lane = gpu::lane(), slot = k % slots;
          if (lane < Sizes::warps)
            shared_.entering[slot][lane] = shared_.before[slot][lane].after(entering);
          if (lane == 0) shared_.after[slot] = shared_.total[slot].after(entering);
        });
  }

  // ---- the warps that compute

  using Samples = ThreadSamples<T, Sizes::words>;

  /// @brief The sample of the line that is the thread's first one.
  __device__ Index first_sample(const TilePlace& at) const {
    return pipeline_.first_sample(at) + Index(threadIdx.x) * Sizes::items;
  }
  /// @brief The thread's samples of an input's tile: those of the first ones become outputs.
  __device__ Samples own_samples(int k, int input) const {
    return {pipeline_.stage(k) + input * Pipeline::input_bytes, static_cast<int>(threadIdx.x),
            Sizes::threads, lines_.reverse};
  }

  /// @brief Calls visit(inputs) for those of the thread's elements that belong to its line.
  template <bool Stores, class Visit>
  __device__ void for_ends(int k, const TilePlace& at, const Visit& visit) const {
    const Index first = first_sample(at), length = lines_.extents.length;
#pragma unroll 1
    for (int i = 0; i < Sizes::items; ++i) {
      if (first + i < 0 || first + i >= length) continue;
      const auto place = [&](int s) -> T& { return own_samples(k, s)[i]; };
      T in[inputs];
#pragma unroll
      for (int s = 0; s < inputs; ++s) in[s] = s < lines_.inputs ? place(s) : T(0);
      Model::mend_ends(in, first + i == 0, first + i + 1 == length);
      visit(in);
      if constexpr (Stores)
#pragma unroll
        for (int s = 0; s < outputs; ++s) place(s) = in[s];
    }
  }
  /// @brief Likewise for all of the thread's elements.
  template <bool Stores, class Visit>
  __device__ void for_all(int k, const Visit& visit) const {
#pragma unroll
    for (int w = 0; w < Sizes::words; ++w) {
      typename Samples::Word word[inputs];
#pragma unroll
      for (int s = 0; s < inputs; ++s) {
        word[s] = {};
        if (s < lines_.inputs) word[s] = own_samples(k, s).load(w);
      }
#pragma unroll
      for (int i = 0; i < Samples::per_word; ++i) {
        T in[inputs];
#pragma unroll
        for (int s = 0; s < inputs; ++s) in[s] = word[s].value[i];
        visit(in);
        if constexpr (Stores)
#pragma unroll
          for (int s = 0; s < outputs; ++s) word[s].value[i] = in[s];
      }
      if constexpr (Stores)
#pragma unroll
        for (int s = 0; s < outputs; ++s) own_samples(k, s).store(w, word[s]);
    }
  }
  template <bool Stores, class Visit>
  __device__ void for_each(int k, const TilePlace& at, const Visit& visit) const {
    const Index first = first_sample(at), begin = Model::mends, end = lines_.extents.length - begin;
    if (first >= begin && first + Sizes::items <= end)
      for_all<Stores>(k, visit);
    else
      for_ends<Stores>(k, at, visit);
  }

  /// @brief Hands over the map of the warp's elements; returns that of the lanes before.
  __device__ Map reduce_tile(int k, const TilePlace& at, int warp) {
    const bool begins_line = pipeline_.begins_line(at) && threadIdx.x == 0;
    Map first = Map::identity();
    if (begins_line) first = Map::constant(Model::begin(lines_.initial, at.line));
    Map own = Map::identity();
    for_each<false>(k, at, [&](T(&in)[inputs]) { Model::push(own, in); });
    if (begins_line) own = own.after(first);
    own = gpu::warp_inclusive_scan(own, Traits());
    if (gpu::lane() == gpu::warp_size - 1) shared_.before[k % slots][warp] = own;
    const Map before = gpu::shuffle_up(own, 1);
    return gpu::lane() == 0 ? first : before;
  }

  __device__ void run_tile(int k, const TilePlace& at, int warp, const Map& before) {
    State s = before.after(shared_.entering[k % slots][warp]);
    for_each<true>(k, at, [&](T(&in)[inputs]) { Model::step(s, in); });
    const Index rest = lines_.extents.length - first_sample(at);
    if (rest > 0 && rest <= Sizes::items) Model::end(lines_.final, at.line, s);
  }

  __device__ const gpu::CyclicTiles& tiles() const { return pipeline_.tiles(); }

  const MapScanLines<Model>& lines_;
  Shared& shared_;
  Pipeline pipeline_;
};

/// @brief Enqueues a scan, or returns false if the kernel cannot do it. The workspace lives as long
/// as the call.
/// @param in as many as are used
template <class Model, class T = typename Model::value_type>
bool enqueue_map_scan(const gpu::Device& exec, LineExtents extents,
                      std::span<const Lines<const typename Model::value_type>> in,
                      std::span<const Lines<typename Model::value_type>, Model::outputs> out,
                      const StateLines<const T>& initial = {}, const StateLines<T>& final = {}) {
  using Sizes = MapScanSizes<Model>;
  using Kernel = MapScanKernel<Model>;
  // Tiles belong to one line: short ones would leave most of them empty.
  if (extents.length < (extents.lines == 1 ? 1 : Sizes::tile / 2)) return false;
  const Index max_blocks =
      std::min<Index>(gpu::device_properties(exec).multiProcessorCount, Kernel::max_blocks);
  auto lines = MapScanLines<Model>::of(extents, in, out, Sizes::tile, max_blocks);
  if (!lines) return false;
  using Map = typename Model::Map;
  const auto totals = kept_plan_of<TotalsView>(exec, std::tuple(sizeof(Map), lines->blocks),
                                               [&] { return totals_of<Map>(exec, lines->blocks); });
  lines->initial = initial;
  lines->final = final;
  lines->totals = {totals->data()};
  static_assert(sizeof *lines <= 4096, "the most that all compilers allow");
  gpu::launch_blocks<Kernel>({exec, "WaveScan::recurrence::tiles", true}, lines->blocks,
                             Kernel::block_threads, Kernel::shared_bytes, *lines);
  return true;
}

}  // namespace wavescan::Impl::filter

#endif
