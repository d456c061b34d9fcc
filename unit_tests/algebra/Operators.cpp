// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_AsOperator.hpp>
#include <WaveScan_CheckLaws.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "AnyAlgebra.hpp"

namespace {

using namespace wavescan;
using wavescan::Test::any;
using wavescan::Test::for_each_type;
using wavescan::Test::Random;

/// Random values, and the ends of the range where wrap-around and identities show.
template <class T>
std::vector<T> samples(Random& random) {
  std::vector<T> values = random.values<T>(12);
  for (const T special :
       {T(0), T(1), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()})
    values.push_back(special);
  return values;
}

/// Both associative and commutative, with its identity, and equal to `meaning` everywhere.
/// @param op of any type
template <class T>
void expect_meaning(const wavescan::Test::AnyOperator<T>& op, const std::vector<T>& values,
                    const std::function<T(T, T)>& meaning) {
  const LawReport report = check_laws(op, values);
  EXPECT_TRUE(report.scannable() && report.holds("commutative")) << report.to_string();
  for (const auto a : values)
    for (const auto b : values) EXPECT_EQ(op(a, b), meaning(a, b));
}

template <class Op>
void expect_operator(
    const Op& op, const std::vector<typename Op::value_type>& values,
    const std::function<typename Op::value_type(typename Op::value_type, typename Op::value_type)>&
        meaning) {
  static_assert(Operator<Op>);
  expect_meaning(any(op), values, meaning);
}

TEST(IntegerOperators, ObeyTheLawsAndMeanWhatTheySay) {
  for_each_type<std::int8_t, std::uint8_t, std::int32_t, std::uint64_t>([]<class T>(T) {
    Random random;
    SCOPED_TRACE(random.trace());
    const std::vector<T> values = samples<T>(random);
    using U = std::make_unsigned_t<T>;
    expect_operator(Plus<T>{}, values, [](T a, T b) { return static_cast<T>(U(U(a) + U(b))); });
    expect_operator(Times<T>{}, values, [](T a, T b) {
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    });
    expect_operator(Max<T>{}, values, [](T a, T b) { return a > b ? a : b; });
    expect_operator(Min<T>{}, values, [](T a, T b) { return a > b ? b : a; });
    expect_operator(BitAnd<T>{}, values, [](T a, T b) { return static_cast<T>(a & b); });
    expect_operator(BitOr<T>{}, values, [](T a, T b) { return static_cast<T>(a | b); });
    expect_operator(BitXor<T>{}, values, [](T a, T b) { return static_cast<T>(a ^ b); });
  });
}

template <class T>
void expect_logical_operators() {
  const std::vector<T> truth{T(0), T(1)};
  expect_operator(LogicalAnd<T>{}, truth, [](T a, T b) { return a != 0 && b != 0; });
  expect_operator(LogicalOr<T>{}, truth, [](T a, T b) { return a != 0 || b != 0; });
  expect_operator(LogicalXor<T>{}, truth, [](T a, T b) { return (a != 0) != (b != 0); });
}

TEST(LogicalOperators, OnTruthValues) {
  expect_logical_operators<bool>();
  expect_logical_operators<int>();
}

TEST(LogicalOperators, TakeAnyNonZeroForTrue) {
  EXPECT_EQ(LogicalAnd<int>{}(2, 4), 1);
  EXPECT_EQ(LogicalOr<int>{}(0, 4), 1);
  EXPECT_EQ(LogicalXor<int>{}(2, 4), 0);
  EXPECT_EQ(LogicalXor<int>{}(2, 0), 1);
}

TEST(FloatingPointOperators, ExtremaAreExact) {
  for_each_type<float, double>([]<class T>(T) {
    Random random;
    SCOPED_TRACE(random.trace());
    std::vector<T> values = samples<T>(random);
    const T infinity = std::numeric_limits<T>::infinity();
    values.insert(values.end(), {infinity, -infinity});
    expect_operator(Max<T>{}, values, [](T a, T b) { return a > b ? a : b; });
    expect_operator(Min<T>{}, values, [](T a, T b) { return a > b ? b : a; });
    EXPECT_EQ(Max<T>{}.identity(), -infinity);
    EXPECT_EQ(Min<T>{}.identity(), infinity);
  });
}

TEST(FloatingPointOperators, SumsAndProductsUpToRounding) {
  for_each_type<float, double>([]<class T>(T) {
    Random random;
    SCOPED_TRACE(random.trace());
    const std::vector<T> values = random.values<T>(15);
    const NearlyEqual nearly{4 * std::numeric_limits<T>::epsilon()};
    EXPECT_TRUE(check_laws(any(Plus<T>{}), values, nearly).scannable());
    EXPECT_TRUE(check_laws(any(Times<T>{}), values, nearly).scannable());
  });
}

TEST(FloatingPointOperators, SumsOfSmallIntegersAreExact) {
  for_each_type<float, double>([]<class T>(T) {
    Random random;
    SCOPED_TRACE(random.trace());
    expect_operator(Plus<T>{}, random.integers<T>(15, -1000, 1000), [](T a, T b) { return a + b; });
  });
}

TEST(Operators, IdentitiesOfReducers) {
  using Space = Kokkos::HostSpace;
  double unused = 7;
  EXPECT_EQ(as_operator<double>(Kokkos::Sum<double, Space>(unused)).identity(), 0.0);
  EXPECT_EQ(as_operator<double>(Kokkos::Prod<double, Space>(unused)).identity(), 1.0);
  EXPECT_EQ(as_operator<double>(Kokkos::Max<double, Space>(unused)).identity(),
            Kokkos::reduction_identity<double>::max());
}

}  // namespace
