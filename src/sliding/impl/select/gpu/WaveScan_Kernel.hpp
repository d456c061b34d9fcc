// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_SELECT_GPU_KERNEL_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_CopyRun.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/select/WaveScan_Problem.hpp>
#include <impl/select/gpu/WaveScan_Tuning.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief A selection on a GPU with bulk copies: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. One thread loads. Some warps
/// ask the selector, and move what is kept to the front of their segment of the tile; one warp
/// publishes how many that are; one joins the totals of the tiles before, and so knows where each
/// segment goes; the others store the segments there. Everything is read once and written once,
/// with one launch, and the same from run to run. All blocks must be resident (cooperative launch).
///
/// Why it works in place: elements move to lower places only, so what a tile's elements overwrite
/// belongs to it or to tiles before. The totals of these have arrived before it is stored, and were
/// published when the tiles had been read. A segment's last element is overwritten by nothing else
/// while the warp behind it compares its first element with it, and memory likewise while a tile's
/// left neighbour is loaded: whatever is kept and does not move is not written in shared memory,
/// and is the same again in global memory.

namespace wavescan::Impl::select {

/// @brief Where elements of a View go.
struct Target {
  char* out;
  char* rejected;
  Index capacity, rejected_capacity;  ///< elements
};

/// @brief A selection as the kernel gets it.
template <class SelectorType, class Tuning>
struct TiledSelection {
  Index elements;
  SelectorType selector;
  bool keeps_rejected;
  Index* count;
  gpu::TotalsMailbox totals;
  gpu::TileStream<const char> in[Tuning::arrays];
  Target to[Tuning::moved];
};

/// @brief What the warps of a block share.
template <class Tuning>
struct SelectShared {
  static constexpr int stages = Tuning::stages;
  static constexpr int segments = Tuning::compacting_warps;
  gpu::Barrier filled[stages];     ///< the tile has been loaded,
  gpu::Barrier counted[stages];    ///< its segments are compacted,
  gpu::Barrier published[stages];  ///< its total is known to other blocks,
  gpu::Barrier placed[stages];     ///< it is known where the segments go,
  gpu::Barrier stored[stages];     ///< and they are there
  int kept[stages][segments];
  int kept_before[stages][segments];  ///< in the tile
  int total[stages];
  Index place[stages][segments];  ///< of the segments' first kept elements
  gpu::LaunchTags tags;
};

template <class SelectorType, class Tuning>
class TiledSelect {
  using Shared = SelectShared<Tuning>;
  using Exchange = gpu::PrefixExchange<gpu::CountTraits, 5>;
  using Test = decltype(SelectorType::test);
  static constexpr bool looks_left = select::looks_left<Test>;
  static constexpr int stages = Tuning::stages;
  static constexpr int rows = Tuning::rows;
  static constexpr int segments = Tuning::compacting_warps;

 public:
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * Tuning::stage_bytes + sizeof(Shared) + 128;

  __device__ TiledSelect(const TiledSelection<SelectorType, Tuning>& selection, char* memory)
      : selection_(selection),
        memory_(memory),
        shared_(*reinterpret_cast<Shared*>(memory + stages * Tuning::stage_bytes)),
        tiles_{(selection.elements + Tuning::tile - 1) / Tuning::tile, static_cast<int>(blockIdx.x),
               static_cast<int>(gridDim.x)},
        count_(tiles_.count()) {}

  __device__ void run() {
    constexpr int loader = segments + Tuning::moving_warps, publisher = loader + 1;
    const int warp = gpu::warp();
    std::uint64_t policy = 0;
    if (threadIdx.x == loader * gpu::warp_size) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(1);
        shared_.counted[s].init(segments * gpu::arrivals_of_warp);
        shared_.published[s].init(gpu::arrivals_of_warp);
        shared_.placed[s].init(gpu::arrivals_of_warp);
        shared_.stored[s].init(Tuning::moving_warps * gpu::arrivals_of_warp);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
      policy = gpu::stream_policy();
    }
    if (threadIdx.x == 0) shared_.tags = selection_.totals.epoch().tags();
    __syncthreads();
    if (warp < segments)
      compact_tiles(warp);
    else if (warp < loader)
      store_tiles(warp - segments);
    else if (warp == publisher)
      publish_totals();
    else if (warp > publisher)
      place_tiles();
    else if (gpu::lane() == 0)
      load_tiles(policy);
  }

