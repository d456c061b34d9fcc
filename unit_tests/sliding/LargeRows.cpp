// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "LargeArrays.hpp"

// Rows and elements with strides that keep all of a device busy for many tiles, checked where they
// are: entry (i, j) is 1000 i + j at first.

namespace sliding_large_rows {
namespace {

using namespace wavescan;
using namespace wavescan::Test::Large;

constexpr Index entries = on_host ? 100'000 : 30'000'000;

/// Of rows, of rows beside another View, or of elements.
struct Kept {
  Index share;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const ElementRow<T>& row) const {
    return is_among(static_cast<Index>(row[row.size() - 1]) / 1000, share);
  }
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row, std::int64_t) const {
    return (*this)(row);
  }
  KOKKOS_FUNCTION bool operator()(Index i) const { return is_among(i, share); }
  KOKKOS_FUNCTION bool operator()(double x) const {
    return is_among(static_cast<Index>(x) / 1000, share);
  }
};

template <class Matrix>
struct Number {
  Matrix matrix;
  Index divisor;
  KOKKOS_FUNCTION void operator()(const Index i) const {
    for (Index j = 0; j < static_cast<Index>(matrix.extent(1)); ++j)
      matrix(i, j) = static_cast<double>(1000 * (i / divisor) + j);
  }
};
template <class Matrix>
void number(const Matrix& matrix, Index divisor = 1) {
  Kokkos::parallel_for("number", Policy(0, static_cast<Index>(matrix.extent(0))),
                       Number<Matrix>{matrix, divisor});
}

/// Faults of rows that should grow and all be kept, or all rejected.
template <class Matrix>
struct CountFaults {
  Matrix matrix;
  Index begin, share;
  bool expected;
  KOKKOS_FUNCTION Index number(Index r) const { return static_cast<Index>(matrix(r, 0)) / 1000; }
  KOKKOS_FUNCTION void operator()(const Index r, Index& faults) const {
    bool fault =
        is_among(number(r), share) != expected || (r > begin && number(r) <= number(r - 1));
    for (Index j = 0; j < static_cast<Index>(matrix.extent(1)); ++j)
      fault |= matrix(r, j) != static_cast<double>(1000 * number(r) + j);
    if (fault) ++faults;
  }
};
template <class Matrix>
Index faults(const Matrix& matrix, Index begin, Index end, Index share, bool expected = true) {
  Index sum = 0;
  Kokkos::parallel_reduce("faults", Policy(begin, end),
                          CountFaults<Matrix>{matrix, begin, share, expected}, sum);
  return sum;
}

/// @param view,other matrices of one shape, perhaps of other layouts
template <class Matrix, class Other>
void check(const Matrix& view, const Other& other) {
  const auto rows = static_cast<Index>(view.extent(0));
  for (const Index share : {0, 1, 50, 99, 100}) {
    SCOPED_TRACE(std::to_string(share) + " per cent of " + std::to_string(rows) + " x " +
                 std::to_string(view.extent(1)));
    const Index kept = count_kept(Kept{share}, rows);
    number(view);
    EXPECT_EQ(copy_if(view, other, Kept{share}), kept);
    EXPECT_EQ(faults(other, 0, kept, share), 0);
    EXPECT_EQ(copy_if(view, view, Kept{share}), kept);
    EXPECT_EQ(faults(view, 0, kept, share), 0);
    if (share == 1 || share == 100) continue;
    number(view);
    EXPECT_EQ(partition(view, Kept{share}), kept);
    EXPECT_EQ(faults(view, 0, kept, share), 0);
    EXPECT_EQ(faults(view, kept, rows, share, false), 0);
  }
  for (const Index run : {1, 3, 1000}) {
    number(view, run);
    const Index once = (rows + run - 1) / run;
    EXPECT_EQ(unique(view), once);
    EXPECT_EQ(faults(view, 0, once, 100), 0) << "runs of " << run;
  }
}

TEST(LargeRows, SideBySideAndInColumns) {
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  for (const Index columns : {2, 3, 20, 700}) {
    const Index rows = entries / columns;
    const Right right("right", rows, columns);
    const Left left("left", rows, columns);
    check(right, left);
    check(left, right);
  }
}

template <class Column>
struct CountDifferent {
  Column column;
  Kokkos::View<double*, Exec> other;
  KOKKOS_FUNCTION void operator()(const Index i, Index& sum) const { sum += other(i) != column(i); }
};
struct Identify {
  Kokkos::View<std::int64_t*, Exec> ids;
  KOKKOS_FUNCTION void operator()(const Index i) const { ids(i) = i; }
};
template <class Matrix>
struct CountStrangers {
  Matrix matrix;
  Kokkos::View<std::int64_t*, Exec> ids;
  KOKKOS_FUNCTION void operator()(const Index i, Index& sum) const {
    sum += static_cast<Index>(matrix(i, 0)) != 1000 * ids(i);
  }
};

/// Columns of a matrix, some of its columns, and rows beside a View.
TEST(LargeRows, OfParts) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  const Index rows = entries / 4;
  const Matrix all("all", rows + 1, 4), other("other", rows, 2);
  const std::pair<Index, Index> some(1, rows + 1);
  check(Kokkos::subview(all, some, std::pair<Index, Index>(1, 3)), other);

  number(all);
  const auto column = Kokkos::subview(all, some, 3);
  const Kokkos::View<double*, Exec> packed("packed", rows);
  const Index kept = copy_if(column, packed, Kept{30});
  EXPECT_EQ(copy_if(column, column, Kept{30}), kept);
  Index different = 0;
  Kokkos::parallel_reduce("different", Policy(0, kept),
                          CountDifferent<decltype(column)>{column, packed}, different);
  EXPECT_EQ(different, 0);

  const Kokkos::View<std::int64_t*, Exec> ids("ids", rows + 1);
  Kokkos::parallel_for("ids", Policy(0, rows + 1), Identify{ids});
  number(all);
  const Index left = copy_if(zip(all, ids), zip(all, ids), Kept{60});
  EXPECT_EQ(faults(all, 0, left, 60), 0);
  Kokkos::parallel_reduce("different", Policy(0, left), CountStrangers<Matrix>{all, ids},
                          different);
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace sliding_large_rows
