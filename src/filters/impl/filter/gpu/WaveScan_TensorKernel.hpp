// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORKERNEL_HPP

#include <impl/WaveScan_Gpu_MatrixTile.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>
#include <impl/filter/gpu/WaveScan_TensorBlock.hpp>
#include <impl/filter/gpu/WaveScan_TensorTables.hpp>
#include <impl/filter/gpu/WaveScan_ThreadSamples.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

/// @file
/// @brief Filters of eight or sixteen states on a GPU with bulk copies and tensor cores for double
/// precision, which do all that has to do with states; samples are filtered by threads.
///
/// A thread has a run of samples, a row. What rows leave behind where nothing enters them are
/// products with the filter's responses, 16 rows at a time. States are rows, too, wherever they are
/// joined: those of a warp's threads, of a block's warps, and of the tiles before. When it is known
/// what enters a row, its thread filters it from there, in the samples' own precision. All else is
/// of double precision, whatever the samples are.

namespace wavescan::Impl::filter {

/// @brief A kernel's own part of shared memory.
template <class State, int Warps>
struct ThreadStates {
  /// @brief A thread's state on its way from rows. An odd number of 16-byte words.
  struct alignas(16) OfThread {
    State state;
    char padding[16];
  };
  OfThread entering[Warps][32];
  State initial[tile_slots];  ///< of a line that begins in the tile
};

template <class Form, class Shape, class T = typename Form::value_type, int K = Form::states / 8>
using TensorKernelBlock = TensorBlock<T, K, Shape, TensorTables<K, Shape>, TensorTables<K, Shape>,
                                      ThreadStates<StateVector<T, 8 * K>, Shape::warps>, Form>;

template <class Form, class OfShape>
class TensorKernel : public TensorKernelBlock<Form, OfShape> {
  using Base = TensorKernelBlock<Form, OfShape>;
  using T = typename Form::value_type;
  static constexpr int K = Form::states / 8;
  using State = StateVector<T, 8 * K>;
  using States = RowStates<K>;
  using Base::filter_, Base::lines_, Base::shared_, Base::slots;

 public:
  using typename Base::Shape, typename Base::Tables, typename Base::Parameters;
  static constexpr FilterLimits limits = Base::limits_from(1);

  __device__ TensorKernel(const Parameters& filter, char* memory) : Base(filter, memory) {}

  __device__ void run() {
    this->run_filter(*filter_.tables, [this](int warp) {
      this->template filter_tiles<Kept>(
          [&](int k, const TilePlace& at) { return reduce_tile(k, at, warp); },
          [&](int k, const TilePlace& at, const Kept& kept) { run_tile(k, at, warp, kept); });
    });
  }

 private:
  /// @brief States of a warp's 32 rows, of which the even ones are a tile of rows, and the odd ones
  /// another.
  struct Kept {
    States even;  ///< what rows leave behind if nothing enters them
    States pair;  ///< likewise those of two rows, an even one and the next
  };

  /// @brief The row's number in the warp.
  __device__ static int row(int odd, int half) {
    return 2 * (gpu::RowTile::row() + 8 * half) + odd;
  }

  /// @brief Hands over what the warp's samples leave behind; returns what rows do.
  __device__ Kept reduce_tile(int k, const TilePlace& at, int warp) {
    Kept kept;
    States odd;
    if (this->has_ends(at) || lines_.reverse) {
      respond<false>(k, at, warp, 0, kept.even);
      respond<false>(k, at, warp, 1, odd);
      if (this->begins_line(at) && warp == 0) enter_line(k, at.line, kept.even);
    } else {
      respond<true>(k, at, warp, 0, kept.even);
      respond<true>(k, at, warp, 1, odd);
    }
    kept.pair = odd;
    advance(kept.pair.tile, shared_.tables.row, kept.even.tile);
    States sum = kept.pair;
    scan_rows(sum, shared_.tables.pairs, Tables::steps);
    store_row(sum, gpu::RowTile::rows - 1, shared_.states.left_behind[k % slots][warp]);
    return kept;
  }

