// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "GpuTables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_tiles;

TEST(GpuTiles, Uint16) { expect_tiles<std::uint16_t, std::uint32_t>(); }
TEST(GpuTiles, Int32) { expect_tiles<std::int32_t, std::int32_t>(); }
TEST(GpuTiles, Int32ToInt64) { expect_tiles<std::int32_t, std::int64_t>(); }
TEST(GpuTiles, Int64) { expect_tiles<std::int64_t, std::int64_t>(); }

}  // namespace

#endif
