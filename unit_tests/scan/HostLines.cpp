// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"
#include "HostWays.hpp"

// Lines on the host: floating point, lines beyond the caches, matrices; with more threads than
// cores.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

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

// The integers that nearly all programs scan; they wrap around, as unsigned ones do.
using Int = std::int32_t;

/// A line beyond the caches is stored past them.
TEST(HostLines, LinesBeyondTheCaches) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  const std::int64_t n = (std::int64_t(5) << 20) + 11;  // 20 MiB
  const auto x = random.values<Int>(n), w = random.values<Int>(n);
  for (const std::int64_t first : {0, 3}) {
    Placement place = line(n);
    place.first = first;
    const GuardedArray<Int, Host> in(line(n), x), weights(line(n), w), out(place);
    const auto check = [&](const Advance<Int>& advance, const char* what) {
      const auto expected = scan_line<Int>(x, Int(7), 0, advance);
      const auto got = out.values();
      EXPECT_TRUE(
          equal(got, std::string(what) == "exclusive" ? expected.exclusive : expected.inclusive))
          << what << " from " << first;
      EXPECT_TRUE(out.guards_intact());
    };
    const auto sum = [](Int s, Int v, std::size_t) { return wrapping_sum(s, v); };
    const auto options = ScanOptions().carry_in(Int(7));
    inclusive_scan(exec, in.vector(), out.vector(), Plus<Int>{}, options);
    check(sum, "inclusive");
    exclusive_scan(exec, in.vector(), out.vector(), Plus<Int>{}, options);
    check(sum, "exclusive");
    weighted_scan(exec, in.vector(), weights.vector(), out.vector(), PlusTimes<Int>{}, options);
    check([&](Int s, Int v, std::size_t j) { return wrapping_step(s, w[j], v); }, "weights");
  }
}

/// Rows and columns: few and many, short and long, with blocks and without.
TEST(HostMatrices, EveryPartition) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  const PlainScan sum{Plus<Int>{}, wrapping_sum};
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
                        {8195, 13}}) {
    if (few_cases_wanted() && s.rows * s.columns > 120'000) continue;
    for (const int axis : {0, 1})
      check_scans<2, Host>(sum, random.values<Int>(s.rows * s.columns),
                           row_major(s.rows, s.columns), row_major(s.rows, s.columns),
                           random.values<Int>(axis == 0 ? s.columns : s.rows), axis, exec);
  }
}

/// Plans do not know whether their lines will lie behind or next to each other, and are small for
/// either: the sizes do not depend on the length of the lines.
TEST(HostMatrices, PlansAreSmall) {
  const Host exec = host_instance();
  const auto threads = static_cast<std::uint64_t>(exec.concurrency());
  for (const std::int64_t lines : {1, 3, 511, 1024, 6000, 8191, 1000000})
    for (const std::int64_t length : {1000, 100003, 1000000, 1000000000}) {
      const Recorder recorder;
      const Scan<Host, Plus<double>> plan(exec, lines, length);
      EXPECT_EQ(recorder.allocated_bytes() > 0, plan.workspace_bytes() > 0);
      // Two states for each of the lines that are so few that they are divided, and some counters.
      EXPECT_LE(plan.workspace_bytes(), threads * 40 * 1024) << lines << " x " << length;
      EXPECT_LE(recorder.allocated_bytes(), threads * 40 * 1024 + 1024) << lines << " x " << length;
    }
}

/// Columns with weights, which are columns too or rows of their own.
TEST(HostMatrices, WeightsOfColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  const std::int64_t m = 5003, n = 37;
  const auto x = random.values<Int>(m * n), w = random.values<Int>(m * n);
  for (const Placement& place : {row_major(m, n), column_major(m, n)}) {
    const GuardedArray<Int, Host> weights(place, w);
    const auto on_host = [&](std::int64_t l, std::int64_t j) {
      return w[static_cast<std::size_t>(j * n + l)];
    };
    check_scans<2, Host>(WeightsScan{PlusTimes<Int>{}, weights.matrix(), on_host, wrapping_step}, x,
                         row_major(m, n), row_major(m, n), random.values<Int>(n), 0, exec);
  }
}

/// The blocks of a line do not depend on who takes them when.
TEST(HostLines, SameBitsInEveryRun) {
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
