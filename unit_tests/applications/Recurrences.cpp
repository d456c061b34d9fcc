// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_CheckLaws.hpp>
#include <cmath>
#include <limits>

#include "Data.hpp"

namespace applications_test {
namespace {

/// What is added up has at most this magnitude.
void expect_near(const std::vector<double>& got, const std::vector<long double>& expected,
                 double magnitude) {
  ASSERT_EQ(got.size(), expected.size());
  const double bound = 100 * magnitude * std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < got.size(); ++j)
    ASSERT_NEAR(got[j], static_cast<double>(expected[j]), bound)
        << "of " << got.size() << ", " << j;
}

TEST(Recurrences, Polynomial) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes)
    for (const double x : {0.0, 1.0, -0.999, 0.5}) {
      const auto c = random.values<double>(n);
      std::vector<long double> expected;
      long double value = 0;
      for (const double each : c) expected.push_back(value = value * x + each);
      const Data<double> in(c), out(c.size());
      polynomial(Scan<wavescan::PlusTimes<double>>(Exec(), 1, n), in.view(), x, out.view());
      expect_near(out.values(), expected, x == 1 ? 3000 : 1000);
    }
}

TEST(Recurrences, OfFirstAndSecondOrder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes) {
    const auto x = random.values<double>(n), a = random.values<double>(n);
    auto b = random.values<double>(n), half = a;
    for (double& each : b) each *= 0.4;
    for (double& each : half) each *= 0.5;
    std::vector<long double> first, second;
    long double y = 0, y1 = 0, y2 = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      first.push_back(y = x[j] + a[j] * y);
      const long double next = x[j] + half[j] * y1 + b[j] * y2;
      second.push_back(next);
      y2 = y1;
      y1 = next;
    }
    const Data<double> in(x), of_one(a), of_half(half), of_two(b), out(x.size());
    first_order(Scan<wavescan::PlusTimes<double>>(Exec(), 1, n), in.view(), of_one.view(),
                out.view());
    expect_near(out.values(), first, 100);
    second_order(Scan<MapComposition>(Exec(), 1, n), in.view(), of_half.view(), of_two.view(),
                 out.view());
    expect_near(out.values(), second, 100);
  }
}

TEST(Fibonacci, ModuloPrime) {
  for (const std::int64_t n : sizes) {
    std::vector<std::uint32_t> expected;
    std::uint64_t f = 1, before = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      expected.push_back(static_cast<std::uint32_t>(f));
      const std::uint64_t next = (f + before) % fibonacci_modulus;
      before = f;
      f = next;
    }
    const Data<std::uint32_t> numbers(expected.size());
    fibonacci(Scan<MatrixProduct<fibonacci_modulus>>(Exec(), 1, n), numbers.view());
    EXPECT_EQ(numbers.values(), expected) << n;
  }
}

TEST(BigIntegers, CarriesAreAMonoid) {
  std::vector<CarryRun> runs = {Carries().identity()};
  for (const auto into : {CarryRun::none, CarryRun::one, CarryRun::same_as_enters})
    for (const auto out : {CarryRun::none, CarryRun::one, CarryRun::same_as_enters})
      runs.push_back({runs.size(), into, out});
  const auto equal = [](const CarryRun& a, const CarryRun& b) {
    return a.sum == b.sum && a.into_last == b.into_last && a.out == b.out;
  };
  EXPECT_TRUE(wavescan::check_laws(Carries(), runs, equal).scannable());
}

TEST(BigIntegers, Sum) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes)
    for (const std::int64_t rare : {1, 50, 100000}) {  // how often carries do not just pass
      auto a = random.values<std::uint64_t>(n), b = a;
      for (std::size_t j = 0; j < a.size(); ++j)
        b[j] = random.integer(0, rare) == 0 ? random.value<std::uint64_t>() : ~a[j];
      std::vector<std::uint64_t> expected;
      unsigned carry = 0;
      for (std::size_t j = 0; j < a.size(); ++j) {
        const std::uint64_t both = a[j] + b[j];
        expected.push_back(both + carry);
        carry = both < a[j] || expected.back() < both;
      }
      expected.push_back(carry);
      const Data<std::uint64_t> x(a), y(b), sum(expected.size());
      add(Scan<Carries>(Exec(), 1, n + 1), x.view(), y.view(), sum.view());
      EXPECT_EQ(sum.values(), expected) << n;
    }
}

}  // namespace
}  // namespace applications_test
