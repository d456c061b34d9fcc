// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "ScanCases.hpp"

// Random cases of linear recurrences.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanCases, RecurrencesModulo2To64) {
  check_cases(weighted_subject<std::uint64_t>(
      PlusTimes<std::uint64_t>{},
      [](std::uint64_t s, std::uint64_t w, std::uint64_t x) { return s * w + x; },
      [](Random& r) { return r.value<std::uint64_t>(); },
      [](Random& r) { return r.value<std::uint64_t>(); }));
}

TEST(ScanCases, RecurrencesOfDoubles) {
  check_cases(weighted_subject<double>(
      PlusTimes<double>{}, [](double s, double w, double x) { return s * w + x; },
      [](Random& r) { return static_cast<double>(r.integer(-9, 9)); },
      [](Random& r) { return static_cast<double>(r.integer(-1, 1)); }));
}

}  // namespace
