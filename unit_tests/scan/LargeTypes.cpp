// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Scans of types so large that few fit into registers and team scratch.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Op>
void check_operator(const Op& op) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const PlainScan scan{op, [op](const T& a, const T& b) { return op(a, b); }};
  for (const std::int64_t n : {1, 17, 513, 8193, 17001})
    check_line(scan, random_values(op, random, n), op.random(random));
  for (const int axis : {0, 1})
    check_scans<2>(scan, random_values(op, random, 37 * 129), row_major(37, 129),
                   row_major(37, 129), random_values(op, random, 129), axis);
}

TEST(UserDefinedScans, MatricesOfSixteenBytes) {
  check_operator(MatrixProduct<std::uint32_t, 2>{});
}
TEST(UserDefinedScans, MatricesOfSixtyFourBytes) {
  check_operator(MatrixProduct<std::uint32_t, 4>{});
}

/// Fibonacci numbers by a scan of matrices, as a user would.
TEST(UserDefinedScans, Fibonacci) {
  using Op = MatrixProduct<std::uint64_t, 2>;
  const std::int64_t n = 5000;
  const std::vector<Op::Matrix> steps(static_cast<std::size_t>(n), Op::Matrix{{{1, 1}, {1, 0}}});
  const GuardedArray<Op::Matrix> powers(line(n), steps);
  inclusive_scan(powers.vector(), powers.vector(), Op{});
  std::uint64_t previous = 0, current = 1;
  for (const Op::Matrix& power : powers.values()) {
    ASSERT_EQ(power.entry[0][1], current);
    const std::uint64_t next = previous + current;
    previous = current;
    current = next;
  }
}

}  // namespace
