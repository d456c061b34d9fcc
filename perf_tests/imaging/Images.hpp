// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_IMAGES_HPP
#define WAVESCAN_PERF_IMAGES_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <type_traits>

/// @file
/// @brief Registration of programs that work on images. Benchmarks are named
/// problem/program/images:M/rows:R/columns:C.

namespace wavescan::Perf {

/// @brief A batch of images.
struct Shape {
  std::int64_t images, rows, columns;
  std::int64_t pixels() const { return images * rows * columns; }
};

enum class Shapes {
  All,      ///< squares, few long rows or columns, batches
  Usual,    ///< one image of 4096 x 4096: for what is only a comparison
  Squares,  ///< single images, square ones
};

inline void register_shapes(benchmark::internal::Benchmark* benchmark, Shapes shapes,
                            std::int64_t max_pixels) {
  benchmark->ArgNames({"images", "rows", "columns"})
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  const auto add = [&](const Shape& s) {
    if (s.pixels() <= max_pixels) benchmark->Args({s.images, s.rows, s.columns});
  };
  if (shapes == Shapes::Usual) return add({1, 4096, 4096});
  for (std::int64_t side = 64; side <= 65536; side *= side < 1024 ? 4 : 2) add({1, side, side});
  if (shapes == Shapes::Squares) return;
  add({1, 64, 1 << 20});
  add({1, 1 << 20, 64});
  add({1, 64, 1 << 22});
  add({1, 1 << 22, 64});
  add({256, 256, 256});
  add({64, 1024, 1024});
}

/// @param setup         setup(exec, shape) returns a Work
/// @param bytes_a_pixel of input and output, each counted once
template <ExecutionSpace Exec = Kokkos::DefaultExecutionSpace, class Setup>
void add_images(const std::string& problem, const std::string& program, std::int64_t bytes_a_pixel,
                Shapes shapes, const Setup& setup) {
  const bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;
  const std::int64_t max_bytes = std::int64_t(1) << (on_host ? 32 : 36);
  auto* const benchmark =
      benchmark::RegisterBenchmark((problem + "/" + program).c_str(), [=](benchmark::State& state) {
        const Exec exec;
        const Shape shape{state.range(0), state.range(1), state.range(2)};
        measure(state, exec, shape.pixels() * bytes_a_pixel, batch_for(shape.pixels(), false),
                [&] { return setup(exec, shape); });
      });
  register_shapes(benchmark, shapes, max_bytes / bytes_a_pixel);
}

/// @brief Arrays of images as Views (image, row, column).
template <class T, class Exec>
using ImageArray = Kokkos::View<T***, Kokkos::LayoutRight, typename Exec::memory_space>;

template <class T, class Exec>
ImageArray<T, Exec> random_images(const Exec& exec, const Shape& s) {
  const ImageArray<T, Exec> images(Kokkos::view_alloc(exec, "images", Kokkos::WithoutInitializing),
                                   static_cast<std::size_t>(s.images),
                                   static_cast<std::size_t>(s.rows),
                                   static_cast<std::size_t>(s.columns));
  const auto pixels = random_array<T>(exec, s.pixels());
  Kokkos::deep_copy(
      exec,
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          images.data(), images.size()),
      pixels);
  exec.fence();
  return images;
}

/// @brief The last entry of the last image as a number.
template <class View>
double last_entry(const View& view) {
  const Kokkos::View<const typename View::value_type*, typename View::memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      all(view.data(), view.size());
  return last_of(all);
}

}  // namespace wavescan::Perf

#endif
