// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_BLOCKKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_BLOCKKERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_MatrixTile.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/filter/gpu/WaveScan_BlockTables.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Filters in block form on a GPU with bulk copies and tensor cores for double precision:
/// what a warp does is products of matrices.
///
/// A warp takes 16 runs of samples, its rows, side by side, and filters them block by block from
/// states of zero. When it is known what enters a row, the outputs for that state are added:
/// products that wait for nothing. States are rows, too, wherever they are joined: those of a
/// warp's runs, of a block's warps, and of the tiles before. All sums are of double precision,
/// whatever the samples are.

namespace wavescan::Impl::filter {

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

/// @brief A filter in block form as the kernel gets it.
template <class T, int K, class Shape>
struct BlockFilter {
  TiledLines<T> lines;
  int loads;  ///< tiles that a row of the exchange joins
  const BlockTables<K, Shape>* tables;
};

/// @brief What the warps of a block tell each other.
template <int K, class Shape, int Slots>
struct BlockStates {
  double left_behind[Slots][Shape::warps][8 * K];  ///< by the warps
  double entering[Slots][Shape::warps][8 * K];
  double after[Slots][8 * K];    ///< the tile
  double leaving[Slots][8 * K];  ///< a line that ends in the tile, if nothing enters its last row
};

template <class T, int K, class Shape>
class BlockFilterKernel {
  using States = RowStates<K>;
  using Tables = BlockTables<K, Shape>;
  static constexpr int N = Shape::samples;
  static constexpr int slots = tile_slots;
  struct Shared {
    JoinTables<K, Shape> join;
    BlockStates<K, Shape, slots> states;
  };
  static constexpr int room = 225 * 1024 - static_cast<int>(sizeof(Shared));
  using Pipeline = FilterPipeline<T, Shape, room, 2>;
  static constexpr int stages_bytes = Pipeline::stages * Pipeline::stage_bytes;
  static constexpr int row_steps = JoinTables<K, Shape>::steps;
  /// In which the block's warps are joined, and these with what enters the block.
  static constexpr int warp_steps = std::bit_width(unsigned(Shape::warps) - 1),
                       entering_steps = std::bit_width(unsigned(Shape::warps));
  /// A message has two entries of a state; a lane waits for so many at once.
  struct Message {
    double value[2];
  };
  static constexpr int messages = 4 * K;
  static constexpr int loads_at_once = 2 / K;
  static constexpr std::uint32_t waves_apart = 8;  ///< at least, blocks may be

 public:
  static constexpr int block_threads = Pipeline::block_threads;
  static constexpr std::size_t shared_bytes =
      stages_bytes + sizeof(Shared) + sizeof(typename Pipeline::Barriers) + 128;
  static std::size_t mailbox_size(int blocks) {
    return gpu::TotalsMailbox::size<Message>(blocks, messages);
  }

  __device__ BlockFilterKernel(const BlockFilter<T, K, Shape>& filter, char* memory)
      : filter_(filter),
        shared_(*reinterpret_cast<Shared*>(memory + stages_bytes)),
        pipeline_(filter.lines, memory,
                  *reinterpret_cast<typename Pipeline::Barriers*>(&shared_ + 1)) {}

  __device__ void run() {
    if (threadIdx.x == Pipeline::copier * 32) pipeline_.init();
    constexpr int words = static_cast<int>(sizeof(JoinTables<K, Shape>) / sizeof(double2));
    for (int i = static_cast<int>(threadIdx.x); i < words; i += block_threads)
      reinterpret_cast<double2*>(&shared_.join)[i] =
          reinterpret_cast<const double2*>(&filter_.tables->join)[i];
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Shape::warps)
      filter_tiles(warp);
    else if (threadIdx.x == Pipeline::copier * 32)
      pipeline_.copy_tiles();
    else if (warp == Pipeline::publisher)
      pipeline_.publish_totals([&](int k) { publish_total(k); });
    else if (warp >= Pipeline::reader)
      read_prefixes();
  }

 private:
  // ---- states of warps, as rows

