// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_VARYINGKERNEL_HPP
#define WAVESCAN_IMPL_FILTER_GPU_VARYINGKERNEL_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/filter/WaveScan_AffineMap.hpp>
#include <impl/filter/WaveScan_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// @file
/// @brief Recurrences of varying coefficients on a GPU with bulk copies: one persistent block a
/// multiprocessor.
///
/// Tiles of samples and coefficients go through a ring of stages in shared memory, as in the kernel
/// for filters. What a tile does to the outputs before it is an affine map here: threads find their
/// samples' maps, which are scanned over the block, and blocks exchange the maps of tiles. `delay`
/// tiles later, when the outputs before a tile are known, it is computed from them, in place. All
/// is read once and written once, in one launch. All blocks must be resident (cooperative launch).
///
/// A tile belongs to one line. Lines begin and end anywhere, but samples, coefficients and outputs
/// alike between 16-byte boundaries. Reverse lines have tiles that are reversed as a whole: their
/// first one ends at a boundary, and threads take their words from its end on.

namespace wavescan::Impl::filter {

/// @brief Maps as segments of a scan.
template <class T, int K>
struct AffineMapTraits {
  using segment = AffineMap<T, K>;
  struct weight_type {};
  static constexpr bool ordered = true;
  __device__ static segment identity() { return segment::identity(); }
  __device__ static weight_type weight_of(Index) { return {}; }
  __device__ static segment join(const segment& left, const segment& right, weight_type = {}) {
    return right.after(left);
  }
  __device__ segment operator()(const segment& left, const segment& right) const {
    return join(left, right);
  }
};

/// @brief Sizes of the kernel. A thread's words are an odd number, so that a warp reads shared
/// memory without bank conflicts.
template <class T, int K>
struct VaryingSizes {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int words = 3;
  static constexpr int bytes = 16 * words;
  static constexpr int items = bytes / size;
  static constexpr int warps = K <= 2 ? 8 : 4;
  static constexpr int threads = 32 * warps;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int tile_bytes = threads * bytes;
  static constexpr int stage_bytes = tile_bytes * (K + 1);
  static constexpr int delay = sizeof(AffineMap<T, K>) <= 96 ? 2 : 1;
  static constexpr int look_back_loads = 5;
};

/// @brief A recurrence's tiles as the kernel gets them.
template <class T, int K>
struct TiledRecurrence {
  Problem<T> problem;
  int order;
  bool reverse;
  int front;  ///< samples of a first tile before its line
  Index tiles_of_line;
  Index lines_a_wave;                  ///< whole ones, from a block's tile to its next one
  Index line_bytes[K + 1];             ///< from line to line, of samples and of coefficients
  gpu::TileStream<const T> in[K + 1];  ///< of line 0
  gpu::TileStream<T> out;
  gpu::TotalsMailbox totals;
};

/// @brief What the warps of a block share.
template <class T, int K>
struct VaryingShared {
  using Sizes = VaryingSizes<T, K>;
  static constexpr int slots = 8;  ///< of tiles between their reduction and their run
  static constexpr int per_slot = static_cast<int>(sizeof(AffineMap<T, K>) * (Sizes::warps + 1) +
                                                   sizeof(StateVector<T, K>) * Sizes::warps);
  static constexpr int room = (227 - 1) * 1024 - slots * per_slot - 1024;
  static constexpr int stages = std::min(16, room / Sizes::stage_bytes);
  static_assert(stages >= Sizes::delay + 2 && slots > Sizes::delay + 1);

