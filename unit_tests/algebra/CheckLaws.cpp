// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_CheckLaws.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "AnyAlgebra.hpp"

namespace {

using namespace wavescan;
using wavescan::Test::any;
using wavescan::Test::Random;

struct Minus {
  using value_type = int;
  KOKKOS_FUNCTION int operator()(int a, int b) const { return a - b; }
  KOKKOS_FUNCTION int identity() const { return 0; }
};

struct MaxFromZero {
  using value_type = int;
  KOKKOS_FUNCTION int operator()(int a, int b) const { return a < b ? b : a; }
  KOKKOS_FUNCTION int identity() const { return 0; }
};

/// Associative and with an identity from the left only.
struct KeepSecond {
  using value_type = int;
  KOKKOS_FUNCTION int operator()(int, int b) const { return b; }
  KOKKOS_FUNCTION int identity() const { return 0; }
};

/// (max, ·) on numbers of either sign: a negative weight turns the maximum into the minimum.
using MaxTimesOfAnySign = MaxTimes<int>;

/// (+, +): shifting a sum is not the sum of the shifted.
struct PlusPlus : PlusTimes<int> {
  KOKKOS_FUNCTION int distribute(int a, int w) const { return a + w; }
  KOKKOS_FUNCTION int compose(int w, int v) const { return w + v; }
  KOKKOS_FUNCTION int one() const { return 1; }
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const { return w * static_cast<int>(k); }
};

struct WrongPower : PlusTimes<int> {
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const { return w * static_cast<int>(k); }
};

struct WrongCompose : PlusTimes<int> {
  KOKKOS_FUNCTION int compose(int w, int v) const { return w + v; }
};

struct WrongOne : PlusTimes<int> {
  KOKKOS_FUNCTION int one() const { return 0; }
};

/// Right for the powers of some exponents only.
struct WrongPowerFrom : PlusTimes<int> {
  std::int64_t first, end;
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const {
    return PlusTimes<int>::power(w, k) + (k >= first && k < end ? 1 : 0);
  }
};

/// Accumulates in order: the first that is not zero. That is all but commutative.
struct KeepFirstTimes : PlusTimes<int> {
  KOKKOS_FUNCTION int accumulate(int a, int b) const { return a != 0 ? a : b; }
};

/// Weights are steps of two kinds, whose order matters: 10 s + c stands for x -> s x + c modulo 7.
struct Affine : PlusTimes<int> {
  KOKKOS_FUNCTION int accumulate(int a, int b) const { return (a + b) % 7; }
  KOKKOS_FUNCTION int distribute(int a, int w) const { return (w / 10 * a + w % 10) % 7; }
  KOKKOS_FUNCTION int compose(int w, int v) const {
    return w / 10 * (v / 10) % 7 * 10 + distribute(w % 10, v);
  }
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const {
    return wavescan::power_by_squaring(*this, w, k);
  }
  KOKKOS_FUNCTION int one() const { return 10; }
};
struct AffineInWrongOrder : Affine {
  KOKKOS_FUNCTION int compose(int w, int v) const { return Affine::compose(v, w); }
};

/// Sums that would need a smaller zero.
struct NaturalMaxPlus : PlusTimes<int> {
  KOKKOS_FUNCTION int accumulate(int a, int b) const { return a < b ? b : a; }
  KOKKOS_FUNCTION int distribute(int a, int w) const { return a + w; }
  KOKKOS_FUNCTION int compose(int w, int v) const { return w + v; }
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const { return w * static_cast<int>(k); }
  KOKKOS_FUNCTION int one() const { return 0; }
};
struct DeclaredMaxPlus : NaturalMaxPlus {
  static constexpr bool zero_absorbs = false;
};

const Law& law(const LawReport& report, const std::string& name) {
  for (const Law& l : report.laws)
    if (l.name == name) return l;
  throw std::logic_error("no law " + name);
}

TEST(CheckLaws, CatchesMinus) {
  const LawReport report = check_laws(any(Minus{}), {1, 2, 5});
  EXPECT_FALSE(report.scannable());
  EXPECT_FALSE(report.holds("associative"));
  EXPECT_FALSE(report.holds("commutative"));
  EXPECT_FALSE(report.holds("identity"));  // 0 - a is not a
  // (1 - 1) - 1 = -1 but 1 - (1 - 1) = 1: the first triple already tells.
  EXPECT_EQ(law(report, "associative").counterexample, "a = 1, b = 1, c = 1 give -1 and 1");
  EXPECT_EQ(law(report, "commutative").counterexample, "a = 1, b = 2, c = 0 give -1 and 1");
}

TEST(CheckLaws, CatchesAWrongIdentity) {
  const LawReport report = check_laws(any(MaxFromZero{}), {3, -4, 7});
  EXPECT_TRUE(report.holds("associative"));
  EXPECT_TRUE(report.holds("commutative"));
  EXPECT_FALSE(report.scannable());
  EXPECT_NE(law(report, "identity").counterexample.find("a = -4"), std::string::npos);
}

TEST(CheckLaws, CatchesAnIdentityOfOneSideOnly) {
  const LawReport report = check_laws(any(KeepSecond{}), {3, -4, 7});
  EXPECT_TRUE(report.holds("associative"));
  EXPECT_FALSE(report.holds("identity"));
}

TEST(CheckLaws, CatchesRoundingOfSums) {
  const std::vector<float> samples{1.0f, 1e8f, -1e8f};
  const LawReport exact = check_laws(any(Plus<float>{}), samples);
  EXPECT_FALSE(exact.holds("associative"));
  EXPECT_FALSE(law(exact, "associative").counterexample.empty());
  EXPECT_TRUE(exact.holds("commutative"));
  const std::vector<float> mild{0.1f, 0.2f, 0.3f, -0.7f};
  EXPECT_FALSE(check_laws(any(Plus<float>{}), mild).scannable());
  EXPECT_TRUE(check_laws(any(Plus<float>{}), mild, NearlyEqual{1e-6}).scannable());
}

TEST(CheckLaws, CatchesPairsThatDoNotDistribute) {
  EXPECT_TRUE(check_laws(any(MaxTimesOfAnySign{}), {1, 5, 3}, {0, 2}).theorem_holds());
  const LawReport sign = check_laws(any(MaxTimesOfAnySign{}), {1, 5, -3}, {2, -1});
  EXPECT_FALSE(sign.holds("distributive"));
  EXPECT_FALSE(sign.theorem_holds());
  const LawReport shift = check_laws(any(PlusPlus{}), {1, 5, -3}, {2, 1});
  EXPECT_FALSE(shift.holds("distributive"));
}

TEST(CheckLaws, CatchesWrongPowerComposeAndOne) {
  const std::vector<int> samples{1, 2, -3}, weights{2, 3};
  const LawReport power = check_laws(any(WrongPower{}), samples, weights);
  EXPECT_FALSE(power.theorem_holds());
  EXPECT_FALSE(power.holds("power"));
  EXPECT_TRUE(power.holds("composition"));
  const LawReport compose = check_laws(any(WrongCompose{}), samples, weights);
  EXPECT_FALSE(compose.theorem_holds());
  EXPECT_FALSE(compose.holds("composition"));
  const LawReport one = check_laws(any(WrongOne{}), samples, weights);
  EXPECT_FALSE(one.theorem_holds());
  EXPECT_FALSE(one.holds("neutral weight"));
}

TEST(CheckLaws, CatchesPowersThatAreWrongForSomeExponents) {
  for (const auto& [first, end] : {std::pair(0, 1), std::pair(1, 2), std::pair(3, 100)})
    EXPECT_FALSE(check_laws(any(WrongPowerFrom{{}, first, end}), {1, 2, -3}, {2, 3}).holds("power"))
        << "from " << first;
}

TEST(CheckLaws, CatchesWeightsInTheWrongOrder) {
  const std::vector<int> samples{0, 1, 2, 5}, weights{20, 11, 32};
  EXPECT_TRUE(check_laws(any(Affine{}), samples, weights).holds("composition"));
  EXPECT_FALSE(check_laws(any(AffineInWrongOrder{}), samples, weights).holds("composition"));
}

TEST(CheckLaws, TheoremNeedsCommutativity) {
  LawReport report = check_laws(any(KeepFirstTimes{}), {1, 2, -3}, {2, 3});
  EXPECT_FALSE(report.holds("commutative"));
  EXPECT_FALSE(report.theorem_holds());
  for (Law& each : report.laws) each.holds |= each.name == "commutative";
  EXPECT_TRUE(report.theorem_holds()) << "by nothing else: " << report.to_string();
}

TEST(CheckLaws, ZeroMustAbsorbUnlessDeclared) {
  const std::vector<int> samples{0, 1, 5}, weights{0, 5};
  const LawReport report = check_laws(any(NaturalMaxPlus{}), samples, weights);
  EXPECT_FALSE(report.theorem_holds());
  EXPECT_EQ(law(report, "absorbing zero").counterexample, "a = 0, b = 5, c = 0 give 5 and 0");
  EXPECT_TRUE(check_laws(any(DeclaredMaxPlus{}), samples, weights).theorem_holds());
}

TEST(CheckLaws, SameOperatorNeedNotDistribute) {
  const LawReport report = check_laws(SameOperator<Plus<int>>{}, {1, 2, -3}, {2, 3});
  EXPECT_FALSE(report.holds("distributive"));
  EXPECT_TRUE(report.holds("same operator"));
  EXPECT_TRUE(report.theorem_holds());
  EXPECT_EQ(report.to_string().find("FAILS"), std::string::npos) << report.to_string();
}

/// Sums as a user may write them who does not know SameOperator.
struct UndeclaredSums : PlusTimes<int> {
  KOKKOS_FUNCTION int distribute(int a, int w) const { return a + w; }
  KOKKOS_FUNCTION int compose(int w, int v) const { return w + v; }
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const { return w * static_cast<int>(k); }
  KOKKOS_FUNCTION int one() const { return 0; }
};

/// Maxima distribute over themselves, so they need not be declared to be the same operator.
struct UndeclaredMaxima : MaxPlus<int> {
  static constexpr bool zero_absorbs = false;
  KOKKOS_FUNCTION int distribute(int a, int w) const { return Max<int>{}(a, w); }
  KOKKOS_FUNCTION int compose(int w, int v) const { return Max<int>{}(w, v); }
  KOKKOS_FUNCTION int power(int w, std::int64_t k) const { return k > 0 ? w : one(); }
  KOKKOS_FUNCTION int one() const { return zero(); }
};

TEST(CheckLaws, SameOperatorMustBeDeclared) {
  const LawReport sums = check_laws(any(UndeclaredSums{}), {1, 2, -3}, {2, 3});
  EXPECT_TRUE(sums.holds("same operator"));
  EXPECT_FALSE(sums.theorem_holds());
  EXPECT_NE(sums.to_string().find("use SameOperator<your operator>"), std::string::npos)
      << sums.to_string();
  const LawReport maxima = check_laws(any(UndeclaredMaxima{}), {1, 2, -3}, {2, 3});
  EXPECT_TRUE(maxima.theorem_holds()) << maxima.to_string();
}

TEST(CheckLaws, TextTellsEveryLawAndCounterexample) {
  const std::string text = check_laws(any(Minus{}), {1, 2, 5}).to_string();
  EXPECT_EQ(text,
            "FAILS  associative: a = 1, b = 1, c = 1 give -1 and 1\n"
            "FAILS  commutative: a = 1, b = 2, c = 0 give -1 and 1\n"
            "FAILS  identity: a = 1, b = 0, c = 0 give -1 and 1\n");
}

TEST(CheckLaws, UnknownLawsDoNotHold) {
  const LawReport report = check_laws(Plus<int>{}, {1, 2, 5});
  EXPECT_TRUE(report.scannable());
  EXPECT_FALSE(report.holds("distributive"));  // not checked for an operator alone
  EXPECT_FALSE(report.theorem_holds());
  LawReport unsettled;
  for (const char* name : {"associative", "identity", "distributive"})
    unsettled.laws.push_back({name, true, ""});
  EXPECT_TRUE(unsettled.scannable());
  EXPECT_FALSE(unsettled.theorem_holds());
  unsettled.laws.push_back({"commutative", true, ""});
  EXPECT_TRUE(unsettled.theorem_holds());
}

TEST(CheckLaws, BytesAreShownAsNumbers) {
  const LawReport report = check_laws(any(Max<std::int8_t>{}), {65, 66});
  EXPECT_TRUE(report.scannable());
  struct MinusBytes {
    using value_type = std::int8_t;
    std::int8_t operator()(std::int8_t a, std::int8_t b) const {
      return static_cast<std::int8_t>(a - b);
    }
    std::int8_t identity() const { return 0; }
  };
  EXPECT_EQ(law(check_laws(any(MinusBytes{}), {65}), "associative").counterexample,
            "a = 65, b = 65, c = 65 give -65 and 65");
}

TEST(NearlyEqual, IsRelativeAboveOneAndAbsoluteBelow) {
  const NearlyEqual nearly{1e-3};
  EXPECT_TRUE(nearly(1000.0, 1000.9));
  EXPECT_FALSE(nearly(1000.0, 1001.1));
  EXPECT_TRUE(nearly(0.0, 0.0009));
  EXPECT_FALSE(nearly(0.0, 0.0011));
  EXPECT_FALSE(NearlyEqual{}(1.0, 1.0 + 1e-15));
  EXPECT_TRUE(NearlyEqual{}(0.0, -0.0));
}

TEST(NearlyEqual, InfinitiesAndNaNs) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double tolerance : {0.0, 1e-12}) {
    const NearlyEqual nearly{tolerance};
    EXPECT_TRUE(nearly(infinity, infinity));
    EXPECT_FALSE(nearly(infinity, -infinity));
    EXPECT_FALSE(nearly(infinity, 1.0));
    EXPECT_FALSE(nearly(1.0, -infinity));
    EXPECT_TRUE(nearly(std::nan(""), std::nan("")));
    EXPECT_FALSE(nearly(std::nan(""), 1.0));
  }
}

