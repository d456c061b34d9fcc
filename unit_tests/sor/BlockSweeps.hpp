// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_UNITTEST_SOR_BLOCK_SOR_HPP
#define WAVESCAN_UNITTEST_SOR_BLOCK_SOR_HPP

#include <gtest/gtest.h>
#include <WaveScan_BlockSOR.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "../support/WaveScanTest_Random.hpp"

/// @file
/// @brief Systems with several unknowns a point, the book's sweeps of them, and a loop of one
/// thread whose bits all others have.

namespace wavescan::Test::block_sor {

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

/// @brief A system of equations, and an array to start from.
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
    make_unread_entries_nan();
  }

  /// @brief Halos of the matrix and of b, and where halos of x meet.
  void make_unread_entries_nan() const {
    const auto nan = [](auto& entry) {
      auto* const numbers = reinterpret_cast<T*>(&entry);
      std::fill_n(numbers, sizeof(entry) / sizeof(T), std::numeric_limits<T>::quiet_NaN());
    };
    for (std::int64_t k = 0; k < x.planes; ++k)
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.columns; ++j) {
          const int outside = (Rank == 3 && (k == 0 || k == x.planes - 1)) +
                              (i == 0 || i == x.rows - 1) + (j == 0 || j == x.columns - 1);
          if (outside > 1) nan(x(k, i, j));
          if (outside == 0) continue;
          nan(b(k, i, j));
          for (const Blocks* each : {&center, &left, &up, &right, &down, &front, &back})
            nan((*each)(k, i, j));
        }
    Kokkos::deep_copy(x.view, x.mirror);
    Kokkos::deep_copy(b.view, b.mirror);
    for (const Blocks* each : {&center, &left, &up, &right, &down, &front, &back})
      Kokkos::deep_copy(each->view, each->mirror);
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

/// @brief A sweep by one thread, in natural order.
template <class Sweep>
struct SerialSweep {
  Sweep sweep;
  Impl::Index first_plane, last_plane;
  KOKKOS_FUNCTION void operator()(Impl::Index) const {
    for (Impl::Index k = first_plane; k <= last_plane; ++k) {
      const auto plane = sweep.plane(k);
      for (Impl::Index i = 1; i + 1 < sweep.x.rows; ++i) plane.run_row(i, 1, sweep.x.columns - 1);
    }
  }
};

/// @brief Sweeps give the bits of those of one thread, and touch nothing else.
template <class T, int B, int Rank, class Layout = Kokkos::LayoutRight>
void expect_bits(std::int64_t planes, std::int64_t rows, std::int64_t columns, SweepOrder order,
                 bool with_rhs = true) {
  Random random;
  SCOPED_TRACE(random.trace());
  SCOPED_TRACE(std::to_string(planes) + " x " + std::to_string(rows) + " x " +
               std::to_string(columns) + ", " + to_string(order));
  const System<T, B, Rank, Layout> system(random, planes, rows, columns);
  const auto matrix = system.matrix();
  const Exec exec;
  constexpr double omega = 1.3;
  const auto given = Kokkos::create_mirror_view_and_copy(Space(), system.x.view);
  const typename std::remove_const_t<decltype(given)> expected("expected", given.layout());
  Kokkos::deep_copy(expected, given);
  const BlockSOR plan(exec, matrix, omega, order);
  for (int call = 0; call < 2; ++call) {
    if (with_rhs)
      plan.sweeps(system.x.view, system.b.view, 1);
    else
      plan.sweeps(system.x.view, NoInput(), 1);
  }
  const auto coefficients = Impl::block_sor::coefficients_of(exec, matrix, omega);
  const auto c = Impl::stencil_matrix::checked_matrix<Exec>("test", coefficients);
  using Vectors = typename decltype(system.b.view)::const_type;
  auto b = Impl::sor::array_of(Vectors(system.b.view));
  if (!with_rhs) b = {};
  using Sweep = Impl::block_sor::BlockSweep<T, B, Rank>;
  const auto sweep = [&](const Sweep& s) {
    Kokkos::parallel_for("serial",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<Impl::Index>>(exec, 0, 1),
                         SerialSweep<Sweep>{s, Rank == 2 ? 0 : 1, Rank == 2 ? 0 : planes - 2});
  };
  const auto x = Impl::sor::array_of(expected);
  const auto keep = static_cast<T>(1 - omega);
  for (int call = 0; call < 2; ++call) {
    if (order != SweepOrder::Backward) sweep(Sweep::template of<false>(c, x, b, keep));
    if (order != SweepOrder::Forward) sweep(Sweep::template of<true>(c, x, b, keep));
  }
  exec.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.x.view);
  const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  EXPECT_EQ(std::memcmp(found.data(), wanted.data(), found.span() * sizeof(SmallVector<T, B>)), 0);
}

}  // namespace wavescan::Test::block_sor

#endif