  gpu::Barrier filled[stages];
  gpu::Barrier computed[stages];
  gpu::Barrier reduced[slots];    ///< all warps have left their maps
  gpu::Barrier published[slots];  ///< and they have been joined
  gpu::Barrier entered[slots];    ///< what enters the warps is known
  gpu::LaunchTags tags;
  alignas(16) AffineMap<T, K> map[slots][Sizes::warps];  ///< of the warps, then of those before
  alignas(16) AffineMap<T, K> total[slots];
  alignas(16) StateVector<T, K> entering[slots][Sizes::warps];
};

template <class T, int K>
class VaryingKernel {
  using Sizes = VaryingSizes<T, K>;
  using State = StateVector<T, K>;
  using Map = AffineMap<T, K>;
  using Traits = AffineMapTraits<T, K>;
  using Shared = VaryingShared<T, K>;
  using Exchange = gpu::PrefixExchange<Traits, Sizes::look_back_loads>;
  static constexpr int stages = Shared::stages;
  static constexpr int slow_start = Sizes::delay;
  static constexpr int copier = Sizes::warps, publisher = copier + 1, reader = copier + 2;

 public:
  static constexpr int block_threads = (Sizes::warps + 3) * 32;
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * Sizes::stage_bytes + sizeof(Shared) + 128;

  __device__ VaryingKernel(const TiledRecurrence<T, K>& tiled, char* memory)
      : tiled_(tiled),
        stages_(memory),
        shared_(*reinterpret_cast<Shared*>(memory + stages * Sizes::stage_bytes)),
        tiles_{tiled.tiles_of_line * tiled.problem.extents.lines, static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        waves_(tiles_.count()) {}

  __device__ void run() {
    if (threadIdx.x == copier * 32) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(1);
        shared_.computed[s].init(Sizes::warps * gpu::arrivals_of_warp);
      }
      for (int s = 0; s < Shared::slots; ++s) {
        shared_.reduced[s].init(Sizes::warps * gpu::arrivals_of_warp);
        shared_.published[s].init(gpu::arrivals_of_warp);
        shared_.entered[s].init(gpu::arrivals_of_warp);
      }
      shared_.tags = tiled_.totals.epoch().tags();
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Sizes::warps)
      compute_tiles(warp);
    else if (threadIdx.x == copier * 32)
      copy_tiles();
    else if (warp == publisher)
      publish_totals();
    else if (warp == reader)
      read_prefixes();
  }

 private:
  /// @brief Where a block's tile lies, and then the ones after it.
  struct Place {
    Index line;
    Index tile;  ///< of the line
  };
  __device__ Place first_place() const {
    const Index line = tiles_.block / tiled_.tiles_of_line;
    return {line, tiles_.block - line * tiled_.tiles_of_line};
  }
  __device__ void advance(Place& at) const {
    at.line += tiled_.lines_a_wave;
    at.tile += tiles_.blocks - tiled_.lines_a_wave * tiled_.tiles_of_line;
    if (at.tile < tiled_.tiles_of_line) return;
    at.tile -= tiled_.tiles_of_line;
    ++at.line;
  }
  /// @brief Whether some samples of the tile are not the line's.
  __device__ bool has_ends(const Place& at) const {
    const Index first = at.tile * Sizes::tile - tiled_.front;
    return first < 0 || first + Sizes::tile > tiled_.problem.extents.length;
  }
  /// @brief The sample of the line that is the thread's first one.
  __device__ Index first_sample(const Place& at) const {
    return at.tile * Sizes::tile - tiled_.front + Index(threadIdx.x) * Sizes::items;
  }

  // ---- the copying thread