 private:
  __device__ Index begin(int k) const { return tiles_.of(k) * Tuning::tile; }
  /// @brief How many elements of the block's tile k there are from the tile's element `first` on.
  __device__ int elements_from(int k, int first) const {
    const Index rest = selection_.elements - begin(k) - first;
    return static_cast<int>(rest < Tuning::tile ? rest : Tuning::tile);
  }
  __device__ char* stage(int place) const { return memory_ + place * Tuning::stage_bytes; }
  /// @brief The first element of an array in a stage.
  template <int Array>
  __device__ char* array(int place) const {
    return stage(place) + Tuning::template offset_of<Array>() +
           Tuning::left_bytes(Tuning::template bytes_of<Array>()) + selection_.in[Array].shift(0);
  }
  /// @brief Calls use.template operator()<Array>() for the arrays from `First` to before `End`.
  template <int First, int End, class Use>
  static __device__ void for_arrays(const Use& use) {
    if constexpr (First < End) {
      use.template operator()<First>();
      for_arrays<First + 1, End>(use);
    }
  }

  // ---- the thread that loads

  __device__ void load_tiles(std::uint64_t policy) {
    gpu::load_through<stages, Tuning::slow_start>(
        shared_.filled, shared_.stored, count_, [&](int k, int place) {
          gpu::Barrier& filled = shared_.filled[place];
          std::uint32_t bytes = 0;
          for_arrays<0, Tuning::arrays>([&]<int Array>() {
            constexpr int size = Tuning::template bytes_of<Array>();
            constexpr int left = Tuning::left_bytes(size);
            const auto& in = selection_.in[Array];
            bytes += gpu::load_window(
                in, begin(k) * size - left,
                static_cast<int>(Tuning::tile) * size + left + (in.shift(0) > 0 ? 16 : 0),
                stage(place) + Tuning::template offset_of<Array>(), filled, policy);
          });
          filled.arrive_expecting(bytes);
        });
  }

  // ---- the warps that compact

  template <int Array>
  __device__ SourceList<> sources(const SourceList<>&, int) const {
    return {};
  }
  template <int Array, class T, class... Others>
  __device__ auto sources(const SourceList<Elements<T>, Others...>& list, int place) const {
    return join(typename Elements<T>::SideBySide{reinterpret_cast<const T*>(array<Array>(place))},
                sources<Array + 1>(list.others, place));
  }
  template <class First, class... Others>
  static __device__ SourceList<First, Others...> join(const First& first,
                                                      const SourceList<Others...>& others) {
    return {first, others};
  }

