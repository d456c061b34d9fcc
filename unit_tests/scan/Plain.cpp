// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Op, class Meaning>
void check_all_lengths(const Op& op, const Meaning& meaning) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : lengths)
    check_line(PlainScan{op, meaning}, random.values<T>(n), random.value<T>());
}

TEST(PlainScans, SumsWrapAround) {
  check_all_lengths(Plus<std::int32_t>{}, [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  });
}
TEST(PlainScans, SumsOf64Bits) {
  check_all_lengths(Plus<std::uint64_t>{}, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}
TEST(PlainScans, SumsOfBytes) {
  check_all_lengths(Plus<std::uint8_t>{}, [](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(a + b);
  });
}
TEST(PlainScans, MaximaOfFloats) {
  check_all_lengths(Max<float>{}, [](float a, float b) { return a > b ? a : b; });
}

TEST(PlainScans, StridedRankOne) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PlainScan sum{Plus<std::uint64_t>{},
                      [](std::uint64_t a, std::uint64_t b) { return a + b; }};
  for (const std::int64_t n : {1, 100, 8193, 30011}) {
    check_line(sum, random.values<std::uint64_t>(n), random.value<std::uint64_t>(), 3, 1);
    check_line(sum, random.values<std::uint64_t>(n), random.value<std::uint64_t>(), 1, 2);
    check_line(sum, random.values<std::uint64_t>(n), random.value<std::uint64_t>(), 5, 5);
  }
}

TEST(PlainScans, InputOfAnotherType) {
  Random random;
  SCOPED_TRACE(random.trace());
  const PlainScan sum{Plus<std::uint32_t>{},
                      [](std::uint32_t a, std::uint32_t b) { return a + b; }};
  for (const std::int64_t n : {0, 1, 255, 4097, 70001})
    check_line(sum, random.values<std::uint8_t>(n), random.value<std::uint32_t>());
  // Converted before they are added: signed bytes become negative numbers.
  const PlainScan wide{Plus<std::int64_t>{}, [](std::int64_t a, std::int64_t b) { return a + b; }};
  check_line(wide, random.values<std::int8_t>(20011), -5);
}

TEST(PlainScans, PrefixMinimaAndBits) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 33, 8193, 20011}) {
    const auto x = random.values<std::uint64_t>(n);
    check_line(PlainScan{Min<std::uint64_t>{},
                         [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }},
               x, ~std::uint64_t(0));
    check_line(
        PlainScan{BitXor<std::uint64_t>{}, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
        x, random.value<std::uint64_t>());
  }
}

TEST(PlainScans, OverloadsWithoutInstanceAndOperator) {
  const GuardedArray<int> in(line(5), {3, 1, 4, 1, 5}), out(line(5));
  inclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), {3, 4, 8, 9, 14}));
  exclusive_scan(in.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), {0, 3, 4, 8, 9}));
  inclusive_scan(in.vector(), out.vector(), Max<int>{});
  EXPECT_TRUE(equal(out.values(), {3, 3, 4, 4, 5}));
  inclusive_scan(in.vector(), out.vector(), Plus<int>{}, ScanOptions().carry_in(10));
  EXPECT_TRUE(equal(out.values(), {13, 14, 18, 19, 24}));
  weighted_scan(in.vector(), 2, out.vector());
  EXPECT_TRUE(equal(out.values(), {3, 7, 18, 37, 79}));
  weighted_exclusive_scan(in.vector(), 2, out.vector());
  EXPECT_TRUE(equal(out.values(), {0, 3, 7, 18, 37}));
}

}  // namespace
