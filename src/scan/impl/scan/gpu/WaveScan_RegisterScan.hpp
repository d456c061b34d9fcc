// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_REGISTERSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_REGISTERSCAN_HPP

#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Lines of any stride, alignment and input type on any GPU: a block holds a tile in
/// registers.
///
/// Tiles belong to one line each. Block b of G takes the tiles b, b + G, b + 2G, ... All blocks
/// must be resident (cooperative launch). With a tile for each block this is the quickest way to
/// scan a short line; with more it serves what bulk copies cannot.
///
/// Lines that start at heads (HeadLines) are one line for the tiles, whose totals say whether such
/// a line starts in them.

namespace wavescan::Impl {

/// @brief Sizes of the register kernel: a warp takes `Rows` times `Words` of 16 bytes for each
/// lane.
/// @tparam Waves  blocks may have several tiles
/// @tparam Starts EqualLines or HeadLines
template <class P, int Threads, int Rows, bool Waves, class Starts = EqualLines, int Words = 1>
struct RegisterTuning {
  using starts_type = Starts;
  static constexpr bool heads = Starts::have_heads;
  static constexpr bool waves = Waves;
  static constexpr int size = static_cast<int>(sizeof(typename P::value_type));
  /// Of large values a thread takes some side by side, in as many registers as a thread can have.
  static constexpr bool large = size > 16;
  static constexpr int threads = large ? Threads / 2 : Threads;
  static constexpr int rows = large ? 1 : Rows;
  static constexpr int warps = threads / gpu::warp_size;
  static constexpr bool whole_words = 16 % size == 0;
  static constexpr int items = whole_words  ? Words * 16 / size
                               : size <= 16 ? 1
                               : size <= 48 ? 4
                                            : 2;
  static constexpr Index row = gpu::warp_size * items;
  static constexpr Index tile = row * rows * warps;
  static constexpr int look_back_loads = gpu::warp_size == 32 ? 5 : 3;
};

/// @brief True for accessors behind a function whose elements are moved together, as they lie in
/// memory. Of large ones the function may need but a part.
template <class Accessor>
inline constexpr bool passes_in_words = false;
template <class T, class F>
inline constexpr bool passes_in_words<TransformSource<T, F>> = sizeof(T) <= 16;
template <class T, class F>
inline constexpr bool passes_in_words<TransformTarget<T, F>> = sizeof(T) <= 16;

/// @brief The weights of the lengths that occur in a register tile, computed on the host.
template <class P, class Tuning>
struct RegisterWeights {
  LengthWeights<P, 6> lane;
  LengthWeights<P, 6> warp;
  LengthWeights<P, 10> tile;
  typename P::weight_type row;
  typename P::weight_type wave;  ///< of all tiles between two of a block

  RegisterWeights(const P& traits, int blocks)
      : lane(traits, Tuning::items),
        warp(traits, Tuning::row * Tuning::rows),
        tile(traits, Tuning::tile),
        row(traits.weight_of(Tuning::row)),
        wave(traits.weight_of(Tuning::tile * (blocks - 1))) {}
};

/// @brief Starts of lines in a thread's share of a tile, where lines start at heads.
template <int Rows, int Items, bool Heads>
struct RowStarts {};
template <int Rows, int Items>
struct RowStarts<Rows, Items, true> {
  LineStarts<Items> starts[Rows];
};

/// @brief Shared memory of a block where lines start at heads.
template <int Warps, bool Heads>
struct RegisterHeads {};
template <int Warps>
struct RegisterHeads<Warps, true> {
  bool warp_is_open[Warps];
};

template <class P, class In, class Tuning>
class RegisterScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using segment = typename P::segment;
  using weight_type = typename P::weight_type;
  static constexpr int items = Tuning::items;
  static constexpr int rows = Tuning::rows;
  static constexpr int weights_per_row = P::streams == 2 ? items : 1;
  using Scan = RowsScan<P, In, typename Tuning::starts_type>;
  using total_traits = std::conditional_t<Tuning::heads, HeadTraits<P>, P>;
  using total_segment = typename total_traits::segment;