  template <class Element>
  __device__ static gpu::TileStream<Element> of_line(gpu::TileStream<Element> stream,
                                                     Index bytes_before) {
    stream.base += bytes_before;
    return stream;
  }
  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % stages) * Sizes::stage_bytes;
  }
  /// @brief Where the tile begins in memory, from where the line's tiles do.
  __device__ Index window(const Place& at) const {
    return (tiled_.reverse ? tiled_.tiles_of_line - 1 - at.tile : at.tile) * Sizes::tile_bytes;
  }
  __device__ void copy_tiles() {
    const std::uint64_t policy = gpu::stream_policy();
    Place loading = first_place(), storing = loading;
    const auto load = [&](int k) {
      const Place at = loading;
      advance(loading);
      gpu::Barrier& filled = gpu::barrier_of(shared_.filled, k);
      std::uint32_t bytes = 0;
#pragma unroll 1
      for (int i = 0; i <= tiled_.order; ++i)
        bytes +=
            gpu::load_window(of_line(tiled_.in[i], at.line * tiled_.line_bytes[i]), window(at),
                             Sizes::tile_bytes, stage(k) + i * Sizes::tile_bytes, filled, policy);
      filled.arrive_expecting(bytes);
    };
    for (int k = 0; k < slow_start && k < waves_; ++k) load(k);
    gpu::copy_through<stages, slow_start>(
        shared_.filled, shared_.computed, waves_, load, [&](int k) {
          const Place at = storing;
          advance(storing);
          const Index before = at.line * tiled_.problem.out.line_stride * Sizes::size;
          gpu::store_window(of_line(tiled_.out, before), window(at), Sizes::tile_bytes, stage(k),
                            policy);
        });
  }

  // ---- the warp that publishes totals

  __device__ void publish_totals() {
    const int lane = gpu::lane();
    for (int k = 0; k < waves_; ++k) {
      const int slot = k % Shared::slots;
      gpu::wait_in_turn(shared_.reduced, k);
      Map sum = lane < Sizes::warps ? shared_.map[slot][lane] : Map::identity();
      sum = gpu::warp_inclusive_scan<Sizes::warps>(sum, Traits());
      const Map total = gpu::broadcast(sum, Sizes::warps - 1);
      const Map before = gpu::shuffle_up(sum, 1);
      if (lane == 0)
        Exchange::publish(tiled_.totals, static_cast<std::uint32_t>(k), tiles_.block, tiles_.blocks,
                          total, shared_.tags);
      if (lane < Sizes::warps) shared_.map[slot][lane] = lane == 0 ? Map::identity() : before;
      if (lane == 0) shared_.total[slot] = total;
      gpu::arrive_as_warp(shared_.published[slot]);
    }
  }

  // ---- the warp that reads prefixes

  __device__ void read_prefixes() {
    const int lane = gpu::lane();
    const Traits traits;
    const Exchange exchange(traits, tiled_.totals, tiles_.block, tiles_.blocks,
                            [](Index) { return typename Traits::weight_type(); });
    State after{};  // the block's last tile
    Place at = first_place();
    for (int k = 0; k < waves_; ++k, advance(at)) {
      const int slot = k % Shared::slots;
      // A line's first tile maps everything to the same: its state is what enters later ones.
      const Map before = exchange.join_totals(static_cast<std::uint32_t>(k), shared_.tags, at.tile);
      const State entering = at.tile >= tiles_.blocks ? before.after(after) : before.state;
      gpu::wait_in_turn(shared_.published, k);
      // Who has published has read the epoch.
      if (tiles_.is_last(k) && lane == 0)
        tiled_.totals.epoch().end(shared_.tags, static_cast<std::uint32_t>(k));
      if (lane < Sizes::warps)
        shared_.entering[slot][lane] = shared_.map[slot][lane].after(entering);
      after = shared_.total[slot].after(entering);
      gpu::arrive_as_warp(shared_.entered[slot]);
    }
  }

  // ---- the warps that compute

  __device__ void compute_tiles(int warp) {
    Map before[Sizes::delay + 1];  // of the lanes before, in tiles that are not yet computed
    Place reduced = first_place(), run = reduced;
    for (int k = 0; k < waves_ + Sizes::delay; ++k) {
#pragma unroll
      for (int i = Sizes::delay; i > 0; --i) before[i] = before[i - 1];
      if (k < waves_) {
        before[0] = reduce_tile(k, reduced, warp);
        advance(reduced);
      }
      if (k >= Sizes::delay) {
        run_tile(k - Sizes::delay, run, warp, before[Sizes::delay]);
        advance(run);
      }
    }
  }

  static constexpr int per_word = 16 / Sizes::size;
  using Word = gpu::Items<T, per_word>;

  /// @brief The thread's samples of a tile: those of input 0 become outputs.
  __device__ char* own_samples(int k) const {
    const int thread = static_cast<int>(threadIdx.x);
    return stage(k) + (tiled_.reverse ? Sizes::threads - 1 - thread : thread) * Sizes::bytes;
  }
  __device__ void turn(Word& word) const {
    if (!tiled_.reverse) return;
#pragma unroll
    for (int i = 0; i < per_word / 2; ++i) {
      const T first = word.value[i];
      word.value[i] = word.value[per_word - 1 - i];
      word.value[per_word - 1 - i] = first;
    }
  }

  /// @brief Calls step(coefficients, sample), which returns the output, for those of the thread's
  /// samples that belong to its line.
  template <bool Stores, class Step>
  __device__ void for_ends(int k, const Place& at, const Step& step) const {
    char* const own = own_samples(k);
    const Index first = first_sample(at), length = tiled_.problem.extents.length;
#pragma unroll 1
    for (int i = 0; i < Sizes::items; ++i) {
      if (first + i < 0 || first + i >= length) continue;
      const auto input = [&](int s) -> T& {
        char* const from = own + s * Sizes::tile_bytes;
        return reinterpret_cast<T*>(from)[tiled_.reverse ? Sizes::items - 1 - i : i];
      };
      T c[K];
#pragma unroll
      for (int s = 0; s < K; ++s) c[s] = s < tiled_.order ? input(1 + s) : T(0);
      const T y = step(c, input(0));
      if constexpr (Stores) input(0) = y;
    }
  }
  /// @brief Likewise for all of the thread's samples.
  template <bool Stores, class Step>
  __device__ void for_samples(int k, const Step& step) const {
    char* const own = own_samples(k);
#pragma unroll
    for (int w = 0; w < Sizes::words; ++w) {
      char* const word = own + 16 * (tiled_.reverse ? Sizes::words - 1 - w : w);
      Word in[K + 1];
#pragma unroll
      for (int s = 0; s <= K; ++s) {
        in[s] = {};
        if (s <= tiled_.order) in[s].load(word + s * Sizes::tile_bytes);
        turn(in[s]);
      }
#pragma unroll
      for (int i = 0; i < per_word; ++i) {
        T c[K];
#pragma unroll
        for (int s = 0; s < K; ++s) c[s] = in[1 + s].value[i];
        const T y = step(c, in[0].value[i]);
        if constexpr (Stores) in[0].value[i] = y;
      }
      if constexpr (Stores) {
        turn(in[0]);
        in[0].store(word);
      }
    }
  }
  template <bool Stores, class Step>
  __device__ void for_each(int k, const Place& at, const Step& step) const {
    if (has_ends(at))
      for_ends<Stores>(k, at, step);
    else
      for_samples<Stores>(k, step);
  }

  /// @brief Hands over the map of the warp's samples; returns that of the lanes before.
  __device__ Map reduce_tile(int k, const Place& at, int warp) {
    const int slot = k % Shared::slots;
    const bool begins_line = at.tile == 0 && threadIdx.x == 0;
    Map first = Map::identity();
    if (begins_line) first = Map::constant(tiled_.problem.initial.template load<K>(at.line));
    gpu::wait_in_turn(shared_.filled, k);
    Map own = Map::identity();
    for_each<false>(k, at, [&](const T(&c)[K], T x) {
      own.push(c, x);
      return x;
    });
    if (begins_line) own = own.after(first);
    own = gpu::warp_inclusive_scan(own, Traits());
    if (gpu::lane() == 31) shared_.map[slot][warp] = own;
    gpu::arrive_as_warp(shared_.reduced[slot]);
    const Map before = gpu::shuffle_up(own, 1);
    return gpu::lane() == 0 ? first : before;
  }

  __device__ void run_tile(int k, const Place& at, int warp, const Map& before) {
    gpu::wait_in_turn(shared_.entered, k);
    State s = before.after(shared_.entering[k % Shared::slots][warp]);
    for_each<true>(k, at, [&](const T(&c)[K], T x) { return push_output(s, c, x); });
    gpu::order_before_bulk_copies();
    gpu::arrive_as_warp(shared_.computed[k % stages]);
    const Index rest = tiled_.problem.extents.length - first_sample(at);
    if (rest > 0 && rest <= Sizes::items) tiled_.problem.final.store(at.line, s);
  }

  const TiledRecurrence<T, K>& tiled_;
  char* stages_;
  Shared& shared_;
  gpu::CyclicTiles tiles_;
  int waves_;
};

