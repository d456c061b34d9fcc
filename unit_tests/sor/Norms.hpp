// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_NORMS_HPP
#define WAVESCAN_TEST_SOR_NORMS_HPP

#include <WaveScan_SOR.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "Host.hpp"

/// @file
/// @brief What norms of updates and residuals should be.

namespace wavescan::Test {

/// @brief A norm in long double, and how far a sum in double may be off.
struct Norms {
  long double squares = 0, largest = 0, magnitudes = 0;
  std::int64_t points = 0;

  void add(long double r, long double magnitude) {
    squares += r * r;
    largest = std::max(largest, std::abs(r));
    magnitudes = std::max(magnitudes, magnitude);
    ++points;
  }
  /// @param rounding of each term
  void expect(const Impl::sor::ResidualSum& sum, double rounding = 0) const {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    ASSERT_EQ(sum.points, points);
    ASSERT_EQ(sum.non_finite, 0);
    const auto mean = static_cast<double>(
        std::sqrt(squares / static_cast<long double>(std::max<std::int64_t>(points, 1))));
    const auto each = 10 * eps * static_cast<double>(magnitudes);
    const auto added = static_cast<double>(points) * eps;
    ASSERT_NEAR(sum.norm(ResidualNorm::RootMeanSquare), mean, each + (added + rounding) * mean);
    ASSERT_NEAR(sum.norm(ResidualNorm::Maximum), static_cast<double>(largest),
                each + rounding * static_cast<double>(largest));
  }
};

template <class T>
Norms residuals_of(const PlainSOR<T>& p) {
  Norms norms;
  for (std::int64_t i = 1; i <= p.m; ++i)
    for (std::int64_t j = 1; j <= p.n; ++j) {
      if (!p.unknown(i, j)) continue;
      const SORCoefficients<T>& c = p.coefficients(i, j);
      long double r = 0;
      long double magnitude = 0;
      const auto add = [&](long double term) {
        r += term;
        magnitude += std::abs(term);
      };
      const auto x = [&](std::int64_t k, std::int64_t l) {
        return static_cast<long double>(p.x[p.at(k, l)]);
      };
      if (!p.rhs.empty()) add(static_cast<long double>(c.rhs) * p.rhs[p.at(i, j)]);
      add(c.left * x(i, j - 1));
      add(c.right * x(i, j + 1));
      add(c.up * x(i - 1, j));
      add(c.down * x(i + 1, j));
      add((static_cast<long double>(c.center) - 1) * x(i, j));
      const long double scale = c.rhs == 0 ? 1 : 1 / static_cast<long double>(c.rhs);
      norms.add(r * scale, std::abs(magnitude * scale));
    }
  return norms;
}

template <class T>
Norms updates_of(const PlainSOR<T>& p, const std::vector<T>& before) {
  Norms norms;
  for (std::int64_t i = 1; i <= p.m; ++i)
    for (std::int64_t j = 1; j <= p.n; ++j)
      if (p.unknown(i, j)) {
        const long double now = p.x[p.at(i, j)];
        const long double old = before[p.at(i, j)];
        norms.add(now - old, std::abs(now) + std::abs(old));
      }
  return norms;
}

/// @brief Sweeps and returns what x was before the last pass.
template <class T>
std::vector<T> sweep_to_last_pass(PlainSOR<T>& p, SweepOrder order, int count) {
  sweep_plainly(p, order, count - 1);
  if (order == SweepOrder::Symmetric) p.forward_pass();
  std::vector<T> before = p.x;
  order == SweepOrder::Forward ? p.forward_pass() : p.backward_pass();
  return before;
}

}  // namespace wavescan::Test

#endif
