// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <functional>
#include <vector>

#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckCalls.hpp"

// The forms that calls may have: what comes first and last, outputs that are longer, directions.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

class ScanCalls : public testing::Test {
 protected:
  GuardedArray<int> in_{line(4), {3, 1, 4, 2}}, out_{line(4)};
  decltype(in_.vector()) in = in_.vector();
  decltype(in_.vector()) out = out_.vector();
  void expect(const std::vector<int>& values) { EXPECT_TRUE(equal(out_.values(), values)); }
};

TEST_F(ScanCalls, ArgumentsOfKokkos) {
  wavescan::inclusive_scan(Exec(), in, out);
  expect({3, 4, 8, 10});
  wavescan::inclusive_scan("label", Exec(), in, out, Max{});
  expect({3, 3, 4, 4});
  wavescan::inclusive_scan(Exec(), in, out, Plus{}, 10);
  expect({13, 14, 18, 20});
  wavescan::exclusive_scan(Exec(), in, out, 5);
  expect({5, 8, 9, 13});
  wavescan::exclusive_scan("label", Exec(), in, out, 2, Max{});
  expect({2, 3, 3, 4});
}

TEST_F(ScanCalls, InAnyOrder) {
  wavescan::exclusive_scan(in, out, Max{}, 2, ScanOptions().reverse());
  expect({4, 4, 2, 2});
  wavescan::exclusive_scan(in, out, ScanOptions().reverse(), 2, Max{});
  expect({4, 4, 2, 2});
  wavescan::inclusive_scan(in, out, ScanOptions().axis(0));
  expect({3, 4, 8, 10});
  wavescan::inclusive_scan(std::string("label"), in, out, ScanOptions().carry_in(1));
  expect({4, 5, 9, 11});
  wavescan::weighted_scan("label", Exec(), in, 2, out, 1, PlusTimes{});
  expect({5, 11, 26, 54});
  wavescan::weighted_scan(in, in, out, ScanOptions().carry_in(1));
  expect({6, 7, 32, 66});
  wavescan::weighted_exclusive_scan(in, 2, out, 1);
  expect({1, 5, 11, 26});
}

/// A View in the place of the initial value is read on the device.
TEST_F(ScanCalls, InitialValueInAView) {
  const GuardedArray<int> init(line(1), {100});
  wavescan::exclusive_scan(in, out, init.scalar(), Plus{});
  expect({100, 103, 104, 108});
}

TEST_F(ScanCalls, ReverseWeighted) {
  wavescan::weighted_scan(in, 2, out, ScanOptions().reverse());  // out_j = 2 out_{j+1} + x_j
  expect({37, 17, 8, 2});
  wavescan::weighted_exclusive_scan(in, in, out, 1, ScanOptions().reverse());
  expect({21, 20, 4, 1});
}

TEST_F(ScanCalls, LabelNamesTheRegion) {
  std::vector<std::string> regions;
  {
    const Recorder recorder;
    wavescan::inclusive_scan("sums of offsets", Exec(), in, out);
    wavescan::exclusive_scan(in, out, ScanOptions().label("by options"));
    wavescan::weighted_scan(in, 2, out);
    regions = recorder.regions();
  }
  EXPECT_EQ(join(regions), "sums of offsets, by options, WaveScan::weighted_scan");
}

TEST_F(ScanCalls, LongerOutput) {
  const GuardedArray<int> longer(line(6));
  const auto view = longer.vector();
  wavescan::inclusive_scan(in, view);
  EXPECT_TRUE(equal(longer.values(), {3, 4, 8, 10, -1, -1}));
  wavescan::weighted_scan(in, 2, view);
  EXPECT_TRUE(equal(longer.values(), {3, 7, 18, 38, -1, -1}));
  // In place in the front part of it.
  wavescan::inclusive_scan(Kokkos::subview(view, Kokkos::pair(0, 2)), view);
  EXPECT_TRUE(equal(longer.values(), {3, 10, 18, 38, -1, -1}));
  EXPECT_TRUE(rejects("inclusive_scan", "out", [&] { wavescan::inclusive_scan(view, in); }));
}

TEST_F(ScanCalls, LongerAndWiderOutput) {
  const GuardedArray<int> matrix(row_major(2, 2), {1, 2, 3, 4}), larger(row_major(3, 4));
  for (const int axis : {0, 1}) {
    wavescan::inclusive_scan(matrix.matrix(), larger.matrix(), ScanOptions().axis(axis));
    EXPECT_TRUE(equal(larger.values(),
                      axis == 0 ? std::vector{1, 2, -1, -1, 4, 6, -1, -1, -1, -1, -1, -1}
                                : std::vector{1, 3, -1, -1, 3, 7, -1, -1, -1, -1, -1, -1}));
  }
}

/// Offsets of rows of a sparse matrix: the total goes behind the exclusive sums, in the same pass.
TEST_F(ScanCalls, TotalBehindTheResults) {
  const GuardedArray<int> starts(line(5));
  const auto view = starts.vector();
  wavescan::exclusive_scan(in, view, ScanOptions().carry_out(Kokkos::subview(view, 4)));
  EXPECT_TRUE(equal(starts.values(), {0, 3, 4, 8, 10}));
  EXPECT_TRUE(rejects("exclusive_scan", "carry_out", [&] {
    wavescan::exclusive_scan(in, view, ScanOptions().carry_out(Kokkos::subview(view, 3)));
  }));
}

/// Reverse scans with the kernels of sums, around what divides lines into pieces.
TEST(ReverseScans, Sums) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : call_lengths) {
    SCOPED_TRACE(n);
    const auto x = random.values<std::int32_t>(n);
    const ExpectedLines expected(wrapping_sum, x, line(n), 1, true, std::optional<std::int32_t>(9));
    const GuardedArray<std::int32_t> in(line(n), x), out(line(n)), total(line(1));
    const auto options = ScanOptions().reverse().carry_out(total.scalar());
    wavescan::inclusive_scan(in.vector(), out.vector(), 9, options);
    ASSERT_TRUE(equal(out.values(), expected.inclusive));
    ASSERT_TRUE(equal(total.values(), expected.last));
    wavescan::exclusive_scan(in.vector(), in.vector(), 9, options);
    ASSERT_TRUE(equal(in.values(), expected.exclusive));
    ASSERT_TRUE(out.guards_intact() && in.guards_intact());
  }
}

TEST(ReverseScans, SumsOfRowsAndColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& place : {row_major(301, 515), column_major(301, 515), spread(301, 515)})
    for (const int axis : {0, 1}) {
      const auto x = random.values<std::int32_t>(301 * 515);
      const ExpectedLines expected(wrapping_sum, x, place, axis, true,
                                   std::optional<std::int32_t>());
      const GuardedArray<std::int32_t> in(place, x), out(place);
      wavescan::inclusive_scan(in.matrix(), out.matrix(), ScanOptions().axis(axis).reverse());
      ASSERT_TRUE(equal(out.values(), expected.inclusive));
      wavescan::exclusive_scan(in.matrix(), in.matrix(), ScanOptions().axis(axis).reverse());
      ASSERT_TRUE(equal(in.values(), expected.exclusive));
      ASSERT_TRUE(out.guards_intact() && in.guards_intact());
    }
}

}  // namespace
