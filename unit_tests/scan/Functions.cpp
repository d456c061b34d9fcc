// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "CheckCalls.hpp"

// Scans with operators that are nothing but functions: without value_type and identity().

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
using Maybe = std::optional<T>;

/// Random functions of one line, most of them without commuting, in both directions.
template <class Op, class Exec>
void check_function(const Op& op, std::int64_t n, const Exec& exec, std::int64_t in_stride,
                    std::int64_t out_stride, Random& random) {
  using T = typename Op::value_type;
  const FunctionOf<Op> function{op};
  const std::vector<T> x = random_values(op, random, n);
  const T init = op.random(random);
  const Placement place = line(n, in_stride);
  SCOPED_TRACE(std::string(exec.name()) + ", " + std::to_string(n) + " elements");
  const GuardedArray<T, Exec> in(place, x);
  for (const bool reverse : {false, true}) {
    const auto options = ScanOptions().reverse(reverse);
    const ExpectedLines bare(function, x, place, 1, reverse, Maybe<T>());
    const ExpectedLines begun(function, x, place, 1, reverse, Maybe<T>(init));
    const GuardedArray<T, Exec> out(line(n, out_stride)), total(line(1));
    wavescan::inclusive_scan(exec, in.vector(), out.vector(), function, options);
    ASSERT_TRUE(equal(out.values(), bare.inclusive)) << "inclusive";
    wavescan::inclusive_scan(exec, in.vector(), out.vector(), function, init,
                             options.carry_out(total.scalar()));
    ASSERT_TRUE(equal(out.values(), begun.inclusive)) << "inclusive with an initial value";
    ASSERT_TRUE(equal(total.values(), begun.last)) << "total";
    wavescan::exclusive_scan(exec, in.vector(), out.vector(), init, function, options);
    ASSERT_TRUE(equal(out.values(), begun.exclusive)) << "exclusive";
    ASSERT_TRUE(out.guards_intact());
    GuardedArray<T, Exec> both(place, x);
    wavescan::exclusive_scan(exec, both.vector(), both.vector(), init, function, options);
    ASSERT_TRUE(equal(both.values(), begun.exclusive)) << "exclusive in place";
    both.set(x);
    wavescan::inclusive_scan(exec, both.vector(), both.vector(), function, options);
    ASSERT_TRUE(equal(both.values(), bare.inclusive)) << "inclusive in place";
    ASSERT_TRUE(both.guards_intact());
  }
}

template <class Op>
void check_function(const Op& op) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : call_lengths)
    check_function(op, n, Kokkos::DefaultExecutionSpace(), n % 3 + 1, n % 2 + 1, random);
}

TEST(ScansOfFunctions, AffineMapsOfTwoBytes) { check_function(Affine<std::uint8_t>{}); }
TEST(ScansOfFunctions, AffineMapsOfSixteenBytes) { check_function(Affine<std::uint64_t>{}); }
TEST(ScansOfFunctions, MatrixProducts) { check_function(MatrixProduct<std::uint32_t, 2>{}); }
TEST(ScansOfFunctions, CarriesOfBigIntegers) { check_function(CarryLookahead{}); }
TEST(ScansOfFunctions, ModulusKnownAtRunTime) { check_function(ModularTimes{4294967291u}); }

TEST(ScansOfFunctions, OnEveryInstance) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 513, 40009})
    for_each_instance([&](const auto& exec) {
      check_function(MatrixProduct<std::uint32_t, 2>{}, n, exec, 1, 1, random);
    });
}

/// Rows and columns, of layouts that lie alike and that do not.
void check_matrix(std::int64_t rows, std::int64_t columns, const Placement& in_place,
                  const Placement& out_place) {
  using Op = Affine<std::uint64_t>;
  using T = Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const Op op;
  const FunctionOf<Op> function{op};
  const auto x = random_values(op, random, rows * columns);
  const T init = op.random(random);
  const GuardedArray<T> in(in_place, x);
  for (const int axis : {0, 1})
    for (const bool reverse : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", axis " +
                   std::to_string(axis) + (reverse ? ", reverse" : ""));
      const ExpectedLines bare(function, x, in_place, axis, reverse, Maybe<T>());
      const ExpectedLines begun(function, x, in_place, axis, reverse, Maybe<T>(init));
      const auto options = ScanOptions().axis(axis).reverse(reverse);
      const GuardedArray<T> out(out_place), totals(line(axis == 0 ? columns : rows));
      wavescan::inclusive_scan(in.matrix(), out.matrix(), function,
                               options.carry_out(totals.vector()));
      ASSERT_TRUE(equal(out.values(), bare.inclusive));
      ASSERT_TRUE(equal(totals.values(), bare.last));
      wavescan::exclusive_scan(in.matrix(), out.matrix(), function, init, options);
      ASSERT_TRUE(equal(out.values(), begun.exclusive));
      ASSERT_TRUE(out.guards_intact());
    }
}

TEST(ScansOfFunctions, RowsAndColumns) {
  check_matrix(37, 129, row_major(37, 129), column_major(37, 129));
  check_matrix(1031, 67, row_major(1031, 67), row_major(1031, 67));
  check_matrix(3, 20011, row_major(3, 20011), spread(3, 20011));
  check_matrix(20011, 3, column_major(20011, 3), row_major(20011, 3));
}

template <class T, class Op, class Meaning>
void check_named(const Op& op, const T& init, const Meaning& meaning) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 5003;
  const auto x = random.integers<T>(n, 0, 6);
  const ExpectedLines bare(meaning, x, line(n), 1, false, Maybe<T>());
  const ExpectedLines begun(meaning, x, line(n), 1, false, Maybe<T>(init));
  const GuardedArray<T> in(line(n), x), out(line(n));
  wavescan::inclusive_scan(in.vector(), out.vector(), op);
  EXPECT_TRUE(equal(out.values(), bare.inclusive));
  wavescan::exclusive_scan(in.vector(), out.vector(), init, op);
  EXPECT_TRUE(equal(out.values(), begun.exclusive));
}

