// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Wavefront.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

// Loops of Hou et al. in every schedule. The arguments are the rows and columns of the array and
// the number of the schedule, which the label names.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
struct Algorithm1 {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.5); }
  KOKKOS_FUNCTION T partial(std::int64_t, std::int64_t, T up, T, const auto&) const {
    return T(0.5) * up;
  }
  KOKKOS_FUNCTION T boundary(std::int64_t, std::int64_t) const { return T(1); }
};

template <class T>
struct MeanOfFive {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.2); }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T, const auto& old) const {
    return T(0.2) * (((up + old(i, j)) + old(i, j + 1)) + old(i + 1, j));
  }
};

void shapes(benchmark::internal::Benchmark* benchmark) {
  struct Shape {
    std::int64_t rows, columns;
  };
  const std::int64_t side = on_device ? 8192 : 2048;
  for (const Shape shape : {Shape{256, 256}, Shape{side, side}, Shape{side / 64, 64 * side},
                            Shape{64 * side, side / 64}})
    for (const Schedule schedule : schedules) {
      const bool small = shape.rows * shape.columns <= 1 << 16;
      // One thread of an accelerator, or a launch for each short row, would take minutes.
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
  const Wavefront<Exec, L> plan(exec, m, n,
                                {.schedule = schedule, .range = IndexRange{1, m - 1, 1, n - 1}});
  state.SetLabel(std::string(to_string(schedule)) +
                 (schedule == Schedule::Hybrid ? std::string(": ") + to_string(plan.schedule())
                                               : std::string()));
  const double seconds = time(state, exec, [&] { plan({}, array); });
  report_rate(state, (m - 2) * (n - 2), seconds);
  report_bandwidth(state, exec, 2 * m * n * static_cast<std::int64_t>(sizeof(T)), seconds);
}
BENCHMARK_TEMPLATE(run_loop, Algorithm1<float>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, Algorithm1<double>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, MeanOfFive<float>)->Apply(shapes)->UseManualTime();
BENCHMARK_TEMPLATE(run_loop, MeanOfFive<double>)->Apply(shapes)->UseManualTime();

}  // namespace
