// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_STATEJOINS_HPP
#define WAVESCAN_IMPL_FILTER_GPU_STATEJOINS_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_MatrixTile.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief States of filters as rows of operands of tensor cores for double precision, and how those
/// of a block's warps and of the tiles before are joined by products.

namespace wavescan::Impl::filter {

/// @brief A matrix of 8 Rows x 8 Columns in tiles of 8 x 8.
template <int Rows, int Columns>
struct Tiles {
  alignas(16) double tile[Rows][Columns][64];
  double& operator()(int r, int c) { return tile[r / 8][c / 8][r % 8 * 8 + c % 8]; }
};

/// @brief Sets the matrix that leads over n samples.
template <int K, class Form>
void lead_over(Tiles<K, K>& m, const Transition<Form>& transition, Index n) {
  const auto power = transition.exact_power(n);
  for (int r = 0; r < 8 * K; ++r)
    for (int q = 0; q < 8 * K; ++q) m(r, q) = static_cast<double>(power[transition.place(r, q)]);
}

/// @brief States of 16 rows, of 8 K entries.
template <int K>
struct RowStates {
  gpu::RowTile tile[K];
};

template <int K>
__device__ RowStates<K> rows_before(const RowStates<K>& states, int distance) {
  RowStates<K> before;
#pragma unroll
  for (int q = 0; q < K; ++q) before.tile[q] = gpu::rows_before(states.tile[q], distance);
  return before;
}
template <int K>
__device__ RowStates<K> broadcast_row(const RowStates<K>& states, int row) {
  RowStates<K> all;
#pragma unroll
  for (int q = 0; q < K; ++q) all.tile[q] = gpu::broadcast_row(states.tile[q], row);
  return all;
}

/// @brief Calls take(own, entry) for the lane's part of a row's state.
/// @param half 0 for the lane's row below 8, 1 for that beyond
template <int K, class Take>
__device__ void for_entries(RowStates<K>& states, int half, const Take& take) {
#pragma unroll
  for (int q = 0; q < K; ++q)
#pragma unroll
    for (int e = 0; e < 2; ++e)
      take(states.tile[q].value[half][e], 8 * q + gpu::RowTile::entry() + e);
}

/// @brief matrix * state + added, in each row.
template <int R, int C>
__device__ void advance(gpu::RowTile (&added)[R], const Tiles<R, C>& matrix,
                        const gpu::RowTile (&states)[C]) {
#pragma unroll
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int r = 0; r < R; ++r)
      gpu::multiply_add(added[r], gpu::MatrixTile::load(matrix.tile[r][c]), states[c]);
}

/// @brief Joins each row with those before it, until 2^steps have been joined.
/// @param over what leads over 1, 2, 4, ... rows
template <int K>
__device__ void scan_rows(RowStates<K>& states, const Tiles<K, K>* over, int steps) {
#pragma unroll 1
  for (int j = 0; j < steps; ++j) {
    const RowStates<K> before = rows_before(states, 1 << j);
    advance(states.tile, over[j], before.tile);
  }
}

/// @brief Matrices from states to states over warps and tiles.
/// @tparam K tiles of eight state variables
template <int K>
struct JoinTables {
  static constexpr int steps = 4;  ///< in which 16 rows are joined
  Tiles<K, K> warps[steps];        ///< 1, 2, 4 and 8 warps
  Tiles<K, K> tile;
  Tiles<K, K> tiles[steps];  ///< 1, 2, 4 and 8 times the tiles that a row of the exchange has

  /// @param warp, a_tile their samples
  /// @param loads tiles that a row of the exchange has
  template <class Form>
  void fill(const Transition<Form>& transition, Index warp, Index a_tile, Index loads) {
    lead_over(tile, transition, a_tile);
    for (int j = 0; j < steps; ++j) {
      lead_over(warps[j], transition, warp << j);
      lead_over(tiles[j], transition, a_tile * loads << j);
    }
  }
};

/// @brief The distance over which states are joined.
struct JoinDepth {
  int tiles;  ///< after which a state has no effect any more
  int loads;  ///< tiles that a row of the exchange joins

