// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_THREADS_THREADS_HPP
#define WAVESCAN_PERF_THREADS_THREADS_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Lines.hpp>

/// @file
/// @brief What scripts/measure-threads runs with one thread after another's number: an operation
/// or two of each family, of arrays that fit a core's cache, the node's, and none, beside what
/// others would do. Benchmarks are named problem/program/n:N; an image of n pixels is a square.
/// Inputs are touched first as Kokkos does by default, each thread its equal share.

namespace wavescan::Perf::Threads {

using Exec = Kokkos::DefaultExecutionSpace;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// @brief Of arrays of numbers; of the five arrays of systems, a quarter.
inline void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("n");
  for (const int exponent : {16, 18, 20, 22, 26}) benchmark->Arg(std::int64_t(1) << exponent);
}
inline void lengths_of_systems(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("n");
  for (const int exponent : {16, 18, 20, 22, 24}) benchmark->Arg(std::int64_t(1) << exponent);
}

/// @param setup setup(exec, n) returns a Work
template <class Setup>
void add(const std::string& problem, const std::string& program, std::int64_t bytes_an_element,
         const Setup& setup, void (*all_lengths)(benchmark::internal::Benchmark*) = lengths) {
  add_line<Exec>(problem, program, bytes_an_element, Capture::No, setup, all_lengths);
}

/// @param call call(exec, x, y) on Views of n random elements
template <class T, class Call>
void add_arrays(const std::string& problem, const std::string& program, const Call& call) {
  add(problem, program, 2 * sizeof(T), [=](const Exec& exec, std::int64_t n) -> Work {
    const auto x = random_array<T>(exec, n), y = random_array<T>(exec, n, 5);
    return {[=] {
              call(exec, x, y);
              benchmark::ClobberMemory();
            },
            [=] { return last_of(y); }};
  });
}

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;

/// @brief Rows of random elements.
template <class T>
Matrix<T> random_matrix(const Exec& exec, std::int64_t rows, std::int64_t columns) {
  const Matrix<T> matrix(Kokkos::view_alloc(exec, "random", Kokkos::WithoutInitializing),
                         static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  Kokkos::parallel_for("random", Range(exec, 0, rows * columns),
                       FillRandom<T, Exec::memory_space>{
                           Kokkos::View<T*, Exec::memory_space>(matrix.data(), matrix.size()), 1});
  return matrix;
}

inline std::int64_t side_of(std::int64_t n) {
  return std::llround(std::sqrt(static_cast<double>(n)));
}

}  // namespace wavescan::Perf::Threads

#endif
