// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Sizes that fill caches, counters and, where there is memory for it, 32-bit indices.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(HugeScans, TensOfMillions) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 20000003;
  const auto x = random.values<std::uint32_t>(n);
  const GuardedArray<std::uint32_t> in(line(n), x), out(line(n));
  const auto sums = scan_line<std::uint32_t>(
      x, std::nullopt, 0u, [](std::uint32_t s, std::uint32_t v, std::size_t) { return s + v; });
  inclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), sums.inclusive));
  exclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), sums.exclusive));
  weighted_exclusive_scan(in.vector(), 5, out.vector(), PlusTimes<std::uint32_t>{});
  EXPECT_TRUE(equal(out.values(), scan_line<std::uint32_t>(x, std::nullopt, 0u,
                                                           [](std::uint32_t s, std::uint32_t v,
                                                              std::size_t) { return 5 * s + v; })
                                      .exclusive));
}

TEST(HugeScans, FloatsWithAWeight) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 5000011;
  const auto x = random.values<float>(n);
  const GuardedArray<float> in(line(n), x), out(line(n));
  weighted_scan(in.vector(), 0.75f, out.vector());
  EXPECT_TRUE(within(out.values(), linear_recurrence<float>(x, std::vector<float>(x.size(), 0.75f),
                                                            std::nullopt)));
}

/// Elements of a scan of ones that are not their number modulo 256.
struct CountWrong {
  Kokkos::View<std::uint8_t*> scanned;
  KOKKOS_FUNCTION void operator()(std::int64_t j, std::int64_t& wrong) const {
    if (scanned(j) != static_cast<std::uint8_t>(j + 1)) ++wrong;
  }
};

TEST(HugeScans, MoreElementsThan32BitsCount) {
  using Exec = Kokkos::DefaultExecutionSpace;
  if (std::is_same_v<Exec::memory_space, Kokkos::HostSpace> && !std::getenv("WAVESCAN_TEST_HUGE"))
    GTEST_SKIP() << "set WAVESCAN_TEST_HUGE to use 4 GiB of memory";
  const std::int64_t n = (std::int64_t(1) << 32) + 77;
  Kokkos::View<std::uint8_t*> data;
  try {
    data = decltype(data)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "data"),
                          static_cast<std::size_t>(n));
  } catch (const std::exception& error) {
    GTEST_SKIP() << "too little memory: " << error.what();
  }
  Kokkos::deep_copy(data, std::uint8_t(1));
  inclusive_scan(data, data);
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
                          CountWrong{data}, wrong);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
