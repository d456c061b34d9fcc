// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// SOR of several unknowns a point beside serial loops, and for the solution of a system.
#include "BlockSweeps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "../support/WaveScanTest_Errors.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test::block_sor;
using Test::Random;

template <class T, int B, int Rank, class Layout = Kokkos::LayoutRight>
void expect_sweeps(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const SweepOrder order :
       {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " + to_string(order));
    const System<T, B, Rank, Layout> system(random, planes, rows, columns);
    block_sor_sweeps(Exec(), system.x.view, system.matrix(), system.b.view, 1.3, 3, order);
    for (int s = 0; s < 3; ++s) {
      if (order != SweepOrder::Backward) system.sweep(1.3, false);
      if (order != SweepOrder::Forward) system.sweep(1.3, true);
    }
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.x.view);
    double worst = 0;
    for (std::int64_t k = 0; k < planes; ++k)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          for (int r = 0; r < B; ++r) {
            const double error = [&] {
              if constexpr (Rank == 2)
                return found(i, j)[r] - system.x(k, i, j)[r];
              else
                return found(k, i, j)[r] - system.x(k, i, j)[r];
            }();
            const bool both_nan = std::isnan(error) && std::isnan(system.x(k, i, j)[r]);
            if (!both_nan) worst = std::isnan(error) ? error : std::max(worst, std::abs(error));
          }
    const double accuracy = std::is_same_v<T, float> ? 1e-4 : 1e-12;
    EXPECT_LT(worst, accuracy);
  }
}

TEST(BlockSOR, OfFivePoints) {
  for (const auto& [rows, columns] :
       {std::pair{3, 3}, {3, 40}, {37, 3}, {67, 131}, {2, 5}, {200, 90}})
    expect_sweeps<double, 2, 2>(1, rows, columns);
  expect_sweeps<double, 2, 2, Kokkos::LayoutLeft>(1, 33, 70);
}
TEST(BlockSOR, OfFiveUnknowns) { expect_sweeps<float, 5, 2>(1, 70, 67); }
TEST(BlockSOR, OfSevenPoints) {
  expect_sweeps<double, 3, 3>(12, 19, 41);
  expect_sweeps<double, 3, 3>(3, 3, 3);
  expect_sweeps<double, 3, 3>(5, 2, 7);
}

// Around 32 rows, which a warp has.
TEST(BlockSOR, HasTheBitsOfOneThread) {
  for (const auto& [rows, columns] :
       {std::pair{34, 40}, {33, 9}, {35, 70}, {66, 3}, {67, 131}, {200, 90}}) {
    expect_bits<double, 2, 2>(1, rows, columns, SweepOrder::Symmetric);
    expect_bits<float, 5, 2>(1, rows, columns, SweepOrder::Backward);
  }
  expect_bits<double, 2, 2>(1, 300, 260, SweepOrder::Forward, false);
  expect_bits<double, 2, 2, Kokkos::LayoutLeft>(1, 67, 70, SweepOrder::Symmetric);
}
TEST(BlockSOR, HasTheBitsOfOneThreadInSpace) {
  expect_bits<double, 3, 3>(12, 35, 41, SweepOrder::Symmetric);
  expect_bits<double, 3, 3>(40, 70, 20, SweepOrder::Forward, false);
  expect_bits<double, 3, 3>(4, 130, 33, SweepOrder::Backward);
  expect_bits<double, 3, 3>(3, 4, 3, SweepOrder::Symmetric);
}

TEST(BlockSOR, Solves) {
  Random random;
  SCOPED_TRACE(random.trace());
  const System<double, 2, 2> system(random, 1, 30, 50);
  const BlockSOR plan(Exec(), system.matrix(), 1.0, SweepOrder::Symmetric);
  plan.sweeps(system.x.view, system.b.view, 60);
  Kokkos::fence();
  const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.x.view);
  plan.sweeps(system.x.view, system.b.view, 1);
  Kokkos::fence();
  const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.x.view);
  for (int i = 1; i < 29; ++i)
    for (int j = 1; j < 49; ++j)
      for (int r = 0; r < 2; ++r) EXPECT_NEAR(before(i, j)[r], after(i, j)[r], 1e-13);
}

TEST(BlockSOR, WithoutARightHandSideZeroStaysZero) {
  Random random;
  const System<double, 2, 2> system(random, 1, 9, 9);
  Kokkos::deep_copy(system.x.view, SmallVector<double, 2>{});
  block_sor_sweeps(Exec(), system.x.view, system.matrix(), NoInput(), 1.0, 2);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.x.view);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) EXPECT_EQ(found(i, j), (SmallVector<double, 2>{}));
}

TEST(BlockSOR, SaysWhatIsWrong) {
  Random random;
  const System<double, 2, 2> system(random, 1, 8, 9), other(random, 1, 8, 10);
  const auto matrix = system.matrix();
  EXPECT_TRUE(wavescan::Test::rejects("BlockSOR", "omega", [&] { BlockSOR(Exec(), matrix, 2.0); }));
  const auto sweeps = [&](const auto& x, const auto& b, int count) {
    return [=] { block_sor_sweeps(Exec(), x, matrix, b, 1.0, count); };
  };
  const auto x = system.x.view;
  EXPECT_TRUE(
      wavescan::Test::rejects("block_sor_sweeps", "x", sweeps(other.x.view, other.b.view, 1)));
  EXPECT_TRUE(wavescan::Test::rejects("block_sor_sweeps", "b", sweeps(x, other.b.view, 1)));
  EXPECT_TRUE(wavescan::Test::rejects("block_sor_sweeps", "x", sweeps(x, x, 1)));
  EXPECT_TRUE(wavescan::Test::rejects("block_sor_sweeps", "count", sweeps(x, NoInput(), -1)));
  system.center(0, 3, 4) = {{{1, 2}, {2, 4}}};
  Kokkos::deep_copy(system.center.view, system.center.mirror);
  const auto invert = [&] { BlockSOR(Exec(), matrix, 1.0); };
  EXPECT_TRUE(wavescan::Test::rejects("BlockSOR", "matrix", invert));
  EXPECT_NE(wavescan::Test::error_of(invert).find("(3, 4)"), std::string::npos);
}

}  // namespace
