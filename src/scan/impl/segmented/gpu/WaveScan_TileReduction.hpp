// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_GPU_TILEREDUCTION_HPP
#define WAVESCAN_IMPL_SEGMENTED_GPU_TILEREDUCTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Problem.hpp>
#include <impl/scan/gpu/WaveScan_Rows.hpp>
#include <impl/scan/gpu/WaveScan_Traits.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>
#include <impl/segmented/WaveScan_RunSums.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

/// @file
/// @brief Reductions of segments on a GPU: blocks that do not wait for each other.
///
/// Each block goes through a part of the array, tile by tile, and carries the sum of the segment in
/// which a tile ends to the next one. A tile comes to shared memory; threads reduce their elements,
/// scan what they have, scan their elements, and put the results where the elements were: that of a
/// segment's last element is its sum. Of a segment that begins before the part, only the sum of
/// what lies in it is known. A second kernel, of one block, puts what the parts before have of it
/// in front of that; everything is joined in order, and in the same way each time.
///
/// *Runs*, which bits tell, have numbers by counts that are known before. Numbered segments are
/// told by offsets, without bits: elements and ends of segments are merged, in that order, and
/// parts and tiles have equally many of both together, so that empty segments are shared evenly,
/// too (D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", 2016).

namespace wavescan::Impl {

/// @brief Sizes of the kernel for elements of a type.
template <class T>
struct ReductionTuning {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int threads = 256;
  static constexpr int warps = threads / gpu::warp_size;
  static constexpr int unit = 16 / std::gcd(16, size);  ///< fewest elements of whole words
  /// Of a thread: where possible an odd number of 16-byte words, for shared memory's banks.
  static constexpr int items = ceil_div(size == 1 ? 48 : 80, size* unit) * unit;
  static constexpr int bytes = items * size;
  static constexpr int positions = threads * items;
  /// Of elements and ends of segments: a tile begins at a 16-byte boundary before its elements.
  static constexpr int tile = positions - unit;
  /// Bytes that tell heads, of a thread: an odd number of words.
  static constexpr int flag_words = ceil_div(items, 4) | 1;
  /// Blocks of a multiprocessor, by registers and by threads.
  static constexpr int blocks_together = size > 8                                              ? 2
                                         : compiled_capability > 0 && compiled_capability < 80 ? 4
                                                                                               : 4;
  static constexpr int most_blocks = 1024;  ///< which one block joins
  static_assert(items < 64 && positions <= 1 << 16);
};

/// @brief What a part has of the segment in which it ends, and where the sum goes of the one in
/// which it begins.
template <class Segment>
struct ReducedPart {
  Segment after;
  Index first;  ///< -1: there is none
};

/// @brief How an array is cut into parts and tiles: of elements, or of elements and ends.
struct ReductionParts {
  Index elements, places;  ///< places: elements and numbered segments
  int blocks, tiles;       ///< parts, and tiles of each

  template <class Tuning>
  static ReductionParts of(Index elements, Index segments, Index resident) {
    const Index places = elements + segments;
    const Index blocks =
        std::clamp<Index>(ceil_div(places, Tuning::tile), 1, std::min<Index>(resident, 1024));
    return {elements, places, static_cast<int>(blocks),
            static_cast<int>(ceil_div(ceil_div(places, blocks), Tuning::tile))};
  }
  KOKKOS_FUNCTION Index part_begin(Index block) const {
    const Index share = places / blocks, rest = places % blocks;
    return block * share + (block < rest ? block : rest);
  }
  /// @brief Where tile k of a part begins; that behind the last one is where the part ends.
  template <class Tuning>
  KOKKOS_FUNCTION Index tile_begin(Index block, int k) const {
    const Index begin = part_begin(block) + Index(k) * Tuning::tile, end = part_begin(block + 1);
    return begin < end ? begin : end;
  }
};

/// @brief How many ends of segments are before the begins of tiles, in the merged order.
template <class Tuning>
struct SplitTiles {
  ReductionParts parts;
  OffsetArray ends;
  Index* splits;
  KOKKOS_FUNCTION void operator()(const Index i) const {
    const Index block = i / (parts.tiles + 1);
    const Index place =
        parts.tile_begin<Tuning>(block, static_cast<int>(i - block * (parts.tiles + 1)));
    // The end of segment s is preceded by as many elements as it says, and by s others.
    Index low = place > parts.elements ? place - parts.elements : 0;
    Index high = place < ends.size ? place : ends.size;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (ends(middle) + middle < place)
        low = middle + 1;
      else
        high = middle;
    }
    splits[i] = low;
  }
};

