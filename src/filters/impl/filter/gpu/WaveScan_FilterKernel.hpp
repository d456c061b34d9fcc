// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_FILTERKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_FILTERKERNEL_HPP

#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/filter/gpu/WaveScan_FilterTuning.hpp>
#include <impl/filter/gpu/WaveScan_ThreadSamples.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Filters on a GPU: each thread filters consecutive samples of a tile,
/// from states that are scanned over warps and joined over blocks.

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
  TiledLines<T> lines;
  int depth;  ///< tiles after which a state has no effect any more
  const SharedTables<Form, Shape>* tables;
  const StateMatrix<typename Form::coefficient_type, Form::states>*
      wave;  ///< over the tiles between two of a block
  std::conditional_t<Shape::in_shared, const WarpTables<Form, Shape>*, WarpTables<Form, Shape>>
      warp_tables;
};

template <class Form, class Shape>
class FilterKernel {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = FilterTuning<T, K, Shape>;
  using State = StateVector<T, K>;
  using Matrix = StateMatrix<typename Form::coefficient_type, K>;
  using Tables = SharedTables<Form, Shape>;
  using OfWarp = WarpTables<Form, Shape>;
  static constexpr int slots = tile_slots;
  /// @brief What the warps of a block tell each other.
  struct States {
    alignas(16) State left_behind[slots][Sizes::warps];  ///< by the warps, then before
    alignas(16) State entering[slots][Sizes::warps];
    alignas(16) State total[slots];
  };
  static constexpr int tables_bytes =
      static_cast<int>(sizeof(Tables) + sizeof(Matrix) + (Shape::in_shared ? sizeof(OfWarp) : 0));
  static constexpr int room =
      gpu::block_memory - 2048 - tables_bytes - static_cast<int>(sizeof(States));
  using Pipeline = FilterPipeline<T, Sizes, room>;
  static constexpr int stages_bytes = Pipeline::stages * Pipeline::stage_bytes;
  using Exchange = gpu::PrefixExchange<StateTraits<Form>, Sizes::look_back_loads>;
  static constexpr int steps_unrolled =
      Shape::in_shared ? 1 : gpu::warp_steps;  ///< of a warp's scans

 public:
  static constexpr bool any_mover = true;
  static constexpr int block_threads = Pipeline::block_threads;
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr int max_depth = Exchange::max_depth;
  static constexpr int loads_of(int depth) { return Exchange::loads_of(depth); }
  static constexpr std::size_t shared_bytes = std::size_t(stages_bytes) + tables_bytes +
                                              sizeof(States) + sizeof(typename Pipeline::Barriers);
  static constexpr int memory_alignment = 128;
  using Parameters = TiledFilter<Form, Shape>;

  __device__ FilterKernel(const Parameters& filter, char* memory)
      : filter_(filter),
        tables_(*reinterpret_cast<Tables*>(memory + stages_bytes)),
        wave_(*reinterpret_cast<Matrix*>(&tables_ + 1)),
        shared_warp_tables_(*reinterpret_cast<OfWarp*>(&wave_ + 1)),
        states_(*reinterpret_cast<States*>(memory + stages_bytes + tables_bytes)),
        pipeline_(filter.lines, memory,
                  *reinterpret_cast<typename Pipeline::Barriers*>(&states_ + 1)) {}

