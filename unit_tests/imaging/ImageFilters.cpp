// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Pixel = std::uint8_t;
using Sum = std::uint32_t;

constexpr std::int64_t whole = std::numeric_limits<std::int64_t>::max();

struct Scene {
  Image<Pixel> image;
  GuardedArray<Pixel> pixels;
  GuardedArray<Sum> table;

  Scene(std::int64_t rows, std::int64_t columns)
      : image{rows, columns, Random().values<Pixel>(rows * columns)},
        pixels(row_major(rows, columns), image.pixels),
        table(spread(rows, columns)) {
    summed_area_table(pixels.matrix(), table.matrix());
  }

  /// @brief f(i, j, window) for every pixel; windows are found by asking each pixel.
  template <class T, class F>
  std::vector<T> each_window(std::int64_t radius, const F& f) const {
    std::vector<T> result;
    for (std::int64_t i = 0; i < image.rows; ++i)
      for (std::int64_t j = 0; j < image.columns; ++j) {
        std::vector<Pixel> window;
        for (std::int64_t k = 0; k < image.rows; ++k)
          for (std::int64_t l = 0; l < image.columns; ++l)
            if (std::abs(k - i) <= radius && std::abs(l - j) <= radius)
              window.push_back(image(k, l));
        result.push_back(static_cast<T>(f(image(i, j), window)));
      }
    return result;
  }
};

double sum(const std::vector<Pixel>& window) {
  double result = 0;
  for (const Pixel p : window) result += p;
  return result;
}
double mean(const std::vector<Pixel>& window) {
  return sum(window) / static_cast<double>(window.size());
}
double variance(const std::vector<Pixel>& window) {
  double result = 0;
  for (const Pixel p : window) result += (p - mean(window)) * (p - mean(window));
  return result / static_cast<double>(window.size());
}

template <class T>
void expect_box_filter(std::int64_t rows, std::int64_t columns, std::int64_t radius) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", radius " +
               std::to_string(radius));
  const Scene scene(rows, columns);
  const GuardedArray<T> out(column_major(rows, columns));
  box_filter(scene.table.matrix(), radius, out.matrix());
  EXPECT_TRUE(
      equal(out.values(), scene.each_window<T>(radius, [](Pixel, const std::vector<Pixel>& window) {
        return std::integral<T> ? std::floor(mean(window) + 0.5) : mean(window);
      })));
  EXPECT_TRUE(out.guards_intact());
}

TEST(BoxFilter, AgainstPlainLoops) {
  for (const std::int64_t radius : {std::int64_t(0), std::int64_t(1), std::int64_t(4),
                                    std::int64_t(16), std::int64_t(17), whole}) {
    expect_box_filter<double>(17, 13, radius);
    expect_box_filter<Pixel>(17, 13, radius);
  }
  expect_box_filter<double>(0, 0, 1);
  expect_box_filter<double>(0, 4, 1);
  expect_box_filter<double>(1, 1, 0);
  expect_box_filter<double>(1, 40, 3);
  expect_box_filter<double>(40, 1, 3);
}

TEST(BoxFilter, RoundsNegativeMeansToNearest) {
  const GuardedArray<int> image(row_major(1, 3), {-3, -4, 1});
  const GuardedArray<int> table(row_major(1, 3));
  const GuardedArray<int> out(row_major(1, 3));
  summed_area_table(image.matrix(), table.matrix());
  box_filter(table.matrix(), 1, out.matrix());
  EXPECT_EQ(out.values(), (std::vector<int>{-4, -2, -2}));  // -3.5, -2, -1.5
}

