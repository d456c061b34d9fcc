// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Operators of users, on types of 1 to 64 bytes. Most do not commute: operands must keep their
// order through every chunk and team.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// The oracle folds with a copy of the operator, one element after the other, on the host.
template <class Op>
void check_operator(const Op& op) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const PlainScan scan{op, [op](const T& a, const T& b) { return op(a, b); }};
  for (const std::int64_t n : {0, 1, 2, 16, 17, 33, 127, 1025, 2049, 8193, 25013})
    check_line(scan, random_values(op, random, n), op.random(random), n % 3 + 1);
  for (const int axis : {0, 1}) {
    check_scans<2>(scan, random_values(op, random, 37 * 129), row_major(37, 129),
                   column_major(37, 129), random_values(op, random, 129), axis);
    check_scans<2>(scan, random_values(op, random, 3 * 9001), row_major(3, 9001), spread(3, 9001),
                   random_values(op, random, 9001), axis);
  }
}

TEST(UserDefinedScans, CarriesOfBigIntegers) { check_operator(CarryLookahead{}); }
TEST(UserDefinedScans, AffineMapsOfTwoBytes) { check_operator(Affine<std::uint8_t>{}); }
TEST(UserDefinedScans, AutomatonTransitionsOfSixBytes) { check_operator(Automaton<6>{}); }
TEST(UserDefinedScans, AffineMapsOfSixteenBytes) { check_operator(Affine<std::uint64_t>{}); }
TEST(UserDefinedScans, ModulusKnownAtRunTime) { check_operator(ModularTimes{4294967291u}); }

}  // namespace
