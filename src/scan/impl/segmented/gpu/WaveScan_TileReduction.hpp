// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_GPU_TILEREDUCTION_HPP
#define WAVESCAN_IMPL_SEGMENTED_GPU_TILEREDUCTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>
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
/// which a tile ends to the next one, whose elements are on their way to shared memory meanwhile.
/// Threads reduce their elements, scan what they have, scan their elements, and put the results
/// where the elements were: that of a segment's last element is its sum. Of a segment that begins
/// before the part, only the sum of what lies in it is known. A second kernel, of one block, puts
/// what the parts before have of it in front of that; everything is joined in order, and in the
/// same way each time.
///
/// *Runs*, which bits tell, have numbers by counts that are known before. Numbered segments are
/// told by offsets, without bits: elements and ends of segments are merged, in that order, and
/// parts have equally many of both together, so that empty segments are shared evenly, too (D.
/// Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", 2016).

namespace wavescan::Impl {

/// @brief Sizes of the kernel for elements of a type.
template <class T>
struct ReductionTuning {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int threads = 128;
  static constexpr int warps = threads / gpu::warp_size;
  static constexpr int unit = 16 / std::gcd(16, size);  ///< fewest elements of whole words
  static constexpr bool copies_ahead = gpu::mover != gpu::Mover::Plain;
  /// Of a thread: where possible an odd number of 16-byte words, for shared memory's banks.
  static constexpr int items = ceil_div(size == 1 || !copies_ahead ? 48 : 112, size* unit) * unit;
  static constexpr int bytes = items * size;
  static constexpr int positions = threads * items;
  /// Elements of a tile, which begins at a 16-byte boundary before them.
  static constexpr int tile = positions - unit;
  static constexpr int stages = copies_ahead ? 2 : 1;
  /// Bytes that tell heads, of a thread: an odd number of words.
  static constexpr int flag_words = ceil_div(items, 4) | 1;
  static constexpr int most_blocks = 1024;  ///< which one block joins
  static constexpr int last_place = (1 << 15) - 1;
  static_assert(items < 64 && positions < last_place);
};

/// @brief A part's share of the segment in which it ends, and the place for the sum of the one in
/// which it begins.
template <class Segment>
struct ReducedPart {
  Segment after;
  Index first;  ///< -1: there is none
};

/// @brief Partition of an array into parts: of elements, or of elements and ends.
struct ReductionParts {
  Index elements, places;  ///< places: elements and numbered segments
  int blocks;

  template <class Tuning>
  static ReductionParts of(Index elements, Index segments, Index resident) {
    const Index places = elements + segments;
    return {elements, places,
            static_cast<int>(std::clamp<Index>(ceil_div(places, Tuning::tile), 1,
                                               std::min<Index>(resident, Tuning::most_blocks)))};
  }
  KOKKOS_FUNCTION Index begin(Index block) const {
    const Index share = places / blocks, rest = places % blocks;
    return block * share + (block < rest ? block : rest);
  }
};

/// @brief Segments that are told by offsets.
template <class T>
struct NumberedSums {
  static constexpr bool numbered = true;
  SegmentRanges segments;
  Lines<T> sums;
  State<T> of_empty;  ///< the sum of empty segments, if they have one
  KOKKOS_FUNCTION T& at(Index s) const { return sums(0, s); }
};

/// @brief Runs between heads, whose numbers are known.
template <class Runs>
struct CountedSums : Runs {
  Heads heads;
  RunCounts counts;
};

/// @brief Arguments of the kernel.
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

/// @brief The weights of tiles of which only heads matter.
struct NoWeights {
  __device__ NoWeight operator[](int) const { return {}; }
};

template <class P, class Source, class Target>
class ReduceTiles {
  using T = typename P::value_type;
  using Tuning = ReductionTuning<T>;
  using Totals = HeadTraits<P>;
  using segment = typename Totals::segment;
  using Starts = LineStarts<Tuning::items>;
  static constexpr int items = Tuning::items;
  static constexpr int threads = Tuning::threads;
  static constexpr bool numbered = Target::numbered;
  static constexpr int most_ends = Tuning::positions;  ///< of segments, in a tile

