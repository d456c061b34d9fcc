// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "GpuTables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_tiles;

TEST(GpuTiles, Float) { expect_tiles<float, float>(); }
TEST(GpuTiles, Uint8ToFloat) { expect_tiles<std::uint8_t, float>(); }
TEST(GpuTiles, FloatSquares) { expect_tiles<float, double, true>(); }
TEST(GpuTiles, Double) { expect_tiles<double, double>(); }

}  // namespace

#endif
