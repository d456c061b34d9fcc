// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_THREADS_THREADS_HPP
#define WAVESCAN_PERF_THREADS_THREADS_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Stopwatch.hpp>
#include <vector>

/// @file
/// @brief What scripts/measure-threads runs with one thread after another's number: an operation
/// or two of each family, of arrays that fit a core's cache, the node's, and none, beside what
/// others would do. Benchmarks are named problem/program/n:N; an image of n pixels is a square.
/// Inputs are touched first as Kokkos does by default, each thread its equal share.

namespace wavescan::Perf::Threads {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

struct Times {
  double median, mean;
};

/// @brief Seconds that a call takes: of as many as take long enough, of few that take long; how
/// long is enough, the variable WAVESCAN_PERF_SECONDS may say. The first call is not counted.
inline Times seconds_of(const Exec& exec, const Work& work) {
  const char* const text = std::getenv("WAVESCAN_PERF_SECONDS");
  const double enough = text == nullptr ? .02 : std::atof(text), too_long = std::max(enough, .1);
  work.enqueue();
  exec.fence();
  Stopwatch<Exec> stopwatch(exec);
  std::vector<double> samples;
  double total = 0;
  while (total < (samples.size() < 3 ? too_long : enough)) {
    stopwatch.start();
    work.enqueue();
    samples.push_back(stopwatch.stop());
    total += samples.back();
  }
  return {median(samples), total / static_cast<double>(samples.size())};
}

/// @brief Whether a program is to be measured: those on oneTBB's threads, which would inherit the
/// one place to which OpenMP binds the first of its own, or the others.
inline bool is_wanted(const std::string& program) {
  const bool on_tbb = program == "tbb" || program == "std_par";
  return on_tbb == (std::getenv("WAVESCAN_PERF_TBB") != nullptr);
}

/// @param setup            setup(exec, n) returns a Work
/// @param bytes_an_element of input and output, each counted once
/// @param largest          the largest n is 2 to this
template <class Setup>
void add(const std::string& problem, const std::string& program, std::int64_t bytes_an_element,
         const Setup& setup, int largest = 25) {
  if (!is_wanted(program)) return;
  auto* const added =
      benchmark::RegisterBenchmark((problem + "/" + program).c_str(), [=](benchmark::State& state) {
        const Exec exec;
        const std::int64_t n = state.range(0);
        const Work work = setup(exec, n);
        Times seconds{};
        for (auto _ : state) {
          seconds = seconds_of(exec, work);
          state.SetIterationTime(seconds.median);
        }
        state.counters["us"] = seconds.median * 1e6;
        state.counters["mean_us"] = seconds.mean * 1e6;
        state.counters["bytes"] = static_cast<double>(n * bytes_an_element);
        state.counters["last"] = work.last();
      });
  added->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond)->ArgName("n");
  for (const int exponent : {14, 18, 20, 22, 25})
    if (exponent <= largest) added->Arg(std::int64_t(1) << exponent);
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
