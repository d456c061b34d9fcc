// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <benchmark/benchmark.h>

#include <WaveScan_IntegralHistogram.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_BinByBin.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

// Figure 10 for integral histograms of 32 bins: the library's operation, and the paper's loop in
// the library's schedules, one bin after the other.

namespace integral_histogram_benchmarks {
namespace {

namespace ws = wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Pixel = std::uint8_t;
using Count = std::uint32_t;
using Bins = ws::UniformBins<int>;

constexpr int bins = 32;
constexpr int log2_pixels = on_device ? 25 : 17;
/// Bins times rows that a schedule which does one after the other is given: it takes about a
/// second.
constexpr std::int64_t max_rows = 1 << 17;

/// @param call call(exec, image, binning, histogram) enqueues it
template <class Call>
void measure_histogram(benchmark::State& state, std::int64_t row_limit, const Call& call) {
  const Exec exec;
  const std::int64_t m = state.range(0), n = state.range(1);
  if (m > row_limit) return state.SkipWithError("too many rows");
  try {
    const auto pixels = random_array<Pixel>(exec, m * n);
    const Kokkos::View<const Pixel**, Kokkos::LayoutRight, Exec::memory_space,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        image(pixels.data(), static_cast<std::size_t>(m), static_cast<std::size_t>(n));
    const Kokkos::View<Count***, Kokkos::LayoutRight, Exec::memory_space> histogram(
        Kokkos::view_alloc(exec, "histogram", Kokkos::WithoutInitializing),
        static_cast<std::size_t>(bins), image.extent(0), image.extent(1));
    const double seconds = time(state, exec, [&] {
      call(exec, image, Bins{0, 256, bins}, histogram);
    });
    report_rate(state, bins * m * n, seconds);
    report_bandwidth(state, exec, (bins * static_cast<std::int64_t>(sizeof(Count)) + 1) * m * n,
                     seconds);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

template <class Call>
void add(const std::string& program, std::int64_t row_limit, const Call& call) {
  auto* const benchmark = benchmark::RegisterBenchmark(
      ("figure10/integral_histogram/" + program).c_str(),
      [=](benchmark::State& state) { measure_histogram(state, row_limit, call); });
  benchmark->ArgNames({"rows", "columns"})->Iterations(3)->UseManualTime();
  for (int rows = 4; rows <= log2_pixels - 4; rows += 2)
    benchmark->Args({std::int64_t(1) << rows, std::int64_t(1) << (log2_pixels - rows)});
}

[[maybe_unused]] const bool registered = [] {
  add("operation", std::int64_t(1) << log2_pixels,
      [](const auto&... arguments) { ws::integral_histogram(arguments...); });
  const auto add_schedule = [](const std::string& program, ws::Schedule schedule) {
    add(program, max_rows / bins,
        [=](const auto&... arguments) { bin_by_bin(arguments..., schedule); });
  };
  add_schedule("tile_compensated", ws::Schedule::TileCompensated);
  add_schedule("row_sweep", ws::Schedule::RowSweep);
  add_schedule("tile_skewed", ws::Schedule::TileSkewed);
  return true;
}();

}  // namespace
}  // namespace integral_histogram_benchmarks
