// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Filters of 8-bit images by their summed-area tables, beside the copy of what they read and write,
// each byte once.
#include <Kokkos_Core.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <string>

#include "Images.hpp"

namespace {

namespace ws = wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::int64_t radius = 15;

/// @brief An image, its tables, and what filters write.
struct Scene {
  template <class T>
  using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;
  Array<std::uint8_t> image, pixels;
  Array<std::uint32_t> table;
  Array<std::uint64_t> squares;
  Array<float> numbers;

  template <class T>
  static Array<T> random(const Exec& exec, const Shape& s) {
    return Kokkos::subview(random_images<T>(exec, s), 0, Kokkos::ALL, Kokkos::ALL);
  }
  Scene(const Exec& exec, const Shape& s)
      : image(random<std::uint8_t>(exec, s)),
        pixels(random<std::uint8_t>(exec, s)),
        table(random<std::uint32_t>(exec, s)),
        squares(random<std::uint64_t>(exec, s)),
        numbers(random<float>(exec, s)) {
    ws::summed_area_table(exec, image, table, squares);
  }
};

/// @param filter filter(exec, scene) enqueues it and returns what it writes
template <class Filter>
void add_filter(const std::string& problem, std::int64_t bytes_a_pixel, const Filter& filter) {
  add_images(
      problem, "wavescan", bytes_a_pixel, Shapes::Squares,
      [=](const Exec& exec, const Shape& s) -> Work {
        const Scene scene(exec, s);
        return {[=] { filter(exec, scene); }, [=] { return last_entry(filter(exec, scene)); }};
      });
}

const bool registered = [] {
  add_filter("box_filter<uint8>", 4 + 1, [](const Exec& exec, const Scene& s) {
    ws::box_filter(exec, s.table, radius, s.pixels);
    return s.pixels;
  });
  add_filter("box_filter<float>", 4 + 4, [](const Exec& exec, const Scene& s) {
    ws::box_filter(exec, s.table, radius, s.numbers);
    return s.numbers;
  });
  add_filter("local_variance<float>", 4 + 8 + 4, [](const Exec& exec, const Scene& s) {
    ws::local_variance(exec, s.table, s.squares, radius, s.numbers);
    return s.numbers;
  });
  add_filter("threshold_bradley<uint8>", 1 + 4 + 1, [](const Exec& exec, const Scene& s) {
    ws::threshold_bradley(exec, s.image, s.table, radius, 0.15, s.pixels);
    return s.pixels;
  });
  add_filter("threshold_sauvola<uint8>", 1 + 4 + 8 + 1, [](const Exec& exec, const Scene& s) {
    ws::threshold_sauvola(exec, s.image, s.table, s.squares, radius, {}, s.pixels);
    return s.pixels;
  });
  return true;
}();

}  // namespace
