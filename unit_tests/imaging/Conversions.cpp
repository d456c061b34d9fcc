// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Floating-point numbers as integers: every number has a defined result, on every device.
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// @brief An integer of T's range from one that long double holds, NaN as the least.
template <class T>
T clamped(long double whole) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(whole) || whole <= static_cast<long double>(Limits::min())) return Limits::min();
  if (whole >= static_cast<long double>(Limits::max())) return Limits::max();
  return static_cast<T>(whole);
}

const std::vector<double>& difficult_numbers() {
  static const std::vector<double> numbers = [] {
    std::vector<double> all{0.0, 0.3, 0.5, 0.7, 1.5, 2.5, 1e-310, 1e300, infinity, not_a_number};
    all.push_back(std::nextafter(0.5, 0));  // 1 if 1/2 were added
    all.push_back(0x1p52 + 1);              // even if 1/2 were added
    for (const int bits : {7, 8, 15, 16, 31, 32, 53, 63, 64}) {
      const double power = std::ldexp(1.0, bits);
      for (const double x : {power - 1, power - 0.6, power - 0.5, power - 0.4, power, power + 0.5,
                             power + 1, std::nextafter(power, 0), std::nextafter(power, infinity)})
        all.push_back(x);
    }
    const auto positive = all;
    for (const double x : positive) all.push_back(-x);
    return all;
  }();
  return numbers;
}

template <class T>
struct Convert {
  template <class Number>
  using View = decltype(std::declval<GuardedArray<Number>>().vector());
  View<double> numbers;
  View<T> rounded, cut;
  KOKKOS_FUNCTION void operator()(int k) const {
    rounded(k) = Impl::rounded_to<T>(numbers(k));
    cut(k) = Impl::converted_to<T>(numbers(k));
  }
};

template <class T>
void check_conversions() {
  SCOPED_TRACE(std::string(std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T)));
  const auto& numbers = difficult_numbers();
  const auto count = static_cast<std::int64_t>(numbers.size());
  const GuardedArray<double> in(line(count), numbers);
  const GuardedArray<T> rounded(line(count)), cut(line(count));
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, count),
                       Convert<T>{in.vector(), rounded.vector(), cut.vector()});
  std::vector<T> expected_rounded, expected_cut;
  for (const double x : numbers) {
    expected_rounded.push_back(clamped<T>(std::round(static_cast<long double>(x))));
    expected_cut.push_back(clamped<T>(std::trunc(static_cast<long double>(x))));
  }
  EXPECT_TRUE(equal(rounded.values(), expected_rounded));
  EXPECT_TRUE(equal(cut.values(), expected_cut));
}

TEST(Conversions, OfFloatingPointToIntegersSaturate) {
  check_conversions<std::int8_t>();
  check_conversions<std::uint8_t>();
  check_conversions<std::int16_t>();
  check_conversions<std::uint16_t>();
  check_conversions<std::int32_t>();
  check_conversions<std::uint32_t>();
  check_conversions<std::int64_t>();
  check_conversions<std::uint64_t>();
}

/// @brief Pixels that come out of their own table as they went in, in one row or in many.
struct Extremes {
  static constexpr std::int64_t count = 90;
  std::vector<double> pixels;
  GuardedArray<double> table;

  explicit Extremes(const Placement& place) : table(place) {
    constexpr double some[] = {300, -300, 255, 254.5, 127.5, -128.5, -129, 0x1p40, -0x1p40};
    for (std::int64_t k = 0; k < count; ++k) pixels.push_back(some[k % 9]);
    pixels.back() = not_a_number;  // whatever lies behind it would be NaN as well
    const GuardedArray<double> image(place, pixels);
    summed_area_table(image.matrix(), table.matrix());
  }
  template <class T>
  std::vector<T> expected() const {
    std::vector<T> result;
    for (const double x : pixels) result.push_back(clamped<T>(std::round(x)));
    return result;
  }
};

template <class T>
void check_box_filter() {
  for (const Placement& place : {row_major(1, Extremes::count), spread(1, Extremes::count),
                                 column_major(Extremes::count, 1)}) {
    const Extremes extremes(place);
    const GuardedArray<T> out(place);
    box_filter(extremes.table.matrix(), 0, out.matrix());
    EXPECT_TRUE(equal(out.values(), extremes.expected<T>()));
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST(BoxFilter, SaturatesWhereTheTypeHoldsNoMean) {
  check_box_filter<std::uint8_t>();
  check_box_filter<std::int8_t>();
  check_box_filter<std::uint32_t>();
  check_box_filter<std::int32_t>();
  check_box_filter<std::uint64_t>();
}

// An infinite pixel and NaN spoil what lies below them and to their right, also where windows do
// not hold them; nothing else.
TEST(BoxFilter, PixelsThatAreNoNumbersSpoilAQuadrant) {
  constexpr std::int32_t spoilt = std::numeric_limits<std::int32_t>::min();
  for (const double bad : {infinity, not_a_number}) {
    const GuardedArray<double> image(row_major(3, 4), {1, 2, 3, 4, 5, bad, 7, 8, 9, 10, 11, 12});
    const GuardedArray<double> table(row_major(3, 4));
    const GuardedArray<std::int32_t> out(row_major(3, 4));
    summed_area_table(image.matrix(), table.matrix());
    box_filter(table.matrix(), 0, out.matrix());
    const std::int32_t itself = clamped<std::int32_t>(bad);
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{1, 2, 3, 4, 5, itself, spoilt, spoilt, 9,
                                                       spoilt, spoilt, spoilt}));
  }
}

TEST(ThresholdBradley, WhiteIsTheLargestValueOfNarrowTypes) {
  const GuardedArray<std::uint8_t> image(row_major(1, 4), {200, 200, 10, 200});
  const GuardedArray<std::uint32_t> table(row_major(1, 4));
  const GuardedArray<std::int8_t> out(row_major(1, 4));
  summed_area_table(image.matrix(), table.matrix());
  threshold_bradley(image.matrix(), table.matrix(), 2, 0.15, out.matrix());
  EXPECT_EQ(out.values(), (std::vector<std::int8_t>{127, 127, 0, 127}));
}

TEST(RectangleSums, SaturateWhereTheTypeHoldsNoSum) {
  const Extremes extremes(row_major(1, Extremes::count));
  std::vector<Rectangle> rectangles;
  for (std::int64_t k = 0; k < Extremes::count; ++k) rectangles.push_back({0, k, 1, k + 1});
  const GuardedArray<std::int8_t> out(line(Extremes::count));
  rectangle_sums(extremes.table.matrix(), on_device(rectangles), out.vector());
  std::vector<std::int8_t> expected;
  for (const double x : extremes.pixels) expected.push_back(clamped<std::int8_t>(std::trunc(x)));
  EXPECT_TRUE(equal(out.values(), expected));
}

TEST(RegionHistograms, SaturateWhereTheTypeHoldsNoCount) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const GuardedArray<std::uint8_t> image(row_major(20, 30), std::vector<std::uint8_t>(600, 7));
  const GuardedArray<float> counts(line(2 * 600));
  const Kokkos::View<float***, Kokkos::LayoutRight, Exec, Unmanaged> histogram(
      counts.vector().data(), 2, 20, 30);
  integral_histogram(image.matrix(), UniformBins<int>{0, 256, 2}, histogram);
  const GuardedArray<std::uint8_t> out(row_major(2, 2));
  region_histograms(histogram, on_device({{0, 0, 20, 30}, {0, 0, 2, 3}}), out.matrix());
  EXPECT_EQ(out.values(), (std::vector<std::uint8_t>{255, 0, 6, 0}));
}

}  // namespace
