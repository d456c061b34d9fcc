// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_LARGEARRAYS_HPP
#define WAVESCAN_TEST_LARGEARRAYS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief What tests of arrays have in common that keep all of a device busy for many tiles.

namespace wavescan::Test::Large {

using Exec = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;
using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
inline constexpr bool on_host = std::is_same_v<Exec::memory_space, Kokkos::HostSpace>;

/// @brief Holds for so many of a hundred numbers.
KOKKOS_INLINE_FUNCTION bool is_among(Index i, Index share) {
  const auto number = static_cast<std::uint64_t>(i + 1);
  return static_cast<Index>((number * 0x9E3779B97F4A7C15 >> 33) % 100) < share;
}

template <class Kept>
struct CountKept {
  Kept kept;
  KOKKOS_FUNCTION void operator()(const Index i, Index& sum) const { sum += kept(i) ? 1 : 0; }
};
/// @brief How many numbers from 0 to before n are kept.
template <class Kept>
Index count_kept(const Kept& kept, Index n) {
  Index sum = 0;
  Kokkos::parallel_reduce("count", Policy(0, n), CountKept<Kept>{kept}, sum);
  return sum;
}

}  // namespace wavescan::Test::Large

#endif
