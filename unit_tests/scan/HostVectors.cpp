// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// What the host does in vectors, in runs side by side and in blocks: every recurrence around the
// sizes of vectors and blocks, at addresses that no vector likes, with threads that take turns.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// The space whose ways these are, with more threads than cores where it can have them.
auto host_instance() {
#ifdef KOKKOS_ENABLE_OPENMP
  return Kokkos::OpenMP(3);
#else
  return Kokkos::DefaultHostExecutionSpace();
#endif
}
using Host = decltype(host_instance());

template <class T>
constexpr std::int64_t block = 128 * 1024 / static_cast<std::int64_t>(sizeof(T));

/// Around vectors and groups of them, one block, two, several.
template <class T>
std::vector<std::int64_t> host_lengths() {
  std::vector<std::int64_t> result{0,  1,  2,   7,   31,  32,  33,  61,
                                   64, 67, 127, 131, 255, 256, 257, 1021};
  for (const std::int64_t around : {block<T>, 2 * block<T>, 5 * block<T>})
    for (const std::int64_t by : {-1, 0, 1, 37}) result.push_back(around + by);
  return result;
}

template <class Scan, class Draw>
void check_lengths(const Scan& scan, const Draw& draw, typename Scan::value_type carry) {
  using T = typename Scan::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  for (const std::int64_t n : host_lengths<T>()) {
    std::vector<decltype(draw(random))> x;
    for (std::int64_t j = 0; j < n; ++j) x.push_back(draw(random));
    Placement in = line(n), out = line(n);
    in.first = n % 3;  // as far from aligned as elements can be
    out.first = n % 5;
    check_scans<1, Host>(scan, x, in, out, {carry}, 0, exec);
  }
}

template <class T>
T wrap(std::uint64_t value) {
  return static_cast<T>(value);
}

template <class T>
class HostIntegers : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(HostIntegers, Integers);

TYPED_TEST(HostIntegers, SumsWrapAround) {
  using T = TypeParam;
  check_lengths(
      PlainScan{Plus<T>{}, [](T a, T b) { return wrap<T>(std::uint64_t(a) + std::uint64_t(b)); }},
      [](Random& random) { return random.value<T>(); }, std::numeric_limits<T>::max());
}

TYPED_TEST(HostIntegers, Maxima) {
  using T = TypeParam;
  check_lengths(
      PlainScan{Max<T>{}, [](T a, T b) { return a < b ? b : a; }},
      [](Random& random) { return static_cast<T>(random.value<T>() / 3); },
      std::numeric_limits<T>::lowest());
}

TYPED_TEST(HostIntegers, OneWeightWrapsAround) {
  using T = TypeParam;
  const T weight = wrap<T>(0x9E3779B97F4A7C15);
  check_lengths(
      ConstantWeightScan{PlusTimes<T>{}, weight,
                         [](T s, T w, T x) {
                           return wrap<T>(std::uint64_t(s) * std::uint64_t(w) + std::uint64_t(x));
                         }},
      [](Random& random) { return random.value<T>(); }, T(77));
}

TEST(HostVectors, ShortestAndLongestPaths) {
  check_lengths(
      ConstantWeightScan{MaxPlus<std::int32_t>{}, -3,
                         [](int s, int w, int x) { return std::max(s + w, x); }},
      [](Random& random) { return static_cast<int>(random.integer(0, 100000)); }, 5000);
  check_lengths(
      ConstantWeightScan{MinPlus<std::int16_t>{}, std::int16_t(2),
                         [](int s, int w, int x) {
                           return static_cast<std::int16_t>(std::min({s + w, x, 32767}));
                         }},
      [](Random& random) { return static_cast<std::int16_t>(random.integer(0, 30000)); },
      std::int16_t(32000));
  check_lengths(
      ConstantWeightScan{MaxPlus<float>{}, -2.0f,
                         [](float s, float w, float x) { return std::max(s + w, x); }},
      [](Random& random) { return static_cast<float>(random.integer(-10000, 10000)); }, 99.0f);
}

