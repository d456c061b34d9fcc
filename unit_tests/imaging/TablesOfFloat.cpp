// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "SummedAreaTables.hpp"

namespace {

using wavescan::Test::expect_tables;

TEST(SummedAreaTable, Float) { expect_tables<float, float>(); }
TEST(SummedAreaTable, FloatToDouble) { expect_tables<float, double>(); }

}  // namespace
