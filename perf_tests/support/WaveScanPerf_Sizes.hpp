// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SIZES_HPP
#define WAVESCAN_PERF_SIZES_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace wavescan::Perf {

/// @brief Whether the benchmarks run on an accelerator, which needs larger sizes to be busy.
inline constexpr bool on_device =
    !std::is_same_v<Kokkos::DefaultExecutionSpace::memory_space, Kokkos::HostSpace>;

/// @brief 2^10 elements to 2^26, on a device to 2^28.
inline void line_lengths(benchmark::internal::Benchmark* benchmark) {
  for (int exponent = 10; exponent <= 26; exponent += 4) benchmark->Arg(1L << exponent);
  if (on_device) benchmark->Arg(1L << 28);
}

}  // namespace wavescan::Perf

#endif
