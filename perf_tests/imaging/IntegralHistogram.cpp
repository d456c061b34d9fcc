// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Integral histograms of 8-bit images beside a plain serial loop and the speed at which the same
// memory is filled. Arguments: bins, rows, columns.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <support/WaveScanPerf_Timing.hpp>

namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;
using Bins = ws::UniformBins<int>;
using Image = Kokkos::View<std::uint8_t**, Exec>;
using Histogram = Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec>;

struct Arrays {
  Image image;
  Histogram histogram;
  Bins bins;
  explicit Arrays(const benchmark::State& state)
      : image("image", static_cast<std::size_t>(state.range(1)),
              static_cast<std::size_t>(state.range(2))),
        histogram("histogram", static_cast<std::size_t>(state.range(0)), image.extent(0),
                  image.extent(1)),
        bins{0, 256, static_cast<int>(state.range(0))} {
    const auto host = Kokkos::create_mirror_view(image);
    for (std::size_t i = 0; i < image.extent(0); ++i)
      for (std::size_t j = 0; j < image.extent(1); ++j)
        host(i, j) = static_cast<std::uint8_t>(i * 7 + j * j * 13);
    Kokkos::deep_copy(image, host);
  }
};

/// @brief Reports GB/s written, and the share of what filling the histogram reaches.
void report(benchmark::State& state, const Exec& exec, const Histogram& histogram, double seconds) {
  if (seconds <= 0) return;
  double fill = 1e9;
  for (int trial = 0; trial < 5; ++trial) {
    exec.fence();
    const Kokkos::Timer timer;
    Kokkos::deep_copy(exec, histogram, 1u);
    exec.fence();
    fill = std::min(fill, timer.seconds());
  }
  state.counters["GB/s"] =
      static_cast<double>(histogram.size() * sizeof(std::uint32_t)) / seconds / 1e9;
  state.counters["of_fill"] = fill / seconds;
}

void histogram(benchmark::State& state, ws::Schedule schedule) {
  const Exec exec;
  const Arrays a(state);
  const ws::IntegralHistogram<Exec, std::uint8_t, Bins, std::uint32_t> plan(
      exec, state.range(0), state.range(1), state.range(2), {.schedule = schedule});
  const double seconds = ws::Perf::time(state, exec, [&] { plan(a.image, a.bins, a.histogram); });
  report(state, exec, a.histogram, seconds);
}

/// @brief The paper's loop nest as one would write it down, on one thread of the host.
void serial_loop(benchmark::State& state) {
  const Exec exec;
  const Arrays a(state);
  const auto image = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.image);
  const auto h = Kokkos::create_mirror_view(a.histogram);
  const double seconds = ws::Perf::time(state, Kokkos::DefaultHostExecutionSpace(), [&] {
    for (std::size_t z = 0; z < h.extent(0); ++z)
      for (std::size_t i = 0; i < h.extent(1); ++i)
        for (std::size_t j = 0; j < h.extent(2); ++j)
          h(z, i, j) = (a.bins(image(i, j)) == static_cast<int>(z)) + (j > 0 ? h(z, i, j - 1) : 0) +
                       (i > 0 ? h(z, i - 1, j) : 0) - (i > 0 && j > 0 ? h(z, i - 1, j - 1) : 0);
  });
  report(state, exec, a.histogram, seconds);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->Args({32, 480, 640})->Args({32, 1080, 1920})->Args({256, 1080, 1920});
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  shapes(benchmark::RegisterBenchmark(
      "integral_histogram/uint8", [](benchmark::State& s) { histogram(s, ws::Schedule::Hybrid); }));
  benchmark::RegisterBenchmark(
      "integral_histogram/uint8/wavefront",
      [](benchmark::State& s) { histogram(s, ws::Schedule::TileCompensated); })
      ->Args({32, 1080, 1920})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("integral_histogram/uint8/serial_loop", serial_loop)
      ->Args({32, 1080, 1920})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
