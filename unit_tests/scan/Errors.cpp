// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Errors.hpp"

// Every precondition that fails throws, names operation and argument, and leaves outputs alone.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Kokkos::ALL;

const Plus<int> plus;
using Range = Kokkos::pair<int, int>;

struct Twice {
  KOKKOS_FUNCTION int operator()(int x) const { return 2 * x; }
};

class ScanErrors : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_TRUE(equal(out_.values(), std::vector<int>(12, -1))) << "something was written";
    EXPECT_TRUE(equal(in_.values(), std::vector<int>(12, 1))) << "something was written";
  }
  GuardedArray<int> in_{row_major(3, 4), std::vector<int>(12, 1)};
  GuardedArray<int> out_{row_major(3, 4)};
  decltype(in_.matrix()) in = in_.matrix();
  decltype(in_.matrix()) out = out_.matrix();
  Kokkos::View<int*> three{"three", 3};
  Kokkos::View<int*> four{"four", 4};
};

TEST_F(ScanErrors, ExtentsDiffer) {
  const auto small = Kokkos::subview(out, ALL, Range(0, 3));
  EXPECT_TRUE(rejects("inclusive_scan", "out", [&] { inclusive_scan(in, small); }));
  EXPECT_TRUE(rejects("exclusive_scan", "out", [&] { exclusive_scan(in, small); }));
  EXPECT_TRUE(rejects("weighted_scan", "out", [&] { weighted_scan(in, 2, small); }));
  EXPECT_TRUE(
      rejects("weighted_exclusive_scan", "out", [&] { weighted_exclusive_scan(in, 2, small); }));
  EXPECT_EQ(error_of([&] { inclusive_scan(in, small); }),
            "WaveScan::inclusive_scan: argument 'out' must have at least the extents of 'in' (3 "
            "x 4), got 3 x 3");
}

TEST_F(ScanErrors, PartialOverlap) {
  const auto first = Kokkos::subview(out, 0, Range(0, 3));
  const auto shifted = Kokkos::subview(out, 0, Range(1, 4));
  EXPECT_TRUE(rejects("inclusive_scan", "out", [&] { inclusive_scan(first, shifted); }));
  EXPECT_TRUE(rejects("exclusive_scan", "out", [&] { exclusive_scan(shifted, first); }));
  EXPECT_TRUE(rejects("weighted_scan", "out", [&] { weighted_scan(first, three, shifted); }));
}

TEST_F(ScanErrors, WeightsOverlapPartlyOrHaveOtherExtents) {
  const auto first = Kokkos::subview(out, 0, Range(0, 3));
  const auto shifted = Kokkos::subview(out, 0, Range(1, 4));
  EXPECT_TRUE(rejects("weighted_scan", "out", [&] { weighted_scan(three, shifted, first); }));
  EXPECT_TRUE(rejects("weighted_scan", "weight", [&] { weighted_scan(three, four, first); }));
}

TEST_F(ScanErrors, Axis) {
  const PlusTimes<int> recurrence;
  for (const int axis : {-2, 2, 7}) {
    const auto along = ScanOptions().axis(axis);
    EXPECT_TRUE(rejects("inclusive_scan", "axis", [&] { inclusive_scan(in, out, plus, along); }));
    EXPECT_TRUE(rejects("exclusive_scan", "axis", [&] { exclusive_scan(in, out, plus, along); }));
    EXPECT_TRUE(
        rejects("weighted_scan", "axis", [&] { weighted_scan(in, 2, out, recurrence, along); }));
    EXPECT_TRUE(rejects("weighted_exclusive_scan", "axis",
                        [&] { weighted_exclusive_scan(in, 2, out, recurrence, along); }));
    EXPECT_TRUE(rejects("Scan", "axis", [&] {
      Scan<Kokkos::DefaultExecutionSpace, Plus<int>>::like({}, in, plus, axis);
    }));
  }
  EXPECT_EQ(
      error_of([&] { inclusive_scan(three, three, plus, ScanOptions().axis(1)); }),
      "WaveScan::inclusive_scan: argument 'axis' must be a dimension of the input (0 to 0) or "
      "-1 for the last, got 1");
}

