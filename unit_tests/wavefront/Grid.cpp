// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Grid.hpp>
#include <WaveScan_Schedule.hpp>

#include "../support/WaveScanTest_Errors.hpp"

namespace {

using namespace wavescan;

template <class View>
void expect_grids(const View& view) {
  const auto m = static_cast<std::int64_t>(view.extent(0)),
             n = static_cast<std::int64_t>(view.extent(1));
  const auto grid = grid_of(view);
  const auto back = reversed(view);
  const auto transpose = transposed(view);
  const auto both = reversed(transposed(view));
  const auto twice = reversed(reversed(view));
  EXPECT_EQ(grid.rows, m);
  EXPECT_EQ(grid.columns, n);
  EXPECT_EQ(back.rows, m);
  EXPECT_EQ(back.columns, n);
  EXPECT_EQ(transpose.rows, n);
  EXPECT_EQ(transpose.columns, m);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_EQ(&grid(i, j), &view(i, j));
      EXPECT_EQ(&grid_of(grid)(i, j), &view(i, j));
      EXPECT_EQ(&back(m - 1 - i, n - 1 - j), &view(i, j));
      EXPECT_EQ(&transpose(j, i), &view(i, j));
      EXPECT_EQ(&both(n - 1 - j, m - 1 - i), &view(i, j));
      EXPECT_EQ(&twice(i, j), &view(i, j));
    }
}

TEST(Grid, AnyLayout) {
  expect_grids(Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>("v", 3, 5));
  expect_grids(Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace>("v", 3, 5));
  expect_grids(Kokkos::View<int[1][1], Kokkos::HostSpace>("v"));
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> v("v", 9, 9);
  expect_grids(Kokkos::subview(v, Kokkos::pair(2, 7), Kokkos::pair(1, 4)));
}

TEST(Grid, Empty) {
  const Kokkos::View<int**, Kokkos::HostSpace> none("none", 0, 5);
  EXPECT_EQ(reversed(none).rows, 0);
  EXPECT_EQ(reversed(none).columns, 5);
  EXPECT_EQ(transposed(none).rows, 5);
}

TEST(Schedule, NamesRoundTrip) {
  for (const Schedule schedule : schedules) EXPECT_EQ(schedule_of(to_string(schedule)), schedule);
  EXPECT_STREQ(to_string(Schedule::TileSkewed), "tile-skewed");
  EXPECT_STREQ(to_string(static_cast<Schedule>(99)), "unknown");
  for (const char* name : {"", "Serial", "tile", "unknown"})
    EXPECT_TRUE(wavescan::Test::rejects("schedule_of", "name", [&] { schedule_of(name); })) << name;
}

}  // namespace
