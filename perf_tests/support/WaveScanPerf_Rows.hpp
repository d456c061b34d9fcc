// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ROWS_HPP
#define WAVESCAN_PERF_ROWS_HPP

#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>

/// @file
/// @brief Registration of programs that scan the rows (or columns) of a packed matrix of constant
/// size. Benchmarks are named problem/program/width:W.

namespace wavescan::Perf {

inline constexpr int matrix_exponent = on_device ? 28 : 24;
inline constexpr std::int64_t matrix_size = std::int64_t(1) << matrix_exponent;

/// @param setup       setup(exec, width) returns a Work
/// @param first_width smallest width that is measured, as a power of two
template <class Setup>
void add_matrix(const std::string& problem, const std::string& program,
                std::int64_t bytes_an_element, const Setup& setup, int first_width = 5) {
  auto* const benchmark =
      benchmark::RegisterBenchmark((problem + "/" + program).c_str(), [=](benchmark::State& state) {
        const Kokkos::DefaultExecutionSpace exec;
        measure(state, exec, matrix_size * bytes_an_element, {},
                [&] { return setup(exec, state.range(0)); });
      });
  benchmark->UseManualTime()->Unit(benchmark::kMicrosecond);
  powers_of_two(benchmark, "width", first_width, matrix_exponent - 1);
}

}  // namespace wavescan::Perf

#endif
