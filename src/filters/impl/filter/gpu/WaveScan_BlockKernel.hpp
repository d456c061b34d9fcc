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

/// @brief A kernel's own part of shared memory.
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
  using Base::filter_, Base::lines_, Base::shared_, Base::slots;

 public:
  using typename Base::Shape, typename Base::Tables, typename Base::Parameters;
  /// The tables for ends of lines are not for lines that end in the block in which they begin.
  static constexpr FilterLimits limits = Base::limits_from(Shape::block + 1);

  __device__ BlockKernel(const Parameters& filter, char* memory) : Base(filter, memory) {}

  __device__ void run() {
    this->run_filter(filter_.tables->rows, [this](int warp) {
      const Matrices matrices(*filter_.tables);
      this->template filter_tiles<States>(
          [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp, matrices); },
          [&](int k, const TilePlace& at, const States& left) { run_tile(k, at, warp, left); });
    });
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

  /// @brief Filters the warp's rows from states of zero and hands over what they leave behind;
  /// returns what each row does.
  __device__ States reduce_tile(int k, const TilePlace& at, int warp, const Matrices& matrices) {
    const States left = this->has_ends(at) || lines_.reverse
                            ? filter_rows<false>(k, at, warp, matrices)
                            : filter_rows<true>(k, at, warp, matrices);
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
    if (lines_.reverse)
      add_outputs(Rows<false>(this->stage(k), warp, true), s);
    else
      add_outputs(Rows<true>(this->stage(k), warp), s);
    if (this->ends_line(at)) store_final(k, at, warp, s);
  }
  template <class Rows>
  __device__ void add_outputs(const Rows& rows, const States& s) {
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
  }

  struct alignas(2 * sizeof(T)) Samples {
    T value[2];
  };
  /// @brief The lane's first sample in the warp's rows, of the tile.
  __device__ static int first_sample(int warp) {
    return (warp * gpu::RowTile::rows + gpu::RowTile::row()) * Shape::row + gpu::RowTile::entry();
  }
  /// @brief A warp's rows in shared memory: the lane's samples, two of each eight. Those of a
  /// reverse line are taken from the end of the tile on.
  /// @tparam Forward whether they never are
  template <bool Forward>
  class Rows {
   public:
    __device__ Rows(char* stage, int warp, bool reverse = false) : reverse_(!Forward && reverse) {
      const int pair = first_sample(warp) / 2;
      own_ = reinterpret_cast<Samples*>(stage) +
             (reverse_ ? static_cast<int>(Shape::tile / 2) - 1 - pair : pair);
    }
    /// @brief The samples of tile p of the lane's row in either half.
    __device__ Samples load(int half, int p) const { return in_direction(place(half, p)); }
    __device__ void store(int half, int p, const Samples& samples) const {
      place(half, p) = in_direction(samples);
    }

   private:
    __device__ Samples in_direction(const Samples& s) const {
      return !Forward && reverse_ ? Samples{{s.value[1], s.value[0]}} : s;
    }
    __device__ Samples& place(int half, int p) const {
      const int pairs = (half * 8 * Shape::row + 8 * p) / 2;
      return own_[!Forward && reverse_ ? -pairs : pairs];
    }
    Samples* own_;
    bool reverse_;
  };

  /// @brief Filters the warp's rows; returns the states after them.
  /// @tparam Plain whether all samples of the tile are the line's, in its direction
  template <bool Plain>
  __device__ States filter_rows(int k, const TilePlace& at, int warp, const Matrices& m) const {
    const Rows<Plain> rows(this->stage(k), warp, lines_.reverse);
    const Index in_line = Base::first_sample(at) + first_sample(warp);
    States s;
    constexpr int unrolled = Plain ? Shape::blocks : 1;
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
            const bool is_there = Plain || (j >= 0 && j < lines_.extents.length);
            x[p].value[half][e] = is_there ? static_cast<double>(in.value[e]) : 0;
          }
        }
      if constexpr (!Plain)
        if (this->ends_line(at)) leave_line(k, at, warp, i, x, s);
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
      if constexpr (!Plain)
        if (this->begins_line(at) && warp == 0 && i == 0) enter_line(at.line, y, next);
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
    const auto& initial = lines_.initial;
    if (initial.data == nullptr) return;
    States state;
    if (gpu::RowTile::row() == 0)
      for_entries(state, 0, [&](double& own, int n) {
        if (n < initial.count) own = static_cast<double>(initial(line, n));
      });
    const auto& ends = filter_.tables->ends[lines_.front];
    advance(y, ends.entering_h, state.tile);
    advance(next.tile, ends.entering_a, state.tile);
  }

  /// @brief The warp's row in which the line ends, and the last sample there; for the line's last
  /// tile. Other warps have no row of that number.
  struct LineEnd {
    int row, sample;
  };
  __device__ LineEnd line_end(const TilePlace& at, int warp) const {
    const auto last =
        static_cast<int>(lines_.front + lines_.extents.length - 1 - at.tile * Shape::tile);
    return {last / Shape::row - warp * gpu::RowTile::rows, last % Shape::row};
  }

  /// @brief Keeps the state after the line, if nothing enters its last row and that ends in block
  /// i.
  __device__ void leave_line(int k, const TilePlace& at, int warp, int i,
                             const gpu::RowTile (&x)[N], const States& s) const {
    const LineEnd end = line_end(at, warp);
    if (lines_.final.data == nullptr || end.row < 0 || end.row >= gpu::RowTile::rows ||
        end.sample / Shape::block != i)
      return;
    const auto& ends = filter_.tables->ends[lines_.front];
    States after;
    advance(after.tile, ends.leaving_g, x);
    advance(after.tile, ends.leaving_a, s.tile);
    store_row(after, end.row, shared_.own.leaving[k % slots]);
  }

  /// @brief Stores the state after the line.
  /// @param entering of the warp's rows
  __device__ void store_final(int k, const TilePlace& at, int warp, const States& entering) const {
    const auto& final = lines_.final;
    const LineEnd end = line_end(at, warp);
    if (final.data == nullptr || end.row < 0 || end.row >= gpu::RowTile::rows) return;
    States after;
    advance(after.tile, filter_.tables->ends[lines_.front].leaving_row, entering.tile);
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
