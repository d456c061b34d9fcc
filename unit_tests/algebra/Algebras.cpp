// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_CheckLaws.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "AnyAlgebra.hpp"

namespace {

using namespace wavescan;
using wavescan::Test::any;
using wavescan::Test::for_each_type;
using wavescan::Test::Random;

template <class A>
void expect_theorem(const A& algebra, const std::vector<typename A::value_type>& values,
                    const std::vector<typename A::weight_type>& weights,
                    const NearlyEqual& equal = {}) {
  static_assert(Algebra<A>);
  const LawReport report = check_laws(any(algebra), values, weights, equal);
  EXPECT_TRUE(report.theorem_holds()) << report.to_string();
}

TEST(Algebras, OfIntegersFulfilTheTheorem) {
  for_each_type<std::int8_t, std::int32_t, std::int64_t, std::uint32_t>([]<class T>(T) {
    Random random;
    SCOPED_TRACE(random.trace());
    // Far enough from the ends of the range that (max, +) and (max, ·) do not leave it.
    const auto values = random.integers<T>(12, std::is_signed_v<T> ? -20 : 100, 120);
    const auto weights = random.integers<T>(6, std::is_signed_v<T> ? -10 : 0, 0);
    auto extended = values;
    extended.push_back(MaxPlus<T>{}.zero());
    if constexpr (std::is_signed_v<T> && sizeof(T) > 1)
      expect_theorem(MaxPlus<T>{}, extended, weights);
    if constexpr (std::is_unsigned_v<T>) {  // all values are numbers, and sums stop at the largest
      const auto numbers = random.values<T>(10), steps = random.values<T>(6);
      extended = {0, 1, std::numeric_limits<T>::max() - 1, std::numeric_limits<T>::max()};
      extended.insert(extended.end(), numbers.begin(), numbers.end());
      expect_theorem(MaxPlus<T>{}, extended, steps);
      expect_theorem(MinPlus<T>{}, extended, steps);
    }
    const auto non_negative = random.integers<T>(8, 0, sizeof(T) == 1 ? 1 : 50);
    const auto factors = random.integers<T>(5, 0, sizeof(T) == 1 ? 1 : 3);
    expect_theorem(MaxTimes<T>{}, non_negative, factors);
    // These wrap around and need no room.
    expect_theorem(PlusTimes<T>{}, random.values<T>(10), random.values<T>(6));
    expect_theorem(SameOperator<Plus<T>>{}, random.values<T>(10), random.values<T>(6));
    expect_theorem(SameOperator<Times<T>>{}, random.values<T>(10), random.values<T>(6));
    expect_theorem(SameOperator<Max<T>>{}, random.values<T>(10), random.values<T>(6));
    expect_theorem(SameOperator<BitXor<T>>{}, random.values<T>(10), random.values<T>(6));
  });
}

TEST(AlgebraMinPlus, ShortestPaths) {
  Random random;
  SCOPED_TRACE(random.trace());
  auto values = random.integers<int>(12, 0, 1000);
  values.push_back(MinPlus<int>{}.zero());
  expect_theorem(MinPlus<int>{}, values, random.integers<int>(6, 0, 50));
}

TEST(AlgebraOrAnd, Reachability) {
  expect_theorem(OrAnd<bool>{}, {false, true}, {false, true});
  expect_theorem(OrAnd<int>{}, {0, 1}, {0, 1});
}

TEST(AlgebraFloatingPoint, UpToRounding) {
  Random random;
  SCOPED_TRACE(random.trace());
  const NearlyEqual nearly{1e-13};
  const auto values = random.values<double>(12), weights = random.values<double>(6);
  expect_theorem(PlusTimes<double>{}, values, weights, nearly);
  expect_theorem(MaxPlus<double>{}, values, weights, nearly);
  expect_theorem(MinPlus<double>{}, values, weights, nearly);
  const auto magnitudes = random.integers<double>(12, 0, 100);
  expect_theorem(MaxTimes<double>{}, magnitudes, {0.0, 0.5, 0.25, 2.0}, nearly);
}

TEST(AlgebraExtremumPlus, IdentityAbsorbsEveryWeight) {
  const auto lowest = std::numeric_limits<int>::lowest();
  EXPECT_EQ(MaxPlus<int>{}.zero(), lowest);
  EXPECT_EQ(MaxPlus<int>{}.distribute(lowest, -5), lowest);
  EXPECT_EQ(MaxPlus<int>{}.distribute(lowest, 5), lowest);
  const auto largest = std::numeric_limits<int>::max();
  EXPECT_EQ(MinPlus<int>{}.distribute(largest, 1), largest);
  const auto infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(MaxPlus<float>{}.distribute(-infinity, 3.0f), -infinity);
  EXPECT_EQ(MinPlus<float>{}.distribute(infinity, -3.0f), infinity);
}

/// Sums beyond zero() stay there: they must not come back as better values.
template <class T>
void expect_no_wrap_towards_zero() {
  using Wide = std::int64_t;
  constexpr Wide low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  for (const Wide a : {low, low + 1, low + 50, Wide(low / 2), Wide(0), Wide(high / 2), high - 1})
    for (const Wide w : {low, low + 1, Wide(low / 2), Wide(-100), Wide(-1), Wide(0)}) {
      const Wide down = MaxPlus<T>{}.distribute(static_cast<T>(a), static_cast<T>(w));
      ASSERT_EQ(down, std::max(a + w, low)) << a << " + " << w;
      const Wide up = MinPlus<T>{}.distribute(static_cast<T>(-1 - a), static_cast<T>(-1 - w));
      ASSERT_EQ(up, -1 - a == high ? high : std::min(-2 - a - w, high))
          << -1 - a << " + " << -1 - w;
    }
}

TEST(AlgebraExtremumPlus, SumsBeyondZeroStayThere) {
  expect_no_wrap_towards_zero<std::int8_t>();
  expect_no_wrap_towards_zero<std::int16_t>();
  expect_no_wrap_towards_zero<std::int32_t>();
  const MaxPlus<std::uint8_t> longest;
  const MinPlus<std::uint8_t> shortest;
  for (const int a : {0, 1, 127, 249, 250, 251, 255})
    for (const int w : {0, 1, 4, 5, 6, 128, 255}) {
      const auto sum = static_cast<std::uint8_t>(std::min(a + w, 255));
      const auto x = static_cast<std::uint8_t>(a), weight = static_cast<std::uint8_t>(w);
      ASSERT_EQ(longest.distribute(x, weight), sum) << a << " + " << w;
      ASSERT_EQ(shortest.distribute(x, weight), sum) << a << " + " << w;
      ASSERT_EQ(longest.advance(x, weight, 7), std::max<std::uint8_t>(sum, 7)) << a << " + " << w;
      ASSERT_EQ(shortest.advance(x, weight, 7), std::min<std::uint8_t>(sum, 7)) << a << " + " << w;
    }
}

TEST(AlgebraMaxima, KeepNaN) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Max<double>{}(nan, 1)));
  EXPECT_TRUE(std::isnan(Max<double>{}(1, nan)));
  EXPECT_TRUE(std::isnan(Min<double>{}(nan, 1)));
  EXPECT_TRUE(std::isnan(Min<double>{}(1, nan)));
  EXPECT_TRUE(check_laws(any(Max<double>{}), {nan, 1, 2}).scannable());
  EXPECT_TRUE(check_laws(any(Min<double>{}), {nan, 1, 2}).scannable());
}

