// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_FILTERKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_FILTERKERNEL_HPP

#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_FilterTuning.hpp>
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

/// @brief The kernel's tables in a GPU's memory.
template <class Form, class Shape>
struct FilterTables {
  using T = typename Form::value_type;
  using Sizes = FilterTuning<T, Shape>;
  SharedTables<Form, Shape> shared;
  /// Over the tiles between two of a block, by the samples before a line's first one.
  StateMatrix<typename Form::coefficient_type, Form::states> wave[TiledLines<T>::fronts];

  FilterTables(const Form&, const Transition<Form>& transition, LineExtents extents,
               Index max_blocks, int depth)
      : shared(transition, ceil_div(depth, gpu::warp_size)) {
    for (int front = 0; front < TiledLines<T>::fronts; ++front)
      wave[front] = transition.power(
          Sizes::tile * (TiledLines<T>::count_blocks(extents, front, Sizes::tile, max_blocks) - 1));
  }
};

/// @brief A filter's tiles as the kernel gets them.
template <class Form, class Shape>
struct TiledFilter {
  Form form;
  TiledLines<typename Form::value_type> lines;
  int depth;  ///< tiles after which a state has no effect any more
  const FilterTables<Form, Shape>* tables;
  WarpTablesIn<Form, Shape, false> warp_tables;

  TiledFilter() = default;
  TiledFilter(const Form& of, const Transition<Form>& transition, Index, Index most_tiles)
      : form(of), depth(static_cast<int>(most_tiles)), warp_tables(transition) {}
};

/// @brief The kernel's shared memory: tables, and what the warps of a block tell each other.
template <class Form, class Shape, int Warps = Shape::warps, int Slots = tile_slots>
struct SharedStates {
  using State = StateVector<typename Form::value_type, Form::states>;
  SharedTables<Form, Shape> tables;
  StateMatrix<typename Form::coefficient_type, Form::states> wave;
  alignas(16) State left_behind[Slots][Warps];  ///< by the warps, then before
  alignas(16) State entering[Slots][Warps];
  alignas(16) State total[Slots];
};

template <class Form, class Shape>
using TiledPipeline =
    FilterPipeline<typename Form::value_type, FilterTuning<typename Form::value_type, Shape>,
                   SharedStates<Form, Shape>>;

template <class Form, class Shape>
class FilterKernel : public TiledPipeline<Form, Shape> {
  using Pipeline = TiledPipeline<Form, Shape>;
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = FilterTuning<T, Shape>;
  using State = StateVector<T, K>;
  using Matrix = StateMatrix<typename Form::coefficient_type, K>;
  using Exchange = gpu::PrefixExchange<StateTraits<Form>, Sizes::look_back_loads>;
  static constexpr int steps_unrolled =
      Shape::in_shared ? 1 : gpu::warp_steps;  ///< of a warp's scans
  using Pipeline::lines_, Pipeline::shared_, Pipeline::slots, Pipeline::tiles;

 public:
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr int max_depth = Exchange::max_depth;
  using Parameters = TiledFilter<Form, Shape>;
  using Tables = FilterTables<Form, Shape>;
  static constexpr FilterLimits limits{true, max_growth<T>, Sizes::tile, 1, Sizes::tile / 2};
  static TotalsView make_totals(const gpu::Device& exec, Index blocks) {
    return totals_of<State>(exec, blocks);
  }

  __device__ FilterKernel(const Parameters& filter, char* memory)
      : Pipeline(filter.lines, memory), filter_(filter) {}

