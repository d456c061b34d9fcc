// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_PERSISTENT_HPP
#define WAVESCAN_IMPL_SCAN_GPU_PERSISTENT_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Scan_Gpu_Line.hpp>
#include <impl/WaveScan_Scan_Gpu_LookBack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

/// @file
/// @brief One long line on a GPU with bulk copies: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One thread does nothing but
/// start copies, one warp nothing but look back; the others reduce a tile when it arrives, publish
/// its total, and scan it `delay` tiles later, when the totals of the tiles before have come in.
/// Every element is read once and written once, with one launch and no clearing. The assignment of
/// tiles is fixed, so results are the same from run to run. All blocks must be resident
/// (cooperative launch).

namespace wavescan::Impl {

/// @brief Sizes of the persistent kernel.
template <class P>
struct PersistentTuning {
  using value_type = typename P::value_type;
  static constexpr int size = static_cast<int>(sizeof(value_type));
  /// Fewest elements that fill whole 16-byte words.
  static constexpr int unit = 16 / std::gcd(16, size);
  /// Two streams of 8-byte elements need many registers, and do better with fewer, longer threads.
  static constexpr bool two_wide_streams = P::streams == 2 && size == 8;
  /// Consecutive elements of a thread. For the common sizes these are an odd number of 16-byte
  /// words, so that the threads of a warp read shared memory without bank conflicts.
  static constexpr int items = ceil_div(two_wide_streams ? 112 : 48, size* unit) * unit;
  static constexpr int bytes = items * size;
  static constexpr int threads =
      P::streams == 2 ? (two_wide_streams ? 192 : 384) : std::min(512, 24576 / bytes / 32 * 32);
  static constexpr std::uint32_t tile_bytes = threads * bytes;
  static constexpr int stages = std::min(9, 221184 / (static_cast<int>(tile_bytes) * P::streams));
  static constexpr int delay = two_wide_streams || size > 16 ? 2 : 3;
  static constexpr int slow_start = delay;  ///< loads in flight before the first arrives

  static constexpr int warps = threads / 32;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int look_back_loads = 5;
};

/// @brief The weights of the lengths that occur in a tile, computed on the host.
template <class P, class Tuning>
struct TileWeights {
  typename P::weight_type lane[5];  ///< of items * 2^j elements
  typename P::weight_type warp[5];  ///< of 32 * items * 2^j elements
  typename P::weight_type tile;
  typename P::weight_type wave;  ///< of all tiles between two of a block

  TileWeights(const P& pieces, int blocks)
      : tile(pieces.weight_of(Tuning::tile)), wave(pieces.weight_of(Tuning::tile * (blocks - 1))) {
    for (int j = 0; j < 5; ++j) {
      lane[j] = pieces.weight_of(Index(Tuning::items) << j);
      warp[j] = pieces.weight_of(Index(Tuning::items * 32) << j);
    }
  }
};

/// @brief A thread's consecutive elements, moved in 16-byte words.
template <class T, int N>
struct alignas(16) Items {
  static_assert(N * sizeof(T) % 16 == 0, "whole 16-byte words");
  T value[N];

  __device__ void load(const void* from) {
#pragma unroll
    for (int i = 0; i < words; ++i) own_words()[i] = static_cast<const uint4*>(from)[i];
  }
  __device__ void store(void* to) {
#pragma unroll
    for (int i = 0; i < words; ++i) static_cast<uint4*>(to)[i] = own_words()[i];
  }

 private:
  static constexpr int words = static_cast<int>(N * sizeof(T) / 16);
  __device__ uint4* own_words() { return reinterpret_cast<uint4*>(value); }
};

/// @brief What the warps of a block share.
template <class P, class Tuning>
struct PersistentShared {
  static constexpr int slots = 8;  ///< of tiles between their reduction and their scan
  gpu::Barrier arrived[Tuning::stages];
  gpu::Barrier scanned[Tuning::stages];
  gpu::Barrier carry_ready[slots];
  gpu::Barrier total_ready[slots];
  alignas(16) typename P::piece carry[slots];
  alignas(16) typename P::piece total[slots];
  alignas(16) typename P::piece warp_total[2][32];
  std::uint32_t first_tag;
  State<typename P::value_type> entering;  ///< what enters the line; only block 0's is used

