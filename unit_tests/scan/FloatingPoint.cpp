// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "../support/WaveScanTest_Types.hpp"
#include "CheckScans.hpp"

// Floating point: against long double with a bound that counts roundings, and signed zeros.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Zeros must keep their sign in every piece of a line.
const std::vector<std::int64_t> few_lengths{1, 2, 33, 2049, 8193, 50021};

template <class T>
class FloatingPointScans : public testing::Test {};
TYPED_TEST_SUITE(FloatingPointScans, FloatingPointTypes);

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

/// The longest chain of additions that an element passes through on its way into a sum of n: as in
/// a loop, or on a device within a thread, then from thread to thread, block to block and wave to
/// wave.
std::int64_t longest_chain(std::int64_t n) {
  return on_host<Kokkos::DefaultExecutionSpace> ? n : 100 + n / 100000;
}

/// Magnitudes only, so that the bound is as tight as it can be.
TYPED_TEST(FloatingPointScans, SumsAreAsAccurateAsTheirTree) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {33, 1025, 8193, 100003, 1000003, 6000003}) {
    if (n > 1000003 && (on_host<Kokkos::DefaultExecutionSpace> || few_cases_wanted())) continue;
    auto x = random.values<T>(n);
    for (T& v : x) v = std::abs(v);
    const GuardedArray<T> in(line(n), x), out(line(n));
    inclusive_scan(in.vector(), out.vector());
    std::vector<Bounded> expected;
    long double sum = 0, lost = 0;  // what each addition rounds off is added up beside it
    for (const T v : x) {
      const long double next = sum + v;
      lost += (sum - next) + v;
      sum = next;
      expected.push_back({sum + lost, rounding_bound<T>(longest_chain(n), sum)});
    }
    ASSERT_TRUE(within(out.values(), expected)) << n;
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

}  // namespace
