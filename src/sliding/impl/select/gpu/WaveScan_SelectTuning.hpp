// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_SELECTTUNING_HPP
#define WAVESCAN_IMPL_SELECT_GPU_SELECTTUNING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <type_traits>

/// @file
/// @brief Sizes that a selection on a GPU is compiled for: those of what moves, and of tiles.

namespace wavescan::Impl::select {

/// @brief The warps of a block, by what they do.
struct SelectWarps {
  /// A plain mover's warps are many.
  static constexpr int compacting = (gpu::mover == gpu::Mover::Plain ? 384 : 512) / gpu::warp_size;
  static constexpr int storing = compacting / 2;
  static constexpr int loader = compacting + storing;
  static constexpr int publisher = loader + gpu::mover_warps;
  static constexpr int joiner = publisher + 1;
  static constexpr int threads = (joiner + 1) * gpu::warp_size;
};

/// @brief Tiles of elements in shared memory, and the warps that work on them.
///
/// A tile has an array for each View that moves, and perhaps one for flags. It consists of
/// segments, one for each warp that compacts; these of chunks, of which each lane has some elements
/// that follow each other: as many as it loads at once.
/// @tparam Left  elements are compared with those before them
/// @tparam Moved arrays that move: the first ones
/// @tparam Bytes of an element of each array
template <bool Left, int Moved, int... Bytes>
struct TileTuning {
  static constexpr int lanes = gpu::warp_size;
  static constexpr int room = gpu::block_memory - 5 * 1024;  ///< bytes, for stages

  static constexpr int moved = Moved;
  static constexpr int arrays = sizeof...(Bytes);
  template <int Array>
  static consteval int bytes_of() {
    constexpr int bytes[] = {Bytes...};
    return bytes[Array];
  }

  /// Elements of a lane in a chunk: as many as it loads in 16 bytes, and four at most.
  static constexpr int vector = static_cast<int>(
      std::bit_floor(std::clamp(16u / unsigned(std::max({Bytes...})), 1u, 128u / lanes)));
  static constexpr int chunks = std::clamp(
      std::min(32768, room / 3) / (SelectWarps::compacting * lanes * vector * (0 + ... + Bytes)), 1,
      vector == 1 ? 16 : 32 / vector);
  static constexpr int chunk = vector * lanes;
  static constexpr int segment = chunks * chunk;
  static constexpr Index tile = SelectWarps::compacting * segment;
  /// Segments of one chunk: what fits in so small a tile for each block is done sooner by all.
  static constexpr Index small_tile = SelectWarps::compacting * chunk;

  /// Bytes before a tile, from a 16-byte boundary on, that hold the element before its first one.
  static consteval int left_bytes(int bytes) { return Left ? (bytes + 15) / 16 * 16 : 0; }
  /// With what lies between a cache line's boundary and the first byte; whole cache lines.
  static consteval int array_bytes(int bytes) {
    return (112 + left_bytes(bytes) + static_cast<int>(tile) * bytes + 16 + 127) / 128 * 128;
  }
  static constexpr int stage_bytes = (0 + ... + array_bytes(Bytes));
  /// Totals of tiles are kept for 32 waves: blocks that are fewer than 16 tiles ahead of what they
  /// have joined never overwrite what is still to be read.
  static constexpr int stages = std::min(12, room / stage_bytes);
  static constexpr int slow_start = std::min(3, stages - 1);
  static constexpr bool fits = stages >= 3;

  /// @brief Whether so many elements of a segment, of words of `Width` bytes, are stored 16 bytes
  /// at a time: where they are few, that takes longer to begin.
  template <int Width>
  static KOKKOS_FUNCTION constexpr bool stores_runs(int count) {
    return Width < 16 && count > segment / 8;
  }
};

/// @brief Whether what a selector reads is none of what moves; otherwise it reads the first Views
/// that move.
template <class Test>
inline constexpr bool reads_flags = std::same_as<Test, OfValue<IsSet>>;

template <class SelectorType, class... T>
struct TuningFor;
template <class Test, class... S, class... T>
  requires reads_flags<Test>
struct TuningFor<Selector<Test, SourceList<Elements<S>...>>, T...> {
  using type = TileTuning<false, sizeof...(T), static_cast<int>(sizeof(T))...,
                          static_cast<int>(sizeof(S))...>;
};
template <class Test, class... S, class... T>
  requires(!reads_flags<Test>)
struct TuningFor<Selector<Test, SourceList<S...>>, T...> {
  using type = TileTuning<looks_left<Test>, sizeof...(T), static_cast<int>(sizeof(T))...>;
};

}  // namespace wavescan::Impl::select

#endif
