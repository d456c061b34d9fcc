// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_IntegralHistogram.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <cstdint>
#include <impl/histogram/gpu/WaveScan_GpuHistogram.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::Cuda;
using Impl::Index;
namespace histogram = Impl::histogram;

/// @brief Where images and histograms lie.
struct Layout {
  histogram::Order order = histogram::Order::Planar;
  Index images = 1;
  Index gap = 0;    ///< elements between the histogram's rows
  Index first = 0;  ///< elements before the histogram
  Index image_step = 1;
  Index image_gap = 0;
  Index image_first = 0;
};

/// @brief Images, their histograms by plain loops, and memory for those of the GPU.
template <class Pixel, class Binning, class T>
class Case {
 public:
  using Plan = histogram::GpuHistogram<Pixel, Binning, T>;

  Case(const histogram::Extents& extents, const Binning& binning, const Layout& layout,
       Random& random)
      : extents_(extents), layout_(layout), binning_(binning) {
    const auto& [bins, rows, columns] = extents_;
    const bool planes = layout.order != histogram::Order::Interleaved;
    histogram_ = {nullptr, extents, planes ? rows * row_pitch() : 1, row_pitch(), column_stride()};
    histogram_stride_ = rows * row_pitch() * (planes ? bins : 1) + layout.gap;
    image_pitch_ = columns * layout.image_step + layout.image_gap;
    image_stride_ = rows * image_pitch_ + layout.image_gap;
    in_.emplace(Placement{1, layout.images * image_stride_, 0, 1, layout.image_first});
    out_.emplace(Placement{1, layout.images * histogram_stride_, 0, 1, layout.first});
    expected_ = out_->values();
    pixels_ = random.values<Pixel>(layout.images * image_stride_);
    in_->set(pixels_);
    for (Index m = 0; m < layout.images; ++m) count(m);
  }

  Plan plan(const Exec& exec, const histogram::SchemeTuning& tuning = {}) const {
    return Plan(exec, extents_, layout_.images, tuning);
  }
  bool enqueue(const Exec& exec, const Plan& plan) const {
    histogram::Problem<Pixel, Binning, T> problem{
        {in_->vector().data(), extents_.rows, extents_.columns, image_pitch_, layout_.image_step},
        binning_,
        histogram_,
        layout_.images,
        image_stride_,
        histogram_stride_};
    problem.histogram.data = out_->vector().data();
    return plan.enqueue(exec, problem);
  }
  /// @brief Whether everything is as expected, gaps included; takes the entries away.
  void expect_result(const Exec& exec) {
    exec.fence();
    EXPECT_TRUE(out_->guards_intact());
    EXPECT_TRUE(same_bits(out_->values(), expected_)) << description();
    const Placement placement = out_->placement();
    out_.emplace(placement);
  }
  bool is_touched() const {
    return !same_bits(out_->values(), GuardedArray<T, Exec>(out_->placement()).values());
  }
  void expect(const histogram::SchemeTuning& tuning = {}) {
    const Exec exec;
    EXPECT_TRUE(enqueue(exec, plan(exec, tuning))) << description();
    expect_result(exec);
  }
  /// @brief Divided into bands, and as a small image.
  void expect_both_ways() {
    expect({.small_rows = 0});
    expect({.small_rows = 1 << 20});
  }

 private:
  Index column_stride() const {
    return layout_.order == histogram::Order::Planar        ? 1
           : layout_.order == histogram::Order::Interleaved ? extents_.bins
                                                            : 2;
  }
  Index row_pitch() const { return extents_.columns * column_stride() + layout_.gap; }
  std::string description() const {
    return std::to_string(extents_.bins) + " bins, " + std::to_string(extents_.rows) + " x " +
           std::to_string(extents_.columns) + ", " +
           (layout_.order == histogram::Order::Planar ? "planar" : "interleaved") + ", gap " +
           std::to_string(layout_.gap) + ", first " + std::to_string(layout_.first);
  }
  void count(Index m) {
    Image<Pixel> image{extents_.rows, extents_.columns, {}};
    for (Index i = 0; i < image.rows; ++i)
      for (Index j = 0; j < image.columns; ++j)
        image.pixels.push_back(pixels_[static_cast<std::size_t>(
            m * image_stride_ + i * image_pitch_ + j * layout_.image_step)]);
    for (Index bin = 0; bin < extents_.bins; ++bin) {
      const auto counts = sums_of_prefixes<std::uint32_t>(
          image, [&](const Pixel& p) { return Index(binning_(p)) == bin; });
      for (Index i = 0; i < image.rows; ++i)
        for (Index j = 0; j < image.columns; ++j)
          expected_[static_cast<std::size_t>(m * histogram_stride_ + bin * histogram_.bin_stride +
                                             i * histogram_.row_stride +
                                             j * histogram_.column_stride)] =
              static_cast<T>(counts[static_cast<std::size_t>(i * image.columns + j)]);
    }
  }

  histogram::Extents extents_;
  Layout layout_;
  Binning binning_;
  histogram::Planes<T> histogram_;
  Index histogram_stride_;
  Index image_pitch_;
  Index image_stride_;
  std::vector<Pixel> pixels_;
  std::vector<T> expected_;
  std::optional<GuardedArray<Pixel, Exec>> in_;
  std::optional<GuardedArray<T, Exec>> out_;
};

using Bytes = Case<std::uint8_t, UniformBins<int>, std::uint32_t>;

Bytes bytes(Index bins, Index rows, Index columns, const Layout& layout, Random& random) {
  return {{bins, rows, columns}, {0, 256, static_cast<int>(bins)}, layout, random};
}

