// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "SummedAreaTables.hpp"

namespace {

using wavescan::Test::expect_tables;

TEST(SummedAreaTable, Uint16ToUint32) { expect_tables<std::uint16_t, std::uint32_t>(); }
TEST(SummedAreaTable, Int32ToInt64) { expect_tables<std::int32_t, std::int64_t>(); }

// A narrow table that caches do not hold: threads share it, and each sums up a band before it knows
// what lies above.
TEST(SummedAreaTable, LargeNarrow) {
  const std::int64_t rows = 20011, columns = 90;
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  const wavescan::Test::Image<std::int32_t> image{rows, columns,
                                                  random.values<std::int32_t>(rows * columns)};
  const auto place = wavescan::Test::row_major(rows, columns);
  wavescan::Test::expect_table<std::int32_t, std::int64_t, Kokkos::DefaultExecutionSpace>(
      image, place, place);
}

}  // namespace
