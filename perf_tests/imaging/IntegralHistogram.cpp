// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Integral histograms of 8-bit images beside a loop, the paper's wavefront loop, and the speed at
// which the same memory is filled.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_ImageViews.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_BinByBin.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <vector>

namespace integral_histogram_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using Pixel = std::uint8_t;
using Count = std::uint32_t;
using Bins = ws::UniformBins<int>;

template <class Space>
struct Arrays {
  using Image = Kokkos::View<Pixel**, Kokkos::LayoutRight, typename Space::memory_space>;
  using Histogram = Kokkos::View<Count***, Kokkos::LayoutRight, typename Space::memory_space>;
  Image image;
  Histogram histogram;
  Bins bins;

  explicit Arrays(const benchmark::State& state)
      : image("image", size(state, 1), size(state, 2)),
        histogram(Kokkos::view_alloc("histogram", Kokkos::WithoutInitializing), size(state, 0),
                  size(state, 1), size(state, 2)),
        bins{0, 256, static_cast<int>(state.range(0))} {
    const auto pixels =
        ws::Perf::random_array<Pixel>(Space(), static_cast<std::int64_t>(image.size()));
    Kokkos::deep_copy(
        Kokkos::View<Pixel*, typename Space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            image.data(), image.size()),
        pixels);
  }
  static std::size_t size(const benchmark::State& state, int argument) {
    return static_cast<std::size_t>(state.range(argument));
  }
};

/// @brief Seconds in which the histogram is filled with a number.
template <class Space>
double fill_seconds(const Space& space, const Arrays<Space>& arrays, Count number) {
  ws::Perf::Stopwatch<Space> stopwatch(space);
  std::vector<double> fills;
  for (int trial = 0; trial < 9; ++trial) {
    stopwatch.start();
    Kokkos::deep_copy(space, arrays.histogram, number);
    fills.push_back(stopwatch.stop());
  }
  return ws::Perf::median(fills);
}

/// @brief Reports GB/s written, and the share of what filling the histogram reaches in this run.
template <class Space>
void report(benchmark::State& state, const Arrays<Space>& arrays, double seconds) {
  if (seconds <= 0) return;
  const Space space;
  // Zeros are set in another way than other numbers, on GPUs in a faster one.
  const double fill = std::min(fill_seconds(space, arrays, 0), fill_seconds(space, arrays, 1));
  const auto bytes = static_cast<double>(arrays.histogram.size() * sizeof(Count));
  state.counters["us"] = seconds * 1e6;
  state.counters["fill_us"] = fill * 1e6;
  state.counters["GB/s"] = bytes / seconds / 1e9;
  state.counters["of_fill"] = fill / seconds;
}

void operation(benchmark::State& state) {
  const Exec exec;
  const Arrays<Exec> a(state);
  report(state, a, ws::Perf::time(state, exec, [&] {
           ws::integral_histogram(exec, a.image, a.bins, a.histogram);
         }));
}

/// @brief The same, with the bins of a pixel in neighbouring memory.
void side_by_side(benchmark::State& state) {
  const Exec exec;
  const Arrays<Exec> a(state);
  const Kokkos::View<Count***, Kokkos::LayoutRight, Exec::memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      bins_last(a.histogram.data(), a.image.extent(0), a.image.extent(1), a.histogram.extent(0));
  report(state, a, ws::Perf::time(state, exec, [&] {
           ws::integral_histogram(exec, a.image, a.bins, ws::channels_first(bins_last));
         }));
}

void wavefront(benchmark::State& state) {
  const Exec exec;
  const Arrays<Exec> a(state);
  report(state, a, ws::Perf::time(state, exec, [&] {
           ws::Perf::bin_by_bin(exec, a.image, a.bins, a.histogram, ws::Schedule::TileCompensated);
         }));
}

/// @brief The usual loop with a count for the row, on one thread of the host.
void loop(benchmark::State& state) {
  const Arrays<Host> a(state);
  const auto& h = a.histogram;
  report(state, a, ws::Perf::time(state, Host(), [&] {
           for (std::size_t z = 0; z < h.extent(0); ++z)
             for (std::size_t i = 0; i < h.extent(1); ++i) {
               Count count = 0;
               for (std::size_t j = 0; j < h.extent(2); ++j) {
                 count += a.bins(a.image(i, j)) == static_cast<int>(z);
                 h(z, i, j) = count + (i > 0 ? h(z, i - 1, j) : 0);
               }
             }
           benchmark::ClobberMemory();
         }));
}

template <class Function>
benchmark::internal::Benchmark* add(const std::string& program, const Function& function) {
  return benchmark::RegisterBenchmark(("integral_histogram<uint8>/" + program).c_str(), function)
      ->ArgNames({"bins", "rows", "columns"})
      ->Args({32, 1080, 1920})
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  for (auto* const all : {add("wavescan", operation), add("side_by_side", side_by_side)}) {
    all->Args({32, 480, 640})->Args({256, 480, 640});
    for (const std::int64_t side : {256, 512, 1024, 2048, 4096}) all->Args({32, side, side});
  }
  add("wavefront", wavefront);
  add("loop", loop);
  return true;
}();

}  // namespace
}  // namespace integral_histogram_benchmarks
