// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COLUMNS_REFERENCE_HPP
#define WAVESCAN_TEST_COLUMNS_REFERENCE_HPP

#include <Kokkos_Core.hpp>

#include <WaveScanTest_CopyElements.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

/// @file
/// @brief Tridiagonal systems and their solutions in extended precision.

namespace columns {

/// @brief What a row's diagonal has beyond the sum of the others, for rows whose others are 1 at
/// most.
struct Dominance {
  double least = 0.01, most = 1;
};
/// @brief Rows (-1, 2, -1), whose condition grows as the square of their number.
inline constexpr Dominance second_differences{0, 0};

/// @brief One system, diagonally dominant.
template <class T>
struct System {
  std::vector<T> a, b, c, d;
  bool cyclic = false, transposed = false;

  System(std::int64_t n, std::uint64_t seed, const Dominance& dominance = {}, bool ring = false)
      : cyclic(ring) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any(-1, 1), beyond(dominance.least, dominance.most);
    for (std::int64_t i = 0; i < n; ++i) {
      const bool varying = dominance.most > 0;
      a.push_back(static_cast<T>(varying ? any(random) : -1));
      c.push_back(static_cast<T>(varying ? any(random) : -1));
      const T sum = std::abs(a.back()) + std::abs(c.back()) + static_cast<T>(beyond(random));
      b.push_back(varying && i % 3 == 1 ? -sum : sum);
      d.push_back(static_cast<T>(any(random)));
    }
    if (n > 0 && !cyclic)  // which nobody may read
      a.front() = c.back() = std::numeric_limits<T>::quiet_NaN();
  }

  /// The entries of row i as they are in the equations.
  void row(std::size_t i, long double& left, long double& middle, long double& right) const {
    const std::size_t n = b.size(), before = (i + n - 1) % n, after = (i + 1) % n;
    middle = b[i];
    left = i == 0 && !cyclic ? 0.0L : static_cast<long double>(transposed ? c[before] : a[i]);
    right = i + 1 == n && !cyclic ? 0.0L : static_cast<long double>(transposed ? a[after] : c[i]);
  }

  /// @brief The solution: elimination without pivots, with the last unknown's column beside.
  std::vector<long double> solution() const {
    const std::size_t n = b.size();
    std::vector<long double> ratio(n), fill(n), x(n);
    if (n == 0) return x;
    long double left, middle, right;
    if (n == 1) {
      row(0, left, middle, right);
      x[0] = d[0] / (left + middle + right);
      return x;
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      row(i, left, middle, right);
      const long double pivot = middle - (i == 0 ? 0.0L : left * ratio[i - 1]);
      fill[i] = (i == 0 ? left : -left * fill[i - 1]) / pivot;
      x[i] = (d[i] - (i == 0 ? 0.0L : left * x[i - 1])) / pivot;
      ratio[i] = right / pivot;
    }
    // The first unknown by the last one, then the last row.
    long double first = x[n - 2], of_last = ratio[n - 2] + fill[n - 2];
    const long double last = first, last_by_last = of_last;
    for (std::size_t i = n - 2; i-- > 0;) {
      first = x[i] - ratio[i] * first;
      of_last = fill[i] - ratio[i] * of_last;
    }
    row(n - 1, left, middle, right);
    x[n - 1] =
        (d[n - 1] - left * last - right * first) / (middle - left * last_by_last - right * of_last);
    x[n - 2] = last - last_by_last * x[n - 1];
    for (std::size_t i = n - 2; i-- > 0;) x[i] -= ratio[i] * x[i + 1] + fill[i] * x[n - 1];
    return x;
  }