  /// @brief The states of the block's warps from row `first` on; other rows are zero.
  __device__ States load_rows(const double (&states)[Shape::warps][8 * K], int first) const {
    States rows;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int w = gpu::RowTile::row() + 8 * half - first;
      if (w >= 0 && w < Shape::warps)
        for_entries(rows, half, [&](double& own, int n) { own = states[w][n]; });
    }
    return rows;
  }
  /// @brief Stores row `row` to a state.
  __device__ static void store_row(States& rows, int row, double (&state)[8 * K]) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (gpu::RowTile::row() + 8 * half == row)
        for_entries(rows, half, [&](double own, int n) { state[n] = own; });
  }

  // ---- the warp that publishes totals

  __device__ void publish_total(int k) {
    constexpr int last = Shape::warps - 1;
    const auto wave = static_cast<std::uint32_t>(k);
    States sum = load_rows(shared_.states.left_behind[k % slots], 0);
    scan_rows(sum, shared_.join.warps, warp_steps);
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
    return filter_.lines.totals.template place<Message>(wave, block, tiles().blocks, messages,
                                                        4 * q + gpu::RowTile::entry() / 2);
  }

  // ---- the warp that reads prefixes

  /// @brief How many tiles before the own one the lane's tile m is, in either half of the rows.
  __device__ int distance(int half, int m) const {
    return (gpu::RowTile::rows - gpu::RowTile::row() - 8 * half) * filter_.loads - m;
  }

  __device__ void await_others(int k) const {
    gpu::await_others<Message>(filter_.lines.totals, static_cast<std::uint32_t>(k), tiles().block,
                               tiles().blocks, pipeline_.tags(), messages);
  }

  /// @brief The state before the block's tile of this wave, in all rows: from the totals of the
  /// tiles before, of which the block's own last one stands for all before it.
  /// @param lasts whether that has an effect
  __device__ States join_totals(int k, const TilePlace& at, bool lasts) {
    const auto wave = static_cast<std::uint32_t>(k);
    const Index wanted = at.tile < filter_.lines.depth ? at.tile : filter_.lines.depth;
    if (wave % waves_apart == 0 && gpu::RowTile::rows * filter_.loads < tiles().blocks - 1)
      await_others(k);
    if (lasts && k > 0) pipeline_.await_entered(k - 1);
    States sum;
#pragma unroll 1
    for (int first = 0; first < filter_.loads; first += loads_at_once) {
      States got[loads_at_once];
      constexpr int count = loads_at_once * 2 * K;
      const auto source = [&](int i) {
        return tiles().block - distance(i / K % 2, first + i / (2 * K));
      };
      unsigned missing = 0;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int d = tiles().block - source(i);
        if (first + i / (2 * K) < filter_.loads && d < tiles().blocks &&
            (k > 0 || d <= tiles().block))
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
        if (first + u >= filter_.loads) break;
#pragma unroll
        for (int half = 0; half < 2; ++half)
          if (lasts && distance(half, first + u) == tiles().blocks && tiles().blocks <= wanted)
            for_entries(got[u], half, [&](double& own, int n) {
              own = shared_.states.after[(k - 1) % slots][n];
            });
        advance(got[u].tile, shared_.join.tile, sum.tile);
        sum = got[u];
      }
    }
    int steps = 0;
    while (filter_.loads << steps < filter_.lines.depth && steps < row_steps) ++steps;
    scan_rows(sum, shared_.join.tiles, steps);
    return broadcast_row(sum, gpu::RowTile::rows - 1);
  }

  __device__ void read_prefixes() {
    const bool lasts = filter_.lines.depth >= tiles().blocks;
    pipeline_.read_prefixes([&](int k, const TilePlace& at) { return join_totals(k, at, lasts); },
                            [&](int k) { await_others(k); },
                            [&](int k, const States& before) { enter_warps(k, before, lasts); });
  }
  /// @brief Says what enters the block's warps.
  /// @param before of the block, in all rows
  __device__ void enter_warps(int k, const States& before, bool lasts) {
    States entering = load_rows(shared_.states.left_behind[k % slots], 1);
    if (gpu::RowTile::row() == 0)
#pragma unroll
      for (int q = 0; q < K; ++q)
#pragma unroll
        for (int e = 0; e < 2; ++e) entering.tile[q].value[0][e] = before.tile[q].value[0][e];
    scan_rows(entering, shared_.join.warps, entering_steps);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int w = gpu::RowTile::row() + 8 * half;
      if (w < Shape::warps)
        for_entries(entering, half,
                    [&](double own, int n) { shared_.states.entering[k % slots][w][n] = own; });
    }
    if (lasts) store_row(entering, Shape::warps, shared_.states.after[k % slots]);
  }

  // ---- the warps that filter

  /// @brief The matrices of a block in registers.
  struct Matrices {
    gpu::MatrixTile response[N], h[N][K], g[K][N], a[K][K];
    __device__ explicit Matrices(const Tables& tables) {
#pragma unroll
      for (int p = 0; p < N; ++p) {
        response[p] = gpu::MatrixTile::load(tables.response[p]);
#pragma unroll
        for (int q = 0; q < K; ++q) {
          h[p][q] = gpu::MatrixTile::load(tables.h.tile[p][q]);
          g[q][p] = gpu::MatrixTile::load(tables.g.tile[q][p]);
        }
      }
#pragma unroll
      for (int p = 0; p < K; ++p)
#pragma unroll
        for (int q = 0; q < K; ++q) a[p][q] = gpu::MatrixTile::load(tables.a.tile[p][q]);
    }
  };

  __device__ void filter_tiles(int warp) {
    const Matrices matrices(*filter_.tables);
    pipeline_.template filter_tiles<States>(
        [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp, matrices); },
        [&](int k, const TilePlace& at, const States& left) { run_tile(k, at, warp, left); });
  }

  /// @brief Filters the warp's rows from states of zero and hands over what they leave behind;
  /// returns what each row does.
  __device__ States reduce_tile(int k, const TilePlace& at, int warp, const Matrices& matrices) {
    const States left = pipeline_.has_ends(at) ? filter_rows<true>(k, at, warp, matrices)
                                               : filter_rows<false>(k, at, warp, matrices);
    States sum = left;
    scan_rows(sum, shared_.join.rows, row_steps);
    store_row(sum, gpu::RowTile::rows - 1, shared_.states.left_behind[k % slots][warp]);
    return left;
  }

  /// @brief Adds the outputs for the states that enter the rows.
  __device__ void run_tile(int k, const TilePlace& at, int warp, const States& left) {
    States s = rows_before(left, 1);
    if (gpu::RowTile::row() == 0)
      for_entries(s, 0,
                  [&](double& own, int n) { own = shared_.states.entering[k % slots][warp][n]; });
    scan_rows(s, shared_.join.rows, row_steps);
    const Rows rows(pipeline_.stage(k), warp);
    constexpr int unrolled = K == 1 ? 9 : 3;
#pragma unroll unrolled
    for (int p = 0; p < Shape::row / 8; ++p) {
      gpu::RowTile y;
#pragma unroll
      for (int q = 0; q < K; ++q)
        gpu::multiply_add(y, gpu::MatrixTile::load(shared_.join.outputs.tile[p][q]), s.tile[q]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Samples sum = rows(half, p);
#pragma unroll
        for (int e = 0; e < 2; ++e) sum.value[e] += static_cast<T>(y.value[half][e]);
        rows(half, p) = sum;
      }
    }
    if (pipeline_.ends_line(at)) store_final(k, at, warp, s);
  }

  struct alignas(2 * sizeof(T)) Samples {
    T value[2];
  };
  /// @brief A warp's rows in shared memory: the lane's samples, two of each eight.
  struct Rows {
    Samples* own;
    __device__ Rows(char* stage, int warp)
        : own(reinterpret_cast<Samples*>(stage) + first_sample(warp) / 2) {}
    /// @brief The lane's first sample, of the tile.
    __device__ static int first_sample(int warp) {
      return (warp * gpu::RowTile::rows + gpu::RowTile::row()) * Shape::row + gpu::RowTile::entry();
    }
    /// @brief Those of tile p of its row in either half.
    __device__ Samples& operator()(int half, int p) const {
      return own[(half * 8 * Shape::row + 8 * p) / 2];
    }
  };

  /// @brief Filters the warp's rows; returns the states after them.
  /// @tparam Ends whether the line begins or ends in the tile
  template <bool Ends>
  __device__ States filter_rows(int k, const TilePlace& at, int warp, const Matrices& m) const {
    const Rows rows(pipeline_.stage(k), warp);
    const Index in_line = at.tile * Shape::tile - filter_.lines.front + Rows::first_sample(warp);
    States s;
    constexpr int unrolled = Ends ? 1 : Shape::blocks;
#pragma unroll unrolled
    for (int i = 0; i < Shape::blocks; ++i) {
      gpu::RowTile x[N], y[N];
#pragma unroll
      for (int p = 0; p < N; ++p)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Samples in = rows(half, i * N + p);
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const Index j = in_line + half * 8 * Shape::row + i * Shape::block + 8 * p + e;
            const bool is_there = !Ends || (j >= 0 && j < filter_.lines.problem.extents.length);
            x[p].value[half][e] = is_there ? static_cast<double>(in.value[e]) : 0;
          }
        }
      if constexpr (Ends)
        if (pipeline_.ends_line(at)) leave_line(k, at, warp, i, x, s);
      States next;
