// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// Sizes that fill caches, counters and, where there is memory for it, 32-bit indices.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(HugeScans, TensOfMillions) {
  if (few_cases_wanted()) GTEST_SKIP() << "few cases are wanted";
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 20000003;
  const auto x = random.values<std::int32_t>(n);
  const GuardedArray<std::int32_t> in(line(n), x), out(line(n));
  const auto sums = scan_line<std::int32_t>(
      x, std::nullopt, 0,
      [](std::int32_t s, std::int32_t v, std::size_t) { return wrapping_sum(s, v); });
  inclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), sums.inclusive));
  exclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), sums.exclusive));
  weighted_exclusive_scan(in.vector(), 5, out.vector(), PlusTimes<std::int32_t>{});
  EXPECT_TRUE(equal(
      out.values(),
      scan_line<std::int32_t>(x, std::nullopt, 0, [](std::int32_t s, std::int32_t v, std::size_t) {
        return wrapping_step(s, 5, v);
      }).exclusive));
}

TEST(HugeScans, FloatsWithAWeight) {
  if (few_cases_wanted()) GTEST_SKIP() << "few cases are wanted";
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 5000011;
  const auto x = random.values<float>(n);
  const GuardedArray<float> in(line(n), x), out(line(n));
  weighted_scan(in.vector(), 0.75f, out.vector());
  EXPECT_TRUE(within(out.values(), linear_recurrence<float>(x, std::vector<float>(x.size(), 0.75f),
                                                            std::nullopt)));
}

/// Elements of a scan of ones, from `first` on, that are not their number modulo 256.
struct CountWrong {
  Kokkos::View<std::int8_t*> scanned;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t j, std::int64_t& wrong) const {
    if (scanned(j) != static_cast<std::int8_t>(first + j)) ++wrong;
  }
};

/// Bytes in place: 4 GiB beyond what 32 bits count, 8 GiB if WAVESCAN_TEST_HUGE is set.
TEST(HugeScans, MoreElementsThan32BitsCount) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const bool huge = std::getenv("WAVESCAN_TEST_HUGE");
  if ((on_host<Exec> && !huge) || few_cases_wanted())
    GTEST_SKIP() << "set WAVESCAN_TEST_HUGE to use 8 GiB of memory";
  const std::int64_t n = (std::int64_t(1) << (huge ? 33 : 32)) + 77;
  Kokkos::View<std::int8_t*> data;
  try {
    data = decltype(data)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "data"),
                          static_cast<std::size_t>(n));
  } catch (const std::exception& error) {
    GTEST_SKIP() << "too little memory: " << error.what();
  }
  const auto wrong = [&](std::int64_t first) {
    std::int64_t count = 0;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                            CountWrong{data, first}, count);
    return count;
  };
  Kokkos::deep_copy(data, std::int8_t(1));
  inclusive_scan(data, data);
  EXPECT_EQ(wrong(1), 0);
  Kokkos::deep_copy(data, std::int8_t(1));
  exclusive_scan(data, data, Plus<std::int8_t>{}, ScanOptions().carry_in(std::int8_t(7)));
  EXPECT_EQ(wrong(7), 0);
  Kokkos::deep_copy(data, std::int8_t(1));
  weighted_scan(data, std::int8_t(1), data);
  EXPECT_EQ(wrong(1), 0);
}

}  // namespace
