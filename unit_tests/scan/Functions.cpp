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

/// Scans of one type of elements, whatever they are called with, and what they mean.
template <class T>
struct NamedScans {
  using Array = GuardedArray<T>;
  using Call = std::function<void(const Array& in, const Array& out)>;
  std::function<T(const T&, const T&)> meaning;
  T init;
  Call inclusive, exclusive_with_init;

  void check() const {
    Random random;
    SCOPED_TRACE(random.trace());
    const std::int64_t n = 5003;
    const auto x = random.integers<T>(n, 0, 6);
    const ExpectedLines bare(meaning, x, line(n), 1, false, Maybe<T>());
    const ExpectedLines begun(meaning, x, line(n), 1, false, Maybe<T>(init));
    const Array in(line(n), x), out(line(n));
    inclusive(in, out);
    EXPECT_TRUE(equal(out.values(), bare.inclusive));
    exclusive_with_init(in, out);
    EXPECT_TRUE(equal(out.values(), begun.exclusive));
  }
  /// Those whose identity is known begin an exclusive scan themselves.
  void check_begun_by_itself(const T& identity, const Call& exclusive) const {
    const Array in(line(3), {2, 5, 1}), out(line(3));
    exclusive(in, out);
    EXPECT_TRUE(equal(out.values(), {identity, 2, meaning(2, 5)}));
  }
};

template <class T, class Op>
NamedScans<T> check_named(const Op& op, const T& init,
                          const std::function<T(const T&, const T&)>& meaning) {
  using Array = GuardedArray<T>;
  const NamedScans<T> scans{meaning, init,
                            [&op](const Array& in, const Array& out) {
                              wavescan::inclusive_scan(in.vector(), out.vector(), op);
                            },
                            [&op, &init](const Array& in, const Array& out) {
                              wavescan::exclusive_scan(in.vector(), out.vector(), init, op);
                            }};
  scans.check();
  return scans;
}

template <class T, class Op>
void check_known(const Op& op, const T& identity,
                 const std::function<T(const T&, const T&)>& meaning) {
  using Array = GuardedArray<T>;
  check_named<T>(op, T(3), meaning)
      .check_begun_by_itself(identity, [&op](const Array& in, const Array& out) {
        wavescan::exclusive_scan(in.vector(), out.vector(), op);
      });
}

/// The operator that scans make of `op`. Of those that scans see in one way, one is scanned with;
/// of the others this is all that differs.
template <class T, class Op>
auto check_operator_of(const Op& op, const std::function<T(const T&, const T&)>& meaning) {
  const auto made = as_operator<T>(op);
  for (const T a : {T(0), T(1), T(2), T(5)})
    for (const T b : {T(0), T(1), T(3), T(6)}) EXPECT_EQ(made(a, b), meaning(a, b));
  return made;
}

TEST(ScansOfFunctions, OfTheStandardLibrary) {
  check_known<int>(std::plus<>{}, 0, std::plus<>{});
  check_known<std::int64_t>(std::plus<std::int64_t>{}, 0, std::plus<>{});
  check_known<std::uint64_t>(std::multiplies<>{}, 1, std::multiplies<>{});
  check_known<unsigned>(std::bit_xor<>{}, 0, std::bit_xor<>{});
  check_named<int>(std::logical_and<>{}, 3, std::logical_and<>{});

  const BitAnd<unsigned> both = check_operator_of<unsigned>(std::bit_and<>{}, std::bit_and<>{});
  EXPECT_EQ(both.identity(), ~0u);
  const BitOr<unsigned> any = check_operator_of<unsigned>(std::bit_or<>{}, std::bit_or<>{});
  EXPECT_EQ(any.identity(), 0u);
  [[maybe_unused]] const auto either =
      check_operator_of<int>(std::logical_or<>{}, std::logical_or<>{});
  static_assert(!Impl::has_identity<std::remove_const_t<decltype(either)>>);
}

template <class T>
T larger(const T& a, const T& b) {
  return a > b ? a : b;
}
template <class T>
T smaller(const T& a, const T& b) {
  return a < b ? a : b;
}

TEST(ScansOfFunctions, WithoutAType) {
  check_known<int>(Plus{}, 0, std::plus<>{});
  check_known<std::uint64_t>(Times{}, 1, std::multiplies<>{});
  check_known<int>(Max<>{}, std::numeric_limits<int>::lowest(), larger<int>);
  check_known<int>(Min{}, std::numeric_limits<int>::max(), smaller<int>);
  check_known<unsigned>(BitXor{}, 0, std::bit_xor<>{});
  check_known<double>(Plus{}, 0, std::plus<>{});
  const GuardedArray<float> in(line(3), {8, 4, 2}), out(line(3));
  wavescan::weighted_scan(in.vector(), -3, out.vector(), MaxPlus{});
  EXPECT_TRUE(equal(out.values(), {8, 5, 2}));
}

TEST(ScansOfFunctions, ReducersOfKokkos) {
  int i = 0;
  double d = 0;
  unsigned u = 0;
  std::uint64_t l = 0;
  check_known<int>(Kokkos::Sum<int>(i), 0, std::plus<>{});
  check_known<std::uint64_t>(Kokkos::Prod<std::uint64_t>(l), 1, std::multiplies<>{});
  check_known<int>(Kokkos::Max<int>(i), std::numeric_limits<int>::lowest(), larger<int>);
  check_known<double>(Kokkos::Max<double>(d), Kokkos::reduction_identity<double>::max(),
                      larger<double>);
  check_known<unsigned>(Kokkos::BOr<unsigned>(u), 0, std::bit_or<>{});
  check_named<int>(Kokkos::LAnd<int>(i), 3, std::logical_and<>{});

  const auto least = check_operator_of<double>(Kokkos::Min<double>(d), smaller<double>);
  EXPECT_EQ(least.identity(), Kokkos::reduction_identity<double>::min());
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
  const auto sum = as_operator<int>(FunctionOf<Plus<int>>{});
  const Scan plan(Kokkos::DefaultExecutionSpace(), 1, 4, sum);
  const GuardedArray<int> in(line(4), {2, 3, 4, 5}), out(line(4));
  for (int k = 0; k < 2; ++k) {
    plan.inclusive(in.vector(), out.vector());
    EXPECT_TRUE(equal(out.values(), {2, 5, 9, 14}));
  }
  plan.exclusive(in.vector(), out.vector(), ScanOptions().carry_in(10));
  EXPECT_TRUE(equal(out.values(), {10, 12, 15, 19}));
}

}  // namespace