  /// @brief Finds the states that the warp's even or odd rows leave behind.
  /// @tparam Plain whether all samples of the tile are the line's, in its direction
  template <bool Plain>
  __device__ void respond(int k, const TilePlace& at, int warp, int odd, States& states) const {
    const T* const tile = reinterpret_cast<const T*>(this->stage(k));
    const T* const own = tile + warp * Shape::warp;
    const Index in_line = this->first_sample(at) + warp * Shape::warp;
    constexpr int unrolled = Plain ? Tables::blocks : 1;
#pragma unroll unrolled
    for (int b = 0; b < Tables::blocks; ++b) {
      gpu::RowTile x;
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int in_row = 8 * b + gpu::RowTile::entry() + e;
          const int sample = row(odd, half) * Shape::row + in_row;
          const Index j = in_line + sample;
          if ((8 * (b + 1) <= Shape::row || in_row < Shape::row) &&
              (Plain || (j >= 0 && j < lines_.extents.length))) {
            const T* const place = Plain || !lines_.reverse
                                       ? own + sample
                                       : tile + (Shape::tile - 1 - warp * Shape::warp - sample);
            x.value[half][e] = static_cast<double>(*place);
          }
        }
#pragma unroll
      for (int q = 0; q < K; ++q)
        gpu::multiply_add(states.tile[q], gpu::MatrixTile::load(shared_.tables.response.tile[q][b]),
                          x);
    }
  }

  /// @brief Adds what a line's initial state leaves behind its first row, and keeps that state:
  /// when the row is filtered, the final one may lie in its place.
  __device__ void enter_line(int k, Index line, States& even) {
    const auto& initial = lines_.initial;
    States state;
    if (gpu::RowTile::row() == 0)
      for_entries(state, 0, [&](double& own, int n) {
        if (initial.data != nullptr && n < initial.count)
          own = static_cast<double>(initial(line, n));
        shared_.own.initial[k % slots].value[n] = static_cast<T>(own);
      });
    advance(even.tile, shared_.tables.first_row[lines_.front], state.tile);
  }

  /// @brief The state that enters the thread's row.
  __device__ State entering(int k, int warp, const Kept& kept) {
    States pairs = rows_before(kept.pair, 1);
    if (gpu::RowTile::row() == 0)
      for_entries(pairs, 0,
                  [&](double& own, int n) { own = shared_.states.entering[k % slots][warp][n]; });
    scan_rows(pairs, shared_.tables.pairs, Tables::steps);
    States odd = kept.even;
    advance(odd.tile, shared_.tables.row, pairs.tile);
    auto& threads = shared_.own.entering[warp];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      for_entries(pairs, half, [&](double own, int n) {
        threads[row(0, half)].state.value[n] = static_cast<T>(own);
      });
      for_entries(odd, half, [&](double own, int n) {
        threads[row(1, half)].state.value[n] = static_cast<T>(own);
      });
    }
    gpu::sync_warp();
    return threads[gpu::lane()].state;
  }

  __device__ void run_tile(int k, const TilePlace& at, int warp, const Kept& kept) {
    State s = entering(k, warp, kept);
    const int thread = static_cast<int>(threadIdx.x);
    const Index first = this->first_sample(at) + Index(thread) * Shape::row;
    const auto own = [&](bool reverse) {
      return ThreadSamples<T, Shape::words>(this->stage(k), thread, 32 * Shape::warps, reverse);
    };
    if (this->begins_line(at) && thread == 0) s = shared_.own.initial[k % slots];
    if (first < 0 || first + Shape::row > lines_.extents.length)
      filter_ends(filter_.form, own(lines_.reverse), first, lines_.extents.length, s);
    else if (lines_.reverse)
      filter_words<1>(filter_.form, own(true), s);
    else
      filter_words<1>(filter_.form, own(false), s);
    const Index rest = lines_.extents.length - first;
    if (rest > 0 && rest <= Shape::row) lines_.final.store(at.line, s);
  }
};

}  // namespace wavescan::Impl::filter

#endif
