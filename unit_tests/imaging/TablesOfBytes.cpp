// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "SummedAreaTables.hpp"

namespace {

using wavescan::Test::expect_tables;

TEST(SummedAreaTable, Uint8ToUint32) { expect_tables<std::uint8_t, std::uint32_t>(); }
TEST(SummedAreaTable, Uint8ToFloat) { expect_tables<std::uint8_t, float>(); }

}  // namespace