#pragma unroll
      for (int q = 0; q < N; ++q) {
#pragma unroll
        for (int p = 0; p < K; ++p) gpu::multiply_add(next.tile[p], m.g[p][q], x[q]);
#pragma unroll
        for (int p = q; p < N; ++p) gpu::multiply_add(y[p], m.response[p - q], x[q]);
      }
#pragma unroll
      for (int q = 0; q < K; ++q) {
#pragma unroll
        for (int p = 0; p < K; ++p) gpu::multiply_add(next.tile[p], m.a[p][q], s.tile[q]);
#pragma unroll
        for (int p = 0; p < N; ++p) gpu::multiply_add(y[p], m.h[p][q], s.tile[q]);
      }
      if constexpr (Ends)
        if (pipeline_.begins_line(at) && warp == 0 && i == 0) enter_line(at.line, y, next);
      s = next;
#pragma unroll
      for (int p = 0; p < N; ++p)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          rows(half, i * N + p) = {
              {static_cast<T>(y[p].value[half][0]), static_cast<T>(y[p].value[half][1])}};
    }
    return s;
  }

  /// @brief Adds what a line's initial state does to its first block, row 0.
  __device__ void enter_line(Index line, gpu::RowTile (&y)[N], States& next) const {
    const auto& initial = filter_.lines.problem.initial;
    if (initial.data == nullptr) return;
    States state;
    if (gpu::RowTile::row() == 0)
      for_entries(state, 0, [&](double& own, int n) {
        if (n < initial.count) own = static_cast<double>(initial(line, n));
      });
    const auto& ends = filter_.tables->ends[filter_.lines.front];
    advance(y, ends.entering_h, state.tile);
    advance(next.tile, ends.entering_a, state.tile);
  }

  /// @brief The warp's row in which the line ends, and the last sample there; for the line's last
  /// tile. Other warps have no row of that number.
  struct LineEnd {
    int row, sample;
  };
  __device__ LineEnd line_end(const TilePlace& at, int warp) const {
    const auto last = static_cast<int>(filter_.lines.front + filter_.lines.problem.extents.length -
                                       1 - at.tile * Shape::tile);
    return {last / Shape::row - warp * gpu::RowTile::rows, last % Shape::row};
  }

  /// @brief Keeps the state after the line, if nothing enters its last row and that ends in block
  /// i.
  __device__ void leave_line(int k, const TilePlace& at, int warp, int i,
                             const gpu::RowTile (&x)[N], const States& s) const {
    const LineEnd end = line_end(at, warp);
    if (filter_.lines.problem.final.data == nullptr || end.row < 0 ||
        end.row >= gpu::RowTile::rows || end.sample / Shape::block != i)
      return;
    const auto& ends = filter_.tables->ends[filter_.lines.front];
    States after;
    advance(after.tile, ends.leaving_g, x);
    advance(after.tile, ends.leaving_a, s.tile);
    store_row(after, end.row, shared_.states.leaving[k % slots]);
  }

  /// @brief Stores the state after the line.
  /// @param entering of the warp's rows
  __device__ void store_final(int k, const TilePlace& at, int warp, const States& entering) const {
    const auto& final = filter_.lines.problem.final;
    const LineEnd end = line_end(at, warp);
    if (final.data == nullptr || end.row < 0 || end.row >= gpu::RowTile::rows) return;
    States after;
    advance(after.tile, filter_.tables->ends[filter_.lines.front].leaving_row, entering.tile);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (gpu::RowTile::row() + 8 * half == end.row)
        for_entries(after, half, [&](double own, int n) {
          if (n < final.count)
            final(at.line, n) = static_cast<T>(own + shared_.states.leaving[k % slots][n]);
        });
  }

  __device__ const gpu::CyclicTiles& tiles() const { return pipeline_.tiles(); }

  const BlockFilter<T, K, Shape>& filter_;
  Shared& shared_;
  Pipeline pipeline_;
};

template <class T, int K, class Shape>
__global__ void __launch_bounds__(BlockFilterKernel<T, K, Shape>::block_threads, 1)
    filter_blocks([[maybe_unused]] const WAVESCAN_GRID_CONSTANT BlockFilter<T, K, Shape> filter) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  BlockFilterKernel<T, K, Shape>(filter, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl::filter

#endif
