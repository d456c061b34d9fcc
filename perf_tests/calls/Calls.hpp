// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_CALLS_HPP
#define WAVESCAN_PERF_CALLS_HPP

#include <benchmark/benchmark.h>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// @file
/// @brief The cost of a single call whose result is waited for: the host's time of a call and a
/// fence, by the free function, by a plan, and by the plain loop that a host would run instead.

namespace wavescan::Perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;

template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;

/// @brief Ways to do the same; without a function where there is no such way.
struct Calls {
  std::function<void()> free, plan, loop;
};

/// @brief What the free function stands beside.
enum class Beside { Plan, Loop, Both };

/// @param make  make(exec, n) gives the calls for lines of n elements, squares of n rows, ...
template <class Make>
void add(const std::string& operation, const std::vector<Index>& sizes, Beside others,
         const Make& make) {
  const auto way = [&](const char* name, std::function<void()> Calls::*call) {
    auto* const benchmark = benchmark::RegisterBenchmark(
        ("calls/" + operation + "/" + name).c_str(), [make, call](benchmark::State& state) {
          const Exec exec;
          const std::function<void()> run = make(exec, state.range(0)).*call;
          run();
          exec.fence();
          for (auto _ : state) {
            run();
            exec.fence();
          }
        });
    benchmark->UseRealTime()->Unit(benchmark::kMicrosecond)->ArgName("n");
    for (const Index n : sizes) benchmark->Arg(n);
  };
  way("free", &Calls::free);
  if (others != Beside::Loop) way("plan", &Calls::plan);
  if (!on_device && others != Beside::Plan) way("loop", &Calls::loop);
}

inline const std::vector<Index> lengths{
    1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26, on_device ? 1 << 28 : 1 << 24};
inline const std::vector<Index> sides =
    on_device ? std::vector<Index>{32, 128, 512, 1024, 2048, 4096, 8192, 16384}
              : std::vector<Index>{16, 32, 128, 512, 1024, 2048, 4096};

template <class T>
Matrix<T> square(const Exec& exec, Index n) {
  const auto size = static_cast<std::size_t>(n);
  const Matrix<T> matrix("matrix", size, size);
  Kokkos::deep_copy(exec, Array<T>(matrix.data(), size * size), random_array<T>(exec, n * n));
  return matrix;
}

}  // namespace wavescan::Perf

#endif
