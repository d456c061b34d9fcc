// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// A plan keeps its workspace: its calls allocate nothing, wait for nothing, and may be repeated.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

struct ScaledSum {
  int factor;
  KOKKOS_FUNCTION int operator()(int a, int b) const { return (a + b) * factor; }
};

TEST(ScanPlan, CallsAllocateAndFenceNothing) {
  const Exec exec;
  for (const std::int64_t n : {1, 1000, 100003}) {
    const Scan<Exec, Plus<int>> sum(exec, 1, n);
    const Scan<Exec, PlusTimes<int>> weighted(exec, 1, n);
    const GuardedArray<int> in(line(n), std::vector<int>(static_cast<std::size_t>(n), 1)),
        out(line(n)), carry(line(1), {5});
    const auto x = in.vector(), y = out.vector();
    const auto all = [&] {
      sum.inclusive(x, y);
      sum.exclusive(x, y, ScanOptions().carry_in(7));
      sum.inclusive(x, y, ScanOptions().carry_in(carry.scalar()).carry_out(carry.scalar()));
      weighted.weighted(x, 2, y);
      weighted.weighted_exclusive(x, x, y);
    };
    all();  // Kokkos itself may prepare something for the first launch of a kernel
    exec.fence();
    const Recorder recorder;
    all();
    EXPECT_EQ(join(recorder.allocations()), "");
    EXPECT_EQ(join(recorder.fences()), "");
    EXPECT_EQ(join(recorder.regions()),
              "WaveScan::inclusive_scan, WaveScan::exclusive_scan, WaveScan::inclusive_scan, "
              "WaveScan::weighted_scan, WaveScan::weighted_exclusive_scan");
    EXPECT_GE(recorder.kernels().size(), 5u);
    for (const std::string& kernel : recorder.kernels())
      EXPECT_TRUE(kernel.starts_with("WaveScan::")) << kernel;
  }
}

TEST(FreeScans, AllocateAndFenceNothingTheSecondTime) {
  const std::int64_t n = 100003;
  const GuardedArray<int> in(line(n), std::vector<int>(static_cast<std::size_t>(n), 1)),
      out(line(n));
  const auto x = in.vector(), y = out.vector();
  const auto all = [&](int weight) {
    inclusive_scan(x, y);
    exclusive_scan(x, y, 7);
    weighted_scan(x, weight, y);
    weighted_exclusive_scan(x, weight, y);
  };
  all(2);
  Kokkos::fence();
  const Recorder recorder;
  all(3);
  EXPECT_EQ(join(recorder.allocations()), "");
  EXPECT_EQ(join(recorder.fences()), "");
}

TEST(FreeScans, TakeTheOperatorOfEachCall) {
  const GuardedArray<int> in(line(3), {1, 1, 1}), out(line(3));
  for (const int factor : {1, 0, 1}) {
    inclusive_scan(in.vector(), out.vector(), ScaledSum{factor});
    EXPECT_EQ(out.values(), factor == 1 ? std::vector({1, 2, 3}) : std::vector({1, 0, 0}));
  }
}

TEST(ScanPlan, MatricesAllocateAndFenceNothing) {
  const Exec exec;
  const std::int64_t m = 50, n = 3000;
  const GuardedArray<int> in(row_major(m, n), std::vector<int>(m * n, 1)), out(row_major(m, n));
  const auto x = in.matrix(), y = out.matrix();
  for (const int axis : {0, 1}) {
    const auto plan = Scan<Exec, Plus<int>>::like(exec, x, {}, axis);
    EXPECT_EQ(plan.lines(), axis == 0 ? n : m);
    EXPECT_EQ(plan.length(), axis == 0 ? m : n);
    plan.inclusive(x, y, ScanOptions().axis(axis));
    exec.fence();
    const Recorder recorder;
    plan.inclusive(x, y, ScanOptions().axis(axis));
    EXPECT_EQ(join(recorder.allocations()), "");
    EXPECT_EQ(join(recorder.fences()), "");
  }
}

TEST(ScanPlan, ManyCallsInARow) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Exec exec;
  for (const std::int64_t n : {100, 70001}) {
    const Scan<Exec, Plus<std::int32_t>> plan(exec, 1, n);
    auto expected = random.values<std::int32_t>(n);
    const GuardedArray<std::int32_t> data(line(n), expected);
    for (int k = 0; k < 20; ++k) plan.inclusive(data.vector(), data.vector());
    for (int k = 0; k < 20; ++k)
      for (std::size_t j = 1; j < expected.size(); ++j)
        expected[j] = wrapping_sum(expected[j], expected[j - 1]);
    EXPECT_TRUE(equal(data.values(), expected));
  }
}

/// A long line in pieces, each starting from the state that the one before left.
TEST(ScanPlan, PiecesJoinedByTheirCarry) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Exec exec;
  const std::int64_t n = 9001, pieces = 7;
  const auto x = random.values<std::int32_t>(n * pieces);
  const GuardedArray<std::int32_t> in(line(n * pieces), x), out(line(n * pieces)),
      carry(line(1), {0});
  const Scan<Exec, PlusTimes<std::int32_t>> plan(exec, 1, n);
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Kokkos::pair piece(p * n, (p + 1) * n);
    plan.weighted(Kokkos::subview(in.vector(), piece), 3, Kokkos::subview(out.vector(), piece),
                  ScanOptions().carry_in(carry.scalar()).carry_out(carry.scalar()));
  }
  const auto expected = scan_line<std::int32_t>(
      x, std::nullopt, 0,
      [](std::int32_t s, std::int32_t v, std::size_t) { return wrapping_step(s, 3, v); });
  EXPECT_TRUE(equal(out.values(), expected.inclusive));
  EXPECT_TRUE(equal(carry.values(), {expected.last}));
}

}  // namespace