TEST(HostVectors, InputsAreConvertedBeforeTheyAreAdded) {
  check_lengths(
      PlainScan{Plus<std::uint32_t>{}, [](std::uint32_t a, std::uint32_t b) { return a + b; }},
      [](Random& random) { return random.value<std::uint8_t>(); }, 4000000000u);
  check_lengths(
      PlainScan{Plus<std::int64_t>{}, [](std::int64_t a, std::int64_t b) { return a + b; }},
      [](Random& random) { return random.value<std::int8_t>(); }, std::int64_t(-1) << 40);
  check_lengths(
      PlainScan{Plus<double>{}, [](double a, double b) { return a + b; }},
      [](Random& random) { return static_cast<float>(random.integer(-999, 999)); }, 0.5);
}

TEST(HostVectors, OperatorsWithoutVectors) {
  using U = std::uint32_t;
  check_lengths(
      PlainScan{BitXor<U>{}, [](U a, U b) { return a ^ b; }},
      [](Random& random) { return random.value<U>(); }, U(0x12345678));
  check_lengths(
      PlainScan{Times<std::uint64_t>{}, [](std::uint64_t a, std::uint64_t b) { return a * b; }},
      [](Random& random) { return random.value<std::uint64_t>() | 1; }, std::uint64_t(3));
}

template <class T>
class HostFloats : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(HostFloats, Floats);

TYPED_TEST(HostFloats, ExtremaKeepNaN) {
  using T = TypeParam;
  const Host exec = host_instance();
  for (const std::int64_t n : {61, 1021, 40001, 200003})
    for (const std::int64_t place : {std::int64_t(0), n / 3, n - 1}) {
      Random random;
      auto x = random.values<T>(n);
      x[static_cast<std::size_t>(place)] = std::numeric_limits<T>::quiet_NaN();
      const GuardedArray<T, Host> in(line(n), x), out(line(n));
      T most = -std::numeric_limits<T>::infinity();
      inclusive_scan(exec, in.vector(), out.vector(), Max<T>{});
      const auto y = out.values();
      for (std::int64_t j = 0; j < n; ++j) {
        const auto k = static_cast<std::size_t>(j);
        most = std::max(most, x[k]);
        if (j < place)
          ASSERT_EQ(y[k], most) << j;
        else
          ASSERT_TRUE(std::isnan(y[k])) << j;
      }
    }
}

TYPED_TEST(HostFloats, AreWithinTheBound) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  for (const std::int64_t n : host_lengths<T>())
    for (const T weight : {T(1), T(0.5), T(-0.99)}) {
      const auto x = random.values<T>(n);
      const std::vector<T> w(x.size(), weight);
      Placement shifted = line(n);
      shifted.first = 1;
      const GuardedArray<T, Host> in(shifted, x), weights(line(n), w), out(shifted);
      const auto expected = linear_recurrence<T>(x, w, T(3));
      weighted_scan(exec, in.vector(), weight, out.vector(), PlusTimes<T>{},
                    ScanOptions().carry_in(T(3)));
      ASSERT_TRUE(within(out.values(), expected)) << n << " elements, one weight " << weight;
      weighted_scan(exec, in.vector(), weights.vector(), out.vector(), PlusTimes<T>{},
                    ScanOptions().carry_in(T(3)));
      ASSERT_TRUE(within(out.values(), expected)) << n << " elements, weights " << weight;
    }
}

/// Infinite weights have no powers to scan in vectors with.
TYPED_TEST(HostFloats, InfiniteWeight) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const Host exec = host_instance();
  for (const std::int64_t n : {5, 61, 1021, 20011}) {
    const std::vector<T> x(static_cast<std::size_t>(n), T(1));
    std::vector<T> expected(x.size(), infinity);
    expected.front() = T(1);
    const GuardedArray<T, Host> in(line(n), x), out(line(n));
    weighted_scan(exec, in.vector(), infinity, out.vector());
    EXPECT_TRUE(equal(out.values(), expected)) << n;
  }
}

