// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_ELEMENTTILES_HPP
#define WAVESCAN_IMPL_SELECT_GPU_ELEMENTTILES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_CopyRun.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/gpu/WaveScan_LaneElements.hpp>
#include <impl/select/gpu/WaveScan_SelectTuning.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Tiles of elements that lie side by side: what is kept of a segment moves to its front in
/// shared memory, and goes from there to its place.
///
/// Why a segment may be compacted while the warp behind it compares its own first element with the
/// last one of it: nothing else overwrites that element, which is not written where it stays.

namespace wavescan::Impl::select {

/// @brief Destinations of the elements of a View.
struct Target {
  char* out;
  char* rejected;
  Index capacity, rejected_capacity;  ///< elements

  void reject_behind() {
    rejected = out;
    rejected_capacity = capacity;
  }
};

/// @brief The functions of Views whose elements are computed, of all that move.
template <class... Sources>
struct ComputedSources {};
template <class First, class... Others>
struct ComputedSources<First, Others...> {
  ComputedSources<Others...> others;
};
template <class F, class... Others>
struct ComputedSources<ComputedColumn<F>, Others...> {
  ComputedSources<Others...> others;
  ComputedColumn<F> first;
};

inline ComputedSources<> computed_sources(const MovedList<>&) { return {}; }
template <class T, class Source, class... Others>
auto computed_sources(const MovedList<Moved<T, Source>, Others...>& moved) {
  return [&]<class... O>(const ComputedSources<O...>& others) {
    if constexpr (is_computed<Source>)
      return ComputedSources<Source, O...>{others, moved.first.in};
    else
      return ComputedSources<Source, O...>{others};
  }(computed_sources(moved.others));
}

/// @brief The arrays of a selection as the kernel gets them.
/// @tparam Sources where the elements of each View that moves come from
template <class SelectorType, class Tuning, class... Sources>
struct ElementArrays {
  using Selector = SelectorType;
  Index elements;
  SelectorType selector;
  int segment;   ///< elements for each warp of a tile: Tuning's, or a chunk
  bool aligned;  ///< each lane's elements begin where words of them all do
  int lead;      ///< places of the first tile before the first element
  ComputedSources<Sources...> computed;
  gpu::TileStream<const char> in[Tuning::arrays];  ///< of those that are not computed
  int first[Tuning::arrays];  ///< bytes of a stage before the first place of a tile
  Target to[Tuning::moved];
};

/// @tparam KeepsRejected whether rejected elements are stored, too
template <bool KeepsRejected, class SelectorType, class Tuning, class... Sources>
class ElementTiles {
  using Test = decltype(SelectorType::test);
  static constexpr bool looks_left = select::looks_left<Test>;
  /// Arrays of which elements are compared with those before them: the first ones.
  static constexpr int compared = looks_left ? decltype(SelectorType::sources)::count : 0;
  static constexpr int chunk = Tuning::chunk;
  /// Whether elements of an array are computed: nothing is loaded then.
  template <int Array>
  static constexpr bool computed = [] {
    constexpr bool of[] = {is_computed<Sources>..., false};
    return of[Array < Tuning::moved ? Array : Tuning::moved];
  }();

 public:
  static constexpr bool keeps_rejected = KeepsRejected;
  static constexpr int vector = Tuning::vector;
  using Arrays = ElementArrays<SelectorType, Tuning, Sources...>;
  static constexpr int stages = Tuning::stages;
  static constexpr int slow_start = Tuning::slow_start;
  static constexpr int stage_bytes = Tuning::stage_bytes;
  static constexpr int loading_lanes = 1;
  static consteval int left_bytes(int bytes) { return Tuning::left_bytes(bytes); }
  static consteval int array_bytes(int bytes) { return Tuning::array_bytes(bytes); }
  /// @brief Elements for each warp of a tile, if so many places are shared by so many blocks.
  static int segment_of(Index places, Index blocks) {
    return places <= blocks * Tuning::small_tile ? chunk : Tuning::segment;
  }

