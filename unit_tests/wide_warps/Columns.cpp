// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Tridiagonal systems in one pass, against elimination with pivots in extended precision.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using namespace wavescan::Impl::columns;

enum class Order { Contiguous, SideBySide };

/// @brief Systems in arrays with a margin that nobody may touch.
template <class T>
struct Batch {
  Index systems, length;
  Order order;
  std::vector<T> lower, diagonal, upper, right;

  Batch(Index count, Index n, Order o, bool cyclic) : systems(count), length(n), order(o) {
    std::mt19937 random(static_cast<unsigned>(31 * n + count));
    std::uniform_real_distribution<double> any(-1, 1);
    const auto fill = [&](std::vector<T>& numbers) {
      numbers.resize(static_cast<std::size_t>(pitch() * (order == Order::Contiguous ? count : n)));
      for (T& number : numbers) number = static_cast<T>(any(random));
    };
    fill(lower);
    fill(diagonal);
    fill(upper);
    fill(right);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const T sum = std::abs(lower[i]) + std::abs(upper[i]) + T(0.05);
      diagonal[i] += diagonal[i] < T(0) ? -sum : sum;
    }
    if (cyclic) return;
    for (Index line = 0; line < systems; ++line)
      of(lower.data())(line, 0) = of(upper.data())(line, n - 1) =
          std::numeric_limits<T>::quiet_NaN();
  }
  Index pitch() const { return (order == Order::Contiguous ? length : systems) + 3; }
  template <class E>
  Lines<E> of(E* data) const {
    return order == Order::Contiguous ? Lines<E>{data, pitch(), 1} : Lines<E>{data, 1, pitch()};
  }
  Lines<const T> const_of(const std::vector<T>& v) const { return of<const T>(v.data()); }

  /// The solution of one system, by a dense matrix.
  std::vector<long double> solution(Index line, bool cyclic, bool transposed) const {
    const auto n = static_cast<std::size_t>(length);
    std::vector<std::vector<long double>> m(n, std::vector<long double>(n + 1, 0.0L));
    const auto at = [&](std::size_t r, std::size_t c) -> long double& {
      return transposed ? m[c][r] : m[r][c];
    };
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<Index>(i);
      at(i, i) += const_of(diagonal)(line, row);
      if (cyclic || i > 0) at(i, (i + n - 1) % n) += const_of(lower)(line, row);
      if (cyclic || i + 1 < n) at(i, (i + 1) % n) += const_of(upper)(line, row);
      m[i][n] = const_of(right)(line, row);
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t r = k; r < n; ++r)
        if (std::abs(m[r][k]) > std::abs(m[pivot][k])) pivot = r;
      std::swap(m[k], m[pivot]);
      for (std::size_t r = k + 1; r < n; ++r) {
        const long double factor = m[r][k] / m[k][k];
        if (factor == 0) continue;
        for (std::size_t c = k; c <= n; ++c) m[r][c] -= factor * m[k][c];
      }
    }
    std::vector<long double> x(n);
    for (std::size_t i = n; i-- > 0;) {
      x[i] = m[i][n];
      for (std::size_t c = i + 1; c < n; ++c) x[i] -= m[i][c] * x[c];
      x[i] /= m[i][i];
    }
    return x;
  }
};

template <class T>
void expect_solved(Index systems, Index length, Order order, bool cyclic, bool transposed) {
  SCOPED_TRACE(std::to_string(systems) + " systems of " + std::to_string(length) +
               (order == Order::Contiguous ? " contiguous" : " side by side") +
               (cyclic ? " cyclic" : "") + (transposed ? " transposed" : ""));
  const Batch<T> batch(systems, length, order, cyclic);
  const gpu::Device exec;
  const LineExtents extents{systems, length};
  const auto matrices = make_matrices(batch.const_of(batch.lower), batch.const_of(batch.diagonal),
                                      batch.const_of(batch.upper), length, cyclic, transposed);
  const auto expect = [&](const std::vector<T>& x, const char* how) {
    for (Index line = 0; line<systems; line += systems> 4 ? systems / 3 : 1) {
      const auto expected = batch.solution(line, cyclic, transposed);
      long double largest = 0;
      for (const long double v : expected) largest = std::max(largest, std::abs(v));
      const long double allowed =
          200 * static_cast<long double>(std::numeric_limits<T>::epsilon()) * largest;
      for (Index i = 0; i < length; ++i)
        ASSERT_NEAR(batch.const_of(x)(line, i), expected[static_cast<std::size_t>(i)], allowed)
            << how << ", system " << line << ", row " << i;
    }
    for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
      if (i % batch.pitch() < batch.pitch() - 3) continue;
      ASSERT_EQ(x[static_cast<std::size_t>(i)], batch.right[static_cast<std::size_t>(i)]) << how;
    }
  };
  std::vector<T> x = batch.right;
  ASSERT_TRUE(
      enqueue_blocks<false>(exec, matrices, batch.const_of(x), batch.of(x.data()), extents));
  expect(x, "once");

  std::vector<T> factors[3];
  for (auto& f : factors) f.resize(x.size());
  Lines<T> lines[3];
  for (int i = 0; i < 3; ++i) lines[i] = batch.of(factors[i].data());
  factorize(exec, matrices, lines[0], lines[1], lines[2], {}, extents);
  const Matrices<T> factored{batch.const_of(factors[0]), batch.const_of(factors[1]),
                             batch.const_of(factors[2]), cyclic};
  x = batch.right;
  ASSERT_TRUE(enqueue_blocks<true>(exec, factored, batch.const_of(x), batch.of(x.data()), extents));
  expect(x, "factorized");
}

template <class T>
void expect_all_solved(Index systems, Index length) {
  for (const Order order : {Order::Contiguous, Order::SideBySide})
    for (const bool cyclic : {false, true})
      for (const bool transposed : {false, true})
        expect_solved<T>(systems, length, order, cyclic, transposed);
}

TEST(WideWarps, ColumnsOfAllLengths) {
  for (const Index length : {1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 61, 64, 65, 100, 127, 128, 129})
    expect_all_solved<double>(11, length);
  for (const Index length : {1, 15, 16, 17, 33, 97, 128}) expect_all_solved<float>(70, length);
}

TEST(WideWarps, ColumnsOfSeveralWarps) {
  for (const Index length : {511, 512, 513, 600}) expect_all_solved<double>(3, length);
  expect_all_solved<double>(1, 1024);
  expect_all_solved<float>(2, 1025);
}

TEST(WideWarps, WhatIsNotANumberStaysInItsColumn) {
  for (const Order order : {Order::Contiguous, Order::SideBySide})
    for (const bool cyclic : {false, true}) {
      Batch<double> batch(9, 20, order, cyclic);
      const gpu::Device exec;
      for (auto* part : {&batch.lower, &batch.diagonal, &batch.upper, &batch.right})
        for (Index i = 0; i < 20; ++i)
          batch.of(part->data())(4, i) = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> x(batch.right.size());
      const auto matrices =
          make_matrices(batch.const_of(batch.lower), batch.const_of(batch.diagonal),
                        batch.const_of(batch.upper), 20, cyclic, false);
      ASSERT_TRUE(enqueue_blocks<false>(exec, matrices, batch.const_of(batch.right),
                                        batch.of(x.data()), {9, 20}));
      for (Index line = 0; line < 9; ++line)
        for (Index i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(batch.const_of(x)(line, i)), line == 4);
    }
}

}  // namespace