/// A line beyond the caches is stored past them.
TEST(HostVectors, LinesBeyondTheCaches) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  using U = std::uint32_t;
  const std::int64_t n = (std::int64_t(5) << 20) + 11;  // 20 MiB
  const auto x = random.values<U>(n), w = random.values<U>(n);
  for (const std::int64_t first : {0, 3}) {
    Placement place = line(n);
    place.first = first;
    const GuardedArray<U, Host> in(line(n), x), weights(line(n), w), out(place);
    const auto check = [&](const auto& advance, const char* what) {
      const auto expected = scan_line<U>(x, U(7), 0u, advance);
      const auto got = out.values();
      EXPECT_TRUE(
          equal(got, std::string(what) == "exclusive" ? expected.exclusive : expected.inclusive))
          << what << " from " << first;
      EXPECT_TRUE(out.guards_intact());
    };
    const auto plus = [](U s, U v, std::size_t) { return s + v; };
    const auto options = ScanOptions().carry_in(U(7));
    inclusive_scan(exec, in.vector(), out.vector(), Plus<U>{}, options);
    check(plus, "inclusive");
    exclusive_scan(exec, in.vector(), out.vector(), Plus<U>{}, options);
    check(plus, "exclusive");
    weighted_scan(exec, in.vector(), weights.vector(), out.vector(), PlusTimes<U>{}, options);
    check([&](U s, U v, std::size_t j) { return s * w[j] + v; }, "weights");
  }
}

/// Rows and columns: few and many, short and long, with blocks and without.
TEST(HostMatrices, EveryCut) {
  Random random;
  SCOPED_TRACE(random.trace());
  using U = std::uint32_t;
  const Host exec = host_instance();
  const PlainScan sum{Plus<U>{}, [](U a, U b) { return a + b; }};
  struct Shape {
    std::int64_t rows, columns;
  };
  for (const Shape s : {Shape{1, 100003},
                        {2, 70001},
                        {70001, 2},
                        {100003, 16},
                        {1025, 1031},
                        {5, 131072},
                        {3001, 61},
                        {61, 3001},
                        {13, 8195},
                        {8195, 13}})
    for (const int axis : {0, 1})
      check_scans<2, Host>(sum, random.values<U>(s.rows * s.columns), row_major(s.rows, s.columns),
                           row_major(s.rows, s.columns),
                           random.values<U>(axis == 0 ? s.columns : s.rows), axis, exec);
}

/// Columns with weights, which are columns too or rows of their own.
TEST(HostMatrices, WeightsOfColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  using U = std::uint32_t;
  const Host exec = host_instance();
  const std::int64_t m = 5003, n = 37;
  const auto x = random.values<U>(m * n), w = random.values<U>(m * n);
  for (const Placement& place : {row_major(m, n), column_major(m, n)}) {
    const GuardedArray<U, Host> weights(place, w);
    const auto on_host = [&](std::int64_t l, std::int64_t j) {
      return w[static_cast<std::size_t>(j * n + l)];
    };
    check_scans<2, Host>(WeightsScan{PlusTimes<U>{}, weights.matrix(), on_host,
                                     [](U s, U v, U e) { return s * v + e; }},
                         x, row_major(m, n), row_major(m, n), random.values<U>(n), 0, exec);
  }
}

/// The blocks of a line do not depend on who takes them when.
TEST(HostVectors, SameBitsInEveryRun) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  const std::int64_t n = 1000003;
  const auto x = random.values<float>(n);
  const GuardedArray<float, Host> in(line(n), x), first(line(n)), again(line(n));
  const Scan<Host, PlusTimes<float>> plan(exec, 1, n);
  plan.weighted(in.vector(), 0.999f, first.vector());
  for (int run = 0; run < 20; ++run) {
    plan.weighted(in.vector(), 0.999f, again.vector());
    ASSERT_TRUE(same_bits(again.values(), first.values())) << "run " << run;
  }
}

}  // namespace
