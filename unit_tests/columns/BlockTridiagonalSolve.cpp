// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Blocks.hpp"

#include <WaveScan_BlockTridiagonal.hpp>
#include <WaveScan_BlockTridiagonalSolve.hpp>

#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace columns_block_tridiagonal {

using namespace columns;
using namespace wavescan;

template <class T>
class BlockTridiagonalSystems : public testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonalSystems, wavescan::Test::FloatingPointTypes);

inline constexpr auto solve_blocks = [](const auto&... arguments) {
  block_tridiagonal_solve(arguments...);
};
inline constexpr auto factorize_and_solve = [](const auto& lower, const auto& diagonal,
                                               const auto& upper, const auto& right, const auto& x,
                                               const auto& options) {
  const BlockTridiagonal plan(Kokkos::DefaultExecutionSpace(), lower, diagonal, upper, options);
  const wavescan::Test::Recorder recorder;
  plan.solve(right, x);
  EXPECT_EQ(wavescan::Test::join(recorder.allocations()), "");
};

TYPED_TEST(BlockTridiagonalSystems, AreSolved) {
  using T = TypeParam;
  for (const std::size_t size : {2, 3, 4, 5})
    for (const std::size_t n : {1, 2, 3, 7, 16, 40})
      for (const bool cyclic : {false, true})
        for (const bool transposed : {false, true})
          for (const bool factorized : {false, true}) {
            const Blocks<T> b(n % 2 == 0 ? 21 : 1, n, size, n % 3 == 0, n % 4 == 0 || cyclic,
                              cyclic, transposed);
            if (factorized)
              b.expect_solved(factorize_and_solve);
            else
              b.expect_solved(solve_blocks);
          }
  Blocks<T>(400, 64, 3, 1, true, false, false).expect_solved(solve_blocks);
  Blocks<T>(0, 3, 2, 1, false, false, false).solve(solve_blocks);
  Blocks<T>(0, 3, 2, 1, false, false, true).solve(factorize_and_solve);
}

/// Against elimination with pivots of all rows, which these do not need.
TYPED_TEST(BlockTridiagonalSystems, AreSolvedWhereNearlySingular) {
  using T = TypeParam;
  for (const std::size_t size : {2, 3, 5})
    for (const std::size_t n : {10, 65}) {
      if (sizeof(T) == 4 && n > 10) continue;  // nothing is left of single precision
      Blocks<T> b(3, n, size, 1, true, false, false);
      b.make_nearly_singular();
      b.expect_solved(solve_blocks);
      Blocks<T> again = b;
      again.upload(3);
      again.expect_solved(factorize_and_solve);
    }
}

/// One matrix for several systems and for several right-hand sides of each; other matrices; a
/// report.
TYPED_TEST(BlockTridiagonalSystems, ShareFactors) {
  using T = TypeParam;
  const std::size_t n = 9, size = 3;
  const Blocks<T> b(6, n, size, 1, false, true, false), other(1, n, size, 1, false, true, true);
  const auto one = [&](int k) {
    return Kokkos::subview(b.matrices(k), 0, Kokkos::ALL(), Kokkos::ALL(), Kokkos::ALL());
  };
  const TridiagonalOptions options{.cyclic = true};
  const BlockTridiagonal plan(Kokkos::DefaultExecutionSpace(), one(0), one(1), one(2), options);
  // Three of two systems each, the first of which are of the matrix that has been factorized.
  const Kokkos::View<T****, Kokkos::LayoutRight> sets("sets", 3, 2, n, size);
  for (int set = 0; set < 3; ++set)
    for (int l = 0; l < 2; ++l)
      Kokkos::deep_copy(Kokkos::subview(sets, set, l, Kokkos::ALL(), Kokkos::ALL()),
                        Kokkos::subview(b.right(), 0, Kokkos::ALL(), Kokkos::ALL()));
  plan.solve(sets, sets);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sets);
  const auto expected = b.solution(0);
  for (std::size_t k = 0; k < sets.size(); ++k)
    ASSERT_NEAR(static_cast<double>(host.data()[k]), static_cast<double>(expected[k % (n * size)]),
                b.allowed);
  const PivotReport report = plan.report();
  EXPECT_GT(report.smallest_pivot, 3);
  EXPECT_LT(report.largest_factor, 1);
  plan.factorize(Kokkos::subview(other.matrices(0), 0, Kokkos::ALL(), Kokkos::ALL(), Kokkos::ALL()),
                 one(1), one(2));
  EXPECT_GE(plan.workspace_bytes(), 3 * n * size * size * sizeof(T));
  const Kokkos::View<T***> zero("zero", n, size, size);
  plan.factorize(zero, zero, zero);
  EXPECT_EQ(plan.report().smallest_pivot, 0);
}