  struct Flags {
    std::uint32_t word[threads * Tuning::flag_words];
  };
  struct NoFlags {};
  struct alignas(16) Shared {
    alignas(16) char elements[Tuning::stages][threads * Tuning::bytes];
    /// Positions in the tile: where segments begin and end, or the last elements of runs.
    std::int16_t places[most_ends + 2];
    [[no_unique_address]] std::conditional_t<numbered, Flags, NoFlags> flags;
    alignas(16) segment warp_total[Tuning::warps];
    int warp_count[2][Tuning::warps];
    Index bounds[2];
  };

 public:
  using Parameters = ReductionParameters<P, Source, Target>;
  static constexpr int block_threads = threads;
  static constexpr std::size_t shared_bytes = sizeof(Shared);
  /// As shared memory allows, of which a block takes a kilobyte for itself.
  static constexpr int blocks_together =
      std::clamp<int>(gpu::block_memory / static_cast<int>(sizeof(Shared) + 1024), 1, 8);
  static constexpr bool any_mover = true;
  static constexpr std::size_t memory_alignment = 16;

  __device__ ReduceTiles(const Parameters& given, char* memory)
      : given_(given), shared_(*reinterpret_cast<Shared*>(memory)) {}

  __device__ void run() {
    const Totals totals{given_.traits};
    before_ = totals.identity();
    if (thread() == 0) given_.ends[blockIdx.x].first = -1;
    if constexpr (numbered)
      run_segments();
    else
      run_runs();
    if (thread() == 0) given_.ends[blockIdx.x].after = before_;
  }

 private:
  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int own() { return thread() * items; }  ///< position of the first element

  /// @brief Elements [first, end) in shared memory, from position `lead` on.
  struct Tile {
    Index first, end;
    int lead, stage;
    __device__ Index begin() const { return first - lead; }
    __device__ int behind() const { return static_cast<int>(end - first) + lead; }
  };
  __device__ Tile tile_at(Index first, Index last, int stage) const {
    return {first, first + Tuning::tile < last ? first + Tuning::tile : last, lead_of(first),
            stage};
  }

  // ---- numbered segments

  static constexpr int at_once = 4;  ///< offsets of a thread that are read before they are needed

  __device__ void run_segments() {
    if constexpr (numbered) {
      const SegmentRanges& segments = given_.target.segments;
      if (gpu::warp() < 2) {
        const Index found = split(given_.parts.begin(Index(blockIdx.x) + gpu::warp()));
        if (gpu::lane() == 0) shared_.bounds[gpu::warp()] = found;
      }
      clear_flags();
      __syncthreads();
      Index s = shared_.bounds[0];
      const Index last_segment = shared_.bounds[1];
      const Index first = given_.parts.begin(blockIdx.x) - s;
      const Index last = given_.parts.begin(Index(blockIdx.x) + 1) - last_segment;
      const int limit = segments.apart ? most_ends / 2 : most_ends;
      Tile tile = tile_at(first, last, 0);
      if (Tuning::copies_ahead) load_elements(tile);
      Index ahead[at_once];
      load_ends(ahead, s, 0, last_segment);
      for (;;) {
        if (!Tuning::copies_ahead) load_elements(tile);
        gpu::wait_for_async_copies<0>();
        // Ends up to the tile's are counted, and begins in it flagged.
        int count = 0;
        for (int b = 0;; ++b) {
          if (b > 0) load_ends(ahead, s, b, last_segment);
          int own_count = 0;
#pragma unroll
          for (int r = 0; r < at_once; ++r) {
            const int i = place_of(b, r);
            if (i > limit || s + i > last_segment) continue;
            put_place(i, tile, ahead[r]);
            if (!segments.apart) flag(tile, ahead[r]);
            own_count += i > 0 && ahead[r] <= tile.end;
          }
          if (segments.apart) flag_apart(tile, s, b, limit, last_segment);
          own_count = static_cast<int>(gpu::warp_sum(static_cast<std::uint32_t>(own_count)));
          if (gpu::lane() == 0) shared_.warp_count[b % 2][gpu::warp()] = own_count;
          __syncthreads();
          int in_batch = 0;
#pragma unroll
          for (int w = 0; w < Tuning::warps; ++w) in_batch += shared_.warp_count[b % 2][w];
          count += in_batch;
          // Place 0 is no end.
          if (in_batch + (b == 0) < at_once * threads || place_of(b + 1, 0) - thread() > limit)
            break;
        }
        // Where there are more ends than places the tile ends with the last one.
        const bool limited = count >= limit;
        if (limited) {
          const Index end = tile.begin() + shared_.places[limit];
          tile.end = end < tile.first ? tile.first : end < tile.end ? end : tile.end;
          count = limit;
        }
        const bool done = !limited && tile.end >= last;
        const Tile next = tile_at(tile.end, last, (tile.stage + 1) % Tuning::stages);
        if (!done) {
          load_ends(ahead, s + count, 0, last_segment);
          if (Tuning::copies_ahead) load_elements(next);
        }
        Starts starts = flagged();
        if (limited) starts.keep_between(0, tile.behind() - own());
        reduce(
            tile, starts, [&](const segment&) { return count > 0; },
            [&](const segment& before, const segment&) {
              __syncthreads();
              for (int i = thread(); i < count; i += threads) {
                const int from = begin_of(i, limit), to = shared_.places[i + 1];
                auto& sum = given_.target.at(s + i);
                if (from < to) {
                  // Wrong offsets may lead anywhere.
                  sum =
                      to > tile.lead && to <= tile.behind() ? elements(tile)[to - 1] : before.inner;
                  // No segment has begun in the part: it did before.
                  if (before.starts == 0 && from < tile.lead) given_.ends[blockIdx.x].first = s + i;
                } else if (given_.target.of_empty.present) {
                  sum = given_.target.of_empty.value;
                }
              }
              __syncthreads();  // before places are used again
            });
        if (done) break;
        s += count;
        tile = next;
      }
    }
  }

