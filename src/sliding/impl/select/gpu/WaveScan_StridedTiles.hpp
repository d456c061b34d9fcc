// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_STRIDEDTILES_HPP
#define WAVESCAN_IMPL_SELECT_GPU_STRIDEDTILES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/gpu/WaveScan_SelectTuning.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Tiles of rows of any width, and of elements with strides: sizes that only the launch
/// knows.
///
/// A stage holds rows as they lie in memory, with what lies between them; columns that lie apart
/// have a window each. Rows do not move within a stage: what is kept of a segment is a list of
/// their numbers, by which they are stored word by word.

namespace wavescan::Impl::select {

/// @brief The sizes of the kernel's stages.
struct StridedTuning {
  static constexpr int stages = gpu::block_memory < 128 * 1024 ? 4 : 6;
  static constexpr int slow_start = 3;
  static constexpr int stage_bytes =
      std::min(36864, (gpu::block_memory - 5 * 1024) / stages / 128 * 128);
  static constexpr int lists = 2;  ///< of rows: those kept, those rejected
};

/// @brief The place of a View in memory and in a stage; strides and sizes count bytes.
struct StridedInput {
  gpu::TileStream<const char> window;  ///< all rows of the first window
  int windows;                         ///< columns that are loaded one by one; or 1
  int pitch;                           ///< from row to row
  int offset;                          ///< of the first window in a stage
  int stage_column;                    ///< from column to column in a stage
  Index column;                        ///< from window to window in memory
};

/// @brief The destination of its rows: pieces of consecutive words.
struct StridedTarget {
  char* out;
  char* rejected;
  Index out_column, rejected_column;  ///< bytes from piece to piece
  int out_pitch, rejected_pitch;      ///< and from row to row
  int pieces;
  int words;              ///< of a piece
  std::uint32_t inverse;  ///< of that, times 2^32 and rounded up
  Index capacity, rejected_capacity;

  void reject_behind() {
    rejected = out;
    rejected_column = out_column;
    rejected_pitch = out_pitch;
    rejected_capacity = capacity;
  }
};

/// @brief The arrays of a selection as the kernel gets them.
/// @tparam Bytes of an element of each View that moves, and perhaps of the flags
template <class SelectorType, int Moved, int... Bytes>
struct StridedArrays {
  using Selector = SelectorType;
  Index elements;
  SelectorType selector;
  int tile;     ///< rows
  int segment;  ///< rows for each warp
  int lists;    ///< where the lists lie in a stage
  StridedInput in[sizeof...(Bytes)];
  StridedTarget to[Moved];
};

template <bool KeepsRejected, class SelectorType, int Moved, int... Bytes>
class StridedTiles {
  using Test = decltype(SelectorType::test);
  using RowNumber = std::uint16_t;
  static constexpr bool looks_left = select::looks_left<Test>;

 public:
  static constexpr bool keeps_rejected = KeepsRejected;
  using Arrays = StridedArrays<SelectorType, Moved, Bytes...>;
  static constexpr int stages = StridedTuning::stages;
  static constexpr int slow_start = StridedTuning::slow_start;
  static constexpr int stage_bytes = StridedTuning::stage_bytes;
  static constexpr int loading_lanes = gpu::warp_size;

  /// @param mirrored see ElementTiles
  __device__ StridedTiles(const Arrays& arrays, char* memory, bool mirrored)
      : arrays_(arrays), memory_(memory), mirrored_(mirrored) {}

  static KOKKOS_FUNCTION Index count(const Arrays& arrays) {
    return (arrays.elements + arrays.tile - 1) / arrays.tile;
  }