  /// All blocks wait for the last so many tiles anyway: those that get ahead of others would read
  /// memory in a worse order.
  static constexpr Index least = 16;
  static JoinDepth of(Index tiles, Index max_blocks) {
    return {static_cast<int>(tiles),
            static_cast<int>(
                ceil_div(std::min(std::max(tiles, least), max_blocks), gpu::RowTile::rows))};
  }
};

/// @brief States that the warps of a block exchange.
template <int K, int Warps>
struct JoinStates {
  double left_behind[tile_slots][Warps][8 * K];  ///< by the warps
  double entering[tile_slots][Warps][8 * K];
  double after[tile_slots][8 * K];  ///< the tile
};

/// @brief Stores a row's state.
template <int K>
__device__ void store_row(RowStates<K>& rows, int row, double (&state)[8 * K]) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
    if (gpu::RowTile::row() + 8 * half == row)
      for_entries(rows, half, [&](double own, int n) { state[n] = own; });
}

/// @brief The warps that publish what tiles leave behind, and that find what enters them.
template <int K, int Warps, class Pipeline>
class StateJoins {
  using States = RowStates<K>;
  static constexpr int slots = tile_slots;
  static constexpr int row_steps = JoinTables<K>::steps;
  /// In which the block's warps are joined, and these with what enters the block.
  static constexpr int warp_steps = std::bit_width(unsigned(Warps) - 1),
                       entering_steps = std::bit_width(unsigned(Warps));
  /// A message has two entries of a state; a lane waits for so many at once.
  struct Message {
    double value[2];
  };
  static constexpr int messages = 4 * K;
  static constexpr int loads_at_once = 2 / K;
  static constexpr std::uint32_t waves_apart = 8;  ///< at least, blocks may be

 public:
  static TotalsView make_totals(const gpu::Device& exec, Index blocks) {
    return totals_of<Message>(exec, blocks, messages);
  }

  __device__ StateJoins(const gpu::TotalsMailbox& totals, JoinDepth depth,
                        const JoinTables<K>& tables, JoinStates<K, Warps>& states,
                        Pipeline& pipeline)
      : totals_(totals),
        depth_(depth.tiles),
        loads_(depth.loads),
        tables_(tables),
        states_(states),
        pipeline_(pipeline) {}

  /// @brief The work of the warp that publishes totals.
  __device__ void publish_totals() {
    pipeline_.publish_totals([&](int k) { publish_total(k); });
  }
  /// @brief The work of a warp that reads prefixes.
  __device__ void read_prefixes() {
    const bool lasts = depth_ >= tiles().blocks;
    pipeline_.read_prefixes([&](int k, const TilePlace& at) { return join_totals(k, at, lasts); },
                            [&](int k) { await_others(k); },
                            [&](int k, const States& before) { enter_warps(k, before, lasts); });
  }