/// @brief Segments that are told by offsets.
template <class T>
struct NumberedSums {
  static constexpr bool numbered = true;
  SegmentRanges segments;
  const Index* splits;
  Lines<T> sums;
  State<T> of_nothing;  ///< the sum of empty segments, if they have one
  KOKKOS_FUNCTION void put(Index s, const T& sum) const { sums(0, s) = sum; }
  KOKKOS_FUNCTION T& at(Index s) const { return sums(0, s); }
};

/// @brief Runs between heads, whose numbers are known.
template <class Runs>
struct CountedSums : Runs {
  Heads heads;
  RunCounts counts;
};

/// @brief What the kernel is given.
template <class P, class Source, class Target>
struct ReductionParameters {
  P traits;
  Source in;
  bool in_words;  ///< whether it can be read as words of 16 bytes
  State<typename P::value_type> enters;
  ReductionParts parts;
  Target target;
  ReducedPart<typename HeadTraits<P>::segment>* ends;
};

template <class P, class Source, class Target>
class ReduceTiles {
  using T = typename P::value_type;
  using Tuning = ReductionTuning<T>;
  using Totals = HeadTraits<P>;
  using segment = typename Totals::segment;
  using Starts = LineStarts<Tuning::items>;
  static constexpr int items = Tuning::items;
  static constexpr bool numbered = Target::numbered;

  struct alignas(16) Shared {
    alignas(16) char elements[Tuning::threads * Tuning::bytes];
    union {
      std::uint32_t flags[Tuning::threads * Tuning::flag_words];
      std::uint16_t tails[Tuning::positions];
    };
    alignas(16) segment warp_total[Tuning::warps];
  };

 public:
  using Parameters = ReductionParameters<P, Source, Target>;
  static constexpr int block_threads = Tuning::threads;
  static constexpr int blocks_together = Tuning::blocks_together;
  static constexpr bool any_mover = true;
  static constexpr std::size_t memory_alignment = 16;
  static constexpr std::size_t shared_bytes = sizeof(Shared);

  __device__ ReduceTiles(const Parameters& given, char* memory)
      : given_(given), shared_(*reinterpret_cast<Shared*>(memory)) {}