constexpr Index around_tiles[][2] = {{1, 1},   {1, 300}, {300, 1}, {7, 129},  {8, 128},
                                     {9, 127}, {33, 31}, {31, 33}, {65, 257}, {130, 260}};

TEST(GpuHistograms, OfAnyNumberOfBins) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Index bins : {1, 2, 31, 32, 33, 100, 255, 256, 300})
    for (const auto& [rows, columns] : around_tiles)
      for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
        bytes(bins, rows, columns, {.order = order}, random).expect_both_ways();
}

TEST(GpuHistograms, OfALargerImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
    bytes(32, 1000, 700, {.order = order}, random).expect_both_ways();
}

TEST(GpuHistograms, OfTallImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
    bytes(3, 70000, 5, {.order = order}, random).expect();
}

TEST(GpuHistograms, InRowsOfAnyPitch) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
    for (const Index gap : {1, 2, 3, 4})
      for (const Index first : {0, 1, 2, 3})
        bytes(5, 37, 300, {.order = order, .gap = gap, .first = first}, random).expect_both_ways();
}

TEST(GpuHistograms, OfPixelsAnywhere) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Index step : {1, 3})
    for (const Index gap : {0, 1, 4})
      for (const Index first : {0, 1, 4})
        bytes(5, 37, 300, {.image_step = step, .image_gap = gap, .image_first = first}, random)
            .expect_both_ways();
}

TEST(GpuHistograms, OfManyImagesAtOnce) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
    for (const Index gap : {0, 3})
      bytes(6, 40, 140, {.order = order, .images = 5, .gap = gap, .image_gap = gap}, random)
          .expect_both_ways();
}

TEST(GpuHistograms, HoweverTheyAreDivided) {
  Random random;
  SCOPED_TRACE(random.trace());
  auto planar = bytes(34, 150, 900, {}, random);
  for (const int rows : {8, 13, 64})
    for (const int bins : {1, 3, 8})
      for (const int team : {1, 2, 16})
        for (const int strips : {1, 2})
          planar.expect({.max_band_rows = rows,
                         .min_band_rows = rows,
                         .max_bins = bins,
                         .max_team = team,
                         .max_strips = strips,
                         .small_rows = 0});
  auto interleaved = bytes(34, 150, 900, {.order = histogram::Order::Interleaved}, random);
  for (const int rows : {8, 13, 40})
    for (const int segments : {1, 2, 5, 100})
      interleaved.expect({.max_band_rows = rows,
                          .min_band_rows = rows,
                          .max_segments = segments,
                          .wanted_band_rows = 1000});
}

TEST(GpuHistograms, OfWideImages) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
    for (const Index columns : {2049, 4096, 4097, 9000})
      for (const Index bins : {3, 260}) bytes(bins, 21, columns, {.order = order}, random).expect();
}

/// @brief A binning of one's own: -3 to 11 bins, of which the histogram has some.
struct LastDigit {
  KOKKOS_FUNCTION long operator()(short pixel) const { return pixel % 15 - 3; }
};

TEST(GpuHistograms, IgnorePixelsWithoutABin) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved}) {
    const Layout layout{.order = order};
    for (const auto& [rows, columns] : around_tiles) {
      Case<std::uint8_t, UniformBins<int>, std::uint32_t>({7, rows, columns}, {40, 91, 7}, layout,
                                                          random)
          .expect_both_ways();
      Case<short, LastDigit, std::int64_t>({8, rows, columns}, {}, layout, random)
          .expect_both_ways();
      Case<float, UniformBins<float>, float>({5, rows, columns}, {-0.5f, 0.75f, 5}, layout, random)
          .expect_both_ways();
    }
  }
}

TEST(GpuHistograms, LeaveOtherLayoutsToOthers) {
  Random random;
  auto image = bytes(3, 20, 30, {.order = histogram::Order::Other}, random);
  EXPECT_FALSE(image.enqueue({}, image.plan({})));
  EXPECT_FALSE(image.is_touched());
}

TEST(GpuHistograms, AgainAndAgain) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Exec exec;
  auto image = bytes(32, 200, 333, {}, random);
  for (const int small_rows : {0, 16}) {
    const auto plan = image.plan(exec, {.small_rows = small_rows});
    for (int k = 0; k < 20; ++k) {
      for (int m = 0; m < 5; ++m) ASSERT_TRUE(image.enqueue(exec, plan));
      image.expect_result(exec);
    }
  }
}

TEST(GpuHistograms, OnInstancesAtOnce) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1, 1);
  std::vector<Bytes> images;
  std::vector<Bytes::Plan> plans;
  for (const Exec& exec : instances) {
    images.push_back(bytes(32, 300, 700, {}, random));
    plans.push_back(images.back().plan(exec, {.small_rows = plans.empty() ? 0 : 16}));
  }
  for (int k = 0; k < 20; ++k)
    for (std::size_t i = 0; i < instances.size(); ++i)
      ASSERT_TRUE(images[i].enqueue(instances[i], plans[i]));
  for (std::size_t i = 0; i < instances.size(); ++i) images[i].expect_result(instances[i]);
}

TEST(GpuHistograms, InCapturedGraphs) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  auto image = bytes(32, 100, 200, {}, random);
  const auto plan = image.plan(exec);
  exec.fence();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  ASSERT_EQ(cudaSuccess,
            cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(image.enqueue(exec, plan));
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&program, graph, 0));
  for (int k = 0; k < 5; ++k) ASSERT_EQ(cudaSuccess, cudaGraphLaunch(program, exec.cuda_stream()));
  image.expect_result(exec);
  EXPECT_EQ(cudaSuccess, cudaGraphExecDestroy(program));
  EXPECT_EQ(cudaSuccess, cudaGraphDestroy(graph));
}

}  // namespace
#endif
