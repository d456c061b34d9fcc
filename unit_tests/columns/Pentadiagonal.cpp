// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Batch.hpp"

#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>

#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace columns_pentadiagonal {

using namespace columns;
using namespace wavescan;
using wavescan::Test::Recorder;

template <class T>
class Pentadiagonals : public testing::Test {};
TYPED_TEST_SUITE(Pentadiagonals, wavescan::Test::FloatingPointTypes);

/// Diagonals of a batch as Views.
template <class T>
struct Diagonals {
  std::vector<Numbers<T>> of;
  Diagonals(const Batch<T, 2>& batch, Order order, int axis) {
    for (const auto& numbers : batch.diagonal) of.push_back(batch.place(numbers, order, axis));
  }
  template <class... More>
  void solve(const Numbers<T>& right, const Numbers<T>& x, const More&... more) const {
    pentadiagonal_solve(of[0].view, of[1].view, of[2].view, of[3].view, of[4].view, right.view,
                        x.view, more...);
  }
};

template <class T>
void solve_many(const Batch<T, 2>& batch, Order order, int axis) {
  SCOPED_TRACE(batch.name(order, axis));
  const Diagonals<T> d(batch, order, axis);
  const auto right = batch.place(batch.right, order, axis),
             x = batch.place(batch.right, order, axis);
  const auto options =
      TridiagonalOptions{.axis = axis, .cyclic = batch.cyclic, .transposed = batch.transposed};
  d.solve(right, x, options);
  batch.expect_solved(x, "apart");
  const Pentadiagonal plan(Kokkos::DefaultExecutionSpace(), d.of[0].view, d.of[1].view,
                           d.of[2].view, d.of[3].view, d.of[4].view, options);
  {
    const Recorder recorder;
    plan.solve(right.view, right.view);
    EXPECT_EQ(wavescan::Test::join(recorder.allocations()), "");
  }
  batch.expect_solved(right, "factorized");
}

TYPED_TEST(Pentadiagonals, AreSolved) {
  using T = TypeParam;
  for (const bool cyclic : {false, true})
    for (const bool transposed : {false, true})
      for (const std::size_t n : {1, 2, 3, 4, 5, 8, 9, 16, 31, 64, 65, 129}) {
        const Batch<T, 2> batch(n < 100 ? 37 : 3, n, cyclic, transposed);
        for (const Order order : all_orders) solve_many(batch, order, n % 2);
      }
  for (const std::size_t n : {256, 421, 513})
    for (const Order order : {Order::Contiguous, Order::SideBySide})
      solve_many(Batch<T, 2>(2, n, n % 2 == 0), order, 1);
  solve_many(Batch<T, 2>(0, 5), Order::Contiguous, 0);
}

/// Systems that no GPU solves in one pass, and hosts in chunks behind which a row is left over; and
/// rows (1, -4, 6, -4, 1), whose condition grows as the fourth power of their number, or nearly.
TYPED_TEST(Pentadiagonals, HaveSmallResiduals) {
  using T = TypeParam;
  for (const std::size_t n : {65, 300, 2500, 6001, 20000})
    for (const Order order : {Order::Contiguous, Order::SideBySide}) {
      Batch<T, 2> batch(n > 2500 ? 2 : 3, n, n == 2500);
      if (n < 2500) {
        // Chunks lose more than elimination from the first row on where matrices are nearly
        // singular.
        const T numbers[] = {1, -4, T(n == 65 ? 6 : 6.01), -4, 1};
        for (int k = 0; k < 5; ++k)
          std::fill(batch.diagonal[k].begin(), batch.diagonal[k].end(), numbers[k]);
        batch.spoil_ends();
      }
      SCOPED_TRACE(batch.name(order, 1));
      const auto x = batch.place(batch.right, order, 1);
      Diagonals<T>(batch, order, 1).solve(x, x, TridiagonalOptions{.cyclic = batch.cyclic});
      const auto got = x.lines();
      for (std::size_t l = 0; l < batch.lines; ++l) EXPECT_LT(batch.residual(l, got[l]), 50) << l;
    }
}

