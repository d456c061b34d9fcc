// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Floating point: against long double with a bound that counts roundings, and special values.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// One placement of ±0, infinity or NaN must come out right in every piece of a line.
const std::vector<std::int64_t> few_lengths{1, 2, 33, 2049, 8193, 50021};

template <class T>
class FloatingPointScans : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatingPointScans, Types);

TYPED_TEST(FloatingPointScans, SumsAreWithinTheBound) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 2, 33, 1025, 8193, 100003, 1000003}) {
    const auto x = random.values<T>(n);
    const std::vector<T> ones(x.size(), T(1));
    const GuardedArray<T> in(line(n), x), out(line(n));
    inclusive_scan(in.vector(), out.vector());
    ASSERT_TRUE(within(out.values(), linear_recurrence<T>(x, ones, std::nullopt)));
    inclusive_scan(in.vector(), out.vector(), Plus<T>{}, ScanOptions().carry_in(T(0.7)));
    ASSERT_TRUE(within(out.values(), linear_recurrence<T>(x, ones, T(0.7))));
  }
}

TYPED_TEST(FloatingPointScans, ConstantWeightsAreWithinTheBound) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 33, 1025, 8193, 100003})
    for (const double weight : {0.0, 0.5, 0.2, -0.999, 1.0, -1.0, 1e-30}) {
      const auto w = static_cast<T>(weight);
      const auto x = random.values<T>(n);
      const std::vector<T> weights(x.size(), w);
      const GuardedArray<T> in(line(n), x), out(line(n));
      weighted_scan(in.vector(), w, out.vector());
      ASSERT_TRUE(within(out.values(), linear_recurrence<T>(x, weights, std::nullopt))) << weight;
      weighted_scan(in.vector(), w, out.vector(), PlusTimes<T>{}, ScanOptions().carry_in(T(100)));
      ASSERT_TRUE(within(out.values(), linear_recurrence<T>(x, weights, T(100)))) << weight;
    }
}

TYPED_TEST(FloatingPointScans, ManyWeightsAreWithinTheBound) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 33, 1025, 8193, 100003}) {
    const auto x = random.values<T>(n), w = random.values<T>(n);
    const GuardedArray<T> in(line(n), x), weights(line(n), w), out(line(n));
    weighted_scan(in.vector(), weights.vector(), out.vector(), PlusTimes<T>{},
                  ScanOptions().carry_in(T(3)));
    ASSERT_TRUE(within(out.values(), linear_recurrence<T>(x, w, T(3))));
  }
}

/// Values that need no rounding come out exactly, in any association.
TYPED_TEST(FloatingPointScans, SmallIntegersAreExact) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : few_lengths)
    check_line(PlainScan{Plus<T>{}, [](T a, T b) { return a + b; }},
               random.integers<T>(n, -100, 100), T(17));
}

TYPED_TEST(FloatingPointScans, FirstElementKeepsItsSign) {
  using T = TypeParam;
  const T minus_zero = -T(0);
  for (const std::int64_t n : few_lengths) {
    // -0 + -0 is -0: nobody may have added a +0 on the way.
    const std::vector<T> x(static_cast<std::size_t>(n), minus_zero);
    const GuardedArray<T> in(line(n), x), out(line(n));
    inclusive_scan(in.vector(), out.vector());
    EXPECT_TRUE(same_bits(out.values(), x));
    weighted_scan(in.vector(), T(0.5), out.vector());
    EXPECT_TRUE(same_bits(out.values(), x));
    exclusive_scan(in.vector(), out.vector(), Plus<T>{}, ScanOptions().carry_in(minus_zero));
    EXPECT_TRUE(same_bits(out.values(), x));
    exclusive_scan(in.vector(), out.vector());  // starts with the identity, +0
    auto after_identity = x;
    after_identity.front() = T(0);
    EXPECT_TRUE(same_bits(out.values(), after_identity));
  }
}

TYPED_TEST(FloatingPointScans, FirstWeightHasNoEffectWithoutCarry) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::int64_t n : few_lengths) {
    const auto x = random.integers<T>(n, -9, 9);
    std::vector<T> plain(x.size(), T(1));
    const GuardedArray<T> in(line(n), x), out(line(n));
    GuardedArray<T> weights(line(n));
    const auto expected =
        scan_line<T>(x, std::nullopt, T(0), [](T s, T v, std::size_t) { return s + v; });
    for (const T first : {infinity, std::numeric_limits<T>::quiet_NaN(), T(-5)}) {
      plain.front() = first;
      weights.set(plain);
      weighted_scan(in.vector(), weights.vector(), out.vector());
      EXPECT_TRUE(equal(out.values(), expected.inclusive)) << first;
      weighted_exclusive_scan(in.vector(), weights.vector(), out.vector());
      EXPECT_TRUE(equal(out.values(), expected.exclusive)) << first;
    }
  }
}

/// Powers of a large weight leave T's range long before the end of a line of zeros does.
TYPED_TEST(FloatingPointScans, GrowingWeightsKeepZeros) {
  using T = TypeParam;
  for (const std::int64_t n : {100, 9001, 50021, 200003})
    for (const double weight : {2.0, -1.5, 1e20}) {
      std::vector<T> x(static_cast<std::size_t>(n), T(0));
      x.back() = T(3);
      const GuardedArray<T> in(line(n), x), out(line(n));
      weighted_scan(in.vector(), static_cast<T>(weight), out.vector());
      EXPECT_TRUE(equal(out.values(), x)) << weight;
    }
}

TYPED_TEST(FloatingPointScans, NaNSpreadsForwardOnly) {
  using T = TypeParam;
  for (const std::int64_t n : few_lengths)
    for (const std::int64_t place : {std::int64_t(0), n / 2, n - 1}) {
      std::vector<T> x(static_cast<std::size_t>(n), T(1));
      x[static_cast<std::size_t>(place)] = std::numeric_limits<T>::quiet_NaN();
      const GuardedArray<T> in(line(n), x), out(line(n));
      const auto check = [&](const char* scan) {
        const auto y = out.values();
        for (std::int64_t j = 0; j < n; ++j)
          ASSERT_EQ(std::isnan(y[static_cast<std::size_t>(j)]), j >= place)
              << scan << ": " << j << " of " << n << ", NaN at " << place;
      };
      inclusive_scan(in.vector(), out.vector());
      check("inclusive_scan");
      weighted_scan(in.vector(), T(0.5), out.vector());
      check("weighted_scan");
    }
}

TYPED_TEST(FloatingPointScans, InfinityStaysInASum) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::int64_t n : few_lengths) {
    std::vector<T> x(static_cast<std::size_t>(n), T(1));
    x[static_cast<std::size_t>(n / 2)] = infinity;
    check_line(PlainScan{Plus<T>{}, [](T a, T b) { return a + b; }}, x, T(0));
    check_line(PlainScan{Max<T>{}, [](T a, T b) { return a > b ? a : b; }}, x, -infinity);
    check_line(PlainScan{Min<T>{}, [](T a, T b) { return a < b ? a : b; }}, x, infinity);
  }
}

}  // namespace
