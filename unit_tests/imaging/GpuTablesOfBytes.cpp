// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "GpuTables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_tiles;

TEST(GpuTiles, Uint8) { expect_tiles<std::uint8_t, std::uint32_t>(); }
TEST(GpuTiles, Uint8ToDouble) { expect_tiles<std::uint8_t, double>(); }
TEST(GpuTiles, Uint8Squares) { expect_tiles<std::uint8_t, std::uint64_t, true>(); }

}  // namespace

#endif
