// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "../support/WaveScanTest_Operators.hpp"
#include "ScanCases.hpp"

// Random cases of operators that do not commute, on types of 3 and 8 bytes, and of a maximum.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Op>
void check_operator(const Op& op) {
  using T = typename Op::value_type;
  check_cases(plain_subject<T>(
      op, [op](const T& a, const T& b) { return op(a, b); },
      [op](Random& r) { return op.random(r); }));
}

TEST(ScanCases, AutomatonTransitionsOfThreeBytes) { check_operator(Automaton<3>{}); }
TEST(ScanCases, AffineMapsOfEightBytes) { check_operator(Affine<std::uint32_t>{}); }

TEST(ScanCases, Maxima) {
  check_cases(plain_subject<double>(
      Max<double>{}, [](double a, double b) { return a > b ? a : b; },
      [](Random& r) { return r.value<double>(); }));
}

}  // namespace
