// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>

#include "ScanCases.hpp"

// Random cases of weights that are added.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanCases, LongestPaths) {
  check_cases(weighted_subject<std::int64_t>(
      MaxPlus<std::int64_t>{},
      [](std::int64_t s, std::int64_t w, std::int64_t x) { return std::max(s + w, x); },
      [](Random& r) { return r.integer(-1000, 1000); },
      [](Random& r) { return r.integer(-20, 10); }));
}

TEST(ScanCases, WeightsOfTheSameOperator) {
  check_cases(weighted_subject<std::uint16_t>(
      SameOperator<Plus<std::uint16_t>>{},
      [](std::uint16_t s, std::uint16_t w, std::uint16_t x) {
        return static_cast<std::uint16_t>(s + w + x);
      },
      [](Random& r) { return r.value<std::uint16_t>(); },
      [](Random& r) { return r.value<std::uint16_t>(); }));
}

}  // namespace
