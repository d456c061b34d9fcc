// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_CHECKOPERATOR_HPP
#define WAVESCAN_TEST_SCAN_CHECKOPERATOR_HPP

#include <cstdint>

#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

namespace wavescan::Test {

/// @brief An operator as users write them, as a scan whose oracle folds with a copy of it, one
/// element after the other, on the host.
template <class Op>
auto scan_of(const Op& op) {
  using T = typename Op::value_type;
  return PlainScan{op, [op](const T& a, const T& b) { return op(a, b); }};
}

/// @brief Checks scans of lines of many lengths and strides, and of rows and columns.
template <class Op>
void check_operator(const Op& op) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto scan = scan_of(op);
  for (const std::int64_t n : {0, 1, 2, 16, 17, 33, 127, 513, 1025, 2049, 8193, 25013})
    check_line(scan, random_values(op, random, n), op.random(random), n % 3 + 1);
  for (const int axis : {0, 1}) {
    check_scans<2>(scan, random_values(op, random, 37 * 129), row_major(37, 129),
                   column_major(37, 129), random_values(op, random, 129), axis);
    check_scans<2>(scan, random_values(op, random, 3 * 9001), row_major(3, 9001), spread(3, 9001),
                   random_values(op, random, 9001), axis);
  }
}

}  // namespace wavescan::Test

#endif
