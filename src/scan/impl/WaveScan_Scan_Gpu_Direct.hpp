// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_DIRECT_HPP
#define WAVESCAN_IMPL_SCAN_GPU_DIRECT_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Scan_Gpu_Line.hpp>
#include <impl/WaveScan_Scan_Gpu_LookBack.hpp>

#include <cstdint>

/// @file
/// @brief One short line on a GPU: a tile a block, held in registers, all blocks in one wave.

namespace wavescan::Impl {

/// @brief Sizes of the direct kernel: a warp takes `rows` rows of 512 bytes.
template <class P, int Threads, int Rows>
struct DirectTuning {
  static constexpr int threads = Threads;
  static constexpr int rows = Rows;
  static constexpr int warps = threads / 32;
  static constexpr int items = 16 / static_cast<int>(sizeof(typename P::value_type));
  static constexpr Index row = 32 * items;
  static constexpr Index tile = row * rows * warps;
  static constexpr int look_back_loads = 5;
  static constexpr int max_blocks = 32 * look_back_loads + 1;
};

/// @brief The weights of the lengths that occur in a direct tile, computed on the host.
template <class P, class Tuning>
struct DirectWeights {
  typename P::weight_type lane[5];  ///< of items * 2^j elements
  typename P::weight_type warp[5];  ///< of rows * 512 bytes * 2^j
  typename P::weight_type row;
  typename P::weight_type tile[8];  ///< of 2^j tiles

  explicit DirectWeights(const P& pieces) : row(pieces.weight_of(Tuning::row)) {
    for (int j = 0; j < 8; ++j) tile[j] = pieces.weight_of(Tuning::tile << j);
    for (int j = 0; j < 5; ++j) {
      lane[j] = pieces.weight_of(Index(Tuning::items) << j);
      warp[j] = pieces.weight_of((Tuning::row * Tuning::rows) << j);
    }
  }
};

template <class P, class Tuning>
class DirectScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using piece = typename P::piece;
  using weight_type = typename P::weight_type;
  static constexpr int items = Tuning::items;
  static constexpr int rows = Tuning::rows;
  static constexpr int weights_per_row = P::streams == 2 ? items : 1;

 public:
  struct Shared {
    piece warp_total[32];
    piece before;                ///< the tiles before this one
    State<value_type> entering;  ///< what enters the line; only the first block's is used
  };

  __device__ DirectScan(const LineScan<P>& scan, const DirectWeights<P, Tuning>& weights,
                        Shared& shared)
      : scan_(scan),
        weights_(weights),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x % 32)),
        warp_(static_cast<int>(threadIdx.x / 32)),
        block_(static_cast<int>(blockIdx.x)),
        first_(block_ * Tuning::tile + warp_ * rows * Tuning::row + lane_ * items) {}

  __device__ void run() {
    const P& pieces = scan_.pieces;
    if (block_ == 0 && threadIdx.x == 0) shared_.entering = scan_.scan_head();
    const std::uint32_t tag = warp_ == 0 ? scan_.ring.epoch() + 1 : 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) load(r);
    // Each row's elements before the lane's own, and the rows' totals.
    piece before[rows];
    piece row_total[rows];
    piece total = pieces.identity();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      piece sum = reduce_items(pieces, x_[r], w_[r]);
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        const piece left = gpu::shuffle_up(sum, 1 << j);
        if (lane_ >= 1 << j) sum = pieces.join(left, sum, weights_.lane[j]);
      }
      row_total[r] = gpu::broadcast(sum, 31);
      before[r] = gpu::shuffle_up(sum, 1);
      if (lane_ == 0) before[r] = pieces.identity();
      total = r == 0 ? row_total[0] : pieces.join(total, row_total[r], weights_.row);
    }
    if (lane_ == 0) shared_.warp_total[warp_] = total;
    __syncthreads();
    piece warps = lane_ < Tuning::warps ? shared_.warp_total[lane_] : pieces.identity();