  __device__ void run() {
    const Totals totals{given_.traits};
    const int block = static_cast<int>(blockIdx.x);
    const int tiles = given_.parts.tiles;
    segment before = totals.identity();
    if (thread() == 0) given_.ends[block].first = -1;
    Tile tile;
    tile.begin_at(given_, block, 0);
    part_begin_ = tile.first;
    if constexpr (!numbered) heads_before_ = given_.target.counts.heads_before(part_begin_);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
      tile.end_at(given_, block, k + 1);
      reduce(tile, before);
      tile.go_on();
    }
    if (thread() > 0) return;
    given_.ends[block].after = before;
    if constexpr (!numbered) {
      const auto& target = given_.target;
      if (block == given_.parts.blocks - 1)
        target.count.store(heads_before_ + Index(before.starts) - target.skipped);
      if constexpr (Target::keys)
        if (block == 0) target.put_key(0, target.all(0, 0));
    }
  }

 private:
  __device__ static int thread() { return static_cast<int>(threadIdx.x); }

  /// @brief Elements of a tile and ends of segments in it.
  struct Tile {
    Index first, end;             ///< elements
    Index first_segment, behind;  ///< those that end in the tile, or whose end the order puts there

    __device__ void begin_at(const Parameters& given, int block, int k) {
      end_at_any(given, block, k);
      go_on();
    }
    __device__ void end_at(const Parameters& given, int block, int k) {
      end_at_any(given, block, k);
      // Whatever offsets say that are wrong.
      end = end < first ? first : end > first + Tuning::tile ? first + Tuning::tile : end;
      if (behind < first_segment) behind = first_segment;
    }
    __device__ void go_on() {
      first = end;
      first_segment = behind;
    }

   private:
    __device__ void end_at_any(const Parameters& given, int block, int k) {
      end = given.parts.template tile_begin<Tuning>(block, k);
      behind = 0;
      if constexpr (numbered) {
        behind = given.target.splits[Index(block) * (given.parts.tiles + 1) + k];
        end -= behind;
      }
    }
  };

  /// @brief Reduces a tile's segments.
  /// @param before in: the part so far; out: with the tile
  __device__ void reduce(const Tile& tile, segment& before) {
    const Totals totals{given_.traits};
    const int lead = lead_of(tile.first);  // positions before the first element
    const Index begin = tile.first - lead;
    const int behind = static_cast<int>(tile.end - begin);
    Starts starts;
    if constexpr (numbered) {
#pragma unroll
      for (int w = 0; w < Tuning::flag_words; ++w)
        shared_.flags[thread() * Tuning::flag_words + w] = 0;
      __syncthreads();
      load_elements(tile, begin, lead, behind);
      flag_heads(tile, begin);
      __syncthreads();
      starts = flagged();
    } else {
      HeadsAhead<Heads, items> ahead;
      ahead.load(given_.target.heads, given_.parts.elements, begin + own());
      load_elements(tile, begin, lead, behind);
      starts = Starts(ahead.bits(given_.target.heads, given_.parts.elements, begin + own()));
      starts.keep_between(lead - own(), behind - own());
      __syncthreads();
    }
    gpu::Items<T, items> x;
    x.load(own_elements());
    if (own() < lead || own() + items > behind) drop_outside(x.value, lead, behind);
    const segment own_total = reduce_items(x.value, starts);

    const NoWeights no_weights;
    const segment up_to_own = gpu::warp_weighted_scan(totals, own_total, 0, no_weights);
    segment left = gpu::shuffle_up(up_to_own, 1);
    if (gpu::lane() == 0) left = totals.identity();
    if (gpu::lane() == gpu::warp_size - 1) shared_.warp_total[gpu::warp()] = up_to_own;
    __syncthreads();
    const gpu::BlockScan<Totals, Tuning::warps> warps(totals, shared_.warp_total, 0, no_weights);
    const segment left_warps = warps.before(gpu::warp());
    if (gpu::warp() > 0) left = totals.join(left_warps, left, {});
    const segment all = warps.total();

    if constexpr (numbered) {
      if (tile.first_segment < tile.behind) {
        scan_items(x, starts, totals.join(before, left, {}).inner);
        __syncthreads();
        store_segments(tile, begin, lead, behind, before.inner);
      }
    } else {
      const bool first = is_head(tile.first), last = is_head(tile.end);
      const int tails = static_cast<int>(all.starts) - first + last;
      if (tails > 0 && tile.first < tile.end) {
        scan_items(x, starts, totals.join(before, left, {}).inner);
        list_tails(starts, static_cast<int>(left.starts) - first, lead, last ? behind : -1);
        __syncthreads();
        store_runs(begin, tails, heads_before_ + Index(before.starts) + first - 1);
      }
    }
    before = totals.join(before, all, {});
    __syncthreads();  // before the next tile comes
  }

  struct NoWeights {
    __device__ NoWeight operator[](int) const { return {}; }
  };

  // ---- what comes from memory

  __device__ static int own() { return thread() * items; }
  __device__ char* own_elements() const { return shared_.elements + thread() * Tuning::bytes; }
  __device__ T* elements() const { return reinterpret_cast<T*>(shared_.elements); }

  static constexpr bool can_be_words = std::same_as<Source, Lines<const T>> && 16 % sizeof(T) == 0;
  __device__ int lead_of(Index first) const {
    if constexpr (can_be_words)
      if (given_.in_words)
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(given_.in.data + first) % 16 /
                                sizeof(T));
    return 0;
  }

  __device__ void load_elements(const Tile& tile, Index begin, int lead, int behind) const {
    if constexpr (can_be_words)
      if (given_.in_words) return load_words(begin, lead, behind);
    const int count = behind - lead;
#pragma unroll 4
    for (int i = thread(); i < count; i += Tuning::threads)
      elements()[lead + i] = static_cast<T>(given_.in(0, tile.first + i));
  }

  __device__ void load_words(Index begin, int lead, int behind) const {
    constexpr int words = Tuning::bytes / 16;
    uint4 word[words];
    const T* const from = given_.in.data + begin;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const int position = (w * Tuning::threads + thread()) * Tuning::unit;
      if (position >= lead && position + Tuning::unit <= behind)
        word[w] = *reinterpret_cast<const uint4*>(from + position);
    }
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const int place = w * Tuning::threads + thread(), position = place * Tuning::unit;
      if (position >= lead && position + Tuning::unit <= behind)
        reinterpret_cast<uint4*>(shared_.elements)[place] = word[w];
      else  // at the ends of the tile
        for (int i = position; i < position + Tuning::unit; ++i)
          if (i >= lead && i < behind) elements()[i] = from[i];
    }
  }

  /// @brief Makes what is not in the tile identities.
  __device__ void drop_outside(T (&x)[items], int lead, int behind) const {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (own() + i < lead || own() + i >= behind)
        x[i] = given_.traits.state(given_.traits.identity());
  }

  // ---- heads

  __device__ void flag_heads(const Tile& tile, Index begin) const {
    if constexpr (numbered) {
      const SegmentRanges& segments = given_.target.segments;
      auto* const flags = reinterpret_cast<unsigned char*>(shared_.flags);
      // With the one that goes on behind the tile.
      const Index count = segments.begins.size;
      const Index end = tile.behind < count ? tile.behind + 1 : count;
      for (Index s = tile.first_segment + thread(); s < end; s += Tuning::threads) {
        const Index from = segments.begins(s);
        if (from < tile.first || from >= tile.end || from >= segments.ends(s)) continue;
        const auto position = static_cast<unsigned>(from - begin);
        flags[position / items * (4 * Tuning::flag_words) + position % items] = 1;
      }
    }
  }
  __device__ Starts flagged() const {
    std::uint64_t bits = 0;
#pragma unroll
    for (int w = 0; w < ceil_div(items, 4); ++w)
      bits |= std::uint64_t(shared_.flags[thread() * Tuning::flag_words + w] * 0x10204080u >> 28)
              << 4 * w;
    return Starts(bits);
  }
  /// @brief Whether a run begins with element j or behind the last one.
  __device__ bool is_head(Index j) const {
    if constexpr (numbered)
      return false;
    else
      return given_.target.heads(j);
  }

  // ---- a thread's elements

  __device__ T begin(const T& x) const {
    return given_.enters.present ? given_.traits.op(given_.enters.value, x) : x;
  }
  __device__ segment reduce_items(const T (&x)[items], const Starts& starts) const {
    const P& traits = given_.traits;
    T s = starts.at(0) ? begin(x[0]) : x[0];
    if (given_.enters.present) {
#pragma unroll
      for (int i = 1; i < items; ++i) s = starts.at(i) ? begin(x[i]) : traits.op(s, x[i]);
    } else {
#pragma unroll
      for (int i = 1; i < items; ++i) {
        const T next = traits.op(s, x[i]);
        s = starts.at(i) ? x[i] : next;
      }
    }
    return {s, static_cast<std::uint32_t>(starts.among(items))};
  }
  /// @brief Puts the states after elements in their places.
  __device__ void scan_items(gpu::Items<T, items>& x, const Starts& starts, T s) const {
    const P& traits = given_.traits;
    if (given_.enters.present) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        x.value[i] = s = starts.at(i) ? begin(x.value[i]) : traits.op(s, x.value[i]);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const T next = traits.op(s, x.value[i]);
        s = starts.at(i) ? x.value[i] : next;
        x.value[i] = s;
      }
    }
    x.store(own_elements());
  }

  // ---- results

  static constexpr int at_once = 4;  ///< reads of a thread before it looks at what came

  /// @param before the sum so far of the segment in which the tile before ends
  __device__ void store_segments(const Tile& tile, Index begin, int lead, int behind,
                                 const T& before) const {
    if constexpr (numbered) {
      const auto& target = given_.target;
      for (Index s = tile.first_segment + thread(); s < tile.behind;
           s += at_once * Tuning::threads) {
        Index from[at_once], to[at_once];
#pragma unroll
        for (int m = 0; m < at_once; ++m) {
          const Index t = s + m * Tuning::threads;
          from[m] = t < tile.behind ? target.segments.begins(t) : 0;
          to[m] = t < tile.behind ? target.segments.ends(t) : 0;
        }
#pragma unroll
        for (int m = 0; m < at_once; ++m) {
          const Index t = s + m * Tuning::threads;
          if (t >= tile.behind) break;
          if (from[m] < to[m]) {
            const Index last = to[m] - 1 - begin;
            target.put(t, last >= lead && last < behind ? elements()[last] : before);
            if (from[m] < part_begin_) given_.ends[blockIdx.x].first = t;
          } else if (target.of_nothing.present) {
            target.put(t, target.of_nothing.value);
          }
        }
      }
    }
  }

  /// @param place of the first run that ends among the thread's elements
  /// @param end   position behind the tile if a run ends there
  __device__ void list_tails(const Starts& starts, int place, int lead, int end) const {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      place += starts.at(i);
      if ((starts.at(i + 1) && own() + i >= lead) || own() + i + 1 == end)
        shared_.tails[place] = static_cast<std::uint16_t>(own() + i);
    }
  }
  /// @param run the first one that ends in the tile
  __device__ void store_runs(Index begin, int count, Index run) const {
    if constexpr (!numbered) {
      const auto& target = given_.target;
      for (int i = thread(); i < count; i += Tuning::threads)
        target.put(run + i, elements()[shared_.tails[i]]);
      if (thread() == 0 && run < heads_before_)  // it begins before the part
        given_.ends[blockIdx.x].first = target.place_of(run);
      if constexpr (Target::keys) {
        for (int i = thread(); i < count; i += at_once * Tuning::threads) {
          typename Target::key_type key[at_once];
          bool there[at_once];
#pragma unroll
          for (int m = 0; m < at_once; ++m) {
            const int k = i + m * Tuning::threads;
            const Index next = k < count ? begin + shared_.tails[k] + 1 : given_.parts.elements;
            there[m] = next < given_.parts.elements;
            if (there[m]) key[m] = target.all(0, next);
          }
#pragma unroll
          for (int m = 0; m < at_once; ++m)
            if (there[m]) target.put_key(run + i + m * Tuning::threads + 1, key[m]);
        }
      }
    }
  }

  const Parameters& given_;
  Shared& shared_;
  Index part_begin_ = 0;    ///< the part's first element
  Index heads_before_ = 0;  ///< before it
};

