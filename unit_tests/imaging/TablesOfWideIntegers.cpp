// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "SummedAreaTables.hpp"

namespace {

using wavescan::Test::expect_tables;

TEST(SummedAreaTable, Uint32) { expect_tables<std::uint32_t, std::uint32_t>(); }
TEST(SummedAreaTable, Int64) { expect_tables<std::int64_t, std::int64_t>(); }

}  // namespace