/// Those whose identity is known begin an exclusive scan themselves.
template <class T, class Op, class Meaning>
void check_known(const Op& op, const T& identity, const Meaning& meaning) {
  check_named<T>(op, T(3), meaning);
  const GuardedArray<T> in(line(3), {2, 5, 1}), out(line(3));
  wavescan::exclusive_scan(in.vector(), out.vector(), op);
  EXPECT_TRUE(equal(out.values(), {identity, 2, T(meaning(2, 5))}));
}

TEST(ScansOfFunctions, OfTheStandardLibrary) {
  check_known<int>(std::plus<>{}, 0, std::plus<>{});
  check_known<std::uint16_t>(std::plus<std::uint16_t>{}, 0, std::plus<>{});
  check_known<std::uint64_t>(std::multiplies<>{}, 1, std::multiplies<>{});
  check_known<unsigned>(std::bit_and<>{}, ~0u, std::bit_and<>{});
  check_known<unsigned>(std::bit_or<>{}, 0, std::bit_or<>{});
  check_known<unsigned>(std::bit_xor<>{}, 0, std::bit_xor<>{});
  check_named<int>(std::logical_and<>{}, 3, std::logical_and<>{});
  check_named<int>(std::logical_or<>{}, 3, std::logical_or<>{});
}

TEST(ScansOfFunctions, WithoutAType) {
  const auto larger = [](auto a, auto b) { return a > b ? a : b; };
  const auto smaller = [](auto a, auto b) { return a < b ? a : b; };
  check_known<int>(Plus{}, 0, std::plus<>{});
  check_known<unsigned>(Times{}, 1, std::multiplies<>{});
  check_known<int>(Max<>{}, std::numeric_limits<int>::lowest(), larger);
  check_known<int>(Min{}, std::numeric_limits<int>::max(), smaller);
  check_known<unsigned>(BitXor{}, 0, std::bit_xor<>{});
  check_known<double>(Plus{}, 0, std::plus<>{});
  const GuardedArray<float> in(line(3), {8, 4, 2}), out(line(3));
  wavescan::weighted_scan(in.vector(), -3, out.vector(), MaxPlus{});
  EXPECT_TRUE(equal(out.values(), {8, 5, 2}));
}

TEST(ScansOfFunctions, ReducersOfKokkos) {
  const auto larger = [](auto a, auto b) { return a > b ? a : b; };
  const auto smaller = [](auto a, auto b) { return a < b ? a : b; };
  int i = 0;
  double d = 0;
  unsigned u = 0;
  check_known<int>(Kokkos::Sum<int>(i), 0, std::plus<>{});
  check_known<int>(Kokkos::Prod<int>(i), 1, [](int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
  });
  check_known<int>(Kokkos::Max<int>(i), std::numeric_limits<int>::lowest(), larger);
  check_known<double>(Kokkos::Max<double>(d), Kokkos::reduction_identity<double>::max(), larger);
  check_known<double>(Kokkos::Min<double>(d), Kokkos::reduction_identity<double>::min(), smaller);
  check_known<unsigned>(Kokkos::BOr<unsigned>(u), 0, std::bit_or<>{});
  check_named<int>(Kokkos::LAnd<int>(i), 3, std::logical_and<>{});
}

/// A function's own identity is used.
struct Concatenate {  // numbers of decimal digits
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return a * 10 + b;
  }
  KOKKOS_FUNCTION std::uint64_t identity() const { return 0; }
};
TEST(ScansOfFunctions, WithIdentityButWithoutType) {
  const GuardedArray<std::uint64_t> in(line(1), {7}), out(line(1));
  wavescan::exclusive_scan(in.vector(), out.vector(), Concatenate{});
  EXPECT_TRUE(equal(out.values(), {0}));
}

/// In place of an identity nothing is written.
TEST(ScansOfFunctions, EmptyLinesLeaveTotalsAlone) {
  const FunctionOf<Plus<int>> sum{};
  const GuardedArray<int> empty(line(0)), total(line(1), {42});
  wavescan::inclusive_scan(empty.vector(), empty.vector(), sum,
                           ScanOptions().carry_out(total.scalar()));
  EXPECT_TRUE(equal(total.values(), {42}));
  wavescan::inclusive_scan(empty.vector(), empty.vector(), sum, 5,
                           ScanOptions().carry_out(total.scalar()));
  EXPECT_TRUE(equal(total.values(), {5}));
  wavescan::inclusive_scan(empty.vector(), empty.vector(), Plus{},
                           ScanOptions().carry_out(total.scalar()));
  EXPECT_TRUE(equal(total.values(), {0}));
}

TEST(ScansOfFunctions, InAPlan) {
  const auto product = as_operator<unsigned>(FunctionOf<Times<unsigned>>{});
  const Scan plan(Kokkos::DefaultExecutionSpace(), 1, 4, product);
  const GuardedArray<unsigned> in(line(4), {2, 3, 4, 5}), out(line(4));
  for (int k = 0; k < 2; ++k) {
    plan.inclusive(in.vector(), out.vector());
    EXPECT_TRUE(equal(out.values(), {2, 6, 24, 120}));
  }
  plan.exclusive(in.vector(), out.vector(), ScanOptions().carry_in(10u));
  EXPECT_TRUE(equal(out.values(), {10, 20, 60, 240}));
}

}  // namespace
