// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUWALK_KERNEL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUWALK_KERNEL_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Strip.hpp>

#include <cstddef>

/// @file
/// @brief Summed-area tables of many images: a block, or a few side by side, for each walk down the
/// image, with the sums over its columns in registers.
///
/// Each warp has a strip of columns. These sums take in all that is above, and so do a row's sums
/// over strips: what a warp adds to its rows are the sums over the strips to its left, which the
/// warps tell each other in shared memory, once for each band of rows. Images have nothing to do
/// with each other. The order of additions is fixed; nothing is subtracted.

namespace wavescan::Impl {

/// @brief What the kernel is told.
template <class Strip>
struct WalkTask {
  typename Strip::Problem problem;
  int bands;  ///< of an image
};

/// @tparam BandRows rows that a warp does at a time
/// @tparam Loads    bands that are on their way
template <class StripType, int BandRows, int Loads>
class TableWalk {
  using V = typename StripType::V;
  using Pixel = typename StripType::Pixel;
  using Word = typename StripType::Word;
  static constexpr int chunk = StripType::chunk;

 public:
  using Strip = StripType;
  using Task = WalkTask<Strip>;
  static constexpr int band_rows = BandRows;
  static constexpr int most_warps = 8;   ///< of a block
  static constexpr int most_blocks = 8;  ///< of a cluster

  /// @brief What follows each other in shared memory: the pixels of the bands that are on their
  /// way, each lane's own; the sums over rows of the block's strips, of this band and the next; and
  /// those of the strips to the left, of all bands, so that nobody waits to send, with the barriers
  /// at which they arrive.
  struct Layout {
    int own;
    int others;
    int barriers;
    int bytes;

    KOKKOS_FUNCTION Layout(const Task& task, int threads, int blocks) {
      const int warps = threads / 32;
      constexpr int sums = BandRows * static_cast<int>(sizeof(V));
      own = Loads * BandRows * threads * static_cast<int>(sizeof(Word));
      others = own + 2 * warps * sums;
      barriers = others + task.bands * (blocks - 1) * warps * sums;
      bytes = barriers + (blocks > 1 ? task.bands * static_cast<int>(sizeof(gpu::Barrier)) : 0);
    }
  };

  __device__ TableWalk(const Task& task, char* memory)
      : blocks_(gpu::cluster_size()),
        rank_(gpu::cluster_rank()),
        bands_(task.bands),
        warps_(static_cast<int>(blockDim.x) / 32),
        loads_left_(static_cast<int>(task.problem.image.rows)),
        stores_left_(loads_left_),
        image_pitch_(task.problem.image.row_stride),
        table_pitch_(task.problem.table.row_stride) {
    const Layout layout(task, static_cast<int>(blockDim.x), blocks_);
    pixels_ = reinterpret_cast<Word*>(memory) + threadIdx.x;
    own_ = reinterpret_cast<V*>(memory + layout.own);
    others_ = reinterpret_cast<V*>(memory + layout.others);
    arrived_ = reinterpret_cast<gpu::Barrier*>(memory + layout.barriers);
    const Index image = static_cast<Index>(blockIdx.x / static_cast<unsigned>(blocks_));
    const Index column = Index(rank_ * warps_ + gpu::warp()) * Strip::columns;
    const Index columns = task.problem.image.columns - column;
    columns_ = static_cast<int>(columns < 0                ? 0
                                : columns < Strip::columns ? columns
                                                           : Strip::columns);
    if (gpu::lane() * chunk >= columns_) loads_left_ = 0;
    from_ =
        task.problem.image.data + image * task.problem.image_stride + column + gpu::lane() * chunk;
    to_ = task.problem.table.data + image * task.problem.table_stride + column;
  }

  __device__ void run() {
#pragma unroll 1
    for (int slot = 0; slot < Loads; ++slot) start_load(slot);
    if (blocks_ > 1) prepare_barriers();
    V columns[chunk] = {};
    int slot = 0;
#pragma unroll 1
    for (int b = 0; b < bands_; ++b) {
      V x[BandRows][chunk];
      gpu::wait_for_async_copies<Loads - 1>();
      const Word* const pixels = slot_of(slot);
#pragma unroll
      for (int i = 0; i < BandRows; ++i) Strip::read(pixels + i * blockDim.x, x[i]);
      start_load(slot);
      if (++slot == Loads) slot = 0;
      Strip::scan(x, columns);
      publish(b, x);
      __syncthreads();
      if (rank_ > 0) arrived_[b].wait(0);
      add_and_store(b, x);
    }
  }