  __device__ void run() {
    this->run_warps(
        [&] {
          this->copy_table(filter_.tables->shared, shared_.tables);
          this->copy_table(filter_.tables->wave[lines_.front], shared_.wave);
        },
        [&](int warp) {
          this->template filter_tiles<State>(
              [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp); },
              [&](int k, const TilePlace& at, const State& offset) {
                run_tile(k, at, warp, offset);
              });
        },
        [&] { this->publish_totals([&](int k) { publish_total(k); }); }, [&] { read_prefixes(); });
  }

 private:
  __device__ const WarpTables<Form, Shape>& warp_tables() const {
    if constexpr (Shape::in_shared)
      return shared_.tables;
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
    State sum = lane < Sizes::warps ? shared_.left_behind[slot][lane] : State{};
    constexpr int lanes = 16, unrolled = K <= 4 ? 4 : 1;
    static_assert(Sizes::warps <= lanes);
    sum = gpu::warp_weighted_scan<lanes, unrolled>(StateTraits<Form>(), sum, 0,
                                                   Lengths{shared_.tables.warps});
    const State total = gpu::broadcast(sum, Sizes::warps - 1);
    const State before = gpu::shuffle_up(sum, 1);
    if (lane < Sizes::warps) shared_.left_behind[slot][lane] = lane == 0 ? State{} : before;
    if (lane == 0) {
      Exchange::publish(lines_.totals, static_cast<std::uint32_t>(k), tiles().block, tiles().blocks,
                        total, this->tags());
      shared_.total[slot] = total;
    }
  }

  // ---- the warp that reads prefixes

  __device__ void read_prefixes() {
    const StateTraits<Form> traits;
    const Exchange exchange(
        traits, lines_.totals, tiles().block, tiles().blocks,
        [&](Index count) { return over_tiles(count); }, filter_.depth);
    const bool lasts = filter_.depth >= tiles().blocks - 1;
    State last{};  // before the block's last tile
    Pipeline::read_prefixes(
        [&](int k, const TilePlace& at) {
          const State before =
              exchange.join_totals(static_cast<std::uint32_t>(k), this->tags(), at.tile);
          if (!lasts || k == 0 || at.tile < tiles().blocks) return before;
          const State after =
              traits.join(last, shared_.total[(k - 1) % slots], &shared_.tables.tile);
          return traits.join(after, before, &shared_.wave);
        },
        [&](int k) { exchange.await_others(static_cast<std::uint32_t>(k), this->tags()); },
        [&](int k, const State& before) {
          const int lane = gpu::lane(), slot = k % slots;
          if (lane < Sizes::warps)
            shared_.entering[slot][lane] = traits.join(before, shared_.left_behind[slot][lane],
                                                       &shared_.tables.before_warp[lane]);
          last = before;
        });
  }
  /// @param count 1, or a lane's loads times a power of two
  __device__ const Matrix* over_tiles(Index count) const {
    if (count == 1) return &shared_.tables.tile;
    int j = 0;
    while (Index(Exchange::loads_of(filter_.depth)) << j < count) ++j;
    return &shared_.tables.tiles[j];
  }

  // ---- the warps that filter

  /// @brief Filters those of the thread's samples of a tile that belong to its line, or only finds
  /// the state after them.
  template <bool Stores>
  __device__ void filter_samples(int k, const TilePlace& at, State& s) const {
    if (this->has_ends(at))
      filter_ends<Stores>(filter_.form, this->own_samples(k), this->first_of_thread(at),
                          lines_.extents.length, s);
    else
      filter_words<Shape::run_words, Stores>(filter_.form, this->own_samples(k), s);
  }

  /// @brief The state that the thread's samples of a tile leave behind where nothing enters them,
  /// as a sum.
  __device__ State responses(int k) const {
    const auto own = this->own_samples(k);
    State s{};
    constexpr int unrolled = Shape::in_shared ? 1 : Sizes::words;
#pragma unroll unrolled
    for (int w = 0; w < Sizes::words; ++w) {
      const auto x = own.load(w);
#pragma unroll
      for (int i = 0; i < own.per_word; ++i)
#pragma unroll
        for (int r = 0; r < K; ++r)
          s.value[r] =
              accumulated(warp_tables().response[w * own.per_word + i][r], x.value[i], s.value[r]);
    }
    return s;
  }

  /// @brief Hands over what the thread's samples leave behind; returns what those of the lanes
  /// before do.
  __device__ State reduce_tile(int k, const TilePlace& at, int warp) {
    State initial{};
    if (this->begins_line(at) && threadIdx.x == 0)
      initial = lines_.initial.template load<K>(at.line);
    State sum = initial;
    if (Shape::by_responses && !this->has_ends(at))
      sum = responses(k);
    else
      filter_samples<false>(k, at, sum);
    sum = gpu::warp_weighted_scan<gpu::warp_size, steps_unrolled>(StateTraits<Form>(), sum, 0,
                                                                  Lengths{warp_tables().threads});
    if (gpu::lane() == gpu::warp_size - 1) shared_.left_behind[k % slots][warp] = sum;
    const State before = gpu::shuffle_up(sum, 1);
    return gpu::lane() == 0 ? initial : before;
  }

  __device__ void run_tile(int k, const TilePlace& at, int warp, const State& offset) {
    const State entering = shared_.entering[k % slots][warp];
    State s = offset;
    const int lane = gpu::lane();
#pragma unroll
    for (int r = 0; r < K; ++r)
#pragma unroll
      for (int c = 0; c < K; ++c)
        if (Form::couples(r, c))
          s.value[r] =
              accumulated(shared_.tables.before_lane[r][c][lane], entering.value[c], s.value[r]);
    filter_samples<true>(k, at, s);
    const Index rest = lines_.extents.length - this->first_of_thread(at);
    if (rest > 0 && rest <= Sizes::items) lines_.final.store(at.line, s);
  }

  const Parameters& filter_;
};

}  // namespace wavescan::Impl::filter

#endif
