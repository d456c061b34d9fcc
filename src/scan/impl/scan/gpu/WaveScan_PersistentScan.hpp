// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_PERSISTENTSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_PERSISTENTSCAN_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

/// @file
/// @brief Lines behind each other on a GPU: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One warp does nothing but
/// move them, one nothing but look back; the others reduce a tile when it arrives, publish
/// its total, and scan it `delay` tiles later, when the totals of the tiles before have come in.
/// Every element is read once and written once, with one launch and no clearing. The assignment of
/// tiles is fixed, so results are the same from run to run. All blocks must be resident
/// (cooperative launch).
///
/// With `Segmented`, tiles take no notice of where lines end: whatever comes before the start of a
/// line is dropped where segments are joined, in the tiles in which a line starts or ends. Such
/// tiles begin at 16-byte boundaries of the output; an input that lies otherwise is shifted between
/// shared memory and registers. Without, there is one line, whose arrays all begin at the same
/// distance from a 16-byte boundary; its *head*, the elements before the first boundary, is scanned
/// by one thread.
///
/// Lines that start at heads (HeadLines) are segmented, too. What tells where they start is read
/// from memory by the scanning warps, to registers and a tile ahead, and tiles' totals say whether
/// a line starts in them. Mostly, two groups of scanning warps take tiles in turn.

namespace wavescan::Impl {

/// @brief Sizes of the persistent kernel.
/// @tparam Starts EqualLines or HeadLines
template <class P, bool Segmented, class Starts = EqualLines>
struct PersistentTuning {
  static constexpr bool segmented = Segmented;
  static constexpr bool heads = Starts::have_heads;
  using told = typename Starts::told;
  using value_type = typename P::value_type;
  using scan_type = RowsScan<P, value_type, Starts>;
  static constexpr int size = static_cast<int>(sizeof(value_type));
  /// Fewest elements that fill whole 16-byte words.
  static constexpr int unit = 16 / std::gcd(16, size);
  /// Two streams of 8-byte elements need many registers, and do better with fewer, longer threads.
  static constexpr bool two_wide_streams = P::streams == 2 && size == 8;
  static constexpr bool bits = std::same_as<told, Heads>;
  /// Groups of threads that take tiles in turn: where lines start at heads and there is more to do
  /// in a tile than to look at bits and to add, one computes while the other waits.
  static constexpr int groups = heads && (!bits || P::streams == 2) ? 2 : 1;
  /// Consecutive elements of a thread. For the common sizes these are an odd number of 16-byte
  /// words, so that the threads of a warp read shared memory without bank conflicts.
  static constexpr int wanted_bytes = two_wide_streams                        ? 112
                                      : groups == 1 || size == 1 || size > 16 ? 48
                                                                              : 80;
  static constexpr int items = ceil_div(wanted_bytes, size* unit) * unit;
  static constexpr int bytes = items * size;
  static constexpr int room = gpu::block_memory - 8192;  ///< for stages
  static constexpr int most_threads =
      (P::streams == 2 ? (two_wide_streams ? 192 : 384) : 512) / groups / 32 * 32;
  static constexpr int least_stages = groups == 1 ? 5 : 7;
  static constexpr int threads =  ///< of a group
      std::min({most_threads, (groups == 1 ? 24576 : 28672) / bytes / 32 * 32,
                (room / (least_stages * P::streams) - 128) / bytes / 32 * 32});
  static constexpr int tile_bytes = threads * bytes;
  /// With what lies between a 16-byte boundary and the tile's first element; bulk copies are
  /// fastest from and to whole cache lines.
  static constexpr int stream_bytes = ceil_div(tile_bytes + (segmented ? 16 : 0), 128) * 128;
  static constexpr int stages = std::min(9, room / std::max(stream_bytes * P::streams, 1));
  static constexpr int delay = groups == 2 ? 4 : two_wide_streams || size > 16 ? 2 : 3;
  static constexpr int slots = 8;  ///< for what is known of tiles that have been reduced
  /// So many tiles back the same group has had a tile, whose stage no later one has had since.
  static constexpr int back = std::min(slots, stages) / groups * groups;
  static constexpr int slow_start = delay;  ///< loads in flight before the first arrives
  /// Whether there is shared memory for the values and weights. Tiles that must go through
  /// registers anyway had better stay there, as those of WaveScan_RegisterScan.hpp do.
  static constexpr bool fits =
      gpu::mover != gpu::Mover::Plain && threads > 0 && stages >= delay + 2;
  static_assert(delay % groups == 0);

