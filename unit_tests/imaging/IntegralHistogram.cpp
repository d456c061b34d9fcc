// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_ImageViews.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

enum class Order { PlanesOutermost, PlanesInnermost, Spread };

/// @brief A histogram in memory of any order, with a guard on either side.
template <class Count>
class Histogram {
 public:
  Histogram(std::int64_t bins, std::int64_t rows, std::int64_t columns, Order order)
      : layout_(layout(bins, rows, columns, order)),
        array_(line(static_cast<std::int64_t>(layout_.span(bins, rows, columns)))) {
    view_ = View(array_.vector().data(),
                 Kokkos::LayoutStride(size(bins), layout_.bin, size(rows), layout_.row,
                                      size(columns), layout_.column));
  }

  using View =
      Kokkos::View<Count***, Kokkos::LayoutStride, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const View& view() const { return view_; }

  /// @brief The entries, bin by bin and row by row. Whatever lies between them must be untouched.
  std::vector<Count> values() const {
    EXPECT_TRUE(array_.guards_intact());
    const std::vector<Count> all = array_.values();
    std::vector<bool> entry(all.size(), false);
    std::vector<Count> result;
    for (std::size_t z = 0; z < view_.extent(0); ++z)
      for (std::size_t i = 0; i < view_.extent(1); ++i)
        for (std::size_t j = 0; j < view_.extent(2); ++j) {
          const std::size_t k = z * layout_.bin + i * layout_.row + j * layout_.column;
          entry[k] = true;
          result.push_back(all[k]);
        }
    const Count marker = GuardedArray<Count>(line(1)).values()[0];
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_TRUE(entry[k] || std::memcmp(&all[k], &marker, sizeof(Count)) == 0) << k;
    return result;
  }

 private:
  struct Strides {
    std::size_t bin, row, column;
    std::size_t span(std::int64_t bins, std::int64_t rows, std::int64_t columns) const {
      if (rows == 0 || columns == 0) return 0;
      return (size(bins) - 1) * bin + (size(rows) - 1) * row + (size(columns) - 1) * column + 1;
    }
  };
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
  static Strides layout(std::int64_t bins, std::int64_t rows, std::int64_t columns, Order order) {
    switch (order) {
      case Order::PlanesOutermost:
        return {size(rows * columns), size(columns), 1};
      case Order::PlanesInnermost:
        return {1, size(bins), size(bins * rows)};
      case Order::Spread:
        break;
    }
    return {size((rows + 1) * (2 * columns + 3)), size(2 * columns + 3), 2};
  }

  Strides layout_;
  GuardedArray<Count> array_;
  View view_;
};

template <class Count, class Pixel, class Bins>
std::vector<Count> reference(const Image<Pixel>& image, const Bins& binning, std::int64_t bins) {
  std::vector<Count> result;
  for (std::int64_t bin = 0; bin < bins; ++bin)
    for (const auto count :
         sums_of_prefixes<std::uint64_t>(image, [&](Pixel p) { return binning(p) == bin ? 1 : 0; }))
      result.push_back(static_cast<Count>(count));
  return result;
}

template <class Count, class Pixel, class Bins>
void expect_histogram(const Image<Pixel>& image, const Bins& binning, std::int64_t bins,
                      Order order) {
  SCOPED_TRACE(std::to_string(bins) + " bins, " + std::to_string(image.rows) + " x " +
               std::to_string(image.columns) + ", order " +
               std::to_string(static_cast<int>(order)));
  const GuardedArray<Pixel> in(spread(image.rows, image.columns), image.pixels);
  const Histogram<Count> h(bins, image.rows, image.columns, order);
  integral_histogram(in.matrix(), binning, h.view());
  EXPECT_TRUE(equal(h.values(), reference<Count>(image, binning, bins)));
}

template <class Count, class Pixel, class Bins>
void expect_histograms(const Bins& binning, std::int64_t bins) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<std::pair<std::int64_t, std::int64_t>> shapes{
      {0, 0}, {0, 3},   {3, 0},   {1, 1},    {1, 2},  {2, 1},
      {3, 5}, {31, 33}, {33, 31}, {2, 9001}, {503, 3}};
  for (const auto& [rows, columns] : shapes) {
    if (few_cases_wanted() && rows * columns * bins > 200000) continue;
    const Image<Pixel> image{rows, columns, random.values<Pixel>(rows * columns)};
    for (const Order order : {Order::PlanesOutermost, Order::PlanesInnermost, Order::Spread})
      expect_histogram<Count>(image, binning, bins, order);
  }
}