TEST(NearlyEqual, OtherTypesAreExact) {
  EXPECT_FALSE(NearlyEqual{10}(1, 2));
  EXPECT_TRUE(NearlyEqual{}(2, 2));
}

template <class Op>
void expect_scannable(const Op& op, bool commutative) {
  Random random;
  SCOPED_TRACE(random.trace());
  static_assert(Operator<Op>);
  const LawReport report = check_laws(any(op), random_values(op, random, 15));
  EXPECT_TRUE(report.scannable()) << report.to_string();
  EXPECT_EQ(report.holds("commutative"), commutative) << report.to_string();
}

TEST(UserDefinedOperators, MatrixProducts) {
  expect_scannable(wavescan::Test::MatrixProduct<std::uint32_t, 2>{}, false);
  expect_scannable(wavescan::Test::MatrixProduct<std::uint32_t, 4>{}, false);
}
TEST(UserDefinedOperators, AffineMaps) {
  expect_scannable(wavescan::Test::Affine<std::uint8_t>{}, false);
  expect_scannable(wavescan::Test::Affine<std::uint64_t>{}, false);
}
TEST(UserDefinedOperators, CarriesOfBigIntegers) {
  expect_scannable(wavescan::Test::CarryLookahead{}, false);
}
TEST(UserDefinedOperators, AutomatonTransitions) {
  expect_scannable(wavescan::Test::Automaton<6>{}, false);
}
TEST(UserDefinedOperators, ModulusKnownAtRunTime) {
  for (const std::uint32_t modulus : {1u, 2u, 97u, 4294967291u})
    expect_scannable(wavescan::Test::ModularTimes{modulus}, true);
}

using wavescan::Test::ModularAlgebra;

TEST(UserDefinedAlgebras, ModularArithmetic) {
  Random random;
  SCOPED_TRACE(random.trace());
  const ModularAlgebra algebra{4294967291u};
  static_assert(Algebra<ModularAlgebra>);
  const auto values = random.integers<std::uint32_t>(10, 0, 4294967290);
  const auto weights = random.integers<std::uint32_t>(6, 0, 4294967290);
  const LawReport report = check_laws(any(algebra), values, weights);
  EXPECT_TRUE(report.theorem_holds()) << report.to_string();
  // Fermat's little theorem: 4294967291 is prime.
  for (const std::uint32_t w : {2u, 3u, 65537u}) EXPECT_EQ(algebra.power(w, 4294967290), 1u);
}

}  // namespace