  /// @brief Starts the loads of a tile.
  template <class Act>
  __device__ void load(Index tile, int place, gpu::Barrier& filled, const gpu::MovingThread& moving,
                       gpu::BeforeWriting<Act>& ready) const {
    const Index first = tile * arrays_.tile - looks_left;
    const int rows = rows_of(tile) + looks_left;
    std::uint32_t bytes = 0;
#pragma unroll 1
    for (const StridedInput& in : arrays_.in) {
      const Index from = in.window.begin + first * in.pitch;
      const Index to = from + Index(rows) * in.pitch;
#pragma unroll 1
      for (int w = moving.first_window(); w < in.windows; w += moving.window_step) {
        gpu::TileStream<const char> window = in.window;
        window.base += w * in.column;
        const int moved = boundary_of(window.base, 0);
        window.base -= moved;
        window.begin += moved;
        window.end += moved;
        const Index word = (from + moved) & ~Index(15);
        bytes += gpu::load_window(window, word,
                                  static_cast<int>(((to + moved + 15) & ~Index(15)) - word),
                                  row(in, tile, place) - looks_left * in.pitch +
                                      w * in.stage_column - static_cast<int>(from + moved - word),
                                  filled, moving, ready);
      }
    }
    moving.fill_as_warp(filled, bytes, ready);
  }

  /// @brief Lists the rows of a segment that are kept, and those that are not.
  /// @param tell called by all lanes with the number of those kept
  template <class Tell>
  __device__ void compact(Index tile, int place, int segment, const Tell& tell) const {
    const auto& selector = arrays_.selector;
    const auto from = sources < reads_flags<Test> ? Moved : 0 > (selector.sources, tile, place);
    const int first = segment * arrays_.segment, end = end_of(tile, segment);
    RowNumber *const kept = list(place, 0) + first, *const rejected = list(place, 1) + first;
    int before = 0;
    for (int i = first; i < end; i += gpu::warp_size) {
      const int own = i + gpu::lane();
      const bool there = own < end;
      const bool keep =
          there && selector.test(from, own, tile * arrays_.tile) == (selector.wanted != mirrored_);
      const gpu::LaneMask keeps = gpu::ballot(keep);
      const int rank = before + gpu::number_of_lanes(keeps & (gpu::lanes_up_to_own() >> 1));
      if (keep)
        kept[rank] = static_cast<RowNumber>(own);
      else if (there)
        rejected[own - first - rank] = static_cast<RowNumber>(own);
      before += gpu::number_of_lanes(keeps);
    }
    tell(before);
  }

  /// @brief Stores the rows that are kept.
  /// @param before how many rows are kept before the segment
  __device__ void store_kept(Index tile, int place, int segment, int kept, Index before) const {
    for_views<0>([&]<int View, class Word>() {
      const StridedTarget& to = arrays_.to[View];
      store<Word>(View, to.out, to.out_pitch, to.out_column, placed(before, kept), to.capacity,
                  row(arrays_.in[View], tile, place), list(place, 0) + segment * arrays_.segment,
                  kept);
    });
  }
  /// @brief Stores the rows that are rejected, `behind` so many.
  __device__ void store_rejected(Index tile, int place, int segment, int kept, Index before,
                                 Index behind) const {
    const int first = segment * arrays_.segment, end = end_of(tile, segment);
    const int rejected = end - first - kept;
    if (rejected == 0) return;
    const Index begin = tile * arrays_.tile;
    const Index rows_before = mirrored_ ? arrays_.elements - begin - end : begin + first;
    for_views<0>([&]<int View, class Word>() {
      const StridedTarget& to = arrays_.to[View];
      store<Word>(View, to.rejected, to.rejected_pitch, to.rejected_column,
                  behind + placed(rows_before - before, rejected), to.rejected_capacity,
                  row(arrays_.in[View], tile, place), list(place, 1) + first, rejected);
    });
  }

