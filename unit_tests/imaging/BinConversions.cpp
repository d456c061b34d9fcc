// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Pixels that the numbers of bins do not hold, and bins of hardly any width.
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief The bins of all pixels, counted.
template <class Pixel, class Bins>
std::vector<int> counts_of(const std::vector<Pixel>& pixels, const Bins& binning) {
  const auto columns = static_cast<std::int64_t>(pixels.size());
  const GuardedArray<Pixel> image(row_major(1, columns), pixels);
  const Kokkos::View<int***, Kokkos::LayoutRight, Exec> histogram("histogram", binning.count, 1,
                                                                  columns);
  Kokkos::deep_copy(histogram, -1);
  integral_histogram(image.matrix(), binning, histogram);
  const GuardedArray<int> out(row_major(1, binning.count));
  region_histograms(histogram, on_device({{0, 0, 1, columns}}), out.matrix());
  return out.values();
}

TEST(UniformBins, OfIntegersTakePixelsThatIntegersDoNotHold) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const UniformBins<int> bytes{0, 256, 2};
  EXPECT_EQ(
      counts_of<double>({not_a_number, infinity, -infinity, 1e30, -1e30, 0x1p32, -0.5, 256}, bytes),
      (std::vector<int>{0, 0}));
  EXPECT_EQ(counts_of<float>({0, 0.5f, 127.9f, 128, 255.9f, 256, -0.1f, 3e9f}, bytes),
            (std::vector<int>{3, 2}));
  EXPECT_EQ(counts_of<std::int64_t>({5, 0x100000005, -std::int64_t(0xfffffffb), 128}, bytes),
            (std::vector<int>{1, 1}));
  constexpr int least = std::numeric_limits<int>::min();
  EXPECT_EQ(counts_of<std::uint64_t>({~std::uint64_t(0), std::uint64_t(1) << 63, 7},
                                     UniformBins<int>{least, 8, 2}),
            (std::vector<int>{0, 1}));
  EXPECT_EQ(counts_of<double>({-0x1p31, -0x1p31 - 1, -0x1p40}, UniformBins<int>{least, 8, 1}),
            std::vector<int>{1});
}

/// @brief Every edge of bins whose width is just large enough, and what lies between them.
template <class T>
void check_narrow_bins() {
  constexpr int bins = 16;
  const T width = std::ldexp(T(bins), 1 - std::numeric_limits<T>::max_exponent);
  std::vector<T> pixels;
  std::vector<int> expected(bins, 0);
  for (int k = 0; k < 2 * bins; ++k) {
    pixels.push_back(width / (2 * bins) * static_cast<T>(k));
    ++expected[static_cast<std::size_t>(k / 2)];
  }
  EXPECT_TRUE(equal(counts_of(pixels, UniformBins<T>{0, width, bins}), expected));

  const GuardedArray<T> image(row_major(1, 2 * bins), pixels);
  const GuardedArray<std::uint32_t> counts(line(2 * bins * bins));
  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      histogram(counts.vector().data(), bins, 1, 2 * bins);
  for (const T narrow : {width / 4, width / 1024, std::numeric_limits<T>::denorm_min()}) {
    EXPECT_TRUE(rejects("integral_histogram", "binning", [&] {
      integral_histogram(image.matrix(), UniformBins<T>{0, narrow, bins}, histogram);
    }));
    // As a functor of the user's it gives some bin.
    const UniformBins<T> binning{0, narrow, bins};
    for (const T pixel : {T(0), narrow / 2, std::nextafter(narrow, T(0))})
      EXPECT_TRUE(binning(pixel) >= 0 && binning(pixel) < bins) << binning(pixel);
    EXPECT_EQ(binning(narrow), -1);
  }
  EXPECT_TRUE(equal(counts.values(), std::vector<std::uint32_t>(2 * bins * bins, ~0u)));
}

TEST(UniformBins, OfHardlyAnyWidth) {
  check_narrow_bins<float>();
  check_narrow_bins<double>();
}

// A number below the upper bound is in a bin, whatever rounding makes of its place.
TEST(UniformBins, JustBelowTheUpperBound) {
  for (const float lower : {0.0f, 0.1f, -3.7f})
    for (const float width : {0.3f, 1.0f, 7.7f})
      for (int bins = 1; bins < 1000; ++bins) {
        const float upper = lower + width;
        const UniformBins<float> binning{lower, upper, bins};
        ASSERT_EQ(binning(std::nextafter(upper, lower)), bins - 1) << lower << ' ' << width;
      }
}

}  // namespace