TEST(IntegralHistogram, OfBytes) {
  for (const int bins : {1, 2, 16, 256})
    expect_histograms<std::uint32_t, std::uint8_t>(UniformBins<int>{0, 256, bins}, bins);
}

TEST(IntegralHistogram, IgnoresPixelsWithoutABin) {
  expect_histograms<std::uint32_t, std::uint8_t>(UniformBins<int>{40, 91, 7}, 7);
}

TEST(IntegralHistogram, OfFloats) {
  expect_histograms<float, float>(UniformBins<float>{-0.5f, 0.75f, 5}, 5);
}

/// @brief A binning of one's own: -3 to 11 bins, of which the histogram has some.
struct LastDigits {
  KOKKOS_FUNCTION long operator()(short pixel) const { return pixel % 15 - 3; }
};

TEST(IntegralHistogram, WithAnotherBinning) {
  expect_histograms<std::int64_t, short>(LastDigits{}, 8);
}

TEST(IntegralHistogram, CountsInInt) {
  const Image<std::uint8_t> image{5, 7, Random().values<std::uint8_t>(35)};
  expect_histogram<std::int32_t>(image, UniformBins<int>{0, 256, 3}, 3, Order::PlanesOutermost);
}

TEST(UniformBins, EdgesAndOutside) {
  const UniformBins<int> integers{-3, 7, 4};  // widths 2.5
  const std::vector<int> expected{-1, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, -1};
  for (int k = 0; k < 12; ++k) EXPECT_EQ(integers(k - 4), expected[static_cast<std::size_t>(k)]);
  const UniformBins<std::int32_t> wide{std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max(), 1 << 30};
  EXPECT_EQ(wide(std::numeric_limits<std::int32_t>::min()), 0);
  EXPECT_EQ(wide(std::numeric_limits<std::int32_t>::max() - 1), (1 << 30) - 1);
  const UniformBins<float> reals{0, 1, 3};
  EXPECT_EQ(reals(0), 0);
  EXPECT_EQ(reals(std::nextafter(1.0f, 0.0f)), 2);
  EXPECT_EQ(reals(1), -1);
  EXPECT_EQ(reals(-1e-30f), -1);
  EXPECT_EQ(reals(std::numeric_limits<float>::quiet_NaN()), -1);
  EXPECT_EQ(reals(std::numeric_limits<float>::infinity()), -1);
  EXPECT_EQ(reals(-std::numeric_limits<float>::infinity()), -1);
}

using Bins = UniformBins<int>;
using HistogramPlan = IntegralHistogram<Exec, std::uint8_t, Bins, std::uint32_t>;

TEST(IntegralHistogram, PlanServesManyImagesWithoutAllocating) {
  const HistogramPlan plan(Exec(), 4, 37, 41);
  GuardedArray<std::uint8_t> in(row_major(37, 41));
  Random random;
  for (int k = 0; k < 3; ++k) {
    const Image<std::uint8_t> image{37, 41, random.values<std::uint8_t>(37 * 41)};
    in.set(image.pixels);
    const Histogram<std::uint32_t> h(4, 37, 41, Order::PlanesOutermost);
    const Bins binning{10 * k, 256, 4};
    const auto pixels = in.matrix();
    plan(pixels, binning, h.view());  // Kokkos may prepare something for the first launch
    Kokkos::fence();
    {
      const Recorder recorder;
      plan(pixels, binning, h.view());
      EXPECT_EQ(join(recorder.allocations()), "");
      EXPECT_EQ(join(recorder.fences()), "");
    }
    EXPECT_TRUE(equal(h.values(), reference<std::uint32_t>(image, binning, 4)));
  }
}

