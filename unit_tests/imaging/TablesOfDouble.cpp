// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "SummedAreaTables.hpp"

namespace {

using wavescan::Test::expect_tables;

TEST(SummedAreaTable, Double) { expect_tables<double, double>(); }

// Where kernels run on a device, the host has a way of its own.
TEST(SummedAreaTable, DoubleOnTheHost) {
  expect_tables<double, double, Kokkos::DefaultHostExecutionSpace>();
}

}  // namespace
