// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_MAPSCAN_HPP
#define WAVESCAN_IMPL_FILTER_GPU_MAPSCAN_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_GroupedExchange.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/gpu/WaveScan_FilterTuning.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
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

struct JoinMaps {
  template <class Map>
  __device__ Map operator()(const Map& left, const Map& right) const {
    return right.after(left);
  }
};

/// @brief Sizes of the kernel. A thread's words are an odd number, so that a warp reads shared
/// memory without bank conflicts; the more, the less often large maps are joined.
///
/// It takes blocks some microseconds to tell each other their maps, in which the next tiles are
/// reduced, where there is shared memory for them. Large maps take so long to join that fewer,
/// large tiles are faster.
template <class Model>
struct MapScanSizes {
  static constexpr int size = static_cast<int>(sizeof(typename Model::value_type));
  static constexpr bool is_large = sizeof(typename Model::Map) > 64;
  static constexpr bool is_roomy = gpu::block_memory >= 128 * 1024;
  static constexpr int words = odd_words(is_large && gpu::has_hopper_memory ? 7 : 3);
  static constexpr int bytes = 16 * words;
  static constexpr int items = bytes / size;
  static constexpr int delay_on_hopper = is_large || Model::inputs > 3 ? 1 : 6 - Model::inputs;
  static constexpr int delay = gpu::has_hopper_memory                         ? delay_on_hopper
                               : is_roomy && Model::inputs <= 2               ? 3
                               : is_roomy && (is_large || Model::inputs <= 3) ? 2
                                                                              : 1;
  /// As many as there is shared memory for.
  static constexpr int warps =
      std::clamp((gpu::block_memory - 10 * 1024) /
                     ((delay + 1 + gpu::mover_groups) * Model::inputs * gpu::warp_size * bytes),
                 1, is_large ? 4 : 8);
  static constexpr int threads = gpu::warp_size * warps;
  static constexpr Index tile = Index(threads) * items;
  /// Tiles belong to one line: of many short ones, most of a tile would be empty.
  static constexpr Index shortest = tile / (is_large ? 4 : 2);
  static constexpr int readers = 2;
};

template <class Model>
using MapScanLines = TiledLines<typename Model::value_type, Model::inputs, Model::outputs>;

/// @brief Values that the warps of a block exchange.
template <class Model, int Warps = MapScanSizes<Model>::warps, int Slots = tile_slots>
struct SharedMaps {
  using Map = typename Model::Map;
  using State = typename Model::State;
  alignas(16) Map before[Slots][Warps];  ///< of the warps, then of those before
  alignas(16) Map total[Slots];
  alignas(16) State entering[Slots][Warps];
  alignas(16) State entering_group[Slots];  ///< the first tile of the group of blocks
};

template <class Model>
using MapScanPipeline =
    FilterPipeline<typename Model::value_type, MapScanSizes<Model>, SharedMaps<Model>,
                   MapScanSizes<Model>::readers, Model::inputs, Model::outputs>;

template <class Model>
class MapScanKernel : public MapScanPipeline<Model> {
  using Pipeline = MapScanPipeline<Model>;
  using T = typename Model::value_type;
  using State = typename Model::State;
  using Map = typename Model::Map;
  using Sizes = MapScanSizes<Model>;
  static constexpr int inputs = Model::inputs, outputs = Model::outputs;
  using Pipeline::lines_, Pipeline::shared_, Pipeline::slots, Pipeline::tiles;

 public:
  using Exchange = gpu::GroupedExchange<Map, JoinMaps>;
  static constexpr Index max_blocks = Exchange::max_blocks;
  using Parameters = MapScanLines<Model>;
  using Pipeline::Pipeline;