  static constexpr int warps = threads / 32;  ///< of a group
  static constexpr int mover = groups * warps, look_back = mover + gpu::mover_warps;
  static constexpr int block_threads = (look_back + 1) * 32;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int look_back_loads = 5;
};

/// @brief The weights of the lengths that occur in a tile, computed on the host.
template <class P, class Tuning>
struct TileWeights {
  LengthWeights<P, 5> lane;
  LengthWeights<P, 5> warp;
  typename P::weight_type tile;
  typename P::weight_type wave;  ///< of all tiles between two of a block

  TileWeights(const P& traits, int blocks)
      : lane(traits, Tuning::items),
        warp(traits, Index(Tuning::items) * 32),
        tile(traits.weight_of(Tuning::tile)),
        wave(traits.weight_of(Tuning::tile * (blocks - 1))) {}
};

/// @brief The places of a scan's tiles, worked out on the host.
template <class P, class Tuning>
struct TileMap {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  Index front;               ///< elements of the first tile before the first one of the sequence
  int head;                  ///< elements before tile 0 that one thread scans
  Index tiles;               ///< of all blocks
  Index wave_step;           ///< from a block's tile to its next one, modulo the length of a line
  std::uint32_t reciprocal;  ///< of the length, times 2^32 and rounded up, if it is short
  gpu::TileStream<const value_type> in;
  gpu::TileStream<const element_weight> weights;
  gpu::TileStream<value_type> out;

  TileMap(const typename Tuning::scan_type& scan, Index before, int head_length, int blocks)
      : front(before),
        head(head_length),
        tiles(ceil_div(before + scan.count(), Tuning::tile)),
        wave_step(Tuning::tile * blocks % std::max<Index>(scan.extents.length, 1)),
        reciprocal(static_cast<std::uint32_t>(
            scan.extents.length > 1 ? ceil_div(Index(1) << 32, scan.extents.length) : 0)),
        in(scan.in, scan.extents, before * Tuning::size) {
    out = {scan.out, scan.extents, before * Tuning::size};
    if constexpr (P::streams == 2) weights = {scan.weights, scan.extents, before * Tuning::size};
  }
};

/// @brief The arithmetic of tiles' totals.
template <class P, class Tuning>
using TotalTraits = std::conditional_t<Tuning::heads, HeadTraits<P>, P>;

/// @brief Shared memory of the warps of a block.
template <class P, class Tuning>
struct PersistentShared {
  static constexpr int slots = Tuning::slots;
  // All threads that read or write what a barrier guards arrive at it: tools that look for races do
  // not see what one lane's arrival says of the others.
  gpu::Barrier arrived[Tuning::stages];
  gpu::Barrier scanned[Tuning::stages];
  gpu::Barrier carry_ready[slots];
  gpu::Barrier total_ready[slots];
  alignas(16) typename TotalTraits<P, Tuning>::segment carry[slots];
  alignas(16) typename TotalTraits<P, Tuning>::segment total[slots];
  bool total_is_open[slots];  ///< no line starts in the tile
  // Of two tiles of each group.
  alignas(16) typename P::segment warp_total[2 * Tuning::groups][32];
  bool warp_is_open[2 * Tuning::groups][32];
  /// The first 16 bytes of the warp after each one, which a shifted input needs when that warp may
  /// have overwritten them.
  alignas(16) char after_warp[slots][Tuning::segmented ? Tuning::warps : 1][16];
  gpu::LaunchTags tags;
  /// What enters a single line, read before its end can be handed out: to the same place perhaps.
  State<typename P::value_type> entering;

