// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "GpuTables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_strips;

TEST(GpuStrips, Double) { expect_strips<double, double>(); }
TEST(GpuStrips, Int16ToInt64) { expect_strips<std::int16_t, std::int64_t>(); }
TEST(GpuStrips, Uint8Squares) { expect_strips<std::uint8_t, std::uint64_t, true>(); }
TEST(GpuStrips, FloatSquares) { expect_strips<float, double, true>(); }

}  // namespace

#endif
