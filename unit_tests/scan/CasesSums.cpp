// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "ScanCases.hpp"

// Random cases of sums, exact in any association.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanCases, SumsOfBytes) {
  check_cases(plain_subject<std::uint8_t>(
      Plus<std::uint8_t>{},
      [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a + b); },
      [](Random& r) { return r.value<std::uint8_t>(); }));
}

TEST(ScanCases, SumsOfFloats) {
  check_cases(plain_subject<float>(
      Plus<float>{}, [](float a, float b) { return a + b; },
      [](Random& r) { return static_cast<float>(r.integer(-9, 9)); }));
}

}  // namespace