TEST_F(ScanErrors, CarryExtents) {
  EXPECT_TRUE(rejects("inclusive_scan", "carry_in",
                      [&] { inclusive_scan(in, out, plus, ScanOptions().carry_in(four)); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_in", [&] {
    inclusive_scan(in, out, plus, ScanOptions().axis(0).carry_in(three));
  }));
  EXPECT_TRUE(rejects("exclusive_scan", "carry_out",
                      [&] { exclusive_scan(in, out, plus, ScanOptions().carry_out(four)); }));
}

/// Unlike a carry that nobody asked for.
TEST_F(ScanErrors, CarriesWithoutMemory) {
  const Kokkos::View<int> nothing;
  const Kokkos::View<int*> nothing_for_three(nullptr, 3);
  const auto row = Kokkos::subview(in, 0, ALL);
  const auto to = Kokkos::subview(out, 0, ALL);
  const PlusTimes<int> recurrence;
  const auto enters = ScanOptions().carry_in(nothing);
  const auto leaves = ScanOptions().carry_out(nothing);
  EXPECT_TRUE(
      rejects("inclusive_scan", "carry_in", [&] { inclusive_scan(row, to, plus, enters); }));
  EXPECT_TRUE(
      rejects("exclusive_scan", "carry_in", [&] { exclusive_scan(row, to, plus, enters); }));
  EXPECT_TRUE(
      rejects("inclusive_scan", "carry_out", [&] { inclusive_scan(row, to, plus, leaves); }));
  EXPECT_TRUE(
      rejects("weighted_scan", "carry_in", [&] { weighted_scan(row, 2, to, recurrence, enters); }));
  EXPECT_TRUE(rejects("weighted_exclusive_scan", "carry_out",
                      [&] { weighted_exclusive_scan(row, row, to, recurrence, leaves); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_in", [&] {
    inclusive_scan(in, out, plus, ScanOptions().carry_in(nothing_for_three));
  }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_out", [&] {
    inclusive_scan(in, out, plus, ScanOptions().carry_out(nothing_for_three));
  }));
  EXPECT_EQ(error_of([&] { inclusive_scan(row, to, plus, enters); }),
            "WaveScan::inclusive_scan: argument 'carry_in' must be allocated, got a View without "
            "memory");
}

/// What the function that was called names otherwise than the plan below it.
TEST_F(ScanErrors, AreThoseOfTheFunctionThatWasCalled) {
  const Kokkos::View<int> nothing;
  const auto row = Kokkos::subview(in, 0, ALL);
  const auto to = Kokkos::subview(out, 0, ALL);
  EXPECT_TRUE(rejects("exclusive_scan", "init", [&] { exclusive_scan(row, to, nothing, plus); }));
  EXPECT_TRUE(rejects("weighted_scan", "init",
                      [&] { weighted_scan(row, 2, to, PlusTimes<int>{}, nothing); }));
  EXPECT_TRUE(rejects("inclusive_scan", "init", [&] { inclusive_scan(in, out, plus, four); }));
  EXPECT_EQ(error_of([&] { inclusive_scan(row, to, plus, Kokkos::subview(out, 0, 1)); }),
            "WaveScan::inclusive_scan: argument 'out' must share no memory with 'init', got "
            "overlapping Views");
  EXPECT_TRUE(rejects("transform_inclusive_scan", "out",
                      [&] { transform_inclusive_scan(four, three, plus, Twice()); }));
  EXPECT_TRUE(rejects("transform_exclusive_scan", "out",
                      [&] { transform_exclusive_scan(four, three, 0, plus, Twice()); }));
}