/// @brief Puts what parts before have of a segment in front of its sum: a thread for each part.
template <class P, class Target>
struct JoinParts {
  P traits;
  Target target;
  const ReducedPart<typename HeadTraits<P>::segment>* ends;
  int parts;
};
template <class P, class Target>
class JoinPartsBlock {
  using Totals = HeadTraits<P>;
  using segment = typename Totals::segment;

 public:
  using Parameters = JoinParts<P, Target>;
  static constexpr int block_threads = 1024;
  static constexpr int blocks_together = 1;
  static constexpr bool any_mover = true;
  static constexpr std::size_t memory_alignment = 16;
  static constexpr int warps = block_threads / gpu::warp_size;
  static constexpr std::size_t shared_bytes = sizeof(segment) * warps;

  __device__ JoinPartsBlock(const Parameters& given, char* memory)
      : given_(given), totals_(reinterpret_cast<segment*>(memory)) {}

  __device__ void run() const {
    const Totals traits{given_.traits};
    const auto part = static_cast<int>(threadIdx.x);
    const NoWeights no_weights;
    segment own = traits.identity();
    if (part < given_.parts) own = given_.ends[part].after;
    own = gpu::warp_weighted_scan(traits, own, 0, no_weights);
    segment left = gpu::shuffle_up(own, 1);
    if (gpu::lane() == 0) left = traits.identity();
    if (gpu::lane() == gpu::warp_size - 1) totals_[gpu::warp()] = own;
    __syncthreads();
    const gpu::BlockScan<Totals, warps> all(traits, totals_, 0, no_weights);
    const segment left_warps = all.before(gpu::warp());
    if (gpu::warp() > 0) left = traits.join(left_warps, left, {});
    if (part == 0 || part >= given_.parts) return;
    const Index first = given_.ends[part].first;
    if (first < 0) return;
    auto& sum = given_.target.at(first);
    sum = given_.traits.op(left.inner, sum);
  }

