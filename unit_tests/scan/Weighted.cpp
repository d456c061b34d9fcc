// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// Weighted scans of integers, with one weight and with a View of weights: exact.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

std::uint32_t linear(std::uint32_t s, std::uint32_t w, std::uint32_t x) { return s * w + x; }
int longest(int s, int w, int x) { return std::max(s + w, x); }

/// Runs check_scans with a View of weights, which are given row by row.
template <int Rank, class A, class Meaning, class T = typename A::value_type>
void check_weights(const A& algebra, const Meaning& meaning, const std::vector<T>& x,
                   const std::vector<T>& w, const Placement& place, const Placement& weight_place,
                   const std::vector<T>& carries, int axis = Rank - 1) {
  const GuardedArray<T> weights(weight_place, w);
  const int line_axis = Rank == 1 ? 1 : axis;
  const auto on_host = [&](std::int64_t l, std::int64_t j) {
    return w[static_cast<std::size_t>(line_axis == 0 ? j * place.columns + l
                                                     : l * place.columns + j)];
  };
  check_scans<Rank>(WeightsScan{algebra, view_of<Rank>(weights), on_host, meaning}, x, place, place,
                    carries, axis);
  EXPECT_TRUE(same_bits(weights.values(), w)) << "the weights were changed";
}

TEST(WeightedScans, OneWeightModulo2To32) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PlusTimes<std::uint32_t> algebra;
  for (const std::int64_t n : lengths)
    check_line(ConstantWeightScan{algebra, 2654435761u, linear}, random.values<std::uint32_t>(n),
               random.value<std::uint32_t>());
  for (const std::uint32_t weight : {0u, 1u, 2u, ~0u})
    check_line(ConstantWeightScan{algebra, weight, linear}, random.values<std::uint32_t>(30011),
               random.value<std::uint32_t>(), 2, 3);
}

TEST(WeightedScans, ManyWeightsModulo2To32) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : lengths)
    check_weights<1>(PlusTimes<std::uint32_t>{}, linear, random.values<std::uint32_t>(n),
                     random.values<std::uint32_t>(n), line(n), line(n, n % 3 + 1),
                     {random.value<std::uint32_t>()});
}

TEST(WeightedScans, LongestPaths) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto values = [&](std::int64_t n) { return random.integers<int>(n, -1000, 1000); };
  for (const std::int64_t n : {1, 2, 100, 2049, 8193, 50021}) {
    check_line(ConstantWeightScan{MaxPlus<int>{}, -3, longest}, values(n), 5000);
    check_weights<1>(MaxPlus<int>{}, longest, values(n), random.integers<int>(n, -20, 10), line(n),
                     line(n), {700});
  }
}

/// 0 is a number like any other, and the largest value is where sums stop.
TEST(WeightedScans, LongestPathsOfUnsignedIntegers) {
  for (const std::int64_t n : {4, 1000, 70001}) {
    const auto size = static_cast<std::size_t>(n);
    const GuardedArray<std::uint16_t> zeros(line(n), std::vector<std::uint16_t>(size, 0)),
        fives(line(n), std::vector<std::uint16_t>(size, 5)), out(line(n));
    std::vector<std::uint16_t> expected;
    for (std::int64_t j = 0; j < n; ++j)
      expected.push_back(static_cast<std::uint16_t>(std::min<std::int64_t>(5 * j, 65535)));
    weighted_scan(zeros.vector(), 5, out.vector(), MaxPlus{});
    EXPECT_TRUE(equal(out.values(), expected));
    weighted_scan(zeros.vector(), fives.vector(), out.vector(), MaxPlus{});
    EXPECT_TRUE(equal(out.values(), expected));
  }
}

TEST(WeightedScans, RowsAndColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  struct Shape {
    std::int64_t rows, columns;
  };
  for (const Shape s : {Shape{0, 3}, Shape{3, 0}, Shape{1, 5000}, Shape{33, 65}, Shape{3, 20011},
                        Shape{20011, 3}, Shape{300, 100}})
    for (const int axis : {0, 1})
      for (auto* const place : {row_major, column_major, spread}) {
        if (few_cases_wanted() && s.rows * s.columns > 40000 && place != spread) continue;
        const std::int64_t size = s.rows * s.columns;
        const auto carries =
            random.values<std::uint32_t>(std::max<std::int64_t>(axis == 0 ? s.columns : s.rows, 1));
        const auto x = random.values<std::uint32_t>(size), w = random.values<std::uint32_t>(size);
        check_weights<2>(PlusTimes<std::uint32_t>{}, linear, x, w, place(s.rows, s.columns),
                         row_major(s.rows, s.columns), carries, axis);
        check_scans<2>(ConstantWeightScan{PlusTimes<std::uint32_t>{}, 77u, linear}, x,
                       place(s.rows, s.columns), place(s.rows, s.columns), carries, axis);
      }
}

TEST(WeightedScans, OutputMayBeTheWeights) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 100, 9001, 70001}) {
    const auto x = random.values<std::uint32_t>(n), w = random.values<std::uint32_t>(n);
    const GuardedArray<std::uint32_t> in(line(n), x), weights(line(n), w);
    weighted_scan(in.vector(), weights.vector(), weights.vector());
    const auto expected = scan_line<std::uint32_t>(
        x, std::nullopt, 0u,
        [&](std::uint32_t s, std::uint32_t v, std::size_t j) { return s * w[j] + v; });
    EXPECT_TRUE(equal(weights.values(), expected.inclusive));
  }
}

/// Sums do not distribute over sums: a weight must be added once for each element, not once more
/// for each piece that a line is divided into.
TEST(WeightedScans, SameOperatorAddsTheWeights) {
  Random random;
  SCOPED_TRACE(random.trace());
  const SameOperator<Plus<std::uint32_t>> algebra;
  const auto add = [](std::uint32_t s, std::uint32_t w, std::uint32_t x) { return s + w + x; };
  for (const std::int64_t n : lengths) {
    check_line(ConstantWeightScan{algebra, 7u, add}, random.values<std::uint32_t>(n),
               random.value<std::uint32_t>());
    check_weights<1>(algebra, add, random.values<std::uint32_t>(n), random.values<std::uint32_t>(n),
                     line(n), line(n), {random.value<std::uint32_t>()});
  }
}

TEST(WeightedScans, ModulusKnownAtRunTime) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::uint64_t prime = 4294967291;
  const ModularAlgebra algebra{static_cast<std::uint32_t>(prime)};
  for (const std::int64_t n : {1, 1025, 40009})
    check_line(ConstantWeightScan{algebra, 65537u,
                                  [](std::uint64_t s, std::uint64_t w, std::uint64_t x) {
                                    return static_cast<std::uint32_t>((s * w + x) % prime);
                                  }},
               random.integers<std::uint32_t>(n, 0, prime - 1), 12345u);
}

}  // namespace
