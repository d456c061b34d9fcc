// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_RUNSUMS_HPP
#define WAVESCAN_IMPL_SEGMENTED_RUNSUMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <cstdint>

/// @file
/// @brief Places for the sums and keys of kernels that know the numbers of runs.

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

}  // namespace wavescan::Impl

#endif