  /// @param mirrored what is said of kept elements is meant of rejected ones, and vice versa
  __device__ ElementTiles(const Arrays& arrays, char* memory, bool mirrored)
      : arrays_(arrays), memory_(memory), mirrored_(mirrored) {}

  static KOKKOS_FUNCTION Index count(const Arrays& arrays) {
    return ceil_div(arrays.lead + arrays.elements, tile_of(arrays));
  }

  /// @brief Starts the loads of a tile.
  template <class Act>
  __device__ void load(Index tile, int place, gpu::Barrier& filled, const gpu::MovingThread& moving,
                       gpu::BeforeWriting<Act>& ready) const {
    std::uint32_t bytes = 0;
    for_arrays<0, Tuning::arrays>([&]<int Array>() {
      if constexpr (!computed<Array>) {
        constexpr int size = Tuning::template bytes_of<Array>();
        constexpr int left = Tuning::left_bytes(size);
        const auto& in = arrays_.in[Array];
        bytes += gpu::load_window(
            in, tile * tile_of(arrays_) * size - left,
            static_cast<int>(tile_of(arrays_)) * size + left + (shift<Array>() > 0 ? 16 : 0),
            array<Array>(place) - shift<Array>() - left, filled, moving, ready);
      }
    });
    moving.fill(filled, bytes, ready);
  }

  /// @brief Compacts a segment.
  /// @param tell called by all lanes with the number of elements kept, before they move
  template <class Tell>
  __device__ void compact(Index tile, int place, int segment, const Tell& tell) const {
    const Part part = part_of(tile, segment);
    if (part.end == 0) return tell(0);
    // Nearly always all elements of the segment are there.
    const bool whole = arrays_.aligned && part.end == Tuning::segment && part.begin == 0;
    if (whole)
      compact<Tuning::chunks, true>(part, place, tell);
    else if (is_small())
      compact<1, false>(part, place, tell);
    else
      compact<Tuning::chunks, false>(part, place, tell);
  }

  /// @brief Stores what is kept.
  /// @param before how many elements are kept before the segment
  __device__ void store_kept(Index tile, int place, int segment, int kept, Index before) const {
    const Part part = part_of(tile, segment);
    for_arrays<0, Tuning::moved>([&]<int Array>() {
      const Target& to = arrays_.to[Array];
      store(to.out, placed(before, kept), to.capacity, element<Array>(place, part.first), kept);
    });
  }
  /// @brief Stores what is rejected, `behind` so many elements.
  __device__ void store_rejected(Index tile, int place, int segment, int kept, Index before,
                                 Index behind) const {
    const Part part = part_of(tile, segment);
    const int rejected = part.end - part.begin - kept;
    const Index elements_before =
        mirrored_ ? arrays_.elements - part.index - part.end : part.index + part.begin;
    for_arrays<0, Tuning::moved>([&]<int Array>() {
      const Target& to = arrays_.to[Array];
      store(to.rejected, behind + placed(elements_before - before, rejected), to.rejected_capacity,
            element<Array>(place, part.first + part.begin + kept), rejected);
    });
  }

 private:
  static KOKKOS_FUNCTION Index tile_of(const Arrays& arrays) {
    return Index(SelectWarps::compacting) * arrays.segment;
  }
  __device__ bool is_small() const { return Tuning::chunks > 1 && arrays_.segment == chunk; }
  /// @brief The place of the first of some elements that have others before them, or, mirrored,
  /// after them.
  __device__ Index placed(Index before, int count) const {
    return mirrored_ ? arrays_.elements - before - count : before;
  }
  /// @brief A segment, of whose places those from `begin` to before `end` have elements.
  struct Part {
    Index index;  ///< of the element at its first place
    int first;    ///< place in the tile
    int begin, end;
  };
  __device__ Part part_of(Index tile, int segment) const {
    const int first = segment * arrays_.segment;
    const Index index = tile * tile_of(arrays_) + first - arrays_.lead;
    const Index rest = arrays_.elements - index;
    return {index, first, index < 0 ? arrays_.lead : 0,
            static_cast<int>(rest < arrays_.segment ? (rest > 0 ? rest : 0) : arrays_.segment)};
  }

