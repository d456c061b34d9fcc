// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Filters of images with rows that are longer than what is worked on at once.
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Pixel = std::uint8_t;

struct Shape {
  std::int64_t rows, columns, radius;
  bool by_columns;
};

class WideFilters : public testing::TestWithParam<Shape> {
 protected:
  Placement placement() const {
    const Shape& s = GetParam();
    return s.by_columns ? column_major(s.rows, s.columns) : row_major(s.rows, s.columns);
  }
  /// @brief An array of the image's extents, which holds nothing yet.
  template <class T>
  GuardedArray<T> array() const {
    return GuardedArray<T>(placement());
  }

  /// @brief f(pixel, its window's sum, sum of squares, number of pixels) of all pixels.
  template <class T, class F>
  std::vector<T> each_window(const F& f) const {
    const auto sums = sums_of_prefixes<std::uint64_t>(image, [](Pixel p) { return p; });
    const auto squares =
        sums_of_prefixes<std::uint64_t>(image, [](Pixel p) { return std::uint64_t(p) * p; });
    const auto [rows, columns, radius, by_columns] = GetParam();
    std::vector<T> result;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const Rectangle r = Rectangle{i - radius, j - radius, i + radius + 1, j + radius + 1};
        const Rectangle window = r.clipped(rows, columns);
        const auto sum_of = [&](const std::vector<std::uint64_t>& prefixes) {
          return static_cast<double>(
              rectangle_sum(Grid<const std::uint64_t>{prefixes.data(), GetParam().rows,
                                                      GetParam().columns, GetParam().columns, 1},
                            window));
        };
        result.push_back(static_cast<T>(
            f(image(i, j), sum_of(sums), sum_of(squares), static_cast<double>(window.area()))));
      }
    return result;
  }

  void SetUp() override {
    const Shape& s = GetParam();
    image = {s.rows, s.columns, Random().values<Pixel>(s.rows * s.columns)};
  }

  Image<Pixel> image{};
};

TEST_P(WideFilters, MeansAreThoseOfDivisions) {
  const GuardedArray<Pixel> pixels(placement(), image.pixels);
  const auto table = array<std::uint32_t>();
  summed_area_table(pixels.matrix(), table.matrix());
  const auto means = array<double>();
  box_filter(table.matrix(), GetParam().radius, means.matrix());
  const auto mean = [](Pixel, double sum, double, double count) { return sum / count; };
  EXPECT_TRUE(same_bits(means.values(), each_window<double>(mean)));
  EXPECT_TRUE(means.guards_intact());
  const auto rounded = array<Pixel>();
  box_filter(table.matrix(), GetParam().radius, rounded.matrix());
  EXPECT_TRUE(equal(rounded.values(), each_window<Pixel>([&](auto... window) {
                      return std::floor(mean(window...) + 0.5);
                    })));
  EXPECT_TRUE(rounded.guards_intact());
}

TEST_P(WideFilters, MeansOfFloatingPoint) {
  const auto table = array<double>();
  const auto means = array<float>();
  const GuardedArray<double> numbers(placement(), {image.pixels.begin(), image.pixels.end()});
  summed_area_table(numbers.matrix(), table.matrix());
  box_filter(table.matrix(), GetParam().radius, means.matrix());
  EXPECT_TRUE(same_bits(means.values(), each_window<float>([](Pixel, double sum, double, double n) {
                          return sum / n;
                        })));
  EXPECT_TRUE(means.guards_intact());
}

TEST_P(WideFilters, Variances) {
  const GuardedArray<Pixel> pixels(placement(), image.pixels);
  const auto table = array<std::uint32_t>();
  const auto squares = array<std::uint64_t>();
  summed_area_table(pixels.matrix(), table.matrix(), squares.matrix());
  const auto out = array<double>();
  local_variance(table.matrix(), squares.matrix(), GetParam().radius, out.matrix());
  const auto values = each_window<double>([](Pixel, double sum, double of_squares, double count) {
    return (of_squares - sum / count * sum) / count;
  });
  std::vector<Bounded> expected;
  for (const double value : values)
    expected.push_back({value, rounding_bound<double>(8, 2 * 255 * 255)});
  EXPECT_TRUE(within(out.values(), expected));
  EXPECT_TRUE(out.guards_intact());
}

TEST_P(WideFilters, ThresholdsInPlace) {
  const GuardedArray<Pixel> bradley(placement(), image.pixels);
  const GuardedArray<Pixel> sauvola(placement(), image.pixels);
  const auto table = array<std::uint32_t>();
  const auto squares = array<std::uint64_t>();
  summed_area_table(bradley.matrix(), table.matrix(), squares.matrix());
  threshold_bradley(bradley.matrix(), table.matrix(), GetParam().radius, 0.15, bradley.matrix());
  EXPECT_TRUE(
      equal(bradley.values(), each_window<Pixel>([](Pixel p, double sum, double, double count) {
              return p * count < (1 - 0.15) * sum ? 0 : 255;
            })));
  EXPECT_TRUE(bradley.guards_intact());
  threshold_sauvola(sauvola.matrix(), table.matrix(), squares.matrix(), GetParam().radius,
                    {.k = 0.3}, sauvola.matrix());
  EXPECT_TRUE(
      equal(sauvola.values(), each_window<Pixel>([](Pixel p, double sum, double sq, double count) {
              const double mean = sum / count;
              const double variance = std::max(sq / count - mean * mean, 0.0);
              return p > mean * (1 + 0.3 * (std::sqrt(variance) / 128 - 1)) ? 255 : 0;
            })));
  EXPECT_TRUE(sauvola.guards_intact());
}

// Blocks of 64 pixels, strips of 2048; windows of which some, all or none are clipped on one side
// or on both.
INSTANTIATE_TEST_SUITE_P(Shapes, WideFilters,
                         testing::Values(Shape{9, 64, 0, false}, Shape{9, 65, 1, false},
                                         Shape{40, 211, 15, false}, Shape{40, 211, 15, true},
                                         Shape{7, 300, 140, false}, Shape{7, 300, 149, false},
                                         Shape{7, 300, 150, false}, Shape{7, 300, 299, false},
                                         Shape{5, 4201, 20, false}, Shape{4201, 5, 20, false},
                                         Shape{4201, 5, 20, true}, Shape{3, 4201, 2100, false}));

}  // namespace
