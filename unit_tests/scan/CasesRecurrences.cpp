// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "ScanCases.hpp"

// Random cases of linear recurrences.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanCases, RecurrencesModulo2To32) {
  check_cases(weighted_subject<std::uint32_t>(
      PlusTimes<std::uint32_t>{},
      [](std::uint32_t s, std::uint32_t w, std::uint32_t x) { return s * w + x; },
      [](Random& r) { return r.value<std::uint32_t>(); },
      [](Random& r) { return r.value<std::uint32_t>(); }));
}

TEST(ScanCases, RecurrencesOfDoubles) {
  check_cases(weighted_subject<double>(
      PlusTimes<double>{}, [](double s, double w, double x) { return s * w + x; },
      [](Random& r) { return static_cast<double>(r.integer(-9, 9)); },
      [](Random& r) { return static_cast<double>(r.integer(-1, 1)); }));
}

}  // namespace
