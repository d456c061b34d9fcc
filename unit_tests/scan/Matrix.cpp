// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Rank 2: independent scans along either axis, for every layout and many matrix_shapes.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Value = std::int32_t;
using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

const PlainScan sum_of_values{Plus<Value>{}, wrapping_sum};

struct MatrixShape {
  std::int64_t rows, columns;
};

/// Few and many lines, short and long: each is scanned in another way.
const std::vector<MatrixShape> matrix_shapes{
    {0, 0},     {0, 5},     {5, 0},     {1, 1},     {1, 3000},  {3000, 1},
    {2, 40},    {7, 13},    {64, 64},   {65, 33},   {130, 257}, {3, 20011},
    {20011, 3}, {17, 1031}, {1031, 17}, {4, 16384}, {1000, 100}};

template <class InLayout, class OutLayout>
void check_shapes(Placement (*in)(std::int64_t, std::int64_t),
                  Placement (*out)(std::int64_t, std::int64_t)) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const MatrixShape s : matrix_shapes)
    for (const int axis : {0, 1})
      check_scans<2, Kokkos::DefaultExecutionSpace, InLayout, OutLayout>(
          sum_of_values, random.values<Value>(s.rows * s.columns), in(s.rows, s.columns),
          out(s.rows, s.columns),
          random.values<Value>(std::max<std::int64_t>(axis == 0 ? s.columns : s.rows, 1)), axis);
}

TEST(MatrixScans, LayoutRight) { check_shapes<LayoutRight, LayoutRight>(row_major, row_major); }
TEST(MatrixScans, LayoutLeft) { check_shapes<LayoutLeft, LayoutLeft>(column_major, column_major); }
TEST(MatrixScans, LayoutLeftIntoRight) {
  check_shapes<LayoutLeft, LayoutRight>(column_major, row_major);
}
TEST(MatrixScans, Strided) { check_shapes<LayoutStride, LayoutStride>(spread, spread); }

TEST(MatrixScans, LastAxisIsTheDefault) {
  const GuardedArray<int> in(row_major(2, 3), {1, 2, 3, 4, 5, 6}), out(row_major(2, 3));
  inclusive_scan(in.matrix(), out.matrix());
  EXPECT_TRUE(equal(out.values(), {1, 3, 6, 4, 9, 15}));
  inclusive_scan(in.matrix(), out.matrix(), Plus<int>{}, ScanOptions().axis(0));
  EXPECT_TRUE(equal(out.values(), {1, 2, 3, 5, 7, 9}));
}

TEST(MatrixScans, StaticExtents) {
  const Kokkos::View<int[2][3]> in("in"), out("out");
  Kokkos::deep_copy(in, 1);
  inclusive_scan(in, out, Plus<int>{}, ScanOptions().axis(1));
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(host(i, j), j + 1);
}

/// Neighbouring columns of one array as input and output: interleaved, not overlapping.
TEST(MatrixScans, SubviewsOfOneArray) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t m = 3001, n = 4;
  const auto x = random.values<Value>(m * n);
  const GuardedArray<Value> array(row_major(m, n), x);
  const auto whole = array.matrix<LayoutRight>();
  inclusive_scan(Kokkos::subview(whole, Kokkos::ALL, 1), Kokkos::subview(whole, Kokkos::ALL, 3));
  auto expected = x;
  Value s = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    s = wrapping_sum(s, x[static_cast<std::size_t>(i * n + 1)]);
    expected[static_cast<std::size_t>(i * n + 3)] = s;
  }
  EXPECT_TRUE(equal(array.values(), expected));
  // The left half of each row, from the right half.
  const auto left = Kokkos::subview(whole, Kokkos::ALL, Kokkos::pair(0, 2));
  const auto right = Kokkos::subview(whole, Kokkos::ALL, Kokkos::pair(2, 4));
  inclusive_scan(right, left);
  for (std::int64_t i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i * n);
    expected[k] = expected[k + 2];
    expected[k + 1] = wrapping_sum(expected[k + 2], expected[k + 3]);
  }
  EXPECT_TRUE(equal(array.values(), expected));
}

}  // namespace