 private:
  __device__ Index placed(Index before, int count) const {
    return mirrored_ ? arrays_.elements - before - count : before;
  }
  __device__ int rows_of(Index tile) const {
    const Index rest = arrays_.elements - tile * arrays_.tile;
    return static_cast<int>(rest < arrays_.tile ? rest : arrays_.tile);
  }
  /// @brief The row of the tile before which a segment ends; not before its first one.
  __device__ int end_of(Index tile, int segment) const {
    const int first = segment * arrays_.segment, rows = rows_of(tile);
    const int end = first + arrays_.segment < rows ? first + arrays_.segment : rows;
    return end < first ? first : end;
  }
  __device__ char* stage(int place) const { return memory_ + place * stage_bytes; }
  __device__ RowNumber* list(int place, int which) const {
    return reinterpret_cast<RowNumber*>(stage(place) + arrays_.lists) + which * arrays_.tile;
  }
  static __device__ int boundary_of(const char* base, Index at) {
    return static_cast<int>((reinterpret_cast<std::uintptr_t>(base) + std::uintptr_t(at)) % 16);
  }
  /// @brief The tile's first row in a stage, where it lies between 16-byte boundaries as in memory.
  __device__ char* row(const StridedInput& in, Index tile, int place) const {
    return stage(place) + in.offset +
           static_cast<int>((in.window.begin + tile * arrays_.tile * in.pitch) % 16);
  }

  template <int View, class Use>
  static __device__ void for_views(const Use& use) {
    if constexpr (View < Moved) {
      constexpr int bytes[] = {Bytes...};
      use.template operator()<View, typename gpu::Unit<bytes[View]>::Word>();
      for_views<View + 1>(use);
    }
  }

  template <int Array>
  __device__ SourceList<> sources(const SourceList<>&, Index, int) const {
    return {};
  }
  template <int Array, class First, class... Others>
  __device__ auto sources(const SourceList<First, Others...>& list, Index tile, int place) const {
    const StridedInput& in = arrays_.in[Array];
    return join(list.first.elsewhere(row(in, tile, place), in.pitch, in.stage_column),
                sources<Array + 1>(list.others, tile, place));
  }
  template <class First, class... Others>
  static __device__ SourceList<First, Others...> join(const First& first,
                                                      const SourceList<Others...>& others) {
    return {first, others};
  }

  /// @brief Stores rows, whose numbers are listed, at `place` and the following ones, as far as
  /// there are such.
  template <class Word>
  __device__ void store(int view, char* to, int to_pitch, Index to_column, Index place,
                        Index capacity, const char* from, const RowNumber* rows, int count) const {
    const StridedInput& in = arrays_.in[view];
    const StridedTarget& target = arrays_.to[view];
    if (count > capacity - place) count = static_cast<int>(capacity - place);
    const int words = target.words, all = count * words;
    to += place * to_pitch;
#pragma unroll 1
    for (int piece = 0; piece < target.pieces; ++piece) {
#pragma unroll 4
      for (int j = gpu::lane(); j < all; j += gpu::warp_size) {
        const int r = words == 1 ? j
                                 : static_cast<int>(gpu::multiply_high(
                                       static_cast<std::uint32_t>(j), target.inverse));
        const int at = (j - r * words) * static_cast<int>(sizeof(Word));
        *reinterpret_cast<Word*>(to + Index(r) * to_pitch + at) =
            *reinterpret_cast<const Word*>(from + rows[r] * in.pitch + at);
      }
      from += in.stage_column;
      to += to_column;
    }
  }

  const Arrays& arrays_;
  char* memory_;
  bool mirrored_;
};

template <bool KeepsRejected, class SelectorType, class... T>
struct StridedTilesFor {
  using type =
      StridedTiles<KeepsRejected, SelectorType, sizeof...(T), static_cast<int>(sizeof(T))...>;
};
template <bool KeepsRejected, class Test, class... S, class... T>
  requires reads_flags<Test>
struct StridedTilesFor<KeepsRejected, Selector<Test, SourceList<Elements<S>...>>, T...> {
  using type = StridedTiles<KeepsRejected, Selector<Test, SourceList<Elements<S>...>>, sizeof...(T),
                            static_cast<int>(sizeof(T))..., static_cast<int>(sizeof(S))...>;
};

}  // namespace wavescan::Impl::select

#endif