  __device__ char* stage(int place) const { return memory_ + place * Tuning::stage_bytes; }
  /// @brief Bytes between a boundary and the first place of every tile.
  template <int Array>
  __device__ int shift() const {
    return arrays_.in[Array].shift(arrays_.lead * Tuning::template bytes_of<Array>());
  }
  /// @brief The first element of an array in a stage.
  template <int Array>
  __device__ char* array(int place) const {
    return stage(place) + arrays_.first[Array];
  }
  template <int Array>
  __device__ const auto* element(int place, int number) const {
    return reinterpret_cast<const gpu::Unit<Tuning::template bytes_of<Array>()>*>(
               array<Array>(place)) +
           number;
  }
  /// @brief Calls use.template operator()<Array>() for the arrays from `First` to before `End`.
  template <int First, int End, class Use>
  static __device__ void for_arrays(const Use& use) {
    if constexpr (First < End) {
      use.template operator()<First>();
      for_arrays<First + 1, End>(use);
    }
  }

  /// @brief A lane's elements of the arrays from `Array` on: they are loaded once, for the test and
  /// to be moved.
  template <int Chunks, int Array>
  struct Own {
    LaneElements<vector, Tuning::template bytes_of<Array>(), (Array < compared)> chunk[Chunks];
    Own<Chunks, Array + 1> others;
  };
  template <int Chunks, int Array>
    requires(Array >= Tuning::arrays)
  struct Own<Chunks, Array> {};
  template <int Chunks, int Array>
    requires(Array < Tuning::arrays && computed<Array>)
  struct Own<Chunks, Array> {
    Own<Chunks, Array + 1> others;
  };

  template <bool Whole, int Chunks, int Array>
  __device__ void load(Own<Chunks, Array>& own, int place, int first) const {
    if constexpr (computed<Array>) {
      load<Whole>(own.others, place, first);
    } else if constexpr (Array < Tuning::arrays) {
      constexpr int bytes = Tuning::template bytes_of<Array>();
      const char* const from = array<Array>(place) + (first + vector * gpu::lane()) * bytes;
#pragma unroll
      for (int c = 0; c < Chunks; ++c)
        own.chunk[c].load(from + c * chunk * bytes, Whole || arrays_.aligned);
      if constexpr (Array < compared) {
        using Element = gpu::Unit<bytes>;
        Element before = reinterpret_cast<const Element*>(array<Array>(place))[first - 1];
#pragma unroll
        for (int c = 0; c < Chunks; ++c) before = own.chunk[c].look_left(before);
      }
      load<Whole>(own.others, place, first);
    }
  }
  /// @brief Returns the inputs of the test for chunk c, of which the lane's elements begin with
  /// `first`; from the array `Read` on.
  template <int Read, int Chunks, int Array>
  static __device__ SourceList<> sources(const SourceList<>&, const Own<Chunks, Array>&, int,
                                         Index) {
    return {};
  }
  template <int Read, int Chunks, int Array, class Source, class... Others>
  static __device__ auto sources(const SourceList<Source, Others...>& list,
                                 const Own<Chunks, Array>& own, int c, Index first) {
    if constexpr (Array < Read)
      return sources<Read>(list, own.others, c, first);
    else
      return join(source(list.first, own, c, first),
                  sources<Read>(list.others, own.others, c, first));
  }
  template <class T, int Chunks, int Array>
  static __device__ auto source(const Elements<T>&, const Own<Chunks, Array>& own, int c, Index) {
    return LaneSource<T, vector, looks_left>{own.chunk[c]};
  }
  template <class F, int Chunks, int Array>
  static __device__ auto source(const ComputedElements<F>& all, const Own<Chunks, Array>&, int,
                                Index first) {
    return ComputedElements<F>{all.function, first};
  }
  template <class First, class... Others>
  static __device__ SourceList<First, Others...> join(const First& first,
                                                      const SourceList<Others...>& others) {
    return {first, others};
  }

