// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "ScanCases.hpp"

// Random cases whose input is converted to the type of the result.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanCases, SumsOfBytesIn32Bits) {
  check_cases(plain_subject<std::uint8_t>(
      Plus<std::uint32_t>{}, [](std::uint32_t a, std::uint32_t b) { return a + b; },
      [](Random& r) { return r.value<std::uint8_t>(); }));
}

TEST(ScanCases, WeightedSumsOfFloatsInDouble) {
  check_cases(weighted_subject<float>(
      PlusTimes<double>{}, [](double s, double w, double x) { return s * w + x; },
      [](Random& r) { return static_cast<float>(r.integer(-9, 9)); },
      [](Random& r) { return static_cast<double>(r.integer(-1, 1)); }));
}

}  // namespace