TYPED_TEST(BlockTridiagonalSystems, SharesMatricesAndKeepsNaN) {
  using T = TypeParam;
  const std::size_t n = 12;
  Blocks<T> b(4, n, 3, 1, false, false, false);
  const auto one = [&](int k) {
    return Kokkos::subview(b.matrices(k), 1, Kokkos::ALL(), Kokkos::ALL(), Kokkos::ALL());
  };
  Kokkos::deep_copy(Kokkos::subview(b.memory[3], 2 * n * 3), std::numeric_limits<T>::quiet_NaN());
  block_tridiagonal_solve(one(0), one(1), one(2), b.right(), b.right());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b.memory[3]);
  const auto expected = b.solution(1);
  for (std::size_t k = 0; k < n * 3; ++k) {
    EXPECT_NEAR(static_cast<double>(host(n * 3 + k)), static_cast<double>(expected[k]),
                500 * std::numeric_limits<T>::epsilon());
    EXPECT_TRUE(std::isnan(host(2 * n * 3 + k)));
    EXPECT_FALSE(std::isnan(host(k)) || std::isnan(host(3 * n * 3 + k)));
  }
}

TEST(BlockTridiagonalErrors, NameTheArgument) {
  const Kokkos::View<double*[3][3]> m("m", 5), shorter("m", 4);
  const Kokkos::View<double*[3]> x("x", 5), y("y", 4);
  const auto expect = [](const char* argument, const auto& call) {
    EXPECT_TRUE(wavescan::Test::rejects("block_tridiagonal_solve", argument, call));
  };
  expect("lower", [&] { block_tridiagonal_solve(shorter, m, m, x, x); });
  expect("upper", [&] { block_tridiagonal_solve(m, m, shorter, x, x); });
  expect("x", [&] { block_tridiagonal_solve(m, m, m, x, y); });
  expect("axis", [&] { block_tridiagonal_solve(m, m, m, x, x, TridiagonalOptions{.axis = 1}); });
  expect("options",
         [&] { block_tridiagonal_solve(m, m, m, x, x, TridiagonalOptions{.refinements = 1}); });
  const Kokkos::View<double* [6]> six("six", 5);
  expect("right", [&] { block_tridiagonal_solve(m, m, m, six, six); });

  const Kokkos::DefaultExecutionSpace exec;
  const auto expect_of_plan = [](const char* argument, const auto& call) {
    EXPECT_TRUE(wavescan::Test::rejects("BlockTridiagonal", argument, call));
  };
  const Kokkos::View<double***> sixes("sixes", 5, 6, 6);
  expect_of_plan("diagonal", [&] { BlockTridiagonal(exec, sixes, sixes, sixes); });
  expect_of_plan("lower", [&] { BlockTridiagonal(exec, shorter, m, m); });
  expect_of_plan("options",
                 [&] { BlockTridiagonal(exec, m, m, m, TridiagonalOptions{.refinements = 1}); });
  expect_of_plan("axis", [&] { BlockTridiagonal(exec, m, m, m, TridiagonalOptions{.axis = 2}); });
  for (int r = 0; r < 3; ++r) Kokkos::deep_copy(Kokkos::subview(m, Kokkos::ALL(), r, r), 1.0);
  const BlockTridiagonal plan(exec, m, m, m);
  expect_of_plan("diagonal", [&] { plan.factorize(m, shorter, m); });
  expect_of_plan("right", [&] { plan.solve(y, y); });
  expect_of_plan("x", [&] { plan.solve(x, y); });
}

}  // namespace columns_block_tridiagonal