template <class T, int K>
__global__ void __launch_bounds__(VaryingKernel<T, K>::block_threads, 1)
    tiled_recurrence([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TiledRecurrence<T, K> tiled) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  VaryingKernel<T, K>(tiled, memory + (128 - address % 128) % 128).run();
#endif
}

/// @brief Whether there is a kernel: totals travel in up to so many bytes.
template <class T, int K>
inline constexpr bool has_varying_kernel = K <= 4 && sizeof(AffineMap<T, K>) <= 160;

/// @brief Enqueues the recurrence, or returns false if the kernel cannot do it. The workspace lives
/// as long as the call.
template <class T, int K>
bool enqueue_tiles(const gpu::Device& exec, const VaryingCoefficients<T, K>& coefficients,
                   const Problem<T>& problem) {
  using Sizes = VaryingSizes<T, K>;
  using Kernel = VaryingKernel<T, K>;
  const LineExtents extents = problem.extents;
  const Index n = extents.length;
  // Tiles belong to one line: short ones would leave most of them empty.
  if (n < (extents.lines == 1 ? 1 : Sizes::tile / 2) ||
      gpu::device_path(Operation::Filter, exec) != DevicePath::BulkCopies)
    return false;
  const bool reverse = problem.out.stride == -1;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  TiledRecurrence<T, K> tiled{};
  bool suits = problem.out.stride == (reverse ? -1 : 1);
  const auto check = [&](const auto& lines) {
    suits = suits && lines.stride == problem.out.stride &&
            address(lines.data) % 16 == address(problem.out.data) % 16 &&
            (extents.lines == 1 || lines.line_stride * Sizes::size % 16 == 0);
  };
  check(problem.in);
  check(problem.out);
  for (int k = 0; k < coefficients.order; ++k) check(coefficients.line[k]);
  if (!suits) return false;

  // Of a reverse line the first sample is the last one in memory.
  const auto begin = address(problem.out.data);
  const int front =
      static_cast<int>(reverse ? (16 - (begin + sizeof(T)) % 16) % 16 : begin % 16) / Sizes::size;
  const Index tiles_of_line = ceil_div(front + n, Sizes::tile);
  const Index before = reverse ? tiles_of_line * Sizes::tile - front - n : front;
  const auto stream = [&]<class Element>(const Lines<Element>& lines) {
    const Lines<Element> line{reverse ? lines.data - (n - 1) : lines.data, 0, 1};
    return gpu::TileStream<Element>(line, {1, n}, before * Sizes::size);
  };
  const auto add = [&](int i, const Lines<const T>& lines) {
    tiled.in[i] = stream(lines);
    tiled.line_bytes[i] = lines.line_stride * Sizes::size;
  };
  add(0, problem.in);
  for (int k = 0; k < coefficients.order; ++k) add(1 + k, coefficients.line[k]);
  tiled.out = stream(problem.out);
  const Index most = std::min<Index>(gpu::device_properties(exec).multiProcessorCount,
                                     Kernel::max_blocks),
              blocks = std::min(extents.lines * tiles_of_line, most);
  // Zero is no tag of a launch.
  const Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals(
      Kokkos::view_alloc(exec, "WaveScan::recurrence::totals"),
      gpu::TotalsMailbox::size<AffineMap<T, K>>(static_cast<int>(blocks)));
  tiled.problem = problem;
  tiled.order = coefficients.order;
  tiled.reverse = reverse;
  tiled.front = front;
  tiled.tiles_of_line = tiles_of_line;
  tiled.lines_a_wave = blocks / tiles_of_line;
  tiled.totals = {totals.data()};
  static_assert(sizeof tiled <= 4096, "the most that all compilers allow");
  gpu::launch({exec, "WaveScan::recurrence::tiles", true}, tiled_recurrence<T, K>, blocks,
              Kernel::block_threads, Kernel::shared_bytes, tiled);
  return true;
}

}  // namespace wavescan::Impl::filter

#endif
