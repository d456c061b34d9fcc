// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Error diffusion as a loop of one's own, beside the loop as one would write it first.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "floyd_steinberg.hpp"

using Image = Kokkos::View<std::int32_t**, Kokkos::LayoutRight>;

// A slope of gray from one corner to the other, with some texture.
std::vector<std::int32_t> slope(std::size_t rows, std::size_t columns, std::int32_t highest) {
  const double white = static_cast<double>(highest << FloydSteinberg::bits);
  std::vector<std::int32_t> image;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      image.push_back(static_cast<std::int32_t>(
          white * (static_cast<double>(i) / static_cast<double>(2 * rows) +
                   static_cast<double>(j) / static_cast<double>(2 * columns) +
                   static_cast<double>((i * 131 + j * 71) % 17) / 170)));
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
  constexpr std::int32_t highest = 1;  // black and white
  const Kokkos::DefaultExecutionSpace exec;

  const auto original = slope(rows, columns, highest);
  std::vector<std::int32_t> expected;
  const double plain = milliseconds([&] { expected = original; },
                                    [&] { diffuse_errors(expected, rows, columns, highest); });
  std::printf("%-12s %8.2f ms\n", "plain loop", plain);

  using OnHost = Kokkos::View<const std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Image image("image", rows, columns);
  bool right = true;
  for (const auto schedule : wavescan::exact_schedules) {
    const ErrorDiffusion diffuse(exec, rows, columns, highest, schedule);
    const double best =
        milliseconds([&] { Kokkos::deep_copy(image, OnHost(original.data(), rows, columns)); },
                     [&] { diffuse(image); });
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), image);
    right &= std::equal(expected.begin(), expected.end(), result.data());
    std::printf("%-12s %8.2f ms\n", to_string(schedule), best);
  }
  std::puts(right ? "All give the same image." : "They differ!");
  return right ? 0 : 1;
}