/// Whatever finite weight and however many steps: zero remains zero.
TEST(AlgebraPower, OfFiniteWeightsKeepsZero) {
  for (const float w : {2.0f, -3.0f, 1e30f, -1e-30f, 0.5f})
    for (const std::int64_t k : {0, 1, 2, 127, 129, 1001, 1000000}) {
      EXPECT_EQ(PlusTimes<float>{}.distribute(0, PlusTimes<float>{}.power(w, k)), 0);
      EXPECT_EQ(MaxTimes<float>{}.distribute(0, MaxTimes<float>{}.power(std::abs(w), k)), 0);
      const MaxPlus<float> paths;
      EXPECT_EQ(paths.distribute(paths.zero(), paths.power(std::copysign(1e38f, w), k)),
                paths.zero());
    }
}

/// The oracle of power: the composition, k times.
template <class A>
typename A::weight_type repeated(const A& algebra, const typename A::weight_type& w,
                                 std::int64_t k) {
  auto result = algebra.one();
  for (; k > 0; --k) result = algebra.compose(result, w);
  return result;
}

template <class A>
void expect_power(const A& algebra, const std::vector<typename A::weight_type>& weights) {
  for (const auto& w : weights) {
    EXPECT_EQ(algebra.power(w, 0), algebra.one());
    EXPECT_EQ(algebra.power(w, 1), w);
    for (const std::int64_t k : {2, 3, 4, 7, 64, 65, 1000, 123457})
      ASSERT_EQ(algebra.power(w, k), repeated(algebra, w, k)) << "k = " << k;
  }
}

