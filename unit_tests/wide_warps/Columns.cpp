// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include "../columns/Blocks.hpp"
#include "../columns/Dense.hpp"

#include <gtest/gtest.h>

#include <impl/columns/WaveScan_BlockPlan.hpp>
#include <impl/columns/WaveScan_SolveBlocks.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Tridiagonal and pentadiagonal systems in one pass, against elimination with pivots in extended
// precision.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using namespace wavescan::Impl::columns;

enum class Order { Contiguous, SideBySide };

/// @brief Systems in arrays with a margin that nobody may touch.
template <class T, int M>
struct Batch {
  static constexpr int diagonals = 2 * M + 1;
  Index systems, length;
  Order order;
  std::vector<T> diagonal[diagonals], right;

  Batch(Index count, Index n, Order o, bool cyclic) : systems(count), length(n), order(o) {
    std::mt19937 random(static_cast<unsigned>(31 * n + count));
    std::uniform_real_distribution<double> any(-1, 1);
    const auto fill = [&](std::vector<T>& numbers) {
      numbers.resize(static_cast<std::size_t>(pitch() * (order == Order::Contiguous ? count : n)));
      for (T& number : numbers) number = static_cast<T>(any(random));
    };
    fill(right);
    for (auto& numbers : diagonal) fill(numbers);
    for (std::size_t i = 0; i < right.size(); ++i) {
      T sum(0.05);
      for (const auto& numbers : diagonal) sum += std::abs(numbers[i]);
      T& middle = diagonal[M][i];
      sum -= std::abs(middle);
      middle += middle < T(0) ? -sum : sum;
    }
    if (cyclic) return;
    for (Index line = 0; line < systems; ++line)
      for (Index i = 0; i < n; ++i)
        for (int offset = -M; offset <= M; ++offset)
          if (i + offset < 0 || i + offset >= n)
            of(diagonal[M + offset].data())(line, i) = std::numeric_limits<T>::quiet_NaN();
  }
  Index pitch() const { return (order == Order::Contiguous ? length : systems) + 3; }
  template <class E>
  Lines<E> of(E* data) const {
    return order == Order::Contiguous ? Lines<E>{data, pitch(), 1} : Lines<E>{data, 1, pitch()};
  }
  Lines<const T> const_of(const std::vector<T>& v) const { return of<const T>(v.data()); }
  Matrices<T, M> matrices(bool cyclic, bool transposed) const {
    Lines<const T> lines[diagonals];
    for (int k = 0; k < diagonals; ++k) lines[k] = const_of(diagonal[k]);
    return make_matrices<T, M>(lines, length, cyclic, transposed);
  }

  /// The solution of one system, by a dense matrix.
  std::vector<long double> solution(Index line, bool cyclic, bool transposed) const {
    const auto n = static_cast<std::size_t>(length);
    std::vector<std::vector<long double>> m(n, std::vector<long double>(n + 1, 0.0L));
    const auto at = [&](std::size_t r, std::size_t c) -> long double& {
      return transposed ? m[c][r] : m[r][c];
    };
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<Index>(i);
      for (int offset = -M; offset <= M; ++offset) {
        const Index column = row + offset;
        if (cyclic || (column >= 0 && column < length))
          at(i, static_cast<std::size_t>((column + M * length) % length)) +=
              const_of(diagonal[M + offset])(line, row);
      }
      m[i][n] = const_of(right)(line, row);
    }
    return ::columns::solve_dense(std::move(m));
  }
};

