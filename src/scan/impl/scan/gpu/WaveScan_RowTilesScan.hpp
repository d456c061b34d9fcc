// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_ROWTILESSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_ROWTILESSCAN_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/scan/WaveScan_ScanSelection.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

/// @file
/// @brief Many short rows on a GPU: tiles of whole rows, which need nothing from
/// each other.
///
/// One persistent block a multiprocessor moves its tiles through a ring of stages in shared memory.
/// Two groups of threads take turns, so that one computes while the other waits. Rows begin at the
/// same threads in every tile.

namespace wavescan::Impl {

template <class P>
struct RowTilesTuning {
  using value_type = typename P::value_type;
  static constexpr int size = static_cast<int>(sizeof(value_type));
  /// Fewest elements that fill whole 16-byte words.
  static constexpr int unit = 16 / std::gcd(16, size);
  static constexpr bool large = size >= 16;
  static constexpr int items = std::max(1, (large ? 80 : 48) / (size * unit)) * unit;
  static constexpr int bytes = items * size;
  static constexpr int groups = 2;
  static constexpr int room = gpu::block_memory - 8192;  ///< for stages
  static constexpr int threads =
      std::min({large             ? 192
                : P::streams == 2 ? 256
                                  : 480,
                24576 / bytes / 32 * 32, room / (5 * P::streams) / bytes / 32 * 32});
  static constexpr int warps = threads / 32;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int stream_bytes = ceil_div(threads * bytes, 128) * 128;
  static constexpr int stage_bytes = stream_bytes * P::streams;
  static constexpr int stages = std::min(9, room / std::max(stage_bytes, 1));
  static constexpr int mover = groups * warps;
  static constexpr int block_threads = (mover + gpu::mover_warps) * 32;
  static constexpr int started = 3;  ///< loads in flight before the first arrives
  /// Whether there is shared memory for the values and weights.
  static constexpr bool fits = gpu::mover != gpu::Mover::Plain && threads > 0 && stages > started;
};

/// @brief The places of the rows, worked out on the host.
template <class P, class Tuning>
struct RowTilesMap {
  gpu::TileStream<const typename P::value_type> in;
  gpu::TileStream<const typename P::element_weight> weights;
  gpu::TileStream<typename P::value_type> out;

  explicit RowTilesMap(const RowsScan<P>& scan)
      : in(scan.in, scan.extents, 0), out(scan.out, scan.extents, 0) {
    if constexpr (P::streams == 2) weights = {scan.weights, scan.extents, 0};
  }
};

/// @brief The weights of the lengths that occur in a tile, computed on the host.
template <class P, class Tuning>
struct RowTilesWeights {
  LengthWeights<P, 5> lane;
  LengthWeights<P, 5> warp;
  explicit RowTilesWeights(const P& traits)
      : lane(traits, Tuning::items), warp(traits, Index(Tuning::items) * 32) {}
};

template <class P, class Tuning>
class RowTilesScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using segment = typename P::segment;
  static constexpr int items = Tuning::items;
  static constexpr int weights_per_thread = P::streams == 2 ? items : 1;

  struct Shared {
    gpu::Barrier arrived[Tuning::stages];
    gpu::Barrier scanned[Tuning::stages];
    alignas(16) segment warp_total[Tuning::groups][2][32];
  };
  static constexpr std::size_t stages_bytes = std::size_t(Tuning::stage_bytes) * Tuning::stages;

 public:
  static constexpr std::size_t shared_bytes = stages_bytes + sizeof(Shared) + 128;
  static constexpr int block_threads = Tuning::block_threads;

  __device__ RowTilesScan(const RowsScan<P>& scan, const RowTilesShape& shape,
                          const RowTilesMap<P, Tuning>& map,
                          const RowTilesWeights<P, Tuning>& weights, char* memory)
      : scan_(scan),
        shape_(shape),
        map_(map),
        weights_(weights),
        stages_(memory),
        shared_(*reinterpret_cast<Shared*>(memory + stages_bytes)),
        tiles_(own_tiles().count()),
        group_(static_cast<int>(threadIdx.x) / Tuning::threads),
        thread_(static_cast<int>(threadIdx.x) % Tuning::threads),
        warp_(thread_ / 32) {}