  static constexpr std::size_t stage_bytes = std::size_t(Tuning::stream_bytes) * P::streams;
  static constexpr std::size_t stages_bytes = stage_bytes * Tuning::stages;
};

template <class P, class Tuning>
class PersistentScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using segment = typename P::segment;
  using weight_type = typename P::weight_type;
  using total_traits = TotalTraits<P, Tuning>;
  using total_segment = typename total_traits::segment;
  using Scan = typename Tuning::scan_type;
  using Shared = PersistentShared<P, Tuning>;
  using Starts = LineStarts<Tuning::items>;
  static constexpr Index tile = Tuning::tile;
  static constexpr int weights_per_thread = P::streams == 2 ? Tuning::items : 1;

 public:
  static constexpr std::size_t shared_bytes = Shared::stages_bytes + sizeof(Shared) + 128;
  static constexpr int block_threads = Tuning::block_threads;

  __device__ PersistentScan(const Scan& scan, const TileMap<P, Tuning>& map,
                            const TileWeights<P, Tuning>& weights, char* memory)
      : scan_(scan),
        map_(map),
        weights_(weights),
        stages_(memory),
        shared_(*reinterpret_cast<Shared*>(memory + Shared::stages_bytes)),
        block_(static_cast<int>(blockIdx.x)),
        blocks_(static_cast<int>(gridDim.x)),
        tiles_{map.tiles, block_, blocks_},
        waves_(tiles_.count()),
        group_(Tuning::groups == 1 ? 0 : static_cast<int>(threadIdx.x) / Tuning::threads),
        thread_(static_cast<int>(threadIdx.x) - group_ * Tuning::threads),
        warp_(thread_ / 32) {}