 private:
  struct NoWeights {
    __device__ NoWeight operator[](int) const { return {}; }
  };
  const Parameters& given_;
  segment* totals_;
};

/// @brief The launches for reductions of arrays of one size, and the memory that they need.
template <class Op>
class GpuSegmentReduction {
  using R = PlainRecurrence<Op>;
  using P = ScanTraits<R>;
  using T = typename Op::value_type;
  using Tuning = ReductionTuning<T>;
  using Ends = ReducedPart<typename HeadTraits<P>::segment>;
  using Space = gpu::Device::memory_space;

 public:
  GpuSegmentReduction() = default;
  GpuSegmentReduction(const gpu::Device& exec, Index elements, Index segments) {
    if (elements + segments == 0) return;
    resident_ = Index(gpu::device_properties(exec).multiProcessorCount) * Tuning::blocks_together;
    const auto parts = ReductionParts::of<Tuning>(elements, segments, resident_);
    allocate(exec, ends_, "WaveScan::segmented::parts", Tuning::most_blocks);
    // Fewer segments may come: the more tiles a part has, the fewer are not full.
    if (segments > 0)
      allocate(exec, splits_, "WaveScan::segmented::splits",
               ceil_div(parts.places, Tuning::tile) + 3 * Index(parts.blocks) + 1);
  }

