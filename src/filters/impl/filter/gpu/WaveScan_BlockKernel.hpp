// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_BLOCKKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_BLOCKKERNEL_HPP

#include <impl/WaveScan_Gpu_MatrixTile.hpp>
#include <impl/filter/gpu/WaveScan_BlockTables.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>
#include <impl/filter/gpu/WaveScan_TensorBlock.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

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

/// @brief What such a kernel has in shared memory for itself.
template <int K>
struct BlockMemory {
  /// What a line leaves that ends in the tile, if nothing enters its last row.
  double leaving[tile_slots][8 * K];
};

template <class T, int K, class OfShape>
class BlockKernel : public TensorBlock<T, K, OfShape, BlockTables<K, OfShape>,
                                       RowTables<K, OfShape>, BlockMemory<K>> {
  using Base =
      TensorBlock<T, K, OfShape, BlockTables<K, OfShape>, RowTables<K, OfShape>, BlockMemory<K>>;
  using States = RowStates<K>;
  using Base::filter_, Base::shared_, Base::pipeline_, Base::slots;

 public:
  using typename Base::Shape, typename Base::Tables, typename Base::Parameters;
  /// The tables for ends of lines are not for lines that end in the block in which they begin.
  static constexpr Index least_length = Shape::block + 1;

  __device__ BlockKernel(const Parameters& filter, char* memory) : Base(filter, memory) {}

  __device__ void run() {
    this->run_warps(filter_.tables->rows, [this](int warp) { filter_tiles(warp); });
  }

 private:
  static constexpr int N = Shape::samples;
  static constexpr int row_steps = RowTables<K, Shape>::steps;

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
    scan_rows(sum, shared_.tables.rows, row_steps);
    store_row(sum, gpu::RowTile::rows - 1, shared_.states.left_behind[k % slots][warp]);
    return left;
  }

  /// @brief Adds the outputs for the states that enter the rows.
  __device__ void run_tile(int k, const TilePlace& at, int warp, const States& left) {
    States s = rows_before(left, 1);
    if (gpu::RowTile::row() == 0)
      for_entries(s, 0,
                  [&](double& own, int n) { own = shared_.states.entering[k % slots][warp][n]; });
    scan_rows(s, shared_.tables.rows, row_steps);
    const Rows rows = rows_of(k, warp);
    constexpr int unrolled = K == 1 ? 9 : 3;
#pragma unroll unrolled
    for (int p = 0; p < Shape::row / 8; ++p) {
      gpu::RowTile y;
#pragma unroll
      for (int q = 0; q < K; ++q)
        gpu::multiply_add(y, gpu::MatrixTile::load(shared_.tables.outputs.tile[p][q]), s.tile[q]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Samples sum = rows.load(half, p);
#pragma unroll
        for (int e = 0; e < 2; ++e) sum.value[e] += static_cast<T>(y.value[half][e]);
        rows.store(half, p, sum);
      }
    }
    if (pipeline_.ends_line(at)) store_final(k, at, warp, s);
  }

  struct alignas(2 * sizeof(T)) Samples {
    T value[2];
    __device__ Samples in_direction(bool reverse) const {
      return reverse ? Samples{{value[1], value[0]}} : *this;
    }
  };
  /// @brief A warp's rows in shared memory: the lane's samples, two of each eight. Of a reverse
  /// line they are taken from the end of the tile on.
  class Rows {
   public:
    __device__ Rows(char* stage, int warp, bool reverse) : reverse_(reverse) {
      const int pair = first_sample(warp) / 2;
      own_ = reinterpret_cast<Samples*>(stage) +
             (reverse ? static_cast<int>(Shape::tile / 2) - 1 - pair : pair);
    }
    /// @brief The lane's first sample, of the tile.
    __device__ static int first_sample(int warp) {
      return (warp * gpu::RowTile::rows + gpu::RowTile::row()) * Shape::row + gpu::RowTile::entry();
    }
    /// @brief Those of tile p of its row in either half.
    __device__ Samples load(int half, int p) const { return place(half, p).in_direction(reverse_); }
    __device__ void store(int half, int p, const Samples& samples) const {
      place(half, p) = samples.in_direction(reverse_);
    }

   private:
    __device__ Samples& place(int half, int p) const {
      const int pairs = (half * 8 * Shape::row + 8 * p) / 2;
      return own_[reverse_ ? -pairs : pairs];
    }
    Samples* own_;
    bool reverse_;
  };
  __device__ Rows rows_of(int k, int warp) const {
    return {pipeline_.stage(k), warp, filter_.lines.reverse};
  }

  /// @brief Filters the warp's rows; returns the states after them.
  /// @tparam Ends whether the line begins or ends in the tile
  template <bool Ends>
  __device__ States filter_rows(int k, const TilePlace& at, int warp, const Matrices& m) const {
    const Rows rows = rows_of(k, warp);
    const Index in_line = pipeline_.first_sample(at) + Rows::first_sample(warp);
    States s;
    constexpr int unrolled = Ends ? 1 : Shape::blocks;
#pragma unroll unrolled
    for (int i = 0; i < Shape::blocks; ++i) {
      gpu::RowTile x[N], y[N];
#pragma unroll
      for (int p = 0; p < N; ++p)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Samples in = rows.load(half, i * N + p);
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const Index j = in_line + half * 8 * Shape::row + i * Shape::block + 8 * p + e;
            const bool is_there = !Ends || (j >= 0 && j < filter_.lines.extents.length);
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
          rows.store(half, i * N + p,
                     {{static_cast<T>(y[p].value[half][0]), static_cast<T>(y[p].value[half][1])}});
    }
    return s;
  }

  /// @brief Adds what a line's initial state does to its first block, row 0.
  __device__ void enter_line(Index line, gpu::RowTile (&y)[N], States& next) const {
    const auto& initial = filter_.lines.initial;
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
    const auto last = static_cast<int>(filter_.lines.front + filter_.lines.extents.length - 1 -
                                       at.tile * Shape::tile);
    return {last / Shape::row - warp * gpu::RowTile::rows, last % Shape::row};
  }

  /// @brief Keeps the state after the line, if nothing enters its last row and that ends in block
  /// i.
  __device__ void leave_line(int k, const TilePlace& at, int warp, int i,
                             const gpu::RowTile (&x)[N], const States& s) const {
    const LineEnd end = line_end(at, warp);
    if (filter_.lines.final.data == nullptr || end.row < 0 || end.row >= gpu::RowTile::rows ||
        end.sample / Shape::block != i)
      return;
    const auto& ends = filter_.tables->ends[filter_.lines.front];
    States after;
    advance(after.tile, ends.leaving_g, x);
    advance(after.tile, ends.leaving_a, s.tile);
    store_row(after, end.row, shared_.own.leaving[k % slots]);
  }

  /// @brief Stores the state after the line.
  /// @param entering of the warp's rows
  __device__ void store_final(int k, const TilePlace& at, int warp, const States& entering) const {
    const auto& final = filter_.lines.final;
    const LineEnd end = line_end(at, warp);
    if (final.data == nullptr || end.row < 0 || end.row >= gpu::RowTile::rows) return;
    States after;
    advance(after.tile, filter_.tables->ends[filter_.lines.front].leaving_row, entering.tile);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (gpu::RowTile::row() + 8 * half == end.row)
        for_entries(after, half, [&](double own, int n) {
          if (n < final.count)
            final(at.line, n) = static_cast<T>(own + shared_.own.leaving[k % slots][n]);
        });
  }
};

}  // namespace wavescan::Impl::filter

#endif