 private:
  /// @brief The states of the block's warps from row `first` on; other rows are zero.
  __device__ States load_rows(const double (&states)[Warps][8 * K], int first) const {
    States rows;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int w = gpu::RowTile::row() + 8 * half - first;
      if (w >= 0 && w < Warps)
        for_entries(rows, half, [&](double& own, int n) { own = states[w][n]; });
    }
    return rows;
  }
  __device__ void publish_total(int k) {
    constexpr int last = Warps - 1;
    const auto wave = static_cast<std::uint32_t>(k);
    States sum = load_rows(states_.left_behind[k % slots], 0);
    scan_rows(sum, tables_.warps, warp_steps);
    if (gpu::RowTile::row() != last % 8) return;
#pragma unroll
    for (int q = 0; q < K; ++q) {
      const double(&v)[2] = sum.tile[q].value[last / 8];
      gpu::Tagged<Message>::publish(place(wave, tiles().block, q), {{v[0], v[1]}},
                                    pipeline_.tags().of(wave));
    }
  }
  /// @brief The place of the lane's entries of a block's total.
  __device__ gpu::TaggedWord* place(std::uint32_t wave, int block, int q) const {
    return totals_.template place<Message>(wave, block, tiles().blocks, messages,
                                           4 * q + gpu::RowTile::entry() / 2);
  }

  /// @brief The number of tiles from the lane's tile m to the block's own, in either half of the
  /// rows.
  __device__ int distance(int half, int m) const {
    return (gpu::RowTile::rows - gpu::RowTile::row() - 8 * half) * loads_ - m;
  }

  __device__ void await_others(int k) const {
    gpu::await_others<Message>(totals_, static_cast<std::uint32_t>(k), tiles().block,
                               tiles().blocks, pipeline_.tags(), messages);
  }

  /// @brief The state before the block's tile of this wave, in all rows: from the totals of the
  /// tiles before, of which the block's own last one stands for all before it.
  /// @param lasts whether that has an effect
  __device__ States join_totals(int k, const TilePlace& at, bool lasts) {
    const auto wave = static_cast<std::uint32_t>(k);
    const Index wanted = at.tile < depth_ ? at.tile : depth_;
    if (wave % waves_apart == 0 && gpu::RowTile::rows * loads_ < tiles().blocks - 1)
      await_others(k);
    if (lasts && k > 0) pipeline_.await_entered(k - 1);
    States sum;
#pragma unroll 1
    for (int first = 0; first < loads_; first += loads_at_once) {
      States got[loads_at_once];
      constexpr int count = loads_at_once * 2 * K;
      const auto source = [&](int i) {
        return tiles().block - distance(i / K % 2, first + i / (2 * K));
      };
      unsigned missing = 0;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int d = tiles().block - source(i);
        if (first + i / (2 * K) < loads_ && d < tiles().blocks && (k > 0 || d <= tiles().block))
          missing |= 1u << i;
      }
      gpu::await<Message, count>(
          missing,
          [&](int i) {
            const int s = source(i);
            return s < 0 ? place(wave - 1, s + tiles().blocks, i % K) : place(wave, s, i % K);
          },
          [&](int i) { return pipeline_.tags().of(source(i) < 0 ? wave - 1 : wave); },
          [&](int i, const Message& m) {
            if (tiles().block - source(i) > wanted) return;
            double(&v)[2] = got[i / (2 * K)].tile[i % K].value[i / K % 2];
            v[0] = m.value[0];
            v[1] = m.value[1];
          });
#pragma unroll
      for (int u = 0; u < loads_at_once; ++u) {
        if (first + u >= loads_) break;
#pragma unroll
        for (int half = 0; half < 2; ++half)
          if (lasts && distance(half, first + u) == tiles().blocks && tiles().blocks <= wanted)
            for_entries(got[u], half,
                        [&](double& own, int n) { own = states_.after[(k - 1) % slots][n]; });
        advance(got[u].tile, tables_.tile, sum.tile);
        sum = got[u];
      }
    }
    int steps = 0;
    while (loads_ << steps < depth_ && steps < row_steps) ++steps;
    scan_rows(sum, tables_.tiles, steps);
    return broadcast_row(sum, gpu::RowTile::rows - 1);
  }

  /// @brief Says what enters the block's warps.
  /// @param before of the block, in all rows
  __device__ void enter_warps(int k, const States& before, bool lasts) {
    States entering = load_rows(states_.left_behind[k % slots], 1);
    if (gpu::RowTile::row() == 0)
#pragma unroll
      for (int q = 0; q < K; ++q)
#pragma unroll
        for (int e = 0; e < 2; ++e) entering.tile[q].value[0][e] = before.tile[q].value[0][e];
    scan_rows(entering, tables_.warps, entering_steps);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int w = gpu::RowTile::row() + 8 * half;
      if (w < Warps)
        for_entries(entering, half,
                    [&](double own, int n) { states_.entering[k % slots][w][n] = own; });
    }
    if (lasts) store_row(entering, Warps, states_.after[k % slots]);
  }

  __device__ const gpu::CyclicTiles& tiles() const { return pipeline_.tiles(); }

  const gpu::TotalsMailbox& totals_;
  int depth_, loads_;
  const JoinTables<K>& tables_;
  JoinStates<K, Warps>& states_;
  Pipeline& pipeline_;
};

}  // namespace wavescan::Impl::filter

#endif