 public:
  struct Shared : RegisterHeads<Tuning::warps, Tuning::heads> {
    segment warp_total[Tuning::warps];
    segment before;       ///< the line's tiles before this one
    value_type entering;  ///< the line, whose first tile this is
  };

  __device__ RegisterScan(const Scan& scan, const RegisterWeights<P, Tuning>& weights,
                          Shared& shared)
      : scan_(scan),
        weights_(weights),
        shared_(shared),
        tiles_a_line_((scan.extents.length + Tuning::tile - 1) / Tuning::tile),
        lane_weight_(weights.lane.of(scan.traits, gpu::lane())),
        warp_weight_(weights.warp.of(scan.traits, gpu::warp())) {}

  __device__ void run() {
    const auto block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
    const Index tiles = tiles_a_line_ * scan_.extents.lines;
    Exchange exchange(*this, block, blocks);
    Tile tile(*this, block);
    if constexpr (!Tuning::waves) {
      scan_tile(exchange, tile, block == tiles - 1, [] {});
    } else {
      Tile next;
      for (Index t = block; t < tiles; t += blocks) {
        scan_tile(exchange, tile, t == tiles - 1, [&] {
          if (t + blocks < tiles) next = Tile(*this, t + blocks);
        });
        tile = next;
        __syncthreads();  // before the next tile writes to shared memory
      }
    }
  }

 private:
  /// @brief The first warp's exchange with other blocks.
  class Exchange {
   public:
    __device__ Exchange(const RegisterScan& own, int block, int blocks)
        : own_(own),
          block_(block),
          blocks_(blocks),
          tags_(gpu::warp() == 0 ? own.scan_.totals.epoch().tags() : gpu::LaunchTags{0}),
          traits_(own.totals_traits()),
          totals_(traits_, own.scan_.totals, block, blocks,
                  [&](Index tiles) { return own.weights_.tile.of(own.scan_.traits, tiles); }) {}

    __device__ void publish(const total_segment& total) {
      if (gpu::lane() == 0 && blocks_ > 1)
        totals_.publish(own_.scan_.totals, wave_, block_, blocks_, total, tags_);
    }
    /// @brief The segment of the `reach` tiles of the line before the tile of this total.
    __device__ total_segment look_back(const total_segment& total, Index reach, bool last) {
      const total_traits& traits = traits_;
      total_segment before = totals_.join_totals(wave_, tags_, reach);
      if constexpr (Tuning::waves) {
        if (wave_ > 0 && reach >= blocks_) before = traits.join(after_, before, own_.weights_.wave);
        after_ = reach > 0 ? traits.join(before, total, own_.weights_.tile[0]) : total;
      }
      // The last tile has heard of all other blocks, and so they have read the epoch.
      if constexpr (gpu::knows_starts<total_traits>)
        if (last) totals_.await_others(wave_, tags_);
      if (last && gpu::lane() == 0) own_.scan_.totals.epoch().end(tags_, wave_);
      ++wave_;
      return before;
    }

   private:
    const RegisterScan& own_;
    int block_;
    int blocks_;
    gpu::LaunchTags tags_;
    std::uint32_t wave_ = 0;
    std::conditional_t<Tuning::heads, total_traits, const total_traits&> traits_;
    gpu::PrefixExchange<total_traits, Tuning::look_back_loads> totals_;
    total_segment after_ = traits_.identity();  // the line so far with the block's last tile
  };

  /// @brief The arithmetic of tiles' totals.
  __device__ decltype(auto) totals_traits() const {
    if constexpr (Tuning::heads)
      return total_traits{scan_.traits};
    else
      return (scan_.traits);
  }