  __device__ void run() {
    this->run_warps(
        [] {},
        [&](int warp) {
          this->template filter_tiles<Map>(
              [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp); },
              [&](int k, const TilePlace& at, const Map& map) { run_tile(k, at, warp, map); });
        },
        [&] { this->publish_totals([&](int k) { publish_total(k); }); }, [&] { read_prefixes(); });
  }

 private:
  // ---- the warp that publishes totals

  static constexpr int warps_rounded_up = static_cast<int>(std::bit_ceil(unsigned(Sizes::warps)));
  __device__ void publish_total(int k) {
    const int lane = gpu::lane();
    Map(&maps)[Sizes::warps] = shared_.before[k % slots];
    Map sum = lane < Sizes::warps ? maps[lane] : Map::identity();
    constexpr int lanes = warps_rounded_up;
    sum = gpu::warp_inclusive_scan<lanes>(sum, JoinMaps());
    const Map total = gpu::broadcast(sum, Sizes::warps - 1);
    const Map before = gpu::shuffle_up(sum, 1);
    if (lane == 0) exchange().publish(static_cast<std::uint32_t>(k), total, this->tags());
    if (lane < Sizes::warps) maps[lane] = lane == 0 ? Map::identity() : before;
    if (lane == 0) shared_.total[k % slots] = total;
  }

  // ---- the warps that read prefixes

  __device__ Exchange exchange() const { return {lines_.totals, tiles().block, tiles().blocks}; }

  __device__ void read_prefixes() {
    const Exchange exchange = this->exchange();
    Pipeline::read_prefixes(
        [&](int k, const TilePlace& at) {
          const auto wave = static_cast<std::uint32_t>(k);
          const gpu::LaunchTags& tags = this->tags();
          const int slot = k % slots, in_group = exchange.before_in_group();
          const Map before = exchange.join_group(wave, tags, at.tile, Map::identity());
          if (exchange.is_last_of_group()) {
            this->await_published(k);
            const Map total = shared_.total[slot];
            exchange.publish_group(wave, at.tile > 0 && in_group > 0 ? total.after(before) : total,
                                   tags);
          }
          // A line's first tile maps everything to the same: this is what enters later ones.
          const Index before_group = at.tile - in_group;
          const Map since = exchange.join_groups(wave, tags, before_group, Map::identity());
          if (before_group <= 0) return before.value();
          State entering = since.value();
          if (before_group > tiles().blocks) {
            this->await_entered(k - 1);
            entering = since.after(shared_.entering_group[(k - 1) % slots]);
          }
          if (gpu::lane() == 0) shared_.entering_group[slot] = entering;
          return in_group > 0 ? before.after(entering) : entering;
        },
        [](int) {},  // who joins totals has waited for all
        [&](int k, const State& entering) {
          const int lane = gpu::lane(), slot = k % slots;
          if (lane < Sizes::warps)
            shared_.entering[slot][lane] = shared_.before[slot][lane].after(entering);
        });
  }

  // ---- the warps that compute

  /// @brief Calls visit(inputs) for those of the thread's elements that belong to its line.
  template <bool Stores, class Visit>
  __device__ void for_ends(int k, const TilePlace& at, const Visit& visit) const {
    const Index first = this->first_of_thread(at), length = lines_.extents.length;
#pragma unroll 1
    for (int i = 0; i < Sizes::items; ++i) {
      if (first + i < 0 || first + i >= length) continue;
      const auto place = [&](int s) -> T& { return this->own_samples(k, s)[i]; };
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
  /// @brief Calls visit(inputs) for all of the thread's elements.
  template <bool Stores, class Visit>
  __device__ void for_all(int k, const Visit& visit) const {
#pragma unroll
    for (int w = 0; w < Sizes::words; ++w) {
      using Samples = ThreadSamples<T, Sizes::words>;
      typename Samples::Word word[inputs];
#pragma unroll
      for (int s = 0; s < inputs; ++s) {
        word[s] = {};
        if (s < lines_.inputs) word[s] = this->own_samples(k, s).load(w);
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
        for (int s = 0; s < outputs; ++s) this->own_samples(k, s).store(w, word[s]);
    }
  }
  template <bool Stores, class Visit>
  __device__ void for_each(int k, const TilePlace& at, const Visit& visit) const {
    const Index first = this->first_of_thread(at), begin = Model::mends,
                end = lines_.extents.length - begin;
    if (first >= begin && first + Sizes::items <= end)
      for_all<Stores>(k, visit);
    else
      for_ends<Stores>(k, at, visit);
  }

  /// @brief Hands over the map of the warp's elements; returns that of the lanes before.
  __device__ Map reduce_tile(int k, const TilePlace& at, int warp) {
    const bool begins_line = this->begins_line(at) && threadIdx.x == 0;
    Map first = Map::identity();
    if (begins_line) first = Map::constant(Model::begin(lines_.initial, at.line));
    Map own = Map::identity();
    for_each<false>(k, at, [&](T(&in)[inputs]) { Model::push(own, in); });
    if (begins_line) own = own.after(first);
    own = gpu::warp_inclusive_scan(own, JoinMaps());
    if (gpu::lane() == gpu::warp_size - 1) shared_.before[k % slots][warp] = own;
    const Map before = gpu::shuffle_up(own, 1);
    return gpu::lane() == 0 ? first : before;
  }

  __device__ void run_tile(int k, const TilePlace& at, int warp, const Map& before) {
    State s = before.after(shared_.entering[k % slots][warp]);
    for_each<true>(k, at, [&](T(&in)[inputs]) { Model::step(s, in); });
    const Index rest = lines_.extents.length - this->first_of_thread(at);
    if (rest > 0 && rest <= Sizes::items) Model::end(lines_.final, at.line, s);
  }
};

/// @brief Limits of the filters that the kernel supports.
template <class Model>
inline constexpr FilterLimits map_scan_limits{true, std::numeric_limits<double>::max(),
                                              MapScanSizes<Model>::tile, 1,
                                              MapScanSizes<Model>::shortest};

/// @brief Enqueues a scan of lines that MapScanLines::can_move. The workspace lives as long as the
/// call.
/// @param in as many as are used
template <class Model, class T = typename Model::value_type>
void enqueue_map_scan(const gpu::Device& exec, LineExtents extents,
                      std::span<const Lines<const typename Model::value_type>> in,
                      std::span<const Lines<typename Model::value_type>, Model::outputs> out,
                      const StateLines<const T>& initial = {}, const StateLines<T>& final = {}) {
  using Sizes = MapScanSizes<Model>;
  using Kernel = MapScanKernel<Model>;
  const Index max_blocks =
      std::min<Index>(gpu::device_properties(exec).multiProcessorCount, Kernel::max_blocks);
  auto lines = MapScanLines<Model>::of(extents, in, out, Sizes::tile, max_blocks);
  using Map = typename Model::Map;
  const auto totals = kept_plan_of<TotalsView>(exec, std::tuple(sizeof(Map), lines->blocks), [&] {
    return totals_of<Map>(exec, Kernel::Exchange::senders(static_cast<int>(lines->blocks)));
  });
  lines->initial = initial;
  lines->final = final;
  lines->totals = {totals->data()};
  static_assert(sizeof *lines <= 4096, "the most that all compilers allow");
  gpu::launch_blocks<Kernel>({exec, "WaveScan::recurrence::tiles", true}, lines->blocks,
                             Kernel::block_threads, Kernel::shared_bytes, *lines);
}

}  // namespace wavescan::Impl::filter

#endif