  /// @brief Enqueues the sums of segments that are told by offsets.
  template <class Source>
  void enqueue(const gpu::Device& exec, const Op& op, const Source& in, Index elements,
               const SegmentRanges& segments, const Lines<T>& sums, const State<T>& enters,
               const State<T>& of_nothing) const {
    const auto parts = ReductionParts::of<Tuning>(elements, segments.ends.size, resident_);
    Kokkos::parallel_for("WaveScan::segmented::split",
                         Kokkos::RangePolicy<gpu::Device, Kokkos::IndexType<Index>>(
                             exec, 0, Index(parts.blocks) * (parts.tiles + 1)),
                         SplitTiles<Tuning>{parts, segments.ends, splits_.data()});
    launch(exec, op, in, parts, enters,
           NumberedSums<T>{segments, splits_.data(), sums, of_nothing});
  }

  /// @brief Enqueues the sums of runs.
  template <class Source, class Runs>
  void enqueue(const gpu::Device& exec, const Op& op, const Source& in, Index elements,
               const Heads& heads, const RunCounts& counts, const State<T>& enters,
               const Runs& runs) const {
    launch(exec, op, in, ReductionParts::of<Tuning>(elements, 0, resident_), enters,
           CountedSums<Runs>{runs, heads, counts});
  }

  std::size_t bytes() const { return ends_.size() * sizeof(Ends) + splits_.size() * sizeof(Index); }

 private:
  template <class Source, class Target>
  void launch(const gpu::Device& exec, const Op& op, const Source& in, const ReductionParts& parts,
              const State<T>& enters, const Target& target) const {
    const P traits{R{op}};
    bool in_words = false;
    if constexpr (std::same_as<Source, Lines<const T>>)
      in_words = in.stride == 1 && reinterpret_cast<std::uintptr_t>(in.data) % sizeof(T) == 0;
    using Tiles = ReduceTiles<P, Source, Target>;
    gpu::launch_blocks<Tiles>({exec, "WaveScan::segmented::reduce", false}, parts.blocks,
                              Tiles::block_threads, Tiles::shared_bytes,
                              {traits, in, in_words, enters, parts, target, ends_.data()});
    if (parts.blocks == 1) return;
    using Join = JoinPartsBlock<P, Target>;
    gpu::launch_blocks<Join>({exec, "WaveScan::segmented::join", false}, 1, Join::block_threads,
                             Join::shared_bytes, {traits, target, ends_.data(), parts.blocks});
  }

  Index resident_ = 0;
  Kokkos::View<Ends*, Space> ends_;
  Kokkos::View<Index*, Space> splits_;
};

}  // namespace wavescan::Impl

#endif
