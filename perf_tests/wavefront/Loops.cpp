// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Wavefront.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <vector>

// Loops of all kinds in every schedule. The arguments are the rows and columns of the array and the
// number of the schedule, which the label names.

namespace loops_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief Reads new values only.
template <class T>
struct Algorithm1 {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.5); }
  KOKKOS_FUNCTION T partial(std::int64_t, std::int64_t, T up, T, const auto&) const {
    return T(0.5) * up;
  }
  KOKKOS_FUNCTION T boundary(std::int64_t, std::int64_t) const { return T(1); }
};

/// @brief As SOR, reads old values on all sides.
template <class T>
struct MeanOfFive {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.2); }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T, const auto& old) const {
    return T(0.2) * (((up + old(i, j)) + old(i, j + 1)) + old(i + 1, j));
  }
};

/// @brief An operator without weights.
template <class T>
struct SummedArea {
  using algebra_type = Plus<T>;
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T up_left,
                            const auto& old) const {
    return old(i, j) + up - up_left;
  }
};

/// @brief Local alignment of sequences that are computed on the fly.
struct LocalAlignment {
  using algebra_type = MaxPlus<int>;
  KOKKOS_FUNCTION int weight() const { return -2; }
  KOKKOS_FUNCTION int partial(std::int64_t i, std::int64_t j, int up, int up_left,
                              const auto&) const {
    int best = up_left + ((i ^ (i >> 3)) % 4 == (j ^ (j >> 5)) % 4 ? 3 : -2);
    if (best < up - 2) best = up - 2;
    return best < 0 ? 0 : best;
  }
  KOKKOS_FUNCTION int boundary(std::int64_t, std::int64_t) const { return 0; }
};

/// @brief Much arithmetic for each entry.
struct Heavy {
  using algebra_type = PlusTimes<double>;
  KOKKOS_FUNCTION double weight() const { return 0.25; }
  KOKKOS_FUNCTION double partial(std::int64_t i, std::int64_t j, double up, double up_left,
                                 const auto& old) const {
    return 0.1 * (Kokkos::exp(-up * up) + Kokkos::sin(up_left) + Kokkos::cos(old(i, j)));
  }
};

void shapes(benchmark::internal::Benchmark* benchmark) {
  struct Shape {
    std::int64_t rows, columns;
  };
  const std::vector<Shape> sizes =
      on_device
          ? std::vector<Shape>{{256, 256},    {4096, 4096},    {8192, 8192},    {16384, 16384},
                               {16, 1 << 24}, {1024, 1 << 18}, {1 << 18, 1024}, {1 << 20, 64}}
          : std::vector<Shape>{{256, 256}, {2048, 2048}, {32, 131072}, {131072, 32}};
  for (const Shape shape : sizes)
    for (const Schedule schedule : schedules) {
      const bool small = shape.rows * shape.columns <= 1 << 16;
      // One thread of an accelerator, or the whole of it for each short row, would take minutes.
      if (schedule == Schedule::Serial && on_device && !small) continue;
      if (schedule == Schedule::RowSweep && shape.rows > 64 * shape.columns) continue;
      benchmark->Args({shape.rows, shape.columns, static_cast<std::int64_t>(schedule)});
    }
}

template <class L>
void run_loop(benchmark::State& state) {
  using T = typename L::algebra_type::value_type;
  const Exec exec;
  const std::int64_t m = state.range(0), n = state.range(1);
  const auto schedule = static_cast<Schedule>(state.range(2));
  const Kokkos::View<T**, Kokkos::LayoutRight> array("array", static_cast<std::size_t>(m),
                                                     static_cast<std::size_t>(n));
  Kokkos::deep_copy(array, T(1));
  const WavefrontOptions options{.schedule = schedule, .range = IndexRange{1, m - 1, 1, n - 1}};
  std::string label = to_string(schedule);
  if (schedule == Schedule::Auto)
    label += std::string(": ") + to_string(Wavefront<Exec, L>(exec, m, n, options).schedule());
  state.SetLabel(label);
  const double seconds = time(state, exec, [&] { wavefront(exec, L(), array, options); });
  report_rate(state, (m - 2) * (n - 2), seconds);
  report_bandwidth(state, exec, 2 * m * n * static_cast<std::int64_t>(sizeof(T)), seconds);
}
BENCHMARK_TEMPLATE(run_loop, Algorithm1<float>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, Algorithm1<double>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, MeanOfFive<float>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, MeanOfFive<double>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, SummedArea<float>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, LocalAlignment)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, Heavy)->Apply(shapes)->UseManualTime();

}  // namespace
}  // namespace loops_benchmarks