  /// @param Whole all elements of the segment are there, and each lane's begin where words of them
  ///              do
  template <int Chunks, bool Whole, class Tell>
  __device__ void compact(const Part& part, int place, const Tell& tell) const {
    constexpr int read = reads_flags<Test> ? Tuning::moved : 0;
    const auto& selector = arrays_.selector;
    const bool wanted = selector.wanted != mirrored_;
    Own<Chunks, 0> own;
    load<Whole>(own, place, part.first);
    KeptElements<Chunks, vector> kept;
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
      const int at = c * chunk + vector * gpu::lane();
      const auto from = sources<read>(selector.sources, own, c, part.index + at);
#pragma unroll
      for (int v = 0; v < vector; ++v) {
        bool keep = false;
        if constexpr (!Whole)
          keep = at + v >= part.begin && at + v < part.end &&
                 selector.test(from, v, part.index + at) == wanted;
        else if constexpr (looks_left)
          keep = c == 0 && v == 0 ? selector.test(from, v, part.index + at)
                                  : selector.test.behind_first(from, v);
        else
          keep = selector.test(from, v, part.index + at);
        kept.add(c, v, keep);
      }
    }
    if (Whole && !wanted) kept.invert();
    kept.count();
    tell(kept.all());
    gpu::sync_warp();
    move(own, place, part, arrays_.computed, kept);
  }

  /// @brief Moves what is kept of a segment to its front, and the others behind it if they are
  /// wanted.
  template <int Chunks, int Array, class Computed>
  __device__ void move(const Own<Chunks, Array>& own, int place, const Part& part,
                       const Computed& computed_by, KeptElements<Chunks, vector> kept) const {
    if constexpr (Array < Tuning::moved) {
      constexpr int bytes = Tuning::template bytes_of<Array>();
      auto* const to = reinterpret_cast<gpu::Unit<bytes>*>(array<Array>(place)) + part.first;
      const auto put = [&](auto* place_of, int c, int v) {
        if constexpr (computed<Array>) {
          const auto value =
              computed_by.first(0, part.index + c * chunk + vector * gpu::lane() + v);
          static_assert(sizeof(value) == bytes);
          std::memcpy(place_of, &value, bytes);
        } else {
          *place_of = own.chunk[c].element[v];
        }
      };
      KeptElements<Chunks, vector> counted = kept;
#pragma unroll
      for (int c = 0; c < Chunks; ++c) {
        // Pointers that move on take fewer instructions than places to compute them from.
        const int begin = c * chunk + vector * gpu::lane(), rank = counted.before(c);
        auto* next = to + rank;
        [[maybe_unused]] auto* next_rejected = to + kept.all() + begin - rank;
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          const bool next_reads = looks_left && c == Chunks - 1 && v == vector - 1;
          if (kept.keeps(c, v)) {
            if (!next_reads || next != to + begin + v) put(next, c, v);
            ++next;
          } else if constexpr (KeepsRejected) {
            if (!computed<Array> || (begin + v >= part.begin && begin + v < part.end))
              put(next_rejected, c, v);
            ++next_rejected;
          }
        }
      }
      move(own.others, place, part, computed_by.others, kept);
    }
  }

  /// @brief Stores elements at `place` and the following ones, as far as there are such.
  template <class Element>
  __device__ void store(char* to, Index place, Index capacity, const Element* from,
                        int count) const {
    using Word = typename Element::Word;
    constexpr int bytes = sizeof(Element), words = sizeof(Element) / sizeof(Word);
    if (count > capacity - place) count = static_cast<int>(capacity - place);
    if (Tuning::template stores_runs<sizeof(Word)>(count) && !is_small()) {
      gpu::copy_run<Word>(to + place * bytes, reinterpret_cast<const char*>(from), count * bytes,
                          gpu::lane(), gpu::warp_size);
    } else {
      auto* const out = reinterpret_cast<Word*>(to) + place * words;
      const auto* const in = reinterpret_cast<const Word*>(from);
#pragma unroll 4
      for (int i = gpu::lane(); i < count * words; i += gpu::warp_size) out[i] = in[i];
    }
  }

  const Arrays& arrays_;
  char* memory_;
  bool mirrored_;
};

}  // namespace wavescan::Impl::select

#endif
