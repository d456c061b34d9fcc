// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// SOR of several unknowns a point beside serial loops, and for the solution of a system.
#include <gtest/gtest.h>
#include <WaveScan_BlockSOR.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Random.hpp"

namespace {

using namespace wavescan;
using Test::Random;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class T, int B, int Rank>
using MatrixOf = std::conditional_t<Rank == 2, FivePointMatrix<SmallMatrix<T, B>, Space>,
                                    SevenPointMatrix<SmallMatrix<T, B>, Space>>;
template <class T, int B, int Rank, class Layout>
using VectorsOf =
    Kokkos::View<std::conditional_t<Rank == 2, SmallVector<T, B>**, SmallVector<T, B>***>, Layout,
                 Space>;

/// @brief A View of these extents; planes count in three dimensions only.
template <class View>
View made(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  const auto k = static_cast<std::size_t>(planes), i = static_cast<std::size_t>(rows),
             j = static_cast<std::size_t>(columns);
  if constexpr (View::rank() == 2) {
    if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>)
      return View("array", Kokkos::LayoutStride(i, j, j, 1));
    else
      return View("array", i, j);
  } else {
    if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>)
      return View("array", Kokkos::LayoutStride(k, i * j, i, j, j, 1));
    else
      return View("array", k, i, j);
  }
}

/// @brief An array of the host, planes one after the other, and its View.
template <class View>
struct Array {
  using T = typename View::non_const_value_type;
  View view;
  typename View::host_mirror_type mirror;
  std::int64_t planes, rows, columns;

  Array(std::int64_t k, std::int64_t i, std::int64_t j)
      : view(made<View>(k, i, j)),
        mirror(Kokkos::create_mirror_view(view)),
        planes(k),
        rows(i),
        columns(j) {}
  T& operator()(std::int64_t k, std::int64_t i, std::int64_t j) const {
    if constexpr (View::rank() == 2)
      return mirror(i, j);
    else
      return mirror(k, i, j);
  }
  template <class Make>
  void fill(const Make& make) const {
    for (std::int64_t k = 0; k < planes; ++k)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) (*this)(k, i, j) = make();
    Kokkos::deep_copy(view, mirror);
  }
};

/// @brief Solves a small dense system by elimination with pivoting, in long double.
template <class T, int B>
SmallVector<T, B> solved(const SmallMatrix<T, B>& matrix, const SmallVector<long double, B>& rhs) {
  long double a[B][B + 1];
  for (int r = 0; r < B; ++r) {
    for (int c = 0; c < B; ++c) a[r][c] = matrix(r, c);
    a[r][B] = rhs[r];
  }
  for (int k = 0; k < B; ++k) {
    int pivot = k;
    for (int r = k; r < B; ++r)
      if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
    std::swap(a[k], a[pivot]);
    for (int r = 0; r < B; ++r) {
      if (r == k) continue;
      const long double multiple = a[r][k] / a[k][k];
      for (int c = k; c <= B; ++c) a[r][c] -= multiple * a[k][c];
    }
  }
  SmallVector<T, B> x;
  for (int r = 0; r < B; ++r) x[r] = static_cast<T>(a[r][B] / a[r][r]);
  return x;
}

template <class T, int B, int Rank, class Layout = Kokkos::LayoutRight>
struct System {
  using Matrix = MatrixOf<T, B, Rank>;
  using Vectors = Array<VectorsOf<T, B, Rank, Layout>>;
  using Blocks = Array<typename Matrix::view_type>;

  Blocks center, left, up, right, down, front, back;
  Vectors x, b;

  System(Random& random, std::int64_t planes, std::int64_t rows, std::int64_t columns)
      : center(planes, rows, columns),
        left(planes, rows, columns),
        up(planes, rows, columns),
        right(planes, rows, columns),
        down(planes, rows, columns),
        front(planes, rows, columns),
        back(planes, rows, columns),
        x(planes, rows, columns),
        b(planes, rows, columns) {
    const auto number = [&] { return static_cast<T>(random.integer(-1000, 1000)) / T(1000); };
    const auto block = [&] {
      SmallMatrix<T, B> m;
      for (auto& row : m.entry)
        for (T& entry : row) entry = number() / T(2 * B * Rank);
      return m;
    };
    const auto vector = [&] {
      SmallVector<T, B> v;
      for (T& entry : v.value) entry = number();
      return v;
    };
    for (const Blocks* each : {&left, &up, &right, &down, &front, &back}) each->fill(block);
    center.fill([&] {  // its largest entries are not on the diagonal
      SmallMatrix<T, B> m = block();
      for (int r = 0; r < B; ++r) m(r, (r + 1) % B) += T(2);
      return m;
    });
    x.fill(vector);
    b.fill(vector);
  }

  Matrix matrix() const {
    if constexpr (Rank == 2)
      return {center.view, left.view, up.view, right.view, down.view};
    else
      return {center.view, left.view, up.view, front.view, right.view, down.view, back.view};
  }

  /// @brief One sweep of the mirror of x, as the book says.
  void sweep(double omega, bool backward) const {
    const std::int64_t first_plane = Rank == 2 ? 0 : 1;
    const std::int64_t last_plane = Rank == 2 ? 0 : x.planes - 2;
    const auto count = [](std::int64_t from, std::int64_t to) { return to - from + 1; };
    const std::int64_t m = x.rows - 2, n = x.columns - 2;
    const std::int64_t points = count(first_plane, last_plane) * m * n;
    for (std::int64_t p = 0; p < points; ++p) {
      const std::int64_t at = backward ? points - 1 - p : p;
      const std::int64_t k = first_plane + at / (m * n), i = 1 + at / n % m, j = 1 + at % n;
      SmallVector<long double, B> rest{};
      for (int r = 0; r < B; ++r) rest[r] = b(k, i, j)[r];
      const auto minus = [&](const Blocks& a, const SmallVector<T, B>& v) {
        for (int r = 0; r < B; ++r)
          for (int c = 0; c < B; ++c) rest[r] -= static_cast<long double>(a(k, i, j)(r, c)) * v[c];
      };
      minus(left, x(k, i, j - 1));
      minus(right, x(k, i, j + 1));
      minus(up, x(k, i - 1, j));
      minus(down, x(k, i + 1, j));
      if constexpr (Rank == 3) {
        minus(front, x(k - 1, i, j));
        minus(back, x(k + 1, i, j));
      }
      const auto own = solved(center(k, i, j), rest);
      for (int r = 0; r < B; ++r)
        x(k, i, j)[r] = static_cast<T>((1 - omega) * x(k, i, j)[r] + omega * own[r]);
    }
  }
};

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
            worst = std::isnan(error) ? error : std::max(worst, std::abs(error));
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
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 50; ++j)
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