  static constexpr std::size_t stage_bytes = std::size_t(Tuning::tile_bytes) * P::streams;
  static constexpr std::size_t stages_bytes = stage_bytes * Tuning::stages;
};

template <class P, class Tuning>
class PersistentScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using piece = typename P::piece;
  using weight_type = typename P::weight_type;
  using Shared = PersistentShared<P, Tuning>;
  static constexpr Index tile = Tuning::tile;
  static constexpr int weights_per_thread = P::streams == 2 ? Tuning::items : 1;

 public:
  static constexpr std::size_t shared_bytes = Shared::stages_bytes + sizeof(Shared) + 128;
  static constexpr int block_threads = Tuning::threads + 64;

  __device__ PersistentScan(const LineScan<P>& scan, const TileWeights<P, Tuning>& weights,
                            char* memory)
      : scan_(scan),
        weights_(weights),
        stages_(memory),
        shared_(*reinterpret_cast<Shared*>(memory + Shared::stages_bytes)),
        block_(static_cast<int>(blockIdx.x)),
        blocks_(static_cast<int>(gridDim.x)),
        tiles_((scan.length + tile - 1) / tile),
        waves_(static_cast<int>((tiles_ - block_ + blocks_ - 1) / blocks_)) {}

  __device__ void run() {
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const bool copier = thread == Tuning::threads;
    std::uint64_t policy = 0;
    if (copier) {
      for (int s = 0; s < Tuning::stages; ++s) {
        shared_.arrived[s].init(1);
        shared_.scanned[s].init(Tuning::warps);
      }
      for (int s = 0; s < Shared::slots; ++s) {
        shared_.carry_ready[s].init(1);
        shared_.total_ready[s].init(1);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
      policy = gpu::stream_policy();
      for (int k = 0; k < Tuning::slow_start && k < waves_; ++k) load(k, policy);
    }
    if (thread == Tuning::threads + 32) {
      shared_.first_tag = scan_.ring.epoch() + 1;
      if (block_ == 0) shared_.entering = scan_.scan_head();
    }
    __syncthreads();
    if (tiles_ == 0 && thread == 0 && scan_.carry_out)  // the line is all head
      *scan_.carry_out = shared_.entering.value;
    if (warp < Tuning::warps)
      scan_tiles();
    else if (copier)
      copy_tiles(policy);
    else if (warp == Tuning::warps + 1)
      look_back();
  }

 private:
  __device__ Index first_element(int k) const { return (Index(k) * blocks_ + block_) * tile; }
  /// @brief Elements of the block's tile k; less than a whole tile only for the last one.
  __device__ int elements(int k) const {
    const Index rest = scan_.length - first_element(k);
    return static_cast<int>(rest < tile ? rest : tile);
  }
  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % Tuning::stages) * Shared::stage_bytes;
  }
  /// @brief How many of a tile's elements bulk copies can move; the few after them are copied
  /// alone.
  __device__ static int bulk_elements(int elements) {
    return elements / Tuning::unit * Tuning::unit;
  }
  __device__ static std::uint32_t bulk_bytes(int elements) {
    return static_cast<std::uint32_t>(bulk_elements(elements) * Tuning::size);
  }

  // ---- the copying thread

  __device__ void load(int k, std::uint64_t policy) {
    const int count = elements(k);
    const std::uint32_t bytes = bulk_bytes(count);
    gpu::Barrier& arrived = shared_.arrived[k % Tuning::stages];
    load_rest(scan_.in + first_element(k), stage(k), count);
    if constexpr (P::streams == 2)
      load_rest(scan_.weights + first_element(k), stage(k) + Tuning::tile_bytes, count);
    if (bytes == 0) return arrived.arrive();
    arrived.arrive_expecting(bytes * P::streams);
    gpu::bulk_load(stage(k), scan_.in + first_element(k), bytes, &arrived, policy);
    if constexpr (P::streams == 2)
      gpu::bulk_load(stage(k) + Tuning::tile_bytes, scan_.weights + first_element(k), bytes,
                     &arrived, policy);
  }

  template <class T>
  __device__ static void load_rest(const T* from, char* to, int count) {
    for (int i = bulk_elements(count); i < count; ++i) reinterpret_cast<T*>(to)[i] = from[i];
  }

  __device__ void store(int k, std::uint64_t policy) {
    const int count = elements(k);
    const std::uint32_t bytes = bulk_bytes(count);
    value_type* const to = scan_.out + first_element(k);
    if (bytes > 0) gpu::bulk_store(to, stage(k), bytes, policy);
    gpu::commit_stores();
    const auto* const from = reinterpret_cast<const value_type*>(stage(k));
    for (int i = bulk_elements(count); i < count; ++i) to[i] = from[i];
  }

  __device__ void copy_tiles(std::uint64_t policy) {
    // Slow start: one more load for each arrival keeps the first totals from queueing behind loads.
    for (int k = Tuning::slow_start; k < Tuning::stages && k < waves_; ++k) {
      shared_.arrived[k - Tuning::slow_start].wait(0);
      load(k, policy);
    }
    for (int k = 0; k < waves_; ++k) {
      shared_.scanned[k % Tuning::stages].wait((k / Tuning::stages) & 1);
      store(k, policy);
      const int next = k - 1 + Tuning::stages;  // into the stage of the store before
      if (k >= 1 && next < waves_) {
        gpu::wait_for_stores<1>();
        load(next, policy);
      }
    }
    gpu::wait_for_stores<0>();
  }

  // ---- the warp that looks back

  __device__ void look_back() {
    const bool leader = threadIdx.x % 32 == 0;
    const LookBack<P, Tuning::look_back_loads> totals(
        scan_.pieces, scan_.ring, block_, blocks_,
        [&](Index tiles) { return scan_.pieces.weight_of(tiles * tile); });
    piece after = scan_.pieces.identity();  // all tiles up to and with the block's last one
    for (int k = 0; k < waves_; ++k) {
      piece before = totals.join_totals(static_cast<std::uint32_t>(k), shared_.first_tag);
      if (k > 0) before = scan_.pieces.join(after, before, weights_.wave);
      const int slot = k % Shared::slots;
      const bool last = Index(k) * blocks_ + block_ == tiles_ - 1;
      __syncwarp();  // every lane has read the total of the tile before: its slot may be reused
      if (leader) {
        shared_.carry[slot] = before;
        shared_.carry_ready[slot].arrive();
        // Everybody has published by now, and so has read the epoch.
        if (last) scan_.ring.set_epoch(shared_.first_tag + static_cast<std::uint32_t>(k));
      }
      shared_.total_ready[slot].wait((k / Shared::slots) & 1);
      after = scan_.pieces.join(before, shared_.total[slot], weights_.tile);
    }
  }

  // ---- the scanning warps

  __device__ void scan_tiles() {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const weight_type lane_weight = scan_.pieces.weight_of(Index(lane) * Tuning::items);
    const weight_type thread_weight = scan_.pieces.weight_of(Index(threadIdx.x) * Tuning::items);
    piece offsets[Tuning::delay + 1];  // of the tiles between their reduction and their scan
    for (int k = 0; k < waves_ + Tuning::delay; ++k) {
#pragma unroll
      for (int i = Tuning::delay; i > 0; --i) offsets[i] = offsets[i - 1];
      if (k < waves_) offsets[0] = reduce_tile(k, lane, lane_weight);
      if (k >= Tuning::delay) scan_tile(k - Tuning::delay, offsets[Tuning::delay], thread_weight);
    }
  }

  /// @brief Reads a thread's elements; those after the end become identities.
  __device__ void load_items(int k, value_type (&x)[Tuning::items],
                             element_weight (&w)[weights_per_thread]) const {
    const int first = static_cast<int>(threadIdx.x) * Tuning::items;
    const int count = elements(k);
    Items<value_type, Tuning::items> items;
    items.load(stage(k) + threadIdx.x * Tuning::bytes);
#pragma unroll
    for (int i = 0; i < Tuning::items; ++i) x[i] = items.value[i];
    if constexpr (P::streams == 2) {
      Items<element_weight, Tuning::items> weight_items;
      weight_items.load(stage(k) + Tuning::tile_bytes + threadIdx.x * Tuning::bytes);
#pragma unroll
      for (int i = 0; i < Tuning::items; ++i) w[i] = weight_items.value[i];
      // Nothing enters the first element, whatever its weight.
      if (scan_.nothing_enters(first_element(k) + first)) w[0] = scan_.pieces.algebra.one();
    }
    if (count == tile) return;
#pragma unroll
    for (int i = 0; i < Tuning::items; ++i)
      if (first + i >= count) {
        x[i] = scan_.pieces.state(scan_.pieces.identity());
        if constexpr (P::streams == 2) w[i] = scan_.pieces.algebra.one();
      }
  }

  /// @brief Publishes the total of tile k; returns the piece of the tile's elements before the
  /// thread's own.
  __device__ piece reduce_tile(int k, int lane, const weight_type& lane_weight) {
    const P& pieces = scan_.pieces;
    const int warp = static_cast<int>(threadIdx.x / 32);
    shared_.arrived[k % Tuning::stages].wait((k / Tuning::stages) & 1);
    value_type x[Tuning::items];
    element_weight w[weights_per_thread];
    load_items(k, x, w);
    piece sum = reduce_items(pieces, x, w);
#pragma unroll
    for (int j = 0; j < 5; ++j) {
      const piece left = gpu::shuffle_up(sum, 1 << j);
      if (lane >= 1 << j) sum = pieces.join(left, sum, weights_.lane[j]);
    }
    piece* const warp_total = shared_.warp_total[k & 1];
    if (lane == 31) warp_total[warp] = sum;
    piece before = gpu::shuffle_up(sum, 1);
    if (lane == 0) before = pieces.identity();
    asm volatile("bar.sync 1, %0;" ::"n"(Tuning::threads) : "memory");
    piece warps = lane < Tuning::warps ? warp_total[lane] : pieces.identity();
#pragma unroll
    for (int j = 0; 1 << j < Tuning::warps; ++j) {
      const piece left = gpu::shuffle_up(warps, 1 << j);
      if (lane >= 1 << j) warps = pieces.join(left, warps, weights_.warp[j]);
    }
    const piece total = gpu::broadcast(warps, Tuning::warps - 1);
    const piece left_warps = gpu::broadcast(warps, warp > 0 ? warp - 1 : 0);
    if (threadIdx.x == 0) publish(k, total);
    return warp == 0 ? before : pieces.join(left_warps, before, lane_weight);
  }

  /// @brief Hands a tile's total to the other blocks and to the warp that looks back. The first
  /// tile's total holds what enters the line, so that it reaches everybody.
  __device__ void publish(int k, piece total) const {
    if (k == 0 && block_ == 0) total = scan_.enter(shared_.entering, total, weights_.tile);
    gpu::Tagged<piece>::publish(
        scan_.ring.template place<piece>(static_cast<std::uint32_t>(k), block_, blocks_), total,
        shared_.first_tag + static_cast<std::uint32_t>(k));
    shared_.total[k % Shared::slots] = total;
    shared_.total_ready[k % Shared::slots].arrive();
  }
  __device__ void scan_tile(int k, const piece& offset, const weight_type& thread_weight) {
    const P& pieces = scan_.pieces;
    value_type x[Tuning::items];
    element_weight w[weights_per_thread];
    load_items(k, x, w);
    shared_.carry_ready[k % Shared::slots].wait((k / Shared::slots) & 1);
    const bool first_tile = k == 0 && block_ == 0;
    value_type s = first_tile && shared_.entering.present
                       ? shared_.entering.value
                       : pieces.state(shared_.carry[k % Shared::slots]);
    s = pieces.leave(s, offset, thread_weight);
    const int rest = elements(k) - static_cast<int>(threadIdx.x) * Tuning::items;
    const int count = rest < Tuning::items ? rest : Tuning::items;
    Items<value_type, Tuning::items> y;
    s = scan_items(pieces, scan_.kind, s, x, w, y.value, count);
    if (scan_.kind == ScanKind::Exclusive &&
        scan_.nothing_enters(first_element(k) + Index(threadIdx.x) * Tuning::items))
      y.value[0] = pieces.empty_state();
    if (scan_.carry_out && count == rest && count > 0 && Index(k) * blocks_ + block_ == tiles_ - 1)
      *scan_.carry_out = s;
    y.store(stage(k) + threadIdx.x * Tuning::bytes);
    gpu::order_before_bulk_copies();
    __syncwarp();
    if (threadIdx.x % 32 == 0) shared_.scanned[k % Tuning::stages].arrive();
  }

  const LineScan<P>& scan_;
  const TileWeights<P, Tuning>& weights_;
  char* stages_;
  Shared& shared_;
  int block_;
  int blocks_;
  Index tiles_;
  int waves_;
};

template <class P, class Tuning>
__global__ void __launch_bounds__(Tuning::threads + 64, 1)
    persistent_scan(const __grid_constant__ LineScan<P> scan,
                    const __grid_constant__ TileWeights<P, Tuning> weights) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  PersistentScan<P, Tuning>(scan, weights, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl

#endif
