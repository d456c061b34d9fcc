// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScanTest_Random.hpp>
#include <cstdint>
#include <impl/histogram/gpu/WaveScan_HistogramSchemes.hpp>
#include <limits>
#include <string>

// Which kernels GPUs would run, asked on any machine.

namespace {

namespace histogram = wavescan::Impl::histogram;
using wavescan::Impl::Index;

const histogram::DeviceLimits hopper{132, 227 * 1024}, small_gpu{5, 48 * 1024};

histogram::Request of_bytes(Index bins, Index rows, Index columns, histogram::Order order,
                            Index images = 1) {
  return {{bins, rows, columns}, images, order, true, true};
}

std::string description(const histogram::Request& r) {
  return std::to_string(r.images) + " x " + std::to_string(r.extents.bins) + " bins of " +
         std::to_string(r.extents.rows) + " x " + std::to_string(r.extents.columns);
}

/// @brief Everything is counted and written, in the memory that there is.
void expect_complete(const histogram::Request& r, const histogram::DeviceLimits& device) {
  SCOPED_TRACE(description(r));
  const auto [scheme, decomposition] = histogram::select_scheme(r, device);
  if (scheme == histogram::Scheme::Portable) return;
  const auto& [bins, rows, columns] = r.extents;
  EXPECT_LE(decomposition.shared_bytes, device.shared_bytes);
  EXPECT_GE(Index(decomposition.bands) * decomposition.band_rows, rows);
  EXPECT_LT(Index(decomposition.bands - 1) * decomposition.band_rows, rows);
  EXPECT_EQ(decomposition.wide,
            bins > histogram::max_narrow_bins || rows > histogram::max_narrow_rows);
  if (scheme == histogram::Scheme::SmallPlanar) {
    EXPECT_LE(histogram::SmallSizes::tasks(r), device.multiprocessors);
    return;
  }
  EXPECT_GE(Index(decomposition.groups) * decomposition.group, columns);
  EXPECT_GE(decomposition.counted_bands, 1);
  EXPECT_LE(decomposition.counted_bands, decomposition.bands);
  for (const Index row :
       {Index(0), Index(decomposition.band_rows) - 1, Index(decomposition.band_rows), rows - 1})
    if (row < Index(decomposition.counted_bands) * decomposition.band_rows) {
      EXPECT_EQ(static_cast<Index>(std::uint64_t(row) * decomposition.inverse_band_rows >> 32),
                row / decomposition.band_rows);
    }
  if (scheme == histogram::Scheme::Planar) {
    EXPECT_GE(Index(decomposition.tasks) * decomposition.bins_at_once, bins);
    EXPECT_LE(decomposition.team, histogram::block_warps);
    EXPECT_LE(decomposition.segment / histogram::PlanarSizes::strip,
              histogram::PlanarSizes::max_strips);
  } else {
    EXPECT_GE(decomposition.tasks * Index(decomposition.segment) * decomposition.bins_at_once,
              bins * columns);
  }
}

TEST(HistogramSchemes, TakesWhatIsFastestWhere) {
  const auto selected = [](const histogram::Request& r) {
    return histogram::select_scheme(r, hopper).scheme;
  };
  EXPECT_EQ(selected(of_bytes(32, 480, 640, histogram::Order::Planar)),
            histogram::Scheme::SmallPlanar);
  EXPECT_EQ(selected(of_bytes(8, 64, 64, histogram::Order::Planar)),
            histogram::Scheme::SmallPlanar);
  EXPECT_EQ(selected(of_bytes(32, 1080, 1920, histogram::Order::Planar)),
            histogram::Scheme::Planar);
  EXPECT_EQ(selected(of_bytes(32, 480, 640, histogram::Order::Planar, 2)),
            histogram::Scheme::Planar);
  EXPECT_EQ(selected(of_bytes(256, 480, 640, histogram::Order::Planar)), histogram::Scheme::Planar);
  EXPECT_EQ(selected(of_bytes(32, 480, 640, histogram::Order::Interleaved)),
            histogram::Scheme::Interleaved);
  EXPECT_EQ(selected(of_bytes(32, 480, 640, histogram::Order::Other)), histogram::Scheme::Portable);
}

TEST(HistogramSchemes, LeavesTooMuchToOthers) {
  constexpr Index most = std::numeric_limits<int>::max();
  for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved}) {
    EXPECT_EQ(histogram::select_scheme(of_bytes(2, most, 1, order), hopper).scheme,
              histogram::Scheme::Portable);
    EXPECT_EQ(histogram::select_scheme(of_bytes(32767, 100, 100, order), small_gpu).scheme,
              histogram::Scheme::Portable);
    const histogram::Request many_pixels{{2, 100000, 100000}, 1, order, false, false};
    EXPECT_EQ(histogram::select_scheme(many_pixels, hopper).scheme, histogram::Scheme::Portable);
  }
}

TEST(HistogramSchemes, DividesAllWork) {
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  const auto size = [&](int bits) {
    return random.integer(1, Index(1) << random.integer(0, bits));
  };
  for (int trial = 0; trial < 2000; ++trial)
    for (const histogram::Order order : {histogram::Order::Planar, histogram::Order::Interleaved})
      for (const auto& device : {hopper, small_gpu})
        expect_complete(of_bytes(size(10), size(17), size(17), order, size(3)), device);
}

}  // namespace