TEST(AlgebraPower, RepeatsComposition) {
  Random random;
  SCOPED_TRACE(random.trace());
  expect_power(PlusTimes<std::uint32_t>{}, random.values<std::uint32_t>(5));
  expect_power(PlusTimes<std::int64_t>{}, random.values<std::int64_t>(5));
  expect_power(PlusTimes<std::int8_t>{}, random.values<std::int8_t>(5));
  expect_power(MaxPlus<int>{}, random.integers<int>(5, std::numeric_limits<int>::lowest(), 0));
  expect_power(MaxPlus<int>{}, {0, 1, 7, 1000});
  expect_power(MaxPlus<std::int16_t>{}, {0, -1, -2, -3, -127, -32767, -32768});
  expect_power(MinPlus<std::int8_t>{}, {0, 1, 2, 3, 126, 127});
  expect_power(MinPlus<std::uint16_t>{}, random.values<std::uint16_t>(5));
  expect_power(MaxPlus<std::uint16_t>{}, {0, 1, 2, 1000, 65535});
  expect_power(MaxTimes<std::uint32_t>{}, random.values<std::uint32_t>(5));
  expect_power(OrAnd<bool>{}, {false, true});
  expect_power(SameOperator<Plus<std::uint16_t>>{}, random.values<std::uint16_t>(5));
  expect_power(SameOperator<Max<int>>{}, random.values<int>(5));
}

TEST(AlgebraPower, OfVeryManySteps) {
  const std::int64_t k = (std::int64_t(1) << 40) + 3;
  EXPECT_EQ(PlusTimes<std::uint64_t>{}.power(5, k),  // 5^(2^40) = 1 modulo 2^42
            PlusTimes<std::uint64_t>{}.power(5, std::int64_t(1) << 40) * 125);
  EXPECT_EQ(PlusTimes<double>{}.power(1.0, k), 1.0);
  EXPECT_EQ(PlusTimes<double>{}.power(0.5, k), 0.0);
  EXPECT_EQ(PlusTimes<double>{}.power(-1.0, k), -1.0);
  EXPECT_EQ(MaxPlus<std::int64_t>{}.power(-2, k), -2 * k);
  EXPECT_EQ(MaxPlus<int>{}.power(-1, k << 8), MaxPlus<int>{}.zero());
  EXPECT_EQ(MinPlus<std::uint32_t>{}.power(3, k << 8), MinPlus<std::uint32_t>{}.zero());
  EXPECT_EQ(MaxPlus<double>{}.power(-0.5, k), -0.5 * static_cast<double>(k));
}

TEST(AlgebraPlusTimes, AdvanceIsDistributeThenAccumulate) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PlusTimes<std::int32_t> integers;
  for (int k = 0; k < 100; ++k) {
    const auto a = random.value<std::int32_t>(), w = random.value<std::int32_t>(),
               b = random.value<std::int32_t>();
    EXPECT_EQ(integers.advance(a, w, b), integers.accumulate(integers.distribute(a, w), b));
  }
  EXPECT_EQ(Impl::advance(MaxPlus<int>{}, 5, -2, 1), 3);
  EXPECT_EQ(Impl::advance(PlusTimes<double>{}, 5.0, 0.5, 1.0), 3.5);
}

}  // namespace