  __device__ void run() {
    if (threadIdx.x == Pipeline::copier * gpu::warp_size) pipeline_.init();
    copy_tables();
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Sizes::warps)
      pipeline_.template filter_tiles<State>(
          [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp); },
          [&](int k, const TilePlace& at, const State& offset) { run_tile(k, at, warp, offset); });
    else if (Pipeline::copies())
      pipeline_.copy_tiles();
    else if (warp == Pipeline::publisher)
      pipeline_.publish_totals([&](int k) { publish_total(k); });
    else if (warp == Pipeline::reader)
      read_prefixes();
  }

 private:
  /// @brief The sample of the line that is the thread's first one.
  __device__ Index first_sample(const TilePlace& at) const {
    return pipeline_.first_sample(at) + Index(threadIdx.x) * Sizes::items;
  }

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

  // ---- the warp that publishes totals

  /// @brief The tables' matrices of some lengths, as the scans of warps ask for them.
  struct Lengths {
    const Matrix* matrices;
    __device__ const Matrix* operator[](int j) const { return matrices + j; }
  };

  __device__ void publish_total(int k) {
    const int lane = gpu::lane(), slot = k % slots;
    State sum = lane < Sizes::warps ? states_.left_behind[slot][lane] : State{};
    constexpr int lanes = 16, unrolled = K <= 4 ? 4 : 1;
    static_assert(Sizes::warps <= lanes);
    sum = gpu::warp_weighted_scan<lanes, unrolled>(StateTraits<Form>(), sum, 0,
                                                   Lengths{tables_.warps});
    const State total = gpu::broadcast(sum, Sizes::warps - 1);
    const State before = gpu::shuffle_up(sum, 1);
    if (lane < Sizes::warps) states_.left_behind[slot][lane] = lane == 0 ? State{} : before;
    if (lane == 0) {
      Exchange::publish(filter_.lines.totals, static_cast<std::uint32_t>(k), tiles().block,
                        tiles().blocks, total, pipeline_.tags());
      states_.total[slot] = total;
    }
  }

  // ---- the warp that reads prefixes

  __device__ void read_prefixes() {
    const StateTraits<Form> traits;
    const Exchange exchange(
        traits, filter_.lines.totals, tiles().block, tiles().blocks,
        [&](Index tiles) { return over_tiles(tiles); }, filter_.depth);
    const bool lasts = filter_.depth >= tiles().blocks - 1;
    State last{};  // before the block's last tile
    pipeline_.read_prefixes(
        [&](int k, const TilePlace& at) {
          const State before =
              exchange.join_totals(static_cast<std::uint32_t>(k), pipeline_.tags(), at.tile);
          if (!lasts || k == 0 || at.tile < tiles().blocks) return before;
          const State after = traits.join(last, states_.total[(k - 1) % slots], &tables_.tile);
          return traits.join(after, before, &wave_);
        },
        [&](int k) { exchange.await_others(static_cast<std::uint32_t>(k), pipeline_.tags()); },
        [&](int k, const State& before) {
          const int lane = gpu::lane(), slot = k % slots;
          if (lane < Sizes::warps)
            states_.entering[slot][lane] =
                traits.join(before, states_.left_behind[slot][lane], &tables_.before_warp[lane]);
          last = before;
        });
  }
  /// @param tiles 1, or a lane's loads times a power of two
  __device__ const Matrix* over_tiles(Index tiles) const {
    if (tiles == 1) return &tables_.tile;
    int j = 0;
    while (Index(Exchange::loads_of(filter_.depth)) << j < tiles) ++j;
    return &tables_.tiles[j];
  }

  // ---- the warps that filter

  using Samples = ThreadSamples<T, Sizes::words>;
  __device__ Samples own_samples(int k) const {
    return {pipeline_.stage(k), static_cast<int>(threadIdx.x), Sizes::threads,
            filter_.lines.reverse};
  }

  /// @brief Filters those of the thread's samples of a tile that belong to its line, or only finds
  /// the state after them.
  template <bool Stores>
  __device__ void filter_samples(int k, const TilePlace& at, State& s) const {
    if (pipeline_.has_ends(at))
      filter_ends<Stores>(filter_.form, own_samples(k), first_sample(at),
                          filter_.lines.extents.length, s);
    else
      filter_words<Shape::run_words, Stores>(filter_.form, own_samples(k), s);
  }

  /// @brief What the thread's samples of a tile leave behind where nothing enters them, as a sum.
  __device__ State responses(int k) const {
    const Samples own = own_samples(k);
    State s{};
    constexpr int unrolled = Shape::in_shared ? 1 : Sizes::words;
#pragma unroll unrolled
    for (int w = 0; w < Sizes::words; ++w) {
      const auto x = own.load(w);
#pragma unroll
      for (int i = 0; i < Samples::per_word; ++i)
#pragma unroll
        for (int r = 0; r < K; ++r)
          s.value[r] = accumulated(warp_tables().response[w * Samples::per_word + i][r], x.value[i],
                                   s.value[r]);
    }
    return s;
  }

  /// @brief Hands over what the thread's samples leave behind; returns what those of the lanes
  /// before do.
  __device__ State reduce_tile(int k, const TilePlace& at, int warp) {
    State initial{};
    if (pipeline_.begins_line(at) && threadIdx.x == 0)
      initial = filter_.lines.initial.template load<K>(at.line);
    State sum = initial;
    if (Shape::by_responses && !pipeline_.has_ends(at))
      sum = responses(k);
    else
      filter_samples<false>(k, at, sum);
    sum = gpu::warp_weighted_scan<gpu::warp_size, steps_unrolled>(StateTraits<Form>(), sum, 0,
                                                                  Lengths{warp_tables().threads});
    if (gpu::lane() == gpu::warp_size - 1) states_.left_behind[k % slots][warp] = sum;
    const State before = gpu::shuffle_up(sum, 1);
    return gpu::lane() == 0 ? initial : before;
  }

  __device__ void run_tile(int k, const TilePlace& at, int warp, const State& offset) {
    const State entering = states_.entering[k % slots][warp];
    State s = offset;
    const int lane = gpu::lane();
#pragma unroll
    for (int r = 0; r < K; ++r)
#pragma unroll
      for (int c = 0; c < K; ++c)
        if (Form::couples(r, c))
          s.value[r] = accumulated(tables_.before_lane[r][c][lane], entering.value[c], s.value[r]);
    filter_samples<true>(k, at, s);
    const Index rest = filter_.lines.extents.length - first_sample(at);
    if (rest > 0 && rest <= Sizes::items) filter_.lines.final.store(at.line, s);
  }

  __device__ const gpu::CyclicTiles& tiles() const { return pipeline_.tiles(); }

  const TiledFilter<Form, Shape>& filter_;
  Tables& tables_;
  Matrix& wave_;
  OfWarp& shared_warp_tables_;  ///< if they are
  States& states_;
  Pipeline pipeline_;
};

}  // namespace wavescan::Impl::filter

#endif