  __device__ void compact_tiles(int segment) {
    const int first = segment * Tuning::segment;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      const int size = elements_from(k, first);
      // Nearly always all elements of the segment are there, and have one before them.
      const bool inner = size >= Tuning::segment && (!looks_left || begin(k) > 0);
      const int kept = inner ? compact_segment<true>(k, at.place, first, size)
                             : compact_segment<false>(k, at.place, first, size);
      if (gpu::lane() == 0) shared_.kept[at.place][segment] = kept;
      gpu::arrive_as_warp(shared_.counted[at.place]);
    }
  }

  /// @brief Compacts a segment, and returns how many elements are kept.
  template <bool Inner>
  __device__ int compact_segment(int k, int place, int first, int size) const {
    constexpr int read = reads_flags<Test> ? Tuning::moved : 0;
    const auto& selector = selection_.selector;
    const auto from = sources<read>(selector.sources, place);
    const gpu::LaneMask flip = selector.wanted ? 0 : ~gpu::LaneMask(0);
    gpu::LaneMask keeps[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * gpu::warp_size + gpu::lane();
      if constexpr (!Inner)
        keeps[r] =
            gpu::ballot(i < size && selector.test(from, first + i, begin(k)) == selector.wanted);
      else if constexpr (looks_left)
        keeps[r] = gpu::ballot(selector.test.behind_first(from, first + i)) ^ flip;
      else
        keeps[r] = gpu::ballot(selector.test(from, first + i, begin(k))) ^ flip;
    }
    int kept = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) kept += gpu::number_of_lanes(keeps[r]);
    for_arrays<0, Tuning::moved>([&]<int Array>() {
      auto* const elements =
          reinterpret_cast<gpu::Unit<Tuning::template bytes_of<Array>()>*>(array<Array>(place)) +
          first;
      if (selection_.keeps_rejected)
        compact<true>(elements, keeps, kept);
      else
        compact<false>(elements, keeps, kept);
    });
    return kept;
  }

  /// @brief Moves what is kept of a segment to its front, and the others behind it if they are
  /// wanted.
  template <bool Rejected, class Element>
  static __device__ void compact(Element* elements, const gpu::LaneMask (&keeps)[rows], int kept) {
    const gpu::LaneMask own = gpu::LaneMask(1) << gpu::lane();
    Element element[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) element[r] = elements[r * gpu::warp_size + gpu::lane()];
    gpu::sync_warp();
    int before = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * gpu::warp_size + gpu::lane();
      const int rank = before + gpu::number_of_lanes(keeps[r] & (own - 1));
      if constexpr (Rejected)
        elements[keeps[r] & own ? rank : kept + i - rank] = element[r];
      else if ((keeps[r] & own) && !(looks_left && rank == i))
        elements[rank] = element[r];
      before += gpu::number_of_lanes(keeps[r]);
    }
  }

  // ---- the warp that publishes totals

  __device__ void publish_totals() {
    const gpu::LaunchTags tags = shared_.tags;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.counted[at.place].wait(at.parity);
      const int kept = gpu::lane() < segments ? shared_.kept[at.place][gpu::lane()] : 0;
      const int sum = gpu::warp_inclusive_scan(kept);
      const int total = gpu::broadcast(sum, gpu::warp_size - 1);
      if (gpu::lane() == 0) {
        Exchange::publish(selection_.totals, static_cast<std::uint32_t>(k), tiles_.block,
                          tiles_.blocks, total, tags);
        shared_.total[at.place] = total;
      }
      if (gpu::lane() < segments) shared_.kept_before[at.place][gpu::lane()] = sum - kept;
      gpu::arrive_as_warp(shared_.published[at.place]);
    }
  }

  // ---- the warp that joins them

  __device__ void place_tiles() {
    const gpu::CountTraits traits;
    const gpu::LaunchTags tags = shared_.tags;
    const Exchange exchange(traits, selection_.totals, tiles_.block, tiles_.blocks,
                            [](Index) { return gpu::CountTraits::weight_type{}; });
    Index kept = 0;  // up to and with the block's last tile
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      kept += exchange.join_totals(static_cast<std::uint32_t>(k), tags, tiles_.blocks);
      shared_.published[at.place].wait(at.parity);
      if (gpu::lane() < segments)
        shared_.place[at.place][gpu::lane()] = kept + shared_.kept_before[at.place][gpu::lane()];
      kept += shared_.total[at.place];
      if (tiles_.is_last(k) && gpu::lane() == 0) {
        *selection_.count = kept;
        // Everybody has published by now, and so has read the epoch.
        selection_.totals.epoch().end(tags, static_cast<std::uint32_t>(k));
      }
      gpu::arrive_as_warp(shared_.placed[at.place]);
    }
  }

  // ---- the warps that store

  __device__ void store_tiles(int mover) {
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.counted[at.place].wait(at.parity);
      shared_.placed[at.place].wait(at.parity);
      for (int s = mover; s < segments; s += Tuning::moving_warps) {
        const int first = s * Tuning::segment;
        const int kept = shared_.kept[at.place][s];
        const Index place = shared_.place[at.place][s];
        for_arrays<0, Tuning::moved>([&]<int Array>() {
          using Element = gpu::Unit<Tuning::template bytes_of<Array>()>;
          const Target& to = selection_.to[Array];
          const auto* const from = reinterpret_cast<const Element*>(array<Array>(at.place)) + first;
          store(to.out, place, to.capacity, from, kept);
          if (selection_.keeps_rejected) {
            int size = elements_from(k, first);
            if (size > Tuning::segment) size = Tuning::segment;
            store(to.rejected, begin(k) + first - place, to.rejected_capacity, from + kept,
                  size - kept);
          }
        });
      }
      gpu::order_before_bulk_copies();
      gpu::arrive_as_warp(shared_.stored[at.place]);
    }
  }

  /// @brief Stores elements at `place` and the following ones, as far as there are such.
  template <class Element>
  static __device__ void store(char* to, Index place, Index capacity, const Element* from,
                               int count) {
    using Word = typename Element::Word;
    constexpr int bytes = sizeof(Element), words = sizeof(Element) / sizeof(Word);
    if (count > capacity - place) count = static_cast<int>(capacity - place);
    // To shift words takes more instructions, and pays where memory would wait for narrow stores.
    if (sizeof(Word) < 16 && count > Tuning::segment / 4 * 3) {
      gpu::copy_run<Word>(to + place * bytes, reinterpret_cast<const char*>(from), count * bytes,
                          gpu::lane(), gpu::warp_size);
    } else {
      auto* const out = reinterpret_cast<Word*>(to) + place * words;
      const auto* const in = reinterpret_cast<const Word*>(from);
#pragma unroll 4
      for (int i = gpu::lane(); i < count * words; i += gpu::warp_size) out[i] = in[i];
    }
  }

  const TiledSelection<SelectorType, Tuning>& selection_;
  char* memory_;
  Shared& shared_;
  gpu::CyclicTiles tiles_;
  int count_;
};

template <class SelectorType, class Tuning>
__global__ void __launch_bounds__(Tuning::threads, 1) tiled_select(
    [[maybe_unused]] const WAVESCAN_GRID_CONSTANT TiledSelection<SelectorType, Tuning> selection) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  TiledSelect<SelectorType, Tuning>(selection, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl::select

#endif
