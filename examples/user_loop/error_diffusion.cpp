// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Error diffusion as a loop of one's own, beside the loop as one would write it first.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "floyd_steinberg.hpp"

using Image = Kokkos::View<float**, Kokkos::LayoutRight>;

// A slope of gray from one corner to the other, with some texture.
std::vector<float> slope(std::size_t rows, std::size_t columns, float highest) {
  std::vector<float> image;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      image.push_back(highest * (static_cast<float>(i) / static_cast<float>(2 * rows) +
                                 static_cast<float>(j) / static_cast<float>(2 * columns) +
                                 static_cast<float>((i * 131 + j * 71) % 17) / 170.0f));
  return image;
}

// The best of three times.
template <class Prepare, class Work>
double milliseconds(const Prepare& prepare, const Work& work) {
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    prepare();
    Kokkos::fence();
    const auto start = std::chrono::steady_clock::now();
    work();
    Kokkos::fence();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    best = run == 0 ? time.count() : std::min(best, time.count());
  }
  return best;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::size_t rows = argc > 2 ? std::stoul(argv[1]) : 1000;
  const std::size_t columns = argc > 2 ? std::stoul(argv[2]) : 1500;
  const FloydSteinberg loop{1};  // black and white
  const Kokkos::DefaultExecutionSpace exec;

  const auto original = slope(rows, columns, loop.highest);
  std::vector<float> expected;
  const double plain = milliseconds([&] { expected = original; },
                                    [&] { diffuse_errors(expected, rows, columns, loop.highest); });
  std::printf("%-12s %8.2f ms\n", "plain loop", plain);

  using OnHost = Kokkos::View<const float**, Kokkos::LayoutRight, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Image image("image", rows, columns), errors("errors", rows, columns);
  bool right = true;
  for (const auto schedule : wavescan::exact_schedules) {
    const wavescan::Wavefront<Kokkos::DefaultExecutionSpace, FloydSteinberg> plan(
        exec, rows, columns, {.schedule = schedule});
    const double best = milliseconds(
        [&] {
          Kokkos::deep_copy(image, OnHost(original.data(), rows, columns));
          Kokkos::deep_copy(errors, image);
        },
        [&] {
          plan(loop, errors);
          set_levels(exec, loop, errors, image);
        });
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), image);
    right &= std::equal(expected.begin(), expected.end(), result.data());
    std::printf("%-12s %8.2f ms\n", to_string(schedule), best);
  }
  std::puts(right ? "All give the same image." : "They differ!");
  return right ? 0 : 1;
}