  /// @brief The number of ends of segments before a place of the merged order: the end of segment s
  /// is preceded by as many elements as it says, and by s others. Called by a warp, whose lanes
  /// look at as many at a time.
  __device__ Index split(Index place) const {
    const OffsetArray& ends = given_.target.segments.ends;
    Index low = place > given_.parts.elements ? place - given_.parts.elements : 0;
    Index high = place < ends.size ? place : ends.size;
    while (low < high) {
      const Index step = (high - low + gpu::warp_size) / (gpu::warp_size + 1);
      const Index look = low + (gpu::lane() + 1) * step - 1;
      const bool before = look < high && ends(look) + look < place;
      const int found = gpu::number_of_lanes(gpu::ballot(before));
      low += found * step;
      if (found < gpu::warp_size && low + step - 1 < high) high = low + step - 1;
    }
    return low;
  }

  /// @brief The place of a thread's offset r of batch b: place 0 is where segment s begins, place i
  /// where segment s + i - 1 ends.
  __device__ static int place_of(int b, int r) { return (b * at_once + r) * threads + thread(); }
  __device__ void load_ends(Index (&ends)[at_once], Index s, int b, Index last_segment) const {
    const SegmentRanges& segments = given_.target.segments;
    const auto load = [&](const auto& at) {
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        const Index i = s + place_of(b, r);
        ends[r] = i <= last_segment ? static_cast<Index>(at(i)) : 0;
      }
    };
    // Offsets follow each other: what a segment ends at the next one begins at.
    const OffsetArray& offsets = segments.begins;
    if (segments.apart)
      load([&](Index i) { return i > 0 ? segments.ends(i - 1) : 0; });
    else if (offsets.stride != 1)
      load(offsets);
    else if (offsets.width == OffsetArray::Width::Int32)
      load([data = static_cast<const std::int32_t*>(offsets.data)](Index i) { return data[i]; });
    else if (offsets.width == OffsetArray::Width::UInt32)
      load([data = static_cast<const std::uint32_t*>(offsets.data)](Index i) { return data[i]; });
    else
      load([data = static_cast<const std::int64_t*>(offsets.data)](Index i) { return data[i]; });
  }
  __device__ void put_place(int i, const Tile& tile, Index j) const {
    const Index position = j - tile.begin();
    shared_.places[i] =
        static_cast<std::int16_t>(position < -1                   ? -1
                                  : position > Tuning::last_place ? Tuning::last_place
                                                                  : position);
  }
  __device__ int begin_of(int i, int limit) const {
    return shared_.places[given_.target.segments.apart ? limit + 1 + i : i];
  }
  /// @brief Flags the begins of segments that need not follow each other.
  __device__ void flag_apart(const Tile& tile, Index s, int b, int limit,
                             Index last_segment) const {
    const SegmentRanges& segments = given_.target.segments;
    for (int r = 0; r < at_once; ++r) {
      const int i = place_of(b, r);
      if (i > limit || s + i > last_segment || s + i >= segments.begins.size) continue;
      const Index from = segments.begins(s + i);
      if (i < limit) put_place(limit + 1 + i, tile, from);
      if (from < segments.ends(s + i)) flag(tile, from);
    }
  }
  __device__ void flag(const Tile& tile, Index head) const {
    if (head < tile.first || head >= tile.end) return;
    const auto position = static_cast<unsigned>(head - tile.begin());
    constexpr int of_thread = 4 * Tuning::flag_words;
    reinterpret_cast<unsigned char*>(
        shared_.flags.word)[items == of_thread ? position
                                               : position / items * of_thread + position % items] =
        1;
  }
  __device__ void clear_flags() const {
#pragma unroll
    for (int w = 0; w < Tuning::flag_words; ++w)
      shared_.flags.word[thread() * Tuning::flag_words + w] = 0;
  }
  /// @brief The thread's flags, which then are cleared.
  __device__ Starts flagged() const {
    std::uint64_t bits = 0;
#pragma unroll
    for (int w = 0; w < ceil_div(items, 4); ++w)
      bits |=
          std::uint64_t(shared_.flags.word[thread() * Tuning::flag_words + w] * 0x10204080u >> 28)
          << 4 * w;
    clear_flags();
    return Starts(bits);
  }