  /// @brief What rounding may do to the solution of a diagonally dominant system.
  double tolerance(const std::vector<long double>& solution) const {
    long double largest = 0;
    for (const long double v : solution) largest = std::max(largest, std::abs(v));
    return static_cast<double>(largest) * 2e3 * std::numeric_limits<T>::epsilon();
  }
  /// @brief The largest error of an equation, beside the sizes of its terms, in units of rounding.
  double residual(const std::vector<T>& x) const {
    const std::size_t n = b.size();
    long double worst = 0, largest = 0;
    for (const T v : x) largest = std::max(largest, static_cast<long double>(std::abs(v)));
    for (std::size_t i = 0; i < n; ++i) {
      long double left, middle, right;
      row(i, left, middle, right);
      const long double sum =
          left * x[(i + n - 1) % n] + middle * x[i] + right * x[(i + 1) % n] - d[i];
      const long double size =
          (std::abs(left) + std::abs(middle) + std::abs(right)) * largest + std::abs(d[i]);
      worst = std::max(worst, std::isfinite(sum) ? std::abs(sum) / size : 1.0L / 0.0L);
    }
    return static_cast<double>(worst) / std::numeric_limits<T>::epsilon();
  }
};

/// @brief A part of many systems as a View (system, row), or (row, system) for axis 0.
template <class View, class T>
View view_of(const std::vector<System<T>>& systems, std::vector<T> System<T>::*part, int axis,
             std::size_t margin = 0) {
  const std::size_t lines = systems.size(), n = systems[0].b.size();
  const View all("system", axis == 0 ? n : lines + margin, axis == 0 ? lines + margin : n);
  const auto host = Kokkos::create_mirror_view(all);
  for (std::size_t l = 0; l < lines; ++l)
    for (std::size_t i = 0; i < n; ++i)
      (axis == 0 ? host(i, l) : host(l, i)) = (systems[l].*part)[i];
  wavescan::Test::copy_elements(all, host);
  return all;
}

/// @brief All parts of systems, as `view_of` returns them.
template <class View>
struct Parts {
  View a, b, c, d;
  template <class T>
  Parts(const std::vector<System<T>>& systems, int axis, std::size_t margin = 0)
      : a(view_of<View>(systems, &System<T>::a, axis, margin)),
        b(view_of<View>(systems, &System<T>::b, axis, margin)),
        c(view_of<View>(systems, &System<T>::c, axis, margin)),
        d(view_of<View>(systems, &System<T>::d, axis, margin)) {}
};

/// @brief Systems that differ, of one kind.
template <class T>
std::vector<System<T>> many_systems(std::size_t lines, std::size_t n, bool cyclic = false,
                                    bool transposed = false, const Dominance& dominance = {}) {
  std::vector<System<T>> systems;
  for (std::size_t l = 0; l < lines; ++l) {
    systems.emplace_back(std::int64_t(n), 10 * l, dominance, cyclic);
    systems.back().transposed = transposed;
  }
  return systems;
}
/// @brief The matrix of one system with as many right-hand sides.
template <class T>
std::vector<System<T>> systems_of_one_matrix(std::size_t lines, std::size_t n) {
  std::vector<System<T>> systems(lines, System<T>(std::int64_t(n), 3));
  for (std::size_t l = 0; l < lines; ++l)
    for (T& v : systems[l].d) v *= static_cast<T>(l + 1);
  return systems;
}

/// @brief System l of what `view_of` returns.
template <class T, class View>
std::vector<T> line_of(const View& host, std::size_t l, std::size_t n, int axis) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = axis == 0 ? host(i, l) : host(l, i);
  return x;
}

template <class T>
Kokkos::View<T*> to_device(const std::vector<T>& x) {
  const Kokkos::View<T*> view("x", x.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      x.data(), x.size());
  wavescan::Test::copy_elements(view, host);
  return view;
}

template <class T>
void expect_near(const std::vector<T>& got, const System<T>& system, const char* what) {
  const auto expected = system.solution();
  const double allowed = system.tolerance(expected);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(expected[i]), allowed)
        << what << ", row " << i;
}
template <class T, class View>
void expect_view_near(const View& view, const System<T>& system, const char* what) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  expect_near(std::vector<T>(host.data(), host.data() + host.size()), system, what);
}

}  // namespace columns

#endif
