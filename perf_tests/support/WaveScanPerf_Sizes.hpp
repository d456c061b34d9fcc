// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SIZES_HPP
#define WAVESCAN_PERF_SIZES_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace wavescan::Perf {

/// @brief Whether the benchmarks run on an accelerator, which needs larger sizes to be busy.
inline constexpr bool on_device =
    !std::is_same_v<Kokkos::DefaultExecutionSpace::memory_space, Kokkos::HostSpace>;

/// @brief Registers every power of two as the argument `name`.
inline void powers_of_two(benchmark::internal::Benchmark* benchmark, const std::string& name,
                          int first, int last) {
  benchmark->ArgName(name);
  for (int exponent = first; exponent <= last; ++exponent)
    benchmark->Arg(std::int64_t(1) << exponent);
}

/// @brief 2^10 elements to 2^28, on a device to 2^30.
inline void line_lengths(benchmark::internal::Benchmark* benchmark) {
  powers_of_two(benchmark, "n", 10, on_device ? 30 : 28);
}

/// @brief The lengths at which the cost of launches is seen.
inline void short_line_lengths(benchmark::internal::Benchmark* benchmark) {
  powers_of_two(benchmark, "n", 10, 22);
}

/// @brief What runs if no --benchmark_filter is given: of powers of two only 2^6, 2^10, 2^14, ...
inline std::string default_filter() {
  std::string filter = "-/(n|width):(1";
  for (int exponent = 1; exponent <= 40; ++exponent)
    if (exponent % 4 != 2) filter += '|' + std::to_string(std::int64_t(1) << exponent);
  filter += ")/";
  return filter;
}

}  // namespace wavescan::Perf

#endif