  // ---- runs

  __device__ void run_runs() {
    if constexpr (!numbered) {
      const auto& target = given_.target;
      const Index first = given_.parts.begin(blockIdx.x);
      const Index last = given_.parts.begin(Index(blockIdx.x) + 1);
      const Index heads_before = target.counts.heads_before(first);
      const Index elements_in_all = given_.parts.elements;
      Tile tile = tile_at(first, last, 0);
      if (Tuning::copies_ahead) load_elements(tile);
      HeadsAhead<Heads, items> ahead;
      ahead.load(target.heads, elements_in_all, tile.begin() + own());
      for (;;) {
        if (!Tuning::copies_ahead) load_elements(tile);
        gpu::wait_for_async_copies<0>();
        Starts starts(ahead.bits(target.heads, elements_in_all, tile.begin() + own()));
        starts.keep_between(tile.lead - own(), tile.behind() - own());
        __syncthreads();
        const bool done = tile.end >= last;
        const Tile next = tile_at(tile.end, last, (tile.stage + 1) % Tuning::stages);
        if (!done) {
          ahead.load(target.heads, elements_in_all, next.begin() + own());
          if (Tuning::copies_ahead) load_elements(next);
        }
        const int head = target.heads(tile.first), tail = target.heads(tile.end);
        const auto tails = [&](const segment& all) {
          return static_cast<int>(all.starts) - head + tail;
        };
        reduce(
            tile, starts, [&](const segment& all) { return tails(all) > 0; },
            [&](const segment& before, const segment& left, const segment& all) {
              list_tails(tile, starts, static_cast<int>(left.starts) - head, tail != 0);
              __syncthreads();
              store_runs(tile, tails(all), heads_before + Index(before.starts) + head - 1,
                         heads_before);
              __syncthreads();
            });
        if (done) break;
        tile = next;
      }
      if (thread() > 0) return;
      if (Index(blockIdx.x) == given_.parts.blocks - 1)
        target.count.store(heads_before + Index(before_.starts) - target.skipped);
      if constexpr (Target::keys)
        if (blockIdx.x == 0) target.put_key(0, target.all(0, 0));
    }
  }

