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

template <class Op>
void check_scan(const Op& op, Random& random, int number) {
  using T = typename Op::value_type;
  const Segmented s = Segmented::random(random, number);
  const auto x = draw(op, random, s.all());
  const T init = draw(op, random, 1)[0];
  const bool entered = random.integer(0, 1) != 0, inclusive = random.integer(0, 1) != 0,
             reverse = random.integer(0, 1) != 0, in_place = random.integer(0, 1) != 0;
  const auto expected =
      s.block(scanned(s, inclusive, reverse, entered ? &init : nullptr, op.identity(), x,
                      [&](const T& state, std::size_t j) { return op(state, x[j]); }));
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE("described in way " + std::to_string(way));
    const auto in = s.block(x), other = s.block(x);
    const auto& out = in_place ? in : other;
    const mpi::SegmentedScan<Exec, Op> plan(world, Exec(), s.count(), op);
    s.describe(way, [&](const auto& segments) {
      const auto scan = [&](const auto& state) {
        if (inclusive)
          plan.inclusive(in, segments, out, state, {.reverse = reverse});
        else
          plan.exclusive(in, segments, out, state, {.reverse = reverse});
      };
      if (entered)
        scan(init);
      else
        scan(NoCarry());
    });
    EXPECT_TRUE(equal(values_of(out), values_of(expected)));
  }
}

// Operators that do not commute ask for more than any sum; sums are in segments.cpp.
TEST(MpiSegments, Scans) {
  for_cases(cases(), [](Random& random, int number) {
    check_scan(Max<float>(), random, number);
    check_scan(Affine<std::uint64_t>(), random, number);
    check_scan(MatrixProduct<std::uint16_t, 3>(), random, number);
  });
}

}  // namespace
}  // namespace wavescan::Test
