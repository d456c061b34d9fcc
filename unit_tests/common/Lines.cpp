// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_Concepts.hpp>
#include <cstdint>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <stdexcept>
#include <string>

namespace {

using namespace wavescan::Impl;

template <class View>
void expect_lines(const View& view) {
  for (const int axis : {0, 1}) {
    const LineExtents extents = line_extents(view, axis);
    EXPECT_EQ(extents.length, static_cast<std::int64_t>(view.extent(axis == 0 ? 0 : 1)));
    EXPECT_EQ(extents.lines, static_cast<std::int64_t>(view.extent(axis == 0 ? 1 : 0)));
    const auto lines = lines_of(view, axis);
    for (Index l = 0; l < extents.lines; ++l)
      for (Index j = 0; j < extents.length; ++j)
        EXPECT_EQ(&lines(l, j), axis == 0 ? &view(j, l) : &view(l, j));
  }
}

TEST(Lines, AnyLayoutAlongEitherAxis) {
  expect_lines(Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>("v", 3, 5));
  expect_lines(Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace>("v", 3, 5));
  expect_lines(Kokkos::View<int[3][5], Kokkos::LayoutLeft, Kokkos::HostSpace>("v"));
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> v("v", 9, 9);
  expect_lines(Kokkos::subview(v, Kokkos::pair(2, 7), Kokkos::pair(1, 4)));
}

TEST(Lines, RankOneIsOneLine) {
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> v("v", 9, 7);
  const auto column = Kokkos::subview(v, Kokkos::ALL, 2);
  EXPECT_EQ(line_extents(column, 0).lines, 1);
  EXPECT_EQ(line_extents(column, 0).length, 9);
  for (int j = 0; j < 9; ++j) EXPECT_EQ(&lines_of(column, 0)(0, j), &v(j, 2));
}

TEST(Lines, AxesAreDimensions) {
  EXPECT_EQ(checked_axis("op", 2, -1), 1);
  EXPECT_EQ(checked_axis("op", 2, 0), 0);
  EXPECT_EQ(checked_axis("op", 2, 1), 1);
  EXPECT_THROW(checked_axis("op", 2, 2), std::invalid_argument);
  EXPECT_THROW(checked_axis("op", 2, -2), std::invalid_argument);
}

TEST(Execution, CeilDiv) {
  EXPECT_EQ(ceil_div(0, 3), 0);
  EXPECT_EQ(ceil_div(1, 3), 1);
  EXPECT_EQ(ceil_div(3, 3), 1);
  EXPECT_EQ(ceil_div(4, 3), 2);
  EXPECT_EQ(ceil_div(Index(1) << 40, 3), ((Index(1) << 40) + 2) / 3);
}

TEST(Execution, AtLeastOneTeamIsResident) {
  const Kokkos::DefaultExecutionSpace exec;
  EXPECT_GE(resident_teams(exec, 1), 1);
  EXPECT_EQ(resident_teams(exec, 1 << 30), 1);
}

TEST(Concepts, ViewsAndSpaces) {
  using Vector = Kokkos::View<double*>;
  static_assert(wavescan::AnyView<Vector> && !wavescan::AnyView<double>);
  static_assert(wavescan::ViewOfRank<Vector, 1> && !wavescan::ViewOfRank<Vector, 2>);
  static_assert(wavescan::WritableView<Vector> && !wavescan::WritableView<Vector::const_type>);
  static_assert(wavescan::ExecutionSpace<Kokkos::DefaultExecutionSpace> &&
                !wavescan::ExecutionSpace<Kokkos::HostSpace>);
  static_assert(wavescan::AccessibleFrom<Vector, Kokkos::DefaultExecutionSpace>);
  static_assert(wavescan::Scannable<double> && !wavescan::Scannable<std::string>);
  static_assert(runs_on_host<Kokkos::DefaultHostExecutionSpace>);
}

}  // namespace