  /// @param place of the first run that ends among the thread's elements
  /// @param tail  whether a run ends with the tile
  __device__ void list_tails(const Tile& tile, const Starts& starts, int place, bool tail) const {
    const int end = tail ? tile.behind() : -1;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      place += starts.at(i);
      if ((starts.at(i + 1) && own() + i >= tile.lead) || own() + i + 1 == end)
        shared_.places[place] = static_cast<std::int16_t>(own() + i);
    }
  }
  /// @param run          the first one that ends in the tile
  /// @param heads_before of the part
  __device__ void store_runs(const Tile& tile, int count, Index run, Index heads_before) const {
    const auto& target = given_.target;
    for (int i = thread(); i < count; i += threads)
      target.put(run + i, elements(tile)[shared_.places[i]]);
    if (thread() == 0 && run < heads_before)  // it begins before the part
      given_.ends[blockIdx.x].first = target.place_of(run);
    if constexpr (Target::keys) {
      // Of the runs that begin behind these.
      for (int i = thread(); i < count; i += at_once * threads) {
        typename Target::key_type key[at_once];
        bool there[at_once];
#pragma unroll
        for (int m = 0; m < at_once; ++m) {
          const int k = i + m * threads;
          const Index next =
              k < count ? tile.begin() + shared_.places[k] + 1 : given_.parts.elements;
          there[m] = next < given_.parts.elements;
          if (there[m]) key[m] = target.all(0, next);
        }
#pragma unroll
        for (int m = 0; m < at_once; ++m)
          if (there[m]) target.put_key(run + i + m * threads + 1, key[m]);
      }
    }
  }

  // ---- elements

  __device__ T* elements(const Tile& tile) const {
    return reinterpret_cast<T*>(shared_.elements[tile.stage]);
  }

  static constexpr bool can_be_words = std::same_as<Source, Lines<const T>> && 16 % sizeof(T) == 0;
  __device__ int lead_of(Index first) const {
    if constexpr (can_be_words)
      if (given_.in_words)
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(given_.in.data + first) % 16 /
                                sizeof(T));
    return 0;
  }

  /// @brief Starts to bring a tile's elements.
  __device__ void load_elements(const Tile& tile) const {
    if constexpr (can_be_words)
      if (given_.in_words) return load_words(tile);
    const int count = static_cast<int>(tile.end - tile.first);
#pragma unroll 4
    for (int i = thread(); i < count; i += threads)
      elements(tile)[i] = static_cast<T>(given_.in(0, tile.first + i));
  }
  __device__ void load_words(const Tile& tile) const {
    const T* const from = given_.in.data + tile.begin();
    char* const to = shared_.elements[tile.stage];
    const int behind = tile.behind();
    if (tile.begin() >= 0 && tile.begin() + Tuning::positions <= given_.parts.elements) {
#pragma unroll
      for (int w = 0; w < Tuning::bytes / 16; ++w) {
        const int place = w * threads + thread();
        if (place * Tuning::unit < behind)
          gpu::copy_async_once(to + place * 16, from + place * Tuning::unit);
      }
    } else {
      for (int i = thread(); i < behind; i += threads)
        if (i >= tile.lead) elements(tile)[i] = from[i];
    }
    gpu::commit_async_copies();
  }

  /// @brief Makes what is not in the tile identities.
  __device__ void drop_outside(const Tile& tile, T (&x)[items]) const {
    if (own() >= tile.lead && own() + items <= tile.behind()) return;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (own() + i < tile.lead || own() + i >= tile.behind())
        x[i] = given_.traits.state(given_.traits.identity());
  }

  /// @brief Reduces a tile, and has its sums stored if any segment ends in it.
  /// @param ends  ends(total): whether any does
  /// @param store store(before, left, total) or store(before, total), where results are in the
  ///              elements' places: `before` is the part's before the tile, `left` what is before
  ///              the thread's elements in the tile
  template <class EndsHere, class Store>
  __device__ void reduce(const Tile& tile, const Starts& starts, const EndsHere& ends,
                         const Store& store) {
    const Totals totals{given_.traits};
    const NoWeights no_weights;
    gpu::Items<T, items> x;
    char* const own_elements = shared_.elements[tile.stage] + thread() * Tuning::bytes;
    x.load(own_elements);
    drop_outside(tile, x.value);
    const segment up_to_own =
        gpu::warp_weighted_scan(totals, reduce_items(x.value, starts), 0, no_weights);
    segment left = gpu::shuffle_up(up_to_own, 1);
    if (gpu::lane() == 0) left = totals.identity();
    if (gpu::lane() == gpu::warp_size - 1) shared_.warp_total[gpu::warp()] = up_to_own;
    __syncthreads();
    segment all = shared_.warp_total[0], left_warps = totals.identity();
#pragma unroll
    for (int w = 1; w < Tuning::warps; ++w) {
      if (w == gpu::warp()) left_warps = all;
      all = totals.join(all, shared_.warp_total[w], {});
    }
    if (ends(all)) {
      if (gpu::warp() > 0) left = totals.join(left_warps, left, {});
      scan_items(x.value, starts, totals.join(before_, left, {}).inner);
      x.store(own_elements);
      if constexpr (numbered)
        store(before_, all);
      else
        store(before_, left, all);
    }
    before_ = totals.join(before_, all, {});
  }

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
  /// @brief Turns elements into the states after them.
  __device__ void scan_items(T (&x)[items], const Starts& starts, T s) const {
    const P& traits = given_.traits;
    if (given_.enters.present) {
#pragma unroll
      for (int i = 0; i < items; ++i) x[i] = s = starts.at(i) ? begin(x[i]) : traits.op(s, x[i]);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const T next = traits.op(s, x[i]);
        s = starts.at(i) ? x[i] : next;
        x[i] = s;
      }
    }
  }

  const Parameters& given_;
  Shared& shared_;
  segment before_;  ///< of the part, before the tile
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
    multiprocessors_ = gpu::device_properties(exec).multiProcessorCount;
    allocate(exec, ends_, "WaveScan::segmented::parts", Tuning::most_blocks);
  }

  /// @brief Enqueues the sums of segments that are told by offsets.
  template <class Source>
  void enqueue(const gpu::Device& exec, const Op& op, const Source& in, Index elements,
               const SegmentRanges& segments, const Lines<T>& sums, const State<T>& enters,
               const State<T>& of_empty) const {
    launch(exec, op, in, elements, segments.ends.size, enters,
           NumberedSums<T>{segments, sums, of_empty});
  }

  /// @brief Enqueues the sums of runs.
  template <class Source, class Runs>
  void enqueue(const gpu::Device& exec, const Op& op, const Source& in, Index elements,
               const Heads& heads, const RunCounts& counts, const State<T>& enters,
               const Runs& runs) const {
    launch(exec, op, in, elements, 0, enters, CountedSums<Runs>{runs, heads, counts});
  }

  std::size_t bytes() const { return ends_.size() * sizeof(Ends); }

 private:
  template <class Source, class Target>
  void launch(const gpu::Device& exec, const Op& op, const Source& in, Index elements,
              Index segments, const State<T>& enters, const Target& target) const {
    const P traits{R{op}};
    bool in_words = false;
    if constexpr (std::same_as<Source, Lines<const T>>)
      in_words = in.stride == 1 && reinterpret_cast<std::uintptr_t>(in.data) % sizeof(T) == 0;
    using Tiles = ReduceTiles<P, Source, Target>;
    const auto parts = ReductionParts::of<Tuning>(elements, segments,
                                                  Index(multiprocessors_) * Tiles::blocks_together);
    gpu::launch_blocks<Tiles>({exec, "WaveScan::segmented::reduce", false}, parts.blocks,
                              Tiles::block_threads, Tiles::shared_bytes,
                              {traits, in, in_words, enters, parts, target, ends_.data()});
    if (parts.blocks == 1) return;
    using Join = JoinPartsBlock<P, Target>;
    gpu::launch_blocks<Join>({exec, "WaveScan::segmented::join", false}, 1, Join::block_threads,
                             Join::shared_bytes, {traits, target, ends_.data(), parts.blocks});
  }

  int multiprocessors_ = 0;
  Kokkos::View<Ends*, Space> ends_;
};

}  // namespace wavescan::Impl

#endif
