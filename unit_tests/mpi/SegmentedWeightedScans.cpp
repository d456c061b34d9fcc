// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Operators.hpp>
#include <WaveScan_MPI_SegmentedScan.hpp>
#include <string>
#include <vector>

#include "DistributedSegments.hpp"

namespace wavescan::Test {
namespace {

template <class A>
void check_weighted_segments(const A& algebra, Random& random, int number) {
  using T = typename A::value_type;
  const Segmented s = Segmented::random(random, number);
  const auto list = [&](std::int64_t n) { return random.integers<T>(n, -50, 50); };
  const auto x = list(s.all()), w = list(s.all());
  const T init = list(1)[0], weight = list(1)[0];
  const bool entered = random.integer(0, 1) != 0, inclusive = random.integer(0, 1) != 0,
             reverse = random.integer(0, 1) != 0, constant = random.integer(0, 1) != 0;
  const auto expected = scanned(s, inclusive, reverse, entered ? &init : nullptr, algebra.zero(), x,
                                [&](const T& state, std::size_t j) {
                                  return algebra.accumulate(
                                      algebra.distribute(state, constant ? weight : w[j]), x[j]);
                                });
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE("described in way " + std::to_string(way));
    const auto in = s.block(x), weights = s.block(w);
    s.describe(way, [&](const auto& segments) {
      const auto scan = [&](const auto& by, const auto& state) {
        if (inclusive)
          mpi::segmented_weighted_scan(world, in, by, segments, in, algebra, state,
                                       {.reverse = reverse});
        else
          mpi::segmented_weighted_exclusive_scan(world, in, by, segments, in, algebra, state,
                                                 {.reverse = reverse});
      };
      const auto scan_by = [&](const auto& by) {
        if (entered)
          scan(by, init);
        else
          scan(by, NoCarry());
      };
      if (constant)
        scan_by(weight);
      else
        scan_by(weights);
    });
    EXPECT_TRUE(equal(values_of(in), values_of(s.block(expected))));
  }
}

TEST(MpiSegments, WeightedScans) {
  for_cases(cases(), [](Random& random, int number) {
    check_weighted_segments(PlusTimes<std::int32_t>(), random, number);
    check_weighted_segments(MaxPlus<std::int64_t>(), random, number);
  });
}

}  // namespace
}  // namespace wavescan::Test
