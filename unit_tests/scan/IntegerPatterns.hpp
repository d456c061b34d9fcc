// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_INTEGERPATTERNS_HPP
#define WAVESCAN_TEST_SCAN_INTEGERPATTERNS_HPP

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

/// @file
/// @brief Scans of the values at which integers overflow, wrap around and change their sign.

namespace wavescan::Test {

template <class T>
std::vector<std::vector<T>> integer_patterns(std::int64_t length) {
  constexpr T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  constexpr auto odd_bits = static_cast<T>(0x5555555555555555u);
  constexpr auto even_bits = static_cast<T>(0xaaaaaaaaaaaaaaaau);
  const std::vector<std::vector<T>> periods{{low},
                                            {high},
                                            {static_cast<T>(-1)},
                                            {low, high},
                                            {low, 0, 0, low, high},
                                            {odd_bits, even_bits}};
  std::vector<std::vector<T>> patterns;
  for (const auto& period : periods) {
    patterns.emplace_back();
    for (std::size_t j = 0; j < static_cast<std::size_t>(length); ++j)
      patterns.back().push_back(period[j % period.size()]);
  }
  patterns.emplace_back();  // one bit that walks
  for (std::int64_t j = 0; j < length; ++j)
    patterns.back().push_back(
        static_cast<T>(std::uint64_t(1) << (static_cast<std::size_t>(j) % (8 * sizeof(T)))));
  Random random;
  patterns.push_back(random.values<T>(length));
  return patterns;
}

/// @brief What the type's arithmetic is modulo 2^bits: that of 64 bits, cut off.
template <class T>
T wrapped(std::uint64_t x) {
  return static_cast<T>(x);
}

/// @brief Both kinds of a scan of a line that `carry` enters.
template <class Scan, class T>
void check_pattern(const Scan& scan, const std::vector<T>& x, const T& carry) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const Placement place = line(static_cast<std::int64_t>(x.size()));
  const ExpectedScans<T> expected(scan, x, place, 1, {carry});
  const GuardedArray<T> in(place, x);
  const typename decltype(in.vector())::const_type from = in.vector();  // as check_scans has it
  const auto plan = scan.plan(Exec(), from, 0);
  for (const Kind kind : {Kind::Inclusive, Kind::Exclusive}) {
    const GuardedArray<T> out(place), last(line(1));
    scan.call(plan, kind, from, out.vector(),
              ScanOptions().axis(0).carry_in(carry).carry_out(last.scalar()));
    ASSERT_TRUE(equal(out.values(), expected.of(kind)));
    ASSERT_TRUE(equal(last.values(), expected.last));
  }
}

inline const std::vector<std::int64_t> pattern_lengths{1, 7, 64, 257, 4097, 70001};

template <class T>
void check_sums() {
  const auto meaning = [](T a, T b) {
    return wrapped<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  };
  for (const std::int64_t n : pattern_lengths)
    for (const auto& x : integer_patterns<T>(n))
      check_pattern(PlainScan{Plus<T>{}, meaning}, x, std::numeric_limits<T>::lowest());
}

template <class T>
void check_maxima() {
  for (const std::int64_t n : pattern_lengths)
    for (const auto& x : integer_patterns<T>(n))
      check_pattern(PlainScan{Max<T>{}, [](T a, T b) { return a > b ? a : b; }}, x, T(1));
}

template <class T>
void check_recurrences() {
  const auto meaning = [](T s, T w, T x) {
    return wrapped<T>(static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(w) +
                      static_cast<std::uint64_t>(x));
  };
  constexpr T low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  for (const std::int64_t n : pattern_lengths)
    for (const T w : {low, high, static_cast<T>(-1), T(0), T(3)})
      for (const auto& x : integer_patterns<T>(n))
        check_pattern(ConstantWeightScan{PlusTimes<T>{}, w, meaning}, x, high);
}

}  // namespace wavescan::Test

#endif
