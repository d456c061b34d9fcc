// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "CheckOperator.hpp"

// Scans of types so large that few fit into registers and team scratch.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(UserDefinedScans, MatricesOfSixteenBytes) {
  check_operator(MatrixProduct<std::uint32_t, 2>{});
}
TEST(UserDefinedScans, MatricesOfSixtyFourBytes) {
  check_operator(MatrixProduct<std::uint32_t, 4>{});
}

/// Fibonacci numbers by a scan of matrices, as a user would.
TEST(UserDefinedScans, Fibonacci) {
  using Op = MatrixProduct<std::uint32_t, 2>;  // modulo 2^32
  const std::int64_t n = 5000;
  const std::vector<Op::Matrix> steps(static_cast<std::size_t>(n), Op::Matrix{{{1, 1}, {1, 0}}});
  const GuardedArray<Op::Matrix> powers(line(n), steps);
  inclusive_scan(powers.vector(), powers.vector(), Op{});
  std::uint32_t previous = 0, current = 1;
  for (const Op::Matrix& power : powers.values()) {
    ASSERT_EQ(power.entry[0][1], current);
    const std::uint32_t next = previous + current;
    previous = current;
    current = next;
  }
}

}  // namespace
