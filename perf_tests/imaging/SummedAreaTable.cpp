// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Summed-area tables beside a plain serial loop and the copy of the same bytes. Arguments: rows,
// columns.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>

namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

template <class Pixel, class T>
struct Arrays {
  Kokkos::View<Pixel**, Exec> image;
  Kokkos::View<T**, Exec> table;
  explicit Arrays(const benchmark::State& state)
      : image("image", static_cast<std::size_t>(state.range(0)),
              static_cast<std::size_t>(state.range(1))),
        table("table", image.extent(0), image.extent(1)) {
    Kokkos::deep_copy(image, Pixel(1));
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(image.size() * (sizeof(Pixel) + sizeof(T)));
  }
};

template <class Pixel, class T>
void table(benchmark::State& state, ws::Schedule schedule) {
  const Exec exec;
  const Arrays<Pixel, T> a(state);
  const ws::SummedAreaTable<Exec, Pixel, T> plan(exec, state.range(0), state.range(1),
                                                 {.schedule = schedule});
  const double seconds = ws::Perf::time(state, exec, [&] { plan(a.image, a.table); });
  ws::Perf::report_bandwidth(state, exec, a.bytes(), seconds);
}

/// @brief The paper's loop nest as one would write it down, on one thread of the host.
template <class Pixel, class T>
void serial_loop(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  const Kokkos::View<Pixel**, Kokkos::LayoutRight, Kokkos::HostSpace> image("image", rows, columns);
  const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> table("table", rows, columns);
  Kokkos::deep_copy(image, Pixel(1));
  const Kokkos::DefaultHostExecutionSpace host;
  const double seconds = ws::Perf::time(state, host, [&] {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        table(i, j) = static_cast<T>(image(i, j)) + (j > 0 ? table(i, j - 1) : T(0)) +
                      (i > 0 ? table(i - 1, j) : T(0)) -
                      (i > 0 && j > 0 ? table(i - 1, j - 1) : T(0));
    benchmark::DoNotOptimize(table(rows - 1, columns - 1));
  });
  ws::Perf::report_bandwidth(
      state, host, static_cast<std::int64_t>(image.size() * (sizeof(Pixel) + sizeof(T))), seconds);
}

void box_filter(benchmark::State& state) {
  const Exec exec;
  const Arrays<std::uint8_t, std::uint32_t> a(state);
  ws::summed_area_table(exec, a.image, a.table);
  const double seconds =
      ws::Perf::time(state, exec, [&] { ws::box_filter(exec, a.table, 15, a.image); });
  ws::Perf::report_bandwidth(state, exec, a.bytes(), seconds);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->Args({1024, 1024})->Args({4096, 4096})->Args({8192, 8192});
  b->Args({64, 1 << 20})->Args({1 << 20, 64});
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

void one_shape(benchmark::internal::Benchmark* b) {
  b->Args({4096, 4096})->UseManualTime()->Unit(benchmark::kMillisecond);
}

template <class Pixel, class T>
void register_type(const std::string& type) {
  const std::string name = "summed_area_table/" + type;
  shapes(benchmark::RegisterBenchmark(
      name.c_str(), [](benchmark::State& s) { table<Pixel, T>(s, ws::Schedule::Hybrid); }));
  one_shape(benchmark::RegisterBenchmark((name + "/wavefront").c_str(), [](benchmark::State& s) {
    table<Pixel, T>(s, ws::Schedule::TileCompensated);
  }));
  one_shape(benchmark::RegisterBenchmark((name + "/serial_loop").c_str(), serial_loop<Pixel, T>));
}

const bool registered = [] {
  register_type<float, float>("float");
  register_type<std::uint8_t, std::uint32_t>("uint8_to_uint32");
  one_shape(benchmark::RegisterBenchmark("box_filter/uint8", box_filter));
  return true;
}();

}  // namespace