TEST(IntegralHistogram, RejectsWrongArguments) {
  const GuardedArray<std::uint8_t> image(row_major(4, 6));
  const auto pixels = image.matrix();
  const Histogram<std::uint32_t> h(3, 4, 6, Order::PlanesOutermost);
  const Histogram<std::uint32_t> other(3, 6, 4, Order::PlanesOutermost);
  const auto throws = [](const char* operation, const char* argument, const auto& call) {
    EXPECT_TRUE(rejects(operation, argument, call));
  };
  throws("integral_histogram", "histogram", [&] {
    integral_histogram(pixels, Bins{0, 256, 3}, other.view());
  });
  throws("integral_histogram", "binning", [&] {
    integral_histogram(pixels, Bins{0, 256, 4}, h.view());
  });
  throws("integral_histogram", "binning", [&] {
    integral_histogram(pixels, Bins{0, 256, 0}, h.view());
  });
  throws("integral_histogram", "binning", [&] {
    integral_histogram(pixels, Bins{5, 5, 3}, h.view());
  });
  throws("integral_histogram", "binning", [&] {
    integral_histogram(pixels, Bins{6, 5, 3}, h.view());
  });
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float largest = std::numeric_limits<float>::max();
  const GuardedArray<float> numbers(row_major(4, 6));
  const Histogram<float> shares(3, 4, 6, Order::PlanesOutermost);
  for (const auto& [lower, upper] : std::vector<std::pair<float, float>>{
           {nan, 1}, {0, nan}, {-largest, largest}, {0, 2 * largest}})
    throws("integral_histogram", "binning", [&, l = lower, u = upper] {
      integral_histogram(numbers.matrix(), UniformBins<float>{l, u, 3}, shares.view());
    });
  throws("integral_histogram", "histogram", [&] {
    const Kokkos::View<std::uint32_t***, Exec> none("none", 0, 4, 6);
    integral_histogram(pixels, Bins{0, 256, 0}, none);
  });
  throws("integral_histogram", "histogram", [&] {
    const Kokkos::View<std::uint32_t***, Exec> many("many", HistogramPlan::max_bins + 1, 4, 6);
    integral_histogram(pixels, Bins{0, 256, 3}, many);
  });
  EXPECT_NO_THROW(HistogramPlan(Exec(), HistogramPlan::max_bins, 4, 6));
  throws("integral_histogram", "histogram", [&] {  // rows that overlap
    integral_histogram(
        pixels, Bins{0, 256, 3},
        Histogram<std::uint32_t>::View(h.view().data(), Kokkos::LayoutStride(3, 24, 4, 1, 6, 1)));
  });
  throws("IntegralHistogram", "images", [] { HistogramPlan(Exec(), -1, 3, 4, 6); });
  throws("IntegralHistogram", "images",
         [] { HistogramPlan(Exec(), std::numeric_limits<std::int64_t>::max(), 3, 4, 6); });
  throws("IntegralHistogram", "rows",
         [] { HistogramPlan(Exec(), std::int64_t(1) << 32, 2, std::int64_t(1) << 32, 6); });
  throws("IntegralHistogram", "bins", [] { HistogramPlan(Exec(), 0, 4, 6); });
  throws("IntegralHistogram", "bins",
         [] { HistogramPlan(Exec(), HistogramPlan::max_bins + 1, 4, 6); });
  throws("IntegralHistogram", "rows", [] { HistogramPlan(Exec(), 3, -4, 6); });
  throws("IntegralHistogram", "columns", [] { HistogramPlan(Exec(), 3, 4, -6); });
  throws("IntegralHistogram", "columns",
         [] { HistogramPlan(Exec(), 1 << 10, std::int64_t(1) << 30, std::int64_t(1) << 30); });
  throws("integral_histogram", "image", [&] {
    HistogramPlan(Exec(), 3, 5, 6)(pixels, Bins{0, 256, 3}, h.view());
  });
  EXPECT_TRUE(equal(h.values(), std::vector<std::uint32_t>(72, ~0u)));

  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec> cube("cube", 3, 4, 6);
  const auto inside = Kokkos::subview(cube, 1, Kokkos::ALL, Kokkos::ALL);
  throws("integral_histogram", "histogram", [&] {
    integral_histogram(inside, Bins{0, 256, 3}, cube);
  });
}