  __device__ void run() {
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = gpu::warp();
    const gpu::MovingThread moving(Tuning::mover);
    const bool moves = gpu::MovingThread::moves(Tuning::mover);
    if (thread == Tuning::groups * Tuning::threads) {
      for (int s = 0; s < Tuning::stages; ++s) {
        shared_.arrived[s].init(gpu::mover_arrivals);
        shared_.scanned[s].init(Tuning::threads);
      }
      for (int s = 0; s < Shared::slots; ++s) {
        shared_.carry_ready[s].init(32);
        shared_.total_ready[s].init(1);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (moves) {
      gpu::MovingThread::meet();
      gpu::start_loads<Tuning::slow_start>(moving, waves_,
                                           [&](int k, auto& ready) { load(k, moving, ready); });
    }
    if (thread == Tuning::look_back * gpu::warp_size) {
      shared_.tags = scan_.totals.epoch().tags();
      shared_.entering = scan_.entering(0);
      if constexpr (!Tuning::segmented)
        if (block_ == 0) shared_.entering = scan_head(shared_.entering);
    }
    __syncthreads();
    if (map_.tiles == 0 && thread == 0 && scan_.carry_out.data)  // the line is all head
      scan_.carry_out(0, 0) = shared_.entering.value;
    if (warp < Tuning::mover)
      scan_tiles();
    else if (moves)
      copy_tiles(moving);
    else if (warp == Tuning::look_back)
      look_back();
  }

 private:
  /// @brief Place of the first element of the block's tile k, counted from that of tile 0.
  __device__ Index tile_begin(int k) const { return tiles_.of(k) * tile; }
  /// @brief Place in the sequence of the thread's first element of tile k.
  __device__ Index thread_element(int k) const {
    return tile_begin(k) + Index(thread_) * Tuning::items - map_.front;
  }
  /// @brief Scans the few elements of the head, in order, since they may be in place; returns the
  /// state that enters the first tile.
  __device__ State<value_type> scan_head(State<value_type> s) const {
    for (Index i = -map_.head; i < 0; ++i) {
      element_weight w;
      if constexpr (P::streams == 2) w = scan_.weights(0, i);
      const value_type next = scan_.first_state(s, scan_.in(0, i), w);
      scan_.out(0, i) = scan_.kind == ScanKind::Inclusive ? next
                        : s.present                       ? s.value
                                                          : scan_.traits.empty_state();
      s = {next, true};
    }
    return s;
  }
  /// @brief True for the first element after the head if no state enters it.
  __device__ bool nothing_enters(Index element) const {
    return element == 0 && map_.head == 0 && !scan_.carry_in.present();
  }

  /// @brief The arithmetic of tiles' totals.
  __device__ decltype(auto) totals_traits() const {
    if constexpr (Tuning::heads)
      return total_traits{scan_.traits};
    else
      return (scan_.traits);
  }
  __device__ static decltype(auto) inner(const total_segment& total) {
    if constexpr (Tuning::heads)
      return (total.inner);
    else
      return (total);
  }
  /// @brief The state that enters the line that starts with element i of a thread's in tile k.
  __device__ State<value_type> entering_head(int k, int i) const {
    const Index element = thread_element(k) + i;
    return element < scan_.count() ? scan_.entry(element) : scan_.entry.common;
  }
  __device__ State<value_type> entering(Index line) const {
    return scan_.extents.lines == 1 ? shared_.entering : scan_.entering(line);
  }
  /// @brief Elements before the block's tile 0 in the line that its first element belongs to.
  __device__ Index before_first_tile() const {
    const Index element = tile_begin(0) - map_.front;
    return element - scan_.line_of(element) * scan_.extents.length;
  }
  /// @brief Elements before the block's tile in its line, one wave later.
  __device__ Index next_wave(Index before_tile) const {
    if constexpr (!Tuning::segmented) return before_tile + tile * blocks_;
    const Index next = before_tile + map_.wave_step;
    return next >= scan_.extents.length ? next - scan_.extents.length : next;
  }
  /// @brief Whether a line starts in tile k or right after it, or the sequence does not fill it.
  __device__ bool has_line_ends(int k, Index before_tile) const {
    const Index first = tile_begin(k) - map_.front;
    if constexpr (!Tuning::segmented) return false;
    if constexpr (Tuning::heads) return true;
    return before_tile == 0 || before_tile + tile >= scan_.extents.length || first < 0 ||
           first + tile > scan_.count();
  }
  /// @brief The starts of lines among the thread's elements.
  __device__ LineStarts<Tuning::items> line_starts(Index before_tile) const {
    const Index length = scan_.extents.length;
    const int before_thread = thread_ * Tuning::items;
    if (length > tile) {
      const Index before = before_tile + before_thread;
      return {before < length ? before : before - length, length};
    }
    const auto n = static_cast<std::uint32_t>(before_tile) + before_thread;
    const auto short_length = static_cast<std::uint32_t>(length);
    return {short_length == 1 ? 0u : n - gpu::multiply_high(n, map_.reciprocal) * short_length,
            short_length};
  }
  __device__ char* stage(int k) const {
    return stages_ + static_cast<std::size_t>(k % Tuning::stages) * Shared::stage_bytes;
  }

  // ---- the threads that move tiles

  template <class Act>
  __device__ void load(int k, const gpu::MovingThread& moving, gpu::BeforeWriting<Act>& ready) {
    gpu::Barrier& arrived = gpu::barrier_of(shared_.arrived, k);
    std::uint32_t bytes = load(map_.in, k, stage(k), arrived, moving, ready);
    if constexpr (P::streams == 2)
      bytes += load(map_.weights, k, stage(k) + Tuning::stream_bytes, arrived, moving, ready);
    moving.fill(arrived, bytes, ready);
  }
  template <class T, class Act>
  __device__ std::uint32_t load(const gpu::TileStream<T>& stream, int k, char* to,
                                gpu::Barrier& arrived, const gpu::MovingThread& moving,
                                gpu::BeforeWriting<Act>& ready) {
    const bool shifted = Tuning::segmented && stream.shift(map_.front * Tuning::size) > 0;
    return gpu::load_window(stream, tile_begin(k) * Tuning::size,
                            Tuning::tile_bytes + (shifted ? 16 : 0), to, arrived, moving, ready);
  }

  __device__ void copy_tiles(const gpu::MovingThread& moving) {
    gpu::copy_through<Tuning::stages, Tuning::slow_start>(
        moving, shared_.arrived, shared_.scanned, waves_,
        [&](int k, auto& ready) { load(k, moving, ready); },
        [&](int k) {
          gpu::store_window(map_.out, tile_begin(k) * Tuning::size, Tuning::tile_bytes, stage(k),
                            moving);
        });
  }

  // ---- the warp that looks back

  __device__ void look_back() {
    const bool leader = gpu::lane() == 0;
    decltype(auto) traits = totals_traits();
    const gpu::PrefixExchange<total_traits, Tuning::look_back_loads> exchange(
        traits, scan_.totals, block_, blocks_,
        [&](Index tiles) { return scan_.traits.weight_of(tiles * tile); });
    total_segment after =
        traits.identity();  // the line so far up to and with the block's last tile
    Index before_tile = Tuning::segmented ? before_first_tile() : tile_begin(0);
    for (int k = 0; k < waves_; ++k) {
      const Index reach = Tuning::heads ? map_.tiles  // totals say where lines start
                                        : (before_tile + tile - 1) / tile;  // that hold some of it
      total_segment before =
          exchange.join_totals(static_cast<std::uint32_t>(k), shared_.tags, reach);
      if (k > 0 && reach >= blocks_) before = traits.join(after, before, weights_.wave);
      const int slot = k % Shared::slots;
      const bool last = tiles_.is_last(k);
      // The tile that used the slot before has been scanned, long ago: by a group that has scanned
      // a later one.
      const int previous = k - Tuning::back;
      if (previous >= 0) gpu::wait_in_turn(shared_.scanned, previous);
      if (leader) shared_.carry[slot] = before;
      gpu::barrier_of(shared_.carry_ready, k).arrive();
      // Everybody has published by now, and so has read the epoch.
      if constexpr (gpu::knows_starts<total_traits>)
        if (last) exchange.await_others(static_cast<std::uint32_t>(k), shared_.tags);
      if (last && leader) scan_.totals.epoch().end(shared_.tags, static_cast<std::uint32_t>(k));
      gpu::wait_in_turn(shared_.total_ready, k);
      after = shared_.total[slot];
      if (Tuning::heads || shared_.total_is_open[slot])
        after = traits.join(before, after, weights_.tile);
      before_tile = next_wave(before_tile);
    }
  }

  // ---- the scanning warps

  /// @brief A thread's record of a tile between its reduction and its scan: the segment of the
  /// tile's elements before its own, and whether the line goes back to before the tile.
  struct EqualOffset {
    segment before;
    bool open;
  };
  struct HeadOffset {
    segment before;
    bool open;
    Starts starts{};
  };
  using Offset = std::conditional_t<Tuning::heads, HeadOffset, EqualOffset>;

  /// @brief The bits or values that tell heads, a tile ahead.
  struct NoHeads {};
  using TileHeads = typename std::conditional_t<
      Tuning::heads, std::type_identity<HeadsAhead<typename Tuning::told, Tuning::items>>,
      std::type_identity<NoHeads>>::type;
  template <class Ahead>
  __device__ void load_heads(Ahead& ahead, int k) const {
    if constexpr (Tuning::heads)
      if (k < waves_) ahead.load(scan_.heads, scan_.count(), thread_element(k));
  }

  __device__ void scan_tiles() {
    const weight_type lane_weight = scan_.traits.weight_of(Index(gpu::lane()) * Tuning::items);
    const weight_type thread_weight = scan_.traits.weight_of(Index(thread_) * Tuning::items);
    // Of the group's tiles between their reduction and their scan.
    constexpr int late_turns = Tuning::delay / Tuning::groups;
    Offset offsets[late_turns + 1];
    Index before_reduced = Tuning::segmented ? before_first_tile() : 0;
    Index before_scanned = before_reduced;
    TileHeads heads;
    load_heads(heads, group_);
    for (int k = group_; k < waves_ + Tuning::delay; k += Tuning::groups) {
#pragma unroll
      for (int i = late_turns; i > 0; --i) offsets[i] = offsets[i - 1];
      if constexpr (Tuning::heads) {
        if (k < waves_) {
          const Starts starts(heads.bits(scan_.heads, scan_.count(), thread_element(k)));
          load_heads(heads, k + Tuning::groups);
          offsets[0] = reduce_tile<true>(k, 0, lane_weight, starts);
        }
      } else if (k < waves_) {
        offsets[0] = has_line_ends(k, before_reduced)
                         ? reduce_tile<true>(k, before_reduced, lane_weight)
                         : reduce_tile<false>(k, before_reduced, lane_weight);
        before_reduced = next_wave(before_reduced);
      }
      const int late = k - Tuning::delay;
      if (late >= 0) {
        if (has_line_ends(late, before_scanned))
          scan_tile<true>(late, before_scanned, offsets[late_turns], thread_weight);
        else
          scan_tile<false>(late, before_scanned, offsets[late_turns], thread_weight);
        before_scanned = next_wave(before_scanned);
      }
    }
  }

  /// @brief Reads a thread's elements.
  /// @param last where a shifted input's last 16 bytes lie
  __device__ void load_items(int k, const char* last, value_type (&x)[Tuning::items],
                             element_weight (&w)[weights_per_thread]) const {
    const char* const own = stage(k) + thread_ * Tuning::bytes;
    const int shift = Tuning::segmented ? map_.in.shift(map_.front * Tuning::size) : 0;
    gpu::Items<value_type, Tuning::items> items;
    if (shift == 0)
      items.load(own);
    else
      items.load_shifted(own, last, shift);
#pragma unroll
    for (int i = 0; i < Tuning::items; ++i) x[i] = items.value[i];
    if constexpr (P::streams == 2) {
      const char* const own_weights = own + Tuning::stream_bytes;
      const int weights_shift =
          Tuning::segmented ? map_.weights.shift(map_.front * Tuning::size) : 0;
      gpu::Items<element_weight, Tuning::items> weight_items;
      if (weights_shift == 0)
        weight_items.load(own_weights);
      else
        weight_items.load_shifted(own_weights, own_weights + Tuning::bytes, weights_shift);
#pragma unroll
      for (int i = 0; i < Tuning::items; ++i) w[i] = weight_items.value[i];
      // Whatever its weight.
      if (!Tuning::segmented && nothing_enters(thread_element(k)))
        w[0] = scan_.traits.algebra.one();
    }
    if (!Tuning::segmented && tile_begin(k) + tile > scan_.count()) drop_outside(k, x, w);
  }

  /// @brief Makes elements outside the sequence identities.
  __device__ void drop_outside(int k, value_type (&x)[Tuning::items],
                               element_weight (&w)[weights_per_thread]) const {
    const Index first = thread_element(k);
    const Index count = scan_.count();
    if (first >= 0 && first + Tuning::items <= count) return;
#pragma unroll
    for (int i = 0; i < Tuning::items; ++i)
      if (first + i < 0 || first + i >= count) {
        x[i] = scan_.traits.state(scan_.traits.identity());
        if constexpr (P::streams == 2) w[i] = scan_.traits.algebra.one();
      }
  }

  /// @brief Publishes the total of tile k; returns what the thread will need to scan it.
  /// @param before_tile elements before the tile in the line that its first element belongs to
  /// @param heads       where lines start, if it is at heads
  template <bool LineEnds>
  __device__ Offset reduce_tile(int k, Index before_tile, const weight_type& lane_weight,
                                const Starts& heads = {}) {
    const P& traits = scan_.traits;
    const int lane = gpu::lane();
    const int warp = warp_;
    gpu::wait_in_turn(shared_.arrived, k);
    const char* const last = stage(k) + (thread_ + 1) * Tuning::bytes;
    if (Tuning::segmented && lane == 31 && map_.in.shift(map_.front * Tuning::size) != 0)
      *reinterpret_cast<uint4*>(shared_.after_warp[k % Shared::slots][warp]) =
          *reinterpret_cast<const uint4*>(last);
    value_type x[Tuning::items];
    element_weight w[weights_per_thread];
    load_items(k, last, x, w);
    segment sum;
    gpu::LaneMask lane_starts = 0;
    if constexpr (LineEnds) {
      drop_outside(k, x, w);
      const auto starts = starts_of(before_tile, heads);
      const bool start = starts.any();
      lane_starts = gpu::ballot(start);
      const auto carry = [&] {
        if constexpr (Tuning::heads)
          return start ? entering_head(k, starts.last()) : scan_.entry.common;
        else
          return entering(scan_.line_of(thread_element(k) + Tuning::items - 1));
      };
      sum = (Tuning::heads ? lane_starts != 0 : start)
                ? reduce_last_line(scan_, starts, carry, x, w)
                : reduce_items(traits, x, w);
    } else {
      sum = reduce_items(traits, x, w);
    }
    sum = gpu::warp_weighted_scan(traits, sum, LineEnds ? gpu::segment_begin(lane_starts) : 0,
                                  weights_.lane);
    if (lane == 31) {
      shared_.warp_total[k % (2 * Tuning::groups)][warp] = sum;
      if constexpr (LineEnds)
        shared_.warp_is_open[k % (2 * Tuning::groups)][warp] = lane_starts == 0;
    }
    Offset own{gpu::shuffle_up(sum, 1), true};
    if (lane == 0) own.before = traits.identity();
    gpu::sync_threads<Tuning::threads>(1 + group_);
    gpu::LaneMask warp_starts = 0;
    if constexpr (LineEnds) {
      own.open = (lane_starts & (gpu::lanes_up_to_own() >> 1)) == 0;
      warp_starts = gpu::ballot(lane < Tuning::warps &&
                                !shared_.warp_is_open[k % (2 * Tuning::groups)][lane]);
    }
    const gpu::BlockScan<P, Tuning::warps> warps(
        traits, shared_.warp_total[k % (2 * Tuning::groups)], warp_starts, weights_.warp);
    const segment total = warps.total();
    const segment left_warps = warps.before(warp);
    if constexpr (Tuning::heads) {
      own.starts = heads;
      if (thread_ == 0) publish(k, {total, warp_starts != 0}, false);
    } else {
      if (thread_ == 0) publish(k, total, warp_starts == 0);
    }
    if (own.open && warp > 0) {
      own.before = traits.join(left_warps, own.before, lane_weight);
      if constexpr (LineEnds) own.open = (warp_starts & ((gpu::LaneMask(1) << warp) - 1)) == 0;
    }
    return own;
  }

  /// @brief Hands a tile's total to the other blocks and to the warp that looks back.
  __device__ void publish(int k, total_segment total, bool open) const {
    // The total of the line's first tile holds what enters it, so that it reaches everybody.
    if constexpr (!Tuning::segmented)
      if (tile_begin(k) == 0 && shared_.entering.present)
        total = scan_.traits.enter(shared_.entering.value, total, weights_.tile);
    gpu::PrefixExchange<total_traits, Tuning::look_back_loads>::publish(
        scan_.totals, static_cast<std::uint32_t>(k), block_, blocks_, total, shared_.tags);
    shared_.total[k % Shared::slots] = total;
    shared_.total_is_open[k % Shared::slots] = open;
    gpu::barrier_of(shared_.total_ready, k).arrive();
  }

  template <bool LineEnds>
  __device__ void scan_tile(int k, Index before_tile, const Offset& offset,
                            const weight_type& thread_weight) {
    const P& traits = scan_.traits;
    const int lane = gpu::lane();
    value_type x[Tuning::items];
    element_weight w[weights_per_thread];
    char* const own = stage(k) + thread_ * Tuning::bytes;
    const char* last = own + Tuning::bytes;
    if (Tuning::segmented && lane == 31) last = shared_.after_warp[k % Shared::slots][warp_];
    load_items(k, last, x, w);
    gpu::wait_in_turn(shared_.carry_ready, k);
    value_type s = traits.state(inner(shared_.carry[k % Shared::slots]));
    if (!Tuning::segmented && tile_begin(k) == 0 && shared_.entering.present)
      s = shared_.entering.value;
    s = traits.leave(s, offset.before, thread_weight);
    gpu::Items<value_type, Tuning::items> y;
    if constexpr (LineEnds) {
      drop_outside(k, x, w);
      if (!offset.open) s = traits.state(offset.before);
      const auto starts = starts_of(before_tile, offset);
      if constexpr (Tuning::heads) {
        if (scan_.carry_in.present())
          scan_entered_lines(
              scan_, starts, [&](int i) { return entering_head(k, i); }, [](const value_type&) {},
              s, x, w, y.value);
        else if (gpu::any(starts.any()))
          scan_line_starts(traits, scan_.kind, starts, s, x, w, y.value);
        else
          scan_items(traits, scan_.kind, s, x, w, y.value);
      } else if (scan_.carry_in.present() || scan_.carry_out.data)
        scan_with_carries(
            scan_, starts, scan_.line_of(thread_element(k) - 1),
            [&](Index line) { return entering(line); }, s, x, w, y.value);
      else if (starts.any())
        scan_line_starts(traits, scan_.kind, starts, s, x, w, y.value);
      else
        scan_items(traits, scan_.kind, s, x, w, y.value);
    } else {
      if (!Tuning::segmented && scan_.carry_out.data) hand_out_end(k, s, x, w);
      scan_items(traits, scan_.kind, s, x, w, y.value);
      if (!Tuning::segmented && scan_.kind == ScanKind::Exclusive &&
          nothing_enters(thread_element(k)))
        y.value[0] = traits.empty_state();
    }
    if constexpr (Tuning::segmented) gpu::sync_warp();  // shifted inputs reach into the next lane
    y.store(own);
    gpu::order_before_bulk_copies();
    gpu::barrier_of(shared_.scanned, k).arrive();
  }

  __device__ Starts starts_of(Index before_tile, const Starts& heads) const {
    if constexpr (Tuning::heads)
      return heads;
    else
      return line_starts(before_tile);
  }
  __device__ Starts starts_of(Index before_tile, const Offset& offset) const {
    if constexpr (Tuning::heads)
      return offset.starts;
    else
      return line_starts(before_tile);
  }

  /// @brief Hands out the state after the line if the thread has its last element.
  __device__ void hand_out_end(int k, value_type s, const value_type (&x)[Tuning::items],
                               const element_weight (&w)[weights_per_thread]) const {
    const Index rest = scan_.count() - thread_element(k);
    if (rest <= 0 || rest > Tuning::items) return;
#pragma unroll
    for (int i = 0; i < Tuning::items; ++i)
      if (i < rest) s = scan_.traits.advance(s, x[i], w[P::streams == 2 ? i : 0]);
    scan_.carry_out(0, 0) = s;
  }

  const Scan& scan_;
  const TileMap<P, Tuning>& map_;
  const TileWeights<P, Tuning>& weights_;
  char* stages_;
  Shared& shared_;
  int block_;
  int blocks_;
  gpu::CyclicTiles tiles_;
  int waves_;
  int group_;   ///< of threads that scan
  int thread_;  ///< in its group
  int warp_;    ///< likewise
};

template <class P, class Tuning>
__global__ void __launch_bounds__(Tuning::block_threads, 1)
    persistent_scan(const WAVESCAN_GRID_CONSTANT typename Tuning::scan_type scan,
                    const WAVESCAN_GRID_CONSTANT TileMap<P, Tuning> map,
                    const WAVESCAN_GRID_CONSTANT TileWeights<P, Tuning> weights) {
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  PersistentScan<P, Tuning>(scan, map, weights, memory + (128 - address % 128) % 128).run();
}

}  // namespace wavescan::Impl

#endif
