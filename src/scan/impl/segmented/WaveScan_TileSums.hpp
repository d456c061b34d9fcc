// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_TILESUMS_HPP
#define WAVESCAN_IMPL_SEGMENTED_TILESUMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>

#include <cstdint>

/// @file
/// @brief Where a kernel that goes through elements tile by tile puts the sums of segments: targets
/// of its scan.
///
/// Lines that end in a tile are *runs*, which are counted from the first tile on. Segments that are
/// told by values are runs. Those that are told by offsets are, too, unless some are empty or lie
/// apart: then each tile looks for its sums by the segments that end in it.

namespace wavescan::Impl {

/// @brief A place for a count, of any integral type.
struct CountPlace {
  void* data = nullptr;  ///< null: nobody wants to know
  int bytes = 0;
  KOKKOS_FUNCTION void store(Index count) const {
    if (data == nullptr) return;
    switch (bytes) {
      case 1:
        *static_cast<std::uint8_t*>(data) = static_cast<std::uint8_t>(count);
        break;
      case 2:
        *static_cast<std::uint16_t*>(data) = static_cast<std::uint16_t>(count);
        break;
      case 4:
        *static_cast<std::uint32_t*>(data) = static_cast<std::uint32_t>(count);
        break;
      default:
        *static_cast<std::uint64_t*>(data) = static_cast<std::uint64_t>(count);
    }
  }
};

/// @brief The sums of runs.
template <class T>
struct RunSums {
  static constexpr bool numbered = false;
  static constexpr bool keys = false;
  Lines<T> sums;
  Index size;  ///< of `sums`
  CountPlace count{};
  Index skipped = 0;  ///< runs at the beginning that are no segments

  /// @brief The place of a run's sum, or -1 if it has none.
  KOKKOS_FUNCTION Index place_of(Index run) const {
    const Index s = run - skipped;
    return s >= 0 && s < size ? s : -1;
  }
  KOKKOS_FUNCTION T& at(Index place) const { return sums(0, place); }
  KOKKOS_FUNCTION void put(Index run, const T& sum) const {
    if (const Index s = place_of(run); s >= 0) at(s) = sum;
  }
};

/// @brief The sums of runs, and the keys of their first elements.
template <class T, class Key>
struct KeyedSums : RunSums<T> {
  static constexpr bool keys = true;
  using key_type = Key;
  Lines<const Key> all;
  Lines<Key> unique;
  Index unique_size;
  KOKKOS_FUNCTION void put_key(Index run, const Key& key) const {
    const Index s = run - this->skipped;
    if (s >= 0 && s < unique_size) unique(0, s) = key;
  }
};

/// @brief The sums of numbered segments.
template <class T>
struct SegmentSums : RunSums<T> {
  static constexpr bool numbered = true;
  SegmentRanges segments;
  const BitWord* has_empty;  ///< not 0: runs are not segments
  Index* first_of_tile;      ///< then the first segment that ends in a tile
};

template <class Target>
inline constexpr bool keeps_tile_sums = requires(Target target) {
  Target::numbered;
};

/// @brief Whether an execution space has such kernels.
template <class Exec>
inline constexpr bool has_tiles = false;
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <>
inline constexpr bool has_tiles<Kokkos::Cuda> = true;
#endif

/// @brief The first segments that end in tiles, if they are needed.
struct FindTiles {
  SegmentRanges segments;
  const BitWord* has_empty;
  Index* first_of_tile;
  Index tiles, tile, front;  ///< tile 0 begins so many elements before the first one
  KOKKOS_FUNCTION void operator()(const Index t) const {
    if (*has_empty == 0) return;
    first_of_tile[t] = t == 0       ? 0
                       : t == tiles ? segments.ends.size
                                    : segments.ends.count_below(t * tile - front + 1);
  }
};

}  // namespace wavescan::Impl

#endif