/// @brief Batches with bins in planes and with bins side by side.
template <class Bins>
void expect_batch(std::int64_t images, std::int64_t rows, std::int64_t columns, const Bins& binning,
                  std::int64_t bins) {
  SCOPED_TRACE(std::to_string(images) + " x " + std::to_string(rows) + " x " +
               std::to_string(columns) + ", " + std::to_string(bins) + " bins");
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const auto pixels = Random().values<std::uint16_t>(images * rows * columns);
  const GuardedArray<std::uint16_t> in(line(images * rows * columns), pixels);
  const Kokkos::View<const std::uint16_t***, Kokkos::LayoutRight, Exec, Unmanaged> batch(
      in.vector().data(), images, rows, columns);
  const GuardedArray<std::uint32_t> planes(line(images * bins * rows * columns)),
      interleaved(line(images * bins * rows * columns));
  const IntegralHistogram<Exec, std::uint16_t, Bins, std::uint32_t> plan(Exec(), images, bins, rows,
                                                                         columns);
  for (int k = 0; k < 2; ++k)  // nothing of one batch gets into the next one
    plan(batch, binning,
         Kokkos::View<std::uint32_t****, Kokkos::LayoutRight, Exec, Unmanaged>(
             planes.vector().data(), images, bins, rows, columns));
  integral_histogram(
      batch, binning,
      channels_first(Kokkos::View<std::uint32_t****, Kokkos::LayoutRight, Exec, Unmanaged>(
          interleaved.vector().data(), images, rows, columns, bins)));
  std::vector<std::uint32_t> in_planes, side_by_side;
  for (std::int64_t m = 0; m < images; ++m) {
    const auto image = image_at(pixels, m * rows * columns, rows, columns);
    const auto expected = reference<std::uint32_t>(image, binning, bins);
    in_planes.insert(in_planes.end(), expected.begin(), expected.end());
    for (std::int64_t k = 0; k < rows * columns; ++k)
      for (std::int64_t z = 0; z < bins; ++z)
        side_by_side.push_back(expected[static_cast<std::size_t>(z * rows * columns + k)]);
  }
  EXPECT_TRUE(equal(planes.values(), in_planes));
  EXPECT_TRUE(equal(interleaved.values(), side_by_side));
  EXPECT_TRUE(planes.guards_intact());
  EXPECT_TRUE(interleaved.guards_intact());
}

TEST(IntegralHistogram, OfBatches) {
  for (const std::int64_t images : {1, 2, 3, 70}) {  // more and fewer than threads
    expect_batch(images, 1, 1, UniformBins<int>{0, 65536, 3}, 3);
    expect_batch(images, 17, 90, UniformBins<int>{0, 65536, 5}, 5);
    expect_batch(images, 70, 150, LastDigits{}, 11);
  }
}

TEST(RegionHistograms, AgainstPlainLoops) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image<std::uint8_t> image{23, 29, random.values<std::uint8_t>(23 * 29)};
  const GuardedArray<std::uint8_t> in(row_major(23, 29), image.pixels);
  const Bins binning{0, 256, 5};
  const std::vector<Rectangle> rectangles = random_rectangles(random, 23, 29);
  const auto count = static_cast<std::int64_t>(rectangles.size());
  std::vector<float> expected;
  for (const Rectangle& r : rectangles)
    for (int bin = 0; bin < 5; ++bin)
      expected.push_back(
          sum_over<float>(image, r, [&](std::uint8_t p) { return binning(p) == bin ? 1 : 0; }));
  for (const Order order : {Order::PlanesInnermost, Order::PlanesOutermost}) {
    const Histogram<std::uint32_t> h(5, 23, 29, order);
    integral_histogram(in.matrix(), binning, h.view());
    const GuardedArray<float> out(spread(count, 5));
    region_histograms(h.view(), on_device(rectangles), out.matrix());
    EXPECT_TRUE(equal(out.values(), expected));
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST(RegionHistograms, RejectsWrongArguments) {
  const Histogram<std::uint32_t> h(5, 4, 6, Order::PlanesOutermost);
  const GuardedArray<float> out(row_major(2, 5));
  const GuardedArray<float> narrow(row_major(2, 4));
  const Rectangle good{0, 0, 4, 6};
  const auto throws = [](const char* operation, const char* argument, const auto& call) {
    EXPECT_TRUE(rejects(operation, argument, call));
  };
  throws("region_histograms", "rectangles", [&] {
    region_histograms(h.view(), on_device({good, {0, 0, 5, 6}}), out.matrix());
  });
  throws("region_histograms", "rectangles", [&] {
    region_histograms(h.view(), on_device({good, {2, 0, 1, 6}}), out.matrix());
  });
  throws("region_histograms", "out",
         [&] { region_histograms(h.view(), on_device({good}), out.matrix()); });
  throws("region_histograms", "out", [&] {
    region_histograms(h.view(), on_device({good, good}), narrow.matrix());
  });
  const auto rectangles = on_device({good, good});
  const auto inside = [&](void* memory, std::size_t row_stride) {
    return decltype(out.matrix())(static_cast<float*>(memory),
                                  Kokkos::LayoutStride(2, row_stride, 5, 1));
  };
  throws("region_histograms", "out",
         [&] { region_histograms(h.view(), rectangles, inside(h.view().data(), 5)); });
  throws("region_histograms", "out",
         [&] { region_histograms(h.view(), rectangles, inside(rectangles.data(), 5)); });
  throws("region_histograms", "out",
         [&] { region_histograms(h.view(), rectangles, inside(out.matrix().data(), 1)); });
  for (const float value : out.values()) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