TEST_F(ScanErrors, ElementsThatOverlapEachOther) {
  using Strided = decltype(in_.matrix());
  const Strided diagonals(out.data(), Kokkos::LayoutStride(3, 1, 4, 1));
  const Strided one_row(out.data(), Kokkos::LayoutStride(3, 0, 4, 1));
  EXPECT_TRUE(rejects("exclusive_scan", "out", [&] { exclusive_scan(in, one_row); }));
  EXPECT_TRUE(rejects("weighted_scan", "out", [&] { weighted_scan(in, 2, one_row); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_out", [&] {
    inclusive_scan(in, out, plus, ScanOptions().carry_out(Kokkos::subview(one_row, ALL, 0)));
  }));
  EXPECT_EQ(error_of([&] { inclusive_scan(in, diagonals); }),
            "WaveScan::inclusive_scan: argument 'out' must have no elements that "
            "overlap, got strides 1, 1");
  // Input may well be broadcast.
  const Strided broadcast(in.data(), Kokkos::LayoutStride(3, 0, 4, 1));
  inclusive_scan(broadcast, Kokkos::View<int**>("sums", 3, 4));
}

TEST_F(ScanErrors, NoLinesNeedNoCarries) {
  const Kokkos::View<int**> no_lines("no lines", 0, 4);
  const Kokkos::View<int*> nothing;
  inclusive_scan(no_lines, no_lines, plus, ScanOptions().carry_in(nothing).carry_out(nothing));
}

TEST_F(ScanErrors, CarriesOverlapOtherArguments) {
  const auto column = Kokkos::subview(out, ALL, 0);
  const auto in_column = Kokkos::subview(in, ALL, 0);
  EXPECT_TRUE(rejects("inclusive_scan", "out",
                      [&] { inclusive_scan(in, out, plus, ScanOptions().carry_in(column)); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_out",
                      [&] { inclusive_scan(in, out, plus, ScanOptions().carry_out(column)); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_out",
                      [&] { inclusive_scan(in, out, plus, ScanOptions().carry_out(in_column)); }));
  EXPECT_TRUE(rejects("inclusive_scan", "carry_out", [&] {
    inclusive_scan(in, out, plus,
                   ScanOptions()
                       .carry_in(Kokkos::subview(four, Range(0, 3)))
                       .carry_out(Kokkos::subview(four, Range(1, 4))));
  })) << "the carry of one line would be overwritten by that of another";
  EXPECT_TRUE(rejects("weighted_scan", "carry_out", [&] {
    weighted_scan(in, in, out, PlusTimes<int>{}, ScanOptions().carry_out(in_column));
  }));
  const GuardedArray<int> weights(row_major(3, 4), std::vector<int>(12, 1));
  EXPECT_TRUE(rejects("weighted_scan", "carry_out", [&] {
    weighted_scan(in, weights.matrix(), out, PlusTimes<int>{},
                  ScanOptions().carry_out(Kokkos::subview(weights.matrix(), ALL, 0)));
  }));
}

TEST_F(ScanErrors, PlanOfOtherSize) {
  const Kokkos::DefaultExecutionSpace exec;
  const Scan<Kokkos::DefaultExecutionSpace, Plus<int>> plan(exec, 4, 3);
  EXPECT_EQ(error_of([&] { plan.inclusive(in, out); }),
            "WaveScan::inclusive_scan: argument 'in' must hold the plan's 4 lines of 3 elements, "
            "got 3 lines of 4");
  EXPECT_TRUE(rejects("exclusive_scan", "in", [&] { plan.exclusive(three, three); }));
  plan.inclusive(in, in, ScanOptions().axis(0));  // four columns of three
  exec.fence();
  in_.set(std::vector<int>(12, 1));
}

TEST_F(ScanErrors, SizesOfAPlan) {
  using Plan = Scan<Kokkos::DefaultExecutionSpace, Plus<int>>;
  const Kokkos::DefaultExecutionSpace exec;
  EXPECT_TRUE(rejects("Scan", "lines", [&] { Plan(exec, -1, 3); }));
  EXPECT_TRUE(rejects("Scan", "length", [&] { Plan(exec, 3, -1); }));
  EXPECT_TRUE(rejects("Scan", "length",
                      [&] { Plan(exec, 3, std::numeric_limits<std::int64_t>::max() / 2); }));
}

}  // namespace
