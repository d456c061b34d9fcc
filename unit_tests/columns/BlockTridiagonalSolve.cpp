// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Blocks.hpp"

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
class BlockTridiagonal : public testing::Test {};
TYPED_TEST_SUITE(BlockTridiagonal, wavescan::Test::FloatingPointTypes);

inline constexpr auto solve_blocks = [](const auto&... arguments) {
  block_tridiagonal_solve(arguments...);
};

TYPED_TEST(BlockTridiagonal, IsSolved) {
  using T = TypeParam;
  for (const std::size_t size : {2, 3, 4, 5})
    for (const std::size_t n : {1, 2, 3, 7, 16, 40})
      for (const bool cyclic : {false, true})
        for (const bool transposed : {false, true})
          Blocks<T>(n % 2 == 0 ? 5 : 1, n, size, n % 3 == 0, n % 4 == 0 || cyclic, cyclic,
                    transposed)
              .expect_solved(solve_blocks);
  Blocks<T>(0, 3, 2, 1, false, false, false).solve(solve_blocks);
}

TYPED_TEST(BlockTridiagonal, SharesMatricesAndKeepsNaN) {
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
  expect("axis", [&] { block_tridiagonal_solve(m, m, m, x, x, TridiagonalOptions().axis(1)); });
  expect("options",
         [&] { block_tridiagonal_solve(m, m, m, x, x, TridiagonalOptions().refined()); });
  const Kokkos::View<double* [6]> six("six", 5);
  expect("right", [&] { block_tridiagonal_solve(m, m, m, six, six); });
}

}  // namespace columns_block_tridiagonal
