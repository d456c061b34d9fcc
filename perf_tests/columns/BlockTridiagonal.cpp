// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_BlockTridiagonal.hpp>
#include <WaveScan_BlockTridiagonalSolve.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <type_traits>

// Block tridiagonal systems of n rows, side by side or behind each other (contiguous), new and
// factorized. The floor is a copy of three blocks, of the right-hand side and of x.

namespace block_tridiagonal_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T, int size, class Layout>
Work solver(const Exec& exec, std::int64_t systems, std::int64_t n, bool factorized) {
  using Blocks = Kokkos::View<T** [size][size], Layout, Exec::memory_space>;
  using Columns = Kokkos::View<T** [size], Layout, Exec::memory_space>;
  const auto lines = static_cast<std::size_t>(systems), rows = static_cast<std::size_t>(n);
  const Blocks off("off", lines, rows), diagonal("diagonal", lines, rows);
  const Columns right("right", lines, rows), x("x", lines, rows);
  Kokkos::deep_copy(off, T(0.1));
  Kokkos::deep_copy(diagonal, T(0.1));
  Kokkos::deep_copy(right, T(1));
  for (int r = 0; r < size; ++r)
    Kokkos::deep_copy(Kokkos::subview(diagonal, Kokkos::ALL(), Kokkos::ALL(), r, r), T(size));
  const auto last = [=] {
    const Kokkos::View<T*, Exec::memory_space> all(x.data(), x.size());
    return last_of(all);
  };
  if (!factorized)
    return {[=] { block_tridiagonal_solve(exec, off, diagonal, off, right, x); }, last};
  const BlockTridiagonal plan(exec, off, diagonal, off);
  return {[=] { plan.solve(right, x); }, last};
}

template <class T, int size, class Layout = Kokkos::LayoutLeft>
void add(const std::string& type) {
  constexpr std::int64_t all = on_device ? 1 << 22 : 1 << 18;  // rows of blocks
  const bool side_by_side = std::is_same_v<Layout, Kokkos::LayoutLeft>;
  for (const bool factorized : {false, true}) {
    const std::string name =
        "block_tridiagonal<" + type + ">/" + (factorized ? "factorized" : "wavescan") +
        (side_by_side ? "" : "/contiguous") + "/blocks:" + std::to_string(size);
    for (const std::int64_t n : {32, 64, 256, 1024})
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=](benchmark::State& state) {
            const Exec exec;
            constexpr std::int64_t numbers = 3 * size * size + 2 * size;
            measure(state, exec, numbers * static_cast<std::int64_t>(sizeof(T)) * all, {1, false},
                    [&] { return solver<T, size, Layout>(exec, all / n, n, factorized); });
          })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond)
          ->ArgName("n")
          ->Arg(n);
  }
}

[[maybe_unused]] const bool registered = [] {
  add<float, 2>("float");
  add<double, 2>("double");
  add<float, 3>("float");
  add<double, 3>("double");
  add<double, 5>("double");
  add<double, 3, Kokkos::LayoutRight>("double");
  return true;
}();

}  // namespace
}  // namespace block_tridiagonal_benchmarks