 private:
  /// @brief Each band's sums come from all strips of the blocks to the left.
  __device__ void prepare_barriers() const {
    for (int b = static_cast<int>(threadIdx.x); b < bands_; b += static_cast<int>(blockDim.x)) {
      arrived_[b].init(1);
      gpu::publish_barriers();
      arrived_[b].arrive_expecting(
          static_cast<std::uint32_t>(rank_ * warps_ * BandRows * static_cast<int>(sizeof(V))));
    }
    gpu::sync_cluster();
  }

  __device__ Word* slot_of(int slot) const { return pixels_ + slot * BandRows * blockDim.x; }

  /// @brief Starts to load the next band, which lies beyond the image in the end: what is there of
  /// pixels then only gets into entries that are not stored.
  __device__ void start_load(int slot) {
    Word* to = slot_of(slot);
#pragma unroll
    for (int i = 0; i < BandRows; ++i) {
      if (i < loads_left_) Strip::start_load(to, from_, chunk, true);
      to += blockDim.x;
      from_ += image_pitch_;
    }
    loads_left_ -= BandRows;
    gpu::commit_async_copies();
  }

  __device__ V* own_sums(int band) const { return own_ + band % 2 * warps_ * BandRows; }
  /// @brief The sums over the strips of all blocks but the last.
  __device__ V* others_sums(int band) const {
    return others_ + band * (blocks_ - 1) * warps_ * BandRows;
  }

  /// @brief Tells the strip's sums to the own block and those to the right.
  __device__ void publish(int band, const V (&x)[BandRows][chunk]) const {
    if (gpu::lane() < 31) return;
    constexpr int at_once = 16 / static_cast<int>(sizeof(V));
    V* const own = own_sums(band) + gpu::warp() * BandRows;
    V* const there = others_sums(band) + (rank_ * warps_ + gpu::warp()) * BandRows;
#pragma unroll
    for (int first = 0; first < BandRows; first += at_once) {
      V sums[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) sums[i] = x[first + i][chunk - 1];
      store_values(own + first, sums);
#pragma unroll 1
      for (int rank = rank_ + 1; rank < blocks_; ++rank)
        gpu::send(rank, there + first, sums, arrived_ + band);
    }
  }

  /// @brief Lanes add up the sums over strips for the row of their number, in parts.
  static __device__ V sum_of_strips(const V* sums, int strips) {
    V sum = V(0);
#pragma unroll 1
    for (int s = gpu::lane() / BandRows; s < strips; s += 32 / BandRows)
      sum += sums[s * BandRows + gpu::lane() % BandRows];
    return sum;
  }

  __device__ void add_and_store(int band, const V (&x)[BandRows][chunk]) {
    V left = sum_of_strips(own_sums(band), gpu::warp());
    if (rank_ > 0) left += sum_of_strips(others_sums(band), rank_ * warps_);
#pragma unroll
    for (int step = 16; step >= BandRows; step /= 2) left += gpu::shuffle_xor(left, step);
#pragma unroll
    for (int i = 0; i < BandRows; ++i) {
      const V own = gpu::broadcast(left, i);
      V y[chunk];
#pragma unroll
      for (int e = 0; e < chunk; ++e) y[e] = own + x[i][e];
      if (i < stores_left_) Strip::store(to_, y, columns_);
      to_ += table_pitch_;
    }
    stores_left_ -= BandRows;
  }

  int blocks_;
  int rank_;
  int bands_;
  int warps_;
  int columns_;  ///< of the strip
  int loads_left_;
  int stores_left_;
  Index image_pitch_;
  Index table_pitch_;
  Word* pixels_;
  V* own_;
  V* others_;
  gpu::Barrier* arrived_;
  const Pixel* from_;
  typename Strip::T* to_;
};

template <class Walk>
__global__ void __launch_bounds__(32 * Walk::most_warps)
    walk_tables(const __grid_constant__ typename Walk::Task task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  Walk(task, memory).run();
#endif
}

}  // namespace wavescan::Impl

#endif
