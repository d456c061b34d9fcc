// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_TUNING_HPP
#define WAVESCAN_IMPL_SELECT_GPU_TUNING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/select/WaveScan_Problem.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

/// @file
/// @brief What a selection on a GPU is compiled for: the sizes of what moves, and of tiles.

namespace wavescan::Impl::select {

/// @brief Tiles of elements in shared memory, and the warps that work on them.
///
/// A tile has an array for each View that moves, and perhaps one for flags. It consists of
/// segments, one for each warp that compacts, of rows that have an element for each lane.
/// @tparam Left  elements are compared with those before them
/// @tparam Moved arrays that move: the first ones
/// @tparam Bytes of an element of each array
template <bool Left, int Moved, int... Bytes>
struct Tuning {
  static constexpr int lanes = 32;
  static constexpr int compacting_warps = 16;
  static constexpr int moving_warps = 8;
  /// One warp each that loads, publishes totals, and joins those of other blocks.
  static constexpr int threads = (compacting_warps + moving_warps + 3) * lanes;

  static constexpr int moved = Moved;
  static constexpr int arrays = sizeof...(Bytes);
  template <int Array>
  static consteval int bytes_of() {
    constexpr int bytes[] = {Bytes...};
    return bytes[Array];
  }

  static constexpr int rows =
      std::clamp(32768 / (compacting_warps * lanes * (0 + ... + Bytes)), 1, 16);
  static constexpr int segment = rows * lanes;
  static constexpr Index tile = compacting_warps * segment;

  /// Bytes before a tile, from a 16-byte boundary on, that hold the element before its first one.
  static consteval int left_bytes(int bytes) { return Left ? (bytes + 15) / 16 * 16 : 0; }
  /// With what lies between a 16-byte boundary and the first byte; whole cache lines.
  static consteval int array_bytes(int bytes) {
    return (left_bytes(bytes) + static_cast<int>(tile) * bytes + 16 + 127) / 128 * 128;
  }
  /// Where an array begins in a stage.
  template <int Array>
  static consteval int offset_of() {
    constexpr int bytes[] = {Bytes...};
    int offset = 0;
    for (int k = 0; k < Array; ++k) offset += array_bytes(bytes[k]);
    return offset;
  }
  static constexpr int stage_bytes = (0 + ... + array_bytes(Bytes));
  /// Totals of tiles are kept for 32 waves: blocks that are fewer than 16 tiles ahead of what they
  /// have joined never overwrite what is still to be read.
  static constexpr int stages = std::min(12, 222 * 1024 / stage_bytes);
  static constexpr int slow_start = std::min(3, stages - 1);
  static constexpr bool fits = stages >= 3;
};

/// @brief What a selector reads on a GPU: elements of Views of rank 1.
template <class Sources>
inline constexpr bool are_elements = false;
template <class... T>
inline constexpr bool are_elements<SourceList<Elements<T>...>> = true;

template <class Test>
inline constexpr bool looks_left = false;
template <class Equal>
inline constexpr bool looks_left<StartsRun<Equal>> = true;

/// @brief Whether what a selector reads is none of what moves; otherwise it reads the first Views
/// that move.
template <class Test>
inline constexpr bool reads_flags = std::same_as<Test, OfValue<IsSet>>;

template <class SelectorType, class... T>
struct TuningFor;
template <class Test, class... S, class... T>
  requires reads_flags<Test>
struct TuningFor<Selector<Test, SourceList<Elements<S>...>>, T...> {
  using type =
      Tuning<false, sizeof...(T), static_cast<int>(sizeof(T))..., static_cast<int>(sizeof(S))...>;
};
template <class Test, class... S, class... T>
  requires(!reads_flags<Test>)
struct TuningFor<Selector<Test, SourceList<Elements<S>...>>, T...> {
  using type = Tuning<looks_left<Test>, sizeof...(T), static_cast<int>(sizeof(T))...>;
};

}  // namespace wavescan::Impl::select

#endif