#pragma unroll
    for (int j = 0; 1 << j < Tuning::warps; ++j) {
      const piece left = gpu::shuffle_up(warps, 1 << j);
      if (lane_ >= 1 << j) warps = pieces.join(left, warps, weights_.warp[j]);
    }
    if (warp_ == 0) exchange(gpu::broadcast(warps, Tuning::warps - 1), tag);
    piece offset = gpu::broadcast(warps, warp_ > 0 ? warp_ - 1 : 0);
    if (warp_ == 0) offset = pieces.identity();
    __syncthreads();
    value_type s = block_ == 0 && shared_.entering.present ? shared_.entering.value
                                                           : pieces.state(shared_.before);
    s = pieces.leave(s, offset, compose_levels(pieces, weights_.warp, warp_));
    const weight_type lane_weight = compose_levels(pieces, weights_.lane, lane_);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      store(r, pieces.leave(s, before[r], lane_weight));
      s = pieces.leave(s, row_total[r], weights_.row);
    }
    if (scan_.length == 0 && scan_.carry_out && threadIdx.x == 0) *scan_.carry_out = s;  // all head
  }

 private:
  /// @brief The first warp publishes the tile's total and fetches those of the tiles before.
  __device__ void exchange(piece total, std::uint32_t tag) {
    const int blocks = static_cast<int>(gridDim.x);
    if (block_ == 0) total = scan_.enter(shared_.entering, total, weights_.tile[0]);
    if (lane_ == 0 && blocks > 1)
      gpu::Tagged<piece>::publish(scan_.ring.template place<piece>(0, block_, blocks), total, tag);
    const LookBack<P, Tuning::look_back_loads> totals(
        scan_.pieces, scan_.ring, block_, blocks,
        [&](Index tiles) { return compose_levels(scan_.pieces, weights_.tile, tiles); });
    const piece before = totals.join_totals(0, tag);
    if (lane_ != 0) return;
    shared_.before = before;
    // The last block has heard of all others, and so they have read the epoch.
    if (block_ == blocks - 1) scan_.ring.set_epoch(tag);
  }

  __device__ Index first_of(int r) const { return first_ + r * Tuning::row; }

  __device__ void load(int r) {
    const Index first = first_of(r);
    if (first + items <= scan_.length) {
      *reinterpret_cast<uint4*>(x_[r]) = __ldcs(reinterpret_cast<const uint4*>(scan_.in + first));
      if constexpr (P::streams == 2) {
        static_assert(sizeof(element_weight) == sizeof(value_type));
        *reinterpret_cast<uint4*>(w_[r]) =
            __ldcs(reinterpret_cast<const uint4*>(scan_.weights + first));
      }
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const bool inside = first + i < scan_.length;
        x_[r][i] = inside ? scan_.in[first + i] : scan_.pieces.state(scan_.pieces.identity());
        if constexpr (P::streams == 2)
          w_[r][i] = inside ? scan_.weights[first + i] : scan_.pieces.algebra.one();
      }
    }
    if constexpr (P::streams == 2) {
      // Nothing enters the first element, whatever its weight.
      if (scan_.nothing_enters(first)) w_[r][0] = scan_.pieces.algebra.one();
    }
  }

  __device__ void store(int r, const value_type& s) {
    const Index first = first_of(r);
    const Index rest = scan_.length - first;
    alignas(16) value_type y[items];
    const int count = rest < items ? static_cast<int>(rest) : items;
    const value_type after = scan_items(scan_.pieces, scan_.kind, s, x_[r], w_[r], y, count);
    if (scan_.carry_out && count > 0 && count == rest) *scan_.carry_out = after;
    if (scan_.kind == ScanKind::Exclusive && scan_.nothing_enters(first))
      y[0] = scan_.pieces.empty_state();
    if (count == items) {
      *reinterpret_cast<uint4*>(scan_.out + first) = *reinterpret_cast<uint4*>(y);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (i < count) scan_.out[first + i] = y[i];
    }
  }

  const LineScan<P>& scan_;
  const DirectWeights<P, Tuning>& weights_;
  Shared& shared_;
  int lane_;
  int warp_;
  int block_;
  Index first_;
  alignas(16) value_type x_[rows][items];
  alignas(16) element_weight w_[rows][weights_per_row];
};

template <class P, class Tuning>
__global__ void __launch_bounds__(Tuning::threads)
    direct_scan(const __grid_constant__ LineScan<P> scan,
                const __grid_constant__ DirectWeights<P, Tuning> weights) {
  __shared__ typename DirectScan<P, Tuning>::Shared shared;
  DirectScan<P, Tuning>(scan, weights, shared).run();
}

}  // namespace wavescan::Impl

#endif