/// Against elimination with pivots: rows (1, -4, 6, -4, 1), and (1, -4, 6.01, -4, 1) in circles,
/// whose errors are those that the condition allows.
TYPED_TEST(Pentadiagonals, AreSolvedWhereNearlySingular) {
  using T = TypeParam;
  for (const std::size_t n : {12, 40, 150})
    for (const bool cyclic : {false, true}) {
      Batch<T, 2> batch(3, n, cyclic);
      const T numbers[] = {1, -4, T(cyclic ? 6.01 : 6), -4, 1};
      for (int k = 0; k < 5; ++k)
        std::fill(batch.diagonal[k].begin(), batch.diagonal[k].end(), numbers[k]);
      batch.spoil_ends();
      const double condition = cyclic ? 16.01 / 0.01 : 16 * std::pow((n + 4) / 4.73, 4);
      if (condition * std::numeric_limits<T>::epsilon() > 1e-3) continue;
      for (const Order order : {Order::Contiguous, Order::SideBySide}) {
        SCOPED_TRACE(batch.name(order, 1));
        const auto x = batch.place(batch.right, order, 1);
        Diagonals<T>(batch, order, 1).solve(x, x, TridiagonalOptions{.cyclic = cyclic});
        batch.expect_solved(x, "nearly singular", 4 * condition);
      }
    }
}

TYPED_TEST(Pentadiagonals, KeepWhatIsNotANumber) {
  using T = TypeParam;
  for (const std::size_t n : {3, 20, 150})
    for (const Order order : {Order::Contiguous, Order::SideBySide})
      for (const bool cyclic : {false, true}) {
        Batch<T, 2> batch(20, n, cyclic);
        for (auto& numbers : batch.diagonal)
          std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(7 * n), n,
                      std::numeric_limits<T>::quiet_NaN());
        const auto x = batch.place(batch.right, order, 0);
        Diagonals<T>(batch, order, 0).solve(x, x, TridiagonalOptions{.axis = 0, .cyclic = cyclic});
        const auto got = x.lines();
        for (std::size_t l = 0; l < batch.lines; ++l)
          for (const T v : got[l]) ASSERT_EQ(std::isnan(v), l == 7) << n << ' ' << l;
      }
}

/// Numbers of all rows, rows of all systems; a solution that is refined; a report.
TYPED_TEST(Pentadiagonals, ShareRefineAndReport) {
  using T = TypeParam;
  constexpr std::size_t n = 200;
  Batch<T, 2> batch(3, n);
  const T numbers[] = {1, -4, T(6.01), -4, 1};
  Kokkos::View<T> one[5];
  for (int k = 0; k < 5; ++k) {
    std::fill(batch.diagonal[k].begin(), batch.diagonal[k].end(), numbers[k]);
    one[k] = Kokkos::View<T>("one");
    Kokkos::deep_copy(one[k], numbers[k]);
  }
  const Kokkos::View<T*> middle("middle", n);
  Kokkos::deep_copy(middle, numbers[2]);
  const auto x = batch.place(batch.right, Order::Contiguous, 1);
  pentadiagonal_solve(one[0], one[1], middle, one[3], one[4], x.view, x.view,
                      TridiagonalOptions{.refinements = 3});
  batch.expect_solved(x, "refined", 4);

  const Kokkos::DefaultExecutionSpace exec;
  const Pentadiagonal plan(exec, one[0], one[1], middle, one[3], one[4]);
  const auto y = batch.place(batch.right, Order::Contiguous, 1);
  plan.solve(y.view, y.view);
  const auto got = y.lines();
  for (std::size_t l = 0; l < batch.lines; ++l) EXPECT_LT(batch.residual(l, got[l]), 50) << l;
  const PivotReport report = plan.report();
  EXPECT_GT(report.smallest_pivot, 0.9);
  EXPECT_LT(report.smallest_pivot, 6.1);
  EXPECT_GT(report.largest_factor, 0.6);
  EXPECT_LT(report.largest_factor, 10);
  plan.factorize(one[0], one[1], Kokkos::View<T*>("zero", n), one[3], one[4]);
  EXPECT_EQ(plan.report().smallest_pivot, 0);
}

TEST(PentadiagonalErrors, NameTheArgument) {
  const Kokkos::View<double*> v("v", 10), w("w", 10), shorter("short", 9);
  using wavescan::Test::rejects;
  const auto expect = [&](const char* argument, const auto& e, const auto& a, const auto& f,
                          const auto& x) {
    EXPECT_TRUE(rejects("pentadiagonal_solve", argument,
                        [&] { pentadiagonal_solve(e, a, v, v, f, v, x); }));
  };
  expect("lower2", shorter, v, v, w);
  expect("lower", v, shorter, v, w);
  expect("upper2", v, v, shorter, w);
  expect("x", v, v, v, shorter);
  expect("x", v, v, w, w);
  EXPECT_TRUE(rejects("Pentadiagonal", "options", [&] {
    Pentadiagonal(Kokkos::DefaultExecutionSpace(), v, v, v, v, v,
                  TridiagonalOptions{.refinements = 1});
  }));
}

}  // namespace columns_pentadiagonal