template <class T, int M>
void expect_solved(Index systems, Index length, Order order, bool cyclic, bool transposed) {
  SCOPED_TRACE("reach " + std::to_string(M) + ", " + std::to_string(systems) + " systems of " +
               std::to_string(length) +
               (order == Order::Contiguous ? " contiguous" : " side by side") +
               (cyclic ? " cyclic" : "") + (transposed ? " transposed" : ""));
  const Batch<T, M> batch(systems, length, order, cyclic);
  const gpu::Device exec;
  const LineExtents extents{systems, length};
  const auto matrices = batch.matrices(cyclic, transposed);
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
  ASSERT_LE(extents.length, (longest_in_one_pass<T, M>));
  enqueue_blocks<false>(exec, matrices, batch.const_of(x), batch.of(x.data()), extents);
  expect(x, "once");

  std::vector<T> factors[2 * M + 1];
  EachOf<T, 2 * M + 1> lines;
  Matrices<T, M> factored;
  factored.cyclic = cyclic;
  for (int k = 0; k <= 2 * M; ++k) {
    factors[k].resize(x.size());
    lines.number[k] = batch.of(factors[k].data());
    factored.diagonal[k] = batch.const_of(factors[k]);
  }
  factorize(exec, matrices, lines, EachOf<T, M>{}, extents);
  x = batch.right;
  enqueue_blocks<true>(exec, factored, batch.const_of(x), batch.of(x.data()), extents);
  expect(x, "factorized");

  if constexpr (M == 1) {
    if (order == Order::Contiguous) return;
    // By blocks that no AMD GPU has.
    BandParameters<T, M> p{{extents, {}, cyclic}, matrices, batch.const_of(x), batch.of(x.data())};
    x = batch.right;
    enqueue_streams<false>(exec, p);
    expect(x, "streamed");
    const Chunks chunks = Chunks::of(length, StreamedBlock<T, M, true, false>::K);
    enqueue_each(exec, "factorize", systems * chunks.count,
                 Factorize<T, M>{{matrices, length}, lines, {}, systems, chunks});
    p.matrices = factored;
    x = batch.right;
    enqueue_streams<true>(exec, p);
    expect(x, "streamed, factorized");
  }
}

template <class T, int M>
void expect_all_solved(Index systems, Index length) {
  for (const Order order : {Order::Contiguous, Order::SideBySide})
    for (const bool cyclic : {false, true})
      for (const bool transposed : {false, true})
        expect_solved<T, M>(systems, length, order, cyclic, transposed);
}

TEST(WideWarps, ColumnsOfAllLengths) {
  for (const Index length : {1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 61, 64, 65, 100, 127, 128, 129})
    expect_all_solved<double, 1>(11, length);
  for (const Index length : {1, 15, 16, 17, 33, 97, 128}) expect_all_solved<float, 1>(70, length);
}
TEST(WideWarps, PentadiagonalColumnsOfAllLengths) {
  for (const Index length : {1, 2, 3, 4, 8, 9, 10, 17, 32, 65, 100})
    expect_all_solved<double, 2>(11, length);
  for (const Index length : {1, 2, 33, 64}) expect_all_solved<float, 2>(70, length);
}

TEST(WideWarps, ColumnsOfSeveralWarps) {
  for (const Index length : {511, 512, 513, 600}) expect_all_solved<double, 1>(3, length);
  expect_all_solved<double, 1>(1, 1024);
  expect_solved<double, 1>(9, 517, Order::SideBySide, true, true);  // several tiles, in turn
  expect_all_solved<float, 1>(2, 1025);
  expect_all_solved<double, 2>(1, 517);
}

TEST(WideWarps, BlockTridiagonalColumns) {
  static_assert(runs_on_gpu<Kokkos::DefaultHostExecutionSpace>);
  const auto expect = []<class T>(T, std::size_t size, std::size_t length) {
    for (const bool beside : {false, true})
      for (const bool cyclic : {false, true})
        for (const bool factorized : {false, true})
          ::columns::Blocks<T>(5, length, size, beside, beside, cyclic, length % 2 == 0)
              .expect_solved([&](const auto& lower, const auto& diagonal, const auto& upper,
                                 const auto& right, const auto& x, const auto& options) {
                if (factorized)
                  BlockPlan<gpu::Device, T, 0>(gpu::Device(), options, lower, diagonal, upper)
                      .solve(right, x);
                else
                  check_and_solve_blocks(gpu::Device(), options, lower, diagonal, upper, right, x);
              });
  };
  for (const std::size_t length : {1, 2, 4, 5, 16, 29, 65}) {
    expect(1.0, 2, length);
    expect(1.0f, 3, length);
  }
}

TEST(WideWarps, WhatIsNotANumberStaysInItsColumn) {
  for (const Order order : {Order::Contiguous, Order::SideBySide})
    for (const bool cyclic : {false, true}) {
      Batch<double, 1> batch(9, 20, order, cyclic);
      const gpu::Device exec;
      for (auto* part : {&batch.diagonal[0], &batch.diagonal[1], &batch.diagonal[2], &batch.right})
        for (Index i = 0; i < 20; ++i)
          batch.of(part->data())(4, i) = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> x(batch.right.size());
      const auto matrices = batch.matrices(cyclic, false);
      enqueue_blocks<false>(exec, matrices, batch.const_of(batch.right), batch.of(x.data()),
                            {9, 20});
      for (Index line = 0; line < 9; ++line)
        for (Index i = 0; i < 20; ++i) EXPECT_EQ(std::isnan(batch.const_of(x)(line, i)), line == 4);
    }
}

}  // namespace