  __device__ void run() {
    const gpu::MovingThread moving(Tuning::mover);
    const bool moves = gpu::MovingThread::moves(Tuning::mover);
    if (threadIdx.x == Tuning::groups * Tuning::threads) {
      for (int s = 0; s < Tuning::stages; ++s) {
        shared_.arrived[s].init(gpu::mover_arrivals);
        shared_.scanned[s].init(Tuning::threads);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (moves) {
      gpu::MovingThread::meet();
      gpu::start_loads<Tuning::started>(moving, tiles_,
                                        [&](int k, auto& ready) { load(k, moving, ready); });
    }
    __syncthreads();
    if (group_ < Tuning::groups)
      scan_tiles();
    else if (moves)
      gpu::copy_through<Tuning::stages, Tuning::started>(
          moving, shared_.arrived, shared_.scanned, tiles_,
          [&](int k, auto& ready) { load(k, moving, ready); },
          [&](int k) {
            gpu::store_window(map_.out, tile_begin(k) * Tuning::size, tile_bytes(), stage(k),
                              moving);
          });
  }

 private:
  __device__ gpu::CyclicTiles own_tiles() const {
    return {shape_.tiles, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)};
  }
  /// @brief Place of the first element of the block's tile k.
  __device__ Index tile_begin(int k) const { return own_tiles().of(k) * shape_.elements; }
  __device__ int tile_bytes() const { return static_cast<int>(shape_.elements) * Tuning::size; }
  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % Tuning::stages) * Tuning::stage_bytes;
  }

  template <class Act>
  __device__ void load(int k, const gpu::MovingThread& moving, gpu::BeforeWriting<Act>& ready) {
    gpu::Barrier& arrived = gpu::barrier_of(shared_.arrived, k);
    const Index from = tile_begin(k) * Tuning::size;
    std::uint32_t bytes =
        gpu::load_window(map_.in, from, tile_bytes(), stage(k), arrived, moving, ready);
    if constexpr (P::streams == 2)
      bytes += gpu::load_window(map_.weights, from, tile_bytes(), stage(k) + Tuning::stream_bytes,
                                arrived, moving, ready);
    moving.fill(arrived, bytes, ready);
  }

  __device__ void scan_tiles() {
    const int lane = gpu::lane();
    const auto first = static_cast<std::uint32_t>(thread_) * items;
    const auto length = static_cast<std::uint32_t>(scan_.extents.length);
    LineStarts<items> starts(first % length, length);
    starts.keep(static_cast<int>(shape_.elements) - static_cast<int>(first));
    // The threads of a row are the same in every tile.
    const gpu::LaneMask lane_starts = gpu::ballot(starts.any());
    const int first_lane = gpu::segment_begin(lane_starts);
    const bool open_in_warp = (lane_starts & (gpu::lanes_up_to_own() >> 1)) == 0;
    const auto lane_weight = weights_.lane.of(scan_.traits, lane);
    const gpu::LaneMask warp_starts = starts_of_warps();
    for (int k = group_; k < tiles_; k += Tuning::groups) {
      gpu::wait_in_turn(shared_.arrived, k);
      char* const own = stage(k) + thread_ * Tuning::bytes;
      value_type x[items];
      element_weight w[weights_per_thread];
      load_items(own, x, w);
      drop_outside(k, x, w);
      const Index element = tile_begin(k) + first;
      const auto carry = [&](Index line) { return scan_.entering(line); };
      segment sum =
          starts.any()
              ? reduce_last_line(
                    scan_, starts, [&] { return carry(scan_.line_of(element + items - 1)); }, x, w)
              : reduce_items(scan_.traits, x, w);
      sum = gpu::warp_weighted_scan(scan_.traits, sum, first_lane, weights_.lane);
      const segment left = join_left(k, sum, warp_starts);
      segment before = gpu::shuffle_up(sum, 1);
      if (lane == 0) before = scan_.traits.identity();
      if (open_in_warp && warp_ > 0) before = scan_.traits.join(left, before, lane_weight);
      const value_type s = scan_.traits.state(before);
      gpu::Items<value_type, items> y;
      if (scan_.carry_in.present() || scan_.carry_out.data)
        scan_with_carries(scan_, starts, scan_.line_of(element - 1), carry, s, x, w, y.value);
      else if (starts.any())
        scan_line_starts(scan_.traits, scan_.kind, starts, s, x, w, y.value);
      else
        scan_items(scan_.traits, scan_.kind, s, x, w, y.value);
      y.store(own);
      gpu::order_before_bulk_copies();
      gpu::barrier_of(shared_.scanned, k).arrive();
    }
  }

  /// @brief The warps of the group in which a row starts.
  __device__ gpu::LaneMask starts_of_warps() const {
    const auto length = static_cast<std::uint32_t>(scan_.extents.length);
    const auto begin = static_cast<std::uint32_t>(gpu::lane()) * 32 * items;
    const std::uint32_t before = begin % length;
    const bool start = before == 0 || before + 32 * items > length;
    return gpu::ballot(gpu::lane() < Tuning::warps && start);
  }

  /// @brief The segment of the row's elements in the warps before.
  __device__ segment join_left(int k, const segment& sum, gpu::LaneMask warp_starts) {
    auto& totals = shared_.warp_total[group_][k / Tuning::groups & 1];
    if (gpu::lane() == 31) totals[warp_] = sum;
    gpu::sync_threads<Tuning::threads>(1 + group_);
    return gpu::BlockScan<P, Tuning::warps>(scan_.traits, totals, warp_starts, weights_.warp)
        .before(warp_);
  }

  __device__ void load_items(const char* own, value_type (&x)[items],
                             element_weight (&w)[weights_per_thread]) const {
    gpu::Items<value_type, items> values;
    values.load(own);
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = values.value[i];
    if constexpr (P::streams == 2) {
      gpu::Items<element_weight, items> weights;
      weights.load(own + Tuning::stream_bytes);
#pragma unroll
      for (int i = 0; i < items; ++i) w[i] = weights.value[i];
    }
  }

  /// @brief Makes what is after the tile's or the matrix' last element identities.
  __device__ void drop_outside(int k, value_type (&x)[items],
                               element_weight (&w)[weights_per_thread]) const {
    const Index rest = scan_.count() - tile_begin(k);
    const int count = static_cast<int>(rest < shape_.elements ? rest : shape_.elements);
    const int first = thread_ * items;
    if (first + items <= count) return;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (first + i >= count) {
        x[i] = scan_.traits.state(scan_.traits.identity());
        if constexpr (P::streams == 2) w[i] = scan_.traits.algebra.one();
      }
  }

  const RowsScan<P>& scan_;
  const RowTilesShape& shape_;
  const RowTilesMap<P, Tuning>& map_;
  const RowTilesWeights<P, Tuning>& weights_;
  char* stages_;
  Shared& shared_;
  int tiles_;  ///< of the block
  int group_;
  int thread_;  ///< in its group
  int warp_;    ///< likewise
};

template <class P, class Tuning>
__global__ void __launch_bounds__(Tuning::block_threads, 1)
    row_tiles_scan(const WAVESCAN_GRID_CONSTANT RowsScan<P> scan,
                   const WAVESCAN_GRID_CONSTANT RowTilesShape shape,
                   const WAVESCAN_GRID_CONSTANT RowTilesMap<P, Tuning> map,
                   const WAVESCAN_GRID_CONSTANT RowTilesWeights<P, Tuning> weights) {
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  RowTilesScan<P, Tuning>(scan, shape, map, weights, memory + (128 - address % 128) % 128).run();
}

}  // namespace wavescan::Impl

#endif
