// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Random.hpp"

// Recurrences of order 2 that begin anew in every segment, as segmented scans of vectors by
// matrices.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Maps = AffineMaps<double, 2>;
using Vector = SmallVector<double, 2>;
using Matrix = SmallMatrix<double, 2>;

TEST(SegmentedRecurrences, OfOrderTwo) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 100, 30011}) {
    std::vector<int> offsets{0};
    while (offsets.back() < n)
      offsets.push_back(
          static_cast<int>(std::min(n, offsets.back() + random.integer(0, n > 1000 ? 900 : 9))));
    std::vector<Vector> x(static_cast<std::size_t>(n));
    std::vector<Matrix> w(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = {{random.value<double>(), 0}};
      w[j] = {{{1 + .2 * random.value<double>(), -.5}, {1, 0}}};
    }
    const Matrix constant{{{1.2, -.6}, {1, 0}}};
    const GuardedArray<Vector> in(line(n), x), out(line(n));
    const GuardedArray<Matrix> weights(line(n), w);
    const auto segments_count = static_cast<std::int64_t>(offsets.size());
    const GuardedArray<int> bounds(line(segments_count), offsets);
    const auto segments = segment_offsets(bounds.vector());
    for (const bool varying : {false, true}) {
      if (varying)
        segmented_weighted_scan(in.vector(), weights.vector(), segments, out.vector(), Maps());
      else
        segmented_weighted_scan(in.vector(), constant, segments, out.vector(), Maps());
      const auto y = out.values();
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        double newest = 0, older = 0;
        for (int j = offsets[s]; j < offsets[s + 1]; ++j) {
          const auto k = static_cast<std::size_t>(j);
          const Matrix& by = varying ? w[k] : constant;
          const double next = x[k][0] + by(0, 0) * newest + by(0, 1) * older;
          older = newest;
          newest = next;
          ASSERT_NEAR(y[k][0], next, 1e-11 * (1 + std::abs(next))) << j << " of " << n;
        }
      }
    }
  }
}

}  // namespace