TEST(LocalVariance, AgainstPlainLoops) {
  const Scene scene(17, 13);
  std::vector<Sum> squared;
  for (const Pixel p : scene.image.pixels) squared.push_back(Sum(p) * p);
  const GuardedArray<Sum> squares(row_major(17, 13), squared);
  summed_area_table(squares.matrix(), squares.matrix());
  for (const std::int64_t radius : {std::int64_t(0), std::int64_t(2), whole}) {
    const GuardedArray<double> out(row_major(17, 13));
    local_variance(scene.table.matrix(), squares.matrix(), radius, out.matrix());
    std::vector<Bounded> expected;
    for (const double v : scene.each_window<double>(
             radius, [](Pixel, const std::vector<Pixel>& window) { return variance(window); }))
      expected.push_back({v, rounding_bound<double>(8, 2 * 255 * 255)});
    EXPECT_TRUE(within(out.values(), expected));
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST(ThresholdBradley, AgainstPlainLoops) {
  const Scene scene(19, 23);
  for (const std::int64_t radius : {std::int64_t(0), std::int64_t(3), whole})
    for (const double fraction : {0.0, 0.15, 1.0}) {
      SCOPED_TRACE("radius " + std::to_string(radius) + ", fraction " + std::to_string(fraction));
      const auto expected =
          scene.each_window<Pixel>(radius, [fraction](Pixel p, const std::vector<Pixel>& window) {
            return p * static_cast<double>(window.size()) < (1 - fraction) * sum(window) ? 0 : 255;
          });
      const GuardedArray<Pixel> out(spread(19, 23));
      threshold_bradley(scene.pixels.matrix(), scene.table.matrix(), radius, fraction,
                        out.matrix());
      EXPECT_TRUE(equal(out.values(), expected));
      EXPECT_TRUE(out.guards_intact());
      const GuardedArray<Pixel> same(row_major(19, 23), scene.image.pixels);
      threshold_bradley(same.matrix(), scene.table.matrix(), radius, fraction, same.matrix());
      EXPECT_TRUE(equal(same.values(), expected));
    }
}

TEST(ThresholdSauvola, AgainstPlainLoops) {
  const Scene scene(19, 23);
  const GuardedArray<Sum> table(row_major(19, 23)), squares(row_major(19, 23));
  summed_area_table(scene.pixels.matrix(), table.matrix(), squares.matrix());
  for (const std::int64_t radius : {std::int64_t(0), std::int64_t(3), whole})
    for (const double k : {0.0, 0.2, 0.5}) {
      SCOPED_TRACE("radius " + std::to_string(radius) + ", k " + std::to_string(k));
      const auto expected =
          scene.each_window<Pixel>(radius, [k](Pixel p, const std::vector<Pixel>& window) {
            return p > mean(window) * (1 + k * (std::sqrt(variance(window)) / 128 - 1)) ? 255 : 0;
          });
      const GuardedArray<Pixel> out(spread(19, 23));
      threshold_sauvola(scene.pixels.matrix(), table.matrix(), squares.matrix(), radius, {.k = k},
                        out.matrix());
      EXPECT_TRUE(equal(out.values(), expected));
      EXPECT_TRUE(out.guards_intact());
      const GuardedArray<Pixel> same(row_major(19, 23), scene.image.pixels);
      threshold_sauvola(same.matrix(), table.matrix(), squares.matrix(), radius, {.k = k},
                        same.matrix());
      EXPECT_TRUE(equal(same.values(), expected));
    }
}

TEST(ImageFilters, RejectWrongArguments) {
  const Scene scene(4, 6);
  const auto pixels = scene.pixels.matrix();
  const auto table = scene.table.matrix();
  const GuardedArray<double> out(row_major(4, 6));
  const GuardedArray<double> narrow(row_major(4, 5));
  const GuardedArray<Sum> narrow_table(row_major(4, 5));
  const GuardedArray<Pixel> narrow_binary(row_major(4, 5));
  const GuardedArray<Pixel> binary(row_major(4, 6));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(rejects("box_filter", "radius", [&] { box_filter(table, -1, out.matrix()); }));
  EXPECT_TRUE(rejects("box_filter", "out", [&] { box_filter(table, 1, narrow.matrix()); }));
  EXPECT_TRUE(rejects("box_filter", "out", [&] { box_filter(table, 1, table); }));
  const GuardedArray<double> folded({4, 6, 1, 1});
  EXPECT_TRUE(rejects("box_filter", "out", [&] { box_filter(table, 1, folded.matrix()); }));
  EXPECT_TRUE(
      rejects("local_variance", "radius", [&] { local_variance(table, table, -1, out.matrix()); }));
  EXPECT_TRUE(
      rejects("local_variance", "out", [&] { local_variance(table, table, 1, narrow.matrix()); }));
  EXPECT_TRUE(rejects("local_variance", "squares",
                      [&] { local_variance(table, narrow_table.matrix(), 1, out.matrix()); }));
  EXPECT_TRUE(rejects("local_variance", "out",
                      [&] { local_variance(out.matrix(), table, 1, out.matrix()); }));
  const decltype(out.matrix()) in_table(reinterpret_cast<double*>(table.data()),
                                        Kokkos::LayoutStride(4, 6, 6, 1));
  const GuardedArray<Sum> other(row_major(4, 6));
  EXPECT_TRUE(rejects("local_variance", "out",
                      [&] { local_variance(other.matrix(), table, 1, in_table); }));
  for (const double fraction : {-0.1, 1.1, nan})
    EXPECT_TRUE(rejects("threshold_bradley", "fraction",
                        [&] { threshold_bradley(pixels, table, 1, fraction, binary.matrix()); }));
  EXPECT_TRUE(rejects("threshold_bradley", "window_radius",
                      [&] { threshold_bradley(pixels, table, -1, 0.1, binary.matrix()); }));
  EXPECT_TRUE(rejects("threshold_bradley", "table", [&] {
    threshold_bradley(pixels, narrow_table.matrix(), 1, 0.1, binary.matrix());
  }));
  EXPECT_TRUE(rejects("threshold_bradley", "out",
                      [&] { threshold_bradley(pixels, table, 1, 0.1, narrow_binary.matrix()); }));
  EXPECT_TRUE(rejects("threshold_bradley", "out",
                      [&] { threshold_bradley(pixels, table, 1, 0.1, table); }));
  const decltype(pixels) shifted(pixels.data() + 1, Kokkos::LayoutStride(4, 6, 6, 1));
  EXPECT_TRUE(rejects("threshold_bradley", "out",
                      [&] { threshold_bradley(pixels, table, 1, 0.1, shifted); }));
  const auto sauvola = [&](std::int64_t radius, const SauvolaOptions& options) {
    threshold_sauvola(pixels, table, table, radius, options, binary.matrix());
  };
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinite})
    EXPECT_TRUE(rejects("threshold_sauvola", "options.range", [&] { sauvola(1, {.range = bad}); }));
  for (const double bad : {nan, infinite})
    EXPECT_TRUE(rejects("threshold_sauvola", "options.k", [&] { sauvola(1, {.k = bad}); }));
  EXPECT_TRUE(rejects("threshold_sauvola", "window_radius", [&] { sauvola(-1, {}); }));
  EXPECT_TRUE(rejects("threshold_sauvola", "squares", [&] {
    threshold_sauvola(pixels, table, narrow_table.matrix(), 1, {}, binary.matrix());
  }));
  EXPECT_TRUE(rejects("threshold_sauvola", "out",
                      [&] { threshold_sauvola(pixels, table, table, 1, {}, table); }));
  EXPECT_TRUE(rejects("threshold_sauvola", "out", [&] {
    threshold_sauvola(pixels, table, other.matrix(), 1, {}, other.matrix());
  }));
  EXPECT_TRUE(rejects("threshold_sauvola", "out",
                      [&] { threshold_sauvola(pixels, table, table, 1, {}, shifted); }));
  for (const double value : out.values()) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(equal(binary.values(), std::vector<Pixel>(24, 255)));
}

}  // namespace