  /// @brief A thread's share of a tile.
  struct Tile : RowStarts<rows, items, Tuning::heads> {
    alignas(16) value_type x[rows][items];
    alignas(16) element_weight w[rows][weights_per_row];
    Index line;   ///< that the tile belongs to
    Index place;  ///< of the tile in its line
    Index first;  ///< of the thread's elements in the line

    Tile() = default;
    __device__ Tile(const RegisterScan& own, Index t) {
      line = own.scan_.extents.lines == 1 ? 0 : t / own.tiles_a_line_;
      place = t - line * own.tiles_a_line_;
      first = place * Tuning::tile + gpu::warp() * rows * Tuning::row + gpu::lane() * items;
#pragma unroll
      for (int r = 0; r < rows; ++r) own.load(*this, r);
      if constexpr (Tuning::heads) {
#pragma unroll
        for (int r = 0; r < rows; ++r)
          this->starts[r] = LineStarts<items>(
              heads_among<items>(own.scan_.heads, own.scan_.extents.length, first_of(r)));
      }
    }
    __device__ Index first_of(int r) const { return first + r * Tuning::row; }
  };

  /// @param meanwhile called when the tile's total is known to the other blocks
  template <class Meanwhile>
  __device__ void scan_tile(Exchange& exchange, const Tile& tile, bool last,
                            const Meanwhile& meanwhile) {
    const P& traits = scan_.traits;
    const int lane = gpu::lane(), warp = gpu::warp();
    // What enters the line is read before the tile's total is published: a block that receives it
    // may hand out the line's end, to the same place perhaps.
    const bool enters = !Tuning::heads && tile.place == 0 && scan_.carry_in.present();
    if (enters && threadIdx.x == 0) shared_.entering = scan_.carry_in(tile.line).value;
    // Each row's elements before the lane's own, the rows' totals, and the lanes in which lines
    // start: none, but at heads.
    segment before[rows];
    segment row_total[rows];
    gpu::LaneMask row_starts[rows];
    segment total = traits.identity();
    bool open = true;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      row_starts[r] = starts_of(tile, r);
      const segment sum = gpu::warp_weighted_scan(traits, reduce_row(tile, r, row_starts[r]),
                                                  gpu::segment_begin(row_starts[r]), weights_.lane);
      row_total[r] = gpu::broadcast(sum, gpu::warp_size - 1);
      before[r] = gpu::shuffle_up(sum, 1);
      if (lane == 0) before[r] = traits.identity();
      total = r == 0 || row_starts[r] != 0 ? row_total[r]
                                           : traits.join(total, row_total[r], weights_.row);
      open = open && row_starts[r] == 0;
    }
    if (lane == 0) {
      shared_.warp_total[warp] = total;
      if constexpr (Tuning::heads) shared_.warp_is_open[warp] = open;
    }
    __syncthreads();
    gpu::LaneMask warp_starts = 0;
    if constexpr (Tuning::heads)
      warp_starts =
          gpu::ballot(lane < Tuning::warps && !shared_.warp_is_open[lane % Tuning::warps]);
    const gpu::BlockScan<P, Tuning::warps> warps(traits, shared_.warp_total, warp_starts,
                                                 weights_.warp);
    if (warp == 0) {
      total_segment tile_total;
      if constexpr (Tuning::heads)
        tile_total = {warps.total(), warp_starts != 0};
      else
        tile_total = warps.total();
      if constexpr (!Tuning::heads)
        if (enters) tile_total = traits.enter(shared_.entering, tile_total, weights_.tile[0]);
      exchange.publish(tile_total);
      meanwhile();
      const total_segment tiles_before = exchange.look_back(tile_total, tile.place, last);
      if (lane == 0) shared_.before = inner(tiles_before);
    } else {
      meanwhile();
    }
    const segment offset = warps.before(warp);
    __syncthreads();
    value_type s = enters ? shared_.entering : traits.state(shared_.before);
    if (warp > 0)
      s = (warp_starts & ((gpu::LaneMask(1) << warp) - 1)) == 0
              ? traits.leave(s, offset, warp_weight_)
              : traits.state(offset);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool starts_before = (row_starts[r] & (gpu::lanes_up_to_own() >> 1)) != 0;
      store(tile, r,
            starts_before ? traits.state(before[r]) : traits.leave(s, before[r], lane_weight_));
      s = row_starts[r] != 0 ? traits.state(row_total[r])
                             : traits.leave(s, row_total[r], weights_.row);
    }
  }

  __device__ static const segment& inner(const total_segment& total) {
    if constexpr (Tuning::heads)
      return total.inner;
    else
      return total;
  }

  /// @brief The lanes in which lines start in a row.
  __device__ gpu::LaneMask starts_of(const Tile& tile, int r) const {
    if constexpr (Tuning::heads)
      return gpu::ballot(tile.starts[r].any());
    else
      return 0;
  }
  /// @brief The segment of the lane's elements of a row.
  __device__ segment reduce_row(const Tile& tile, int r, gpu::LaneMask row_starts) const {
    if constexpr (Tuning::heads) {
      const auto& starts = tile.starts[r];
      const auto carry = [&] {
        return starts.any() ? entering_head(tile.first_of(r) + starts.last()) : scan_.entry.common;
      };
      if (row_starts != 0) return reduce_last_line(scan_, starts, carry, tile.x[r], tile.w[r]);
    }
    return reduce_items(scan_.traits, tile.x[r], tile.w[r]);
  }

  /// @brief The state that enters the line that starts with an element.
  __device__ State<value_type> entering_head(Index element) const {
    return element < scan_.extents.length ? scan_.entry(element) : scan_.entry.common;
  }
  /// @brief Scans the elements of a row, which state s enters.
  __device__ void scan_row(const Tile& tile, int r, const value_type& s,
                           value_type (&y)[items]) const {
    if constexpr (Tuning::heads) {
      const auto& starts = tile.starts[r];
      if (scan_.carry_in.present())
        scan_entered_lines(
            scan_, starts, [&](int i) { return entering_head(tile.first_of(r) + i); },
            [](const value_type&) {}, s, tile.x[r], tile.w[r], y);
      else if (gpu::any(starts.any()))
        scan_line_starts(scan_.traits, scan_.kind, starts, s, tile.x[r], tile.w[r], y);
      else
        scan_items(scan_.traits, scan_.kind, s, tile.x[r], tile.w[r], y);
    } else {
      scan_items(scan_.traits, scan_.kind, s, tile.x[r], tile.w[r], y);
    }
  }

  /// @brief True for the line's first element if no state enters it.
  __device__ bool nothing_enters(Index element) const {
    return element == 0 && !scan_.carry_in.present();
  }

  template <class Words, class T>
  __device__ static bool in_words(const T* first, Index stride) {
    return stride == 1 && reinterpret_cast<std::uintptr_t>(first) % alignof(Words) == 0;
  }

  /// @brief Loads a lane's elements from `first` on; those after the end of the line are `missing`.
  template <class Source, class T>
  __device__ void load(const Source& source, Index line, Index first, const T& missing,
                       T (&to)[items]) const {
    const auto from = source.from(line, first);
    if constexpr (std::same_as<Source, Lines<const T>> && Tuning::whole_words &&
                  sizeof(T) * items % 16 == 0) {
      if (first + items <= scan_.extents.length && in_words<uint4>(from.data, from.stride)) {
#pragma unroll
        for (int k = 0; k < static_cast<int>(sizeof(T)) * items / 16; ++k)
          reinterpret_cast<uint4*>(to)[k] =
              gpu::load_streaming(reinterpret_cast<const uint4*>(from.data) + k);
        return;
      }
    }
    if constexpr (passes_in_words<Source>) {
      using Element = std::remove_cvref_t<decltype(source.lines(line, first))>;
      using Words = gpu::Unit<static_cast<int>(sizeof(Element)) * items>;
      const auto memory = source.lines.from(line, first);
      if (first + items <= scan_.extents.length && in_words<Words>(memory.data, memory.stride)) {
        const Words words = *reinterpret_cast<const Words*>(memory.data);
#pragma unroll
        for (int i = 0; i < items; ++i)
          to[i] = static_cast<T>(source.function(reinterpret_cast<const Element*>(&words)[i]));
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < items; ++i)
      to[i] = first + i < scan_.extents.length ? static_cast<T>(from[i]) : missing;
  }

  __device__ void load(Tile& tile, int r) const {
    const Index first = tile.first_of(r);
    load(scan_.in, tile.line, first, scan_.traits.state(scan_.traits.identity()), tile.x[r]);
    if constexpr (P::streams == 2) {
      load(scan_.weights, tile.line, first, scan_.traits.algebra.one(), tile.w[r]);
      // Nothing enters the first element, whatever its weight.
      if (nothing_enters(first)) tile.w[r][0] = scan_.traits.algebra.one();
    }
  }

  __device__ void store(const Tile& tile, int r, const value_type& s) const {
    const Index first = tile.first_of(r);
    const Index rest = scan_.extents.length - first;
    alignas(16) value_type y[items];
    scan_row(tile, r, s, y);
    if (scan_.kind == ScanKind::Exclusive && nothing_enters(first))
      y[0] = scan_.traits.empty_state();
    if (rest <= 0) return;
    const auto to = scan_.out.from(tile.line, first);
    bool vectors = false;
    if constexpr (Tuning::whole_words && target_is_lines<value_type, In>) {
      vectors = rest >= items && in_words<uint4>(to.data, to.stride);
      if (vectors) {
#pragma unroll
        for (int k = 0; k < Tuning::size * items / 16; ++k)
          reinterpret_cast<uint4*>(to.data)[k] = reinterpret_cast<uint4*>(y)[k];
      }
    } else if constexpr (passes_in_words<std::remove_cvref_t<decltype(scan_.out)>>) {
      using Element = std::remove_cvref_t<decltype(scan_.out.lines(tile.line, first))>;
      using Words = gpu::Unit<static_cast<int>(sizeof(Element)) * items>;
      const auto memory = scan_.out.lines.from(tile.line, first);
      vectors = rest >= items && in_words<Words>(memory.data, memory.stride);
      if (vectors) {
        Words words;
#pragma unroll
        for (int i = 0; i < items; ++i)
          reinterpret_cast<Element*>(&words)[i] = static_cast<Element>(scan_.out.function(y[i]));
        *reinterpret_cast<Words*>(memory.data) = words;
      }
    }
    if (!vectors) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (i < rest) to[i] = y[i];
    }
    if (scan_.carry_out.data && rest <= items) {
      value_type state = s;
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (i < rest)
          state = scan_.traits.advance(state, tile.x[r][i], tile.w[r][P::streams == 2 ? i : 0]);
      scan_.carry_out(tile.line, 0) = state;
    }
  }

  const Scan& scan_;
  const RegisterWeights<P, Tuning>& weights_;
  Shared& shared_;
  Index tiles_a_line_;
  weight_type lane_weight_;
  weight_type warp_weight_;
};

template <class P, class In, class Tuning>
__global__ void __launch_bounds__(Tuning::threads)
    register_scan(const WAVESCAN_GRID_CONSTANT RowsScan<P, In, typename Tuning::starts_type> scan,
                  const WAVESCAN_GRID_CONSTANT RegisterWeights<P, Tuning> weights) {
  using Kernel = RegisterScan<P, In, Tuning>;
  // As bytes, since types with constructors cannot be in shared memory.
  alignas(16) __shared__ char memory[sizeof(typename Kernel::Shared)];
  Kernel(scan, weights, *reinterpret_cast<typename Kernel::Shared*>(memory)).run();
}

}  // namespace wavescan::Impl

#endif
