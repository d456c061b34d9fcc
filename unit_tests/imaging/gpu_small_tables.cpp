// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "gpu_small_tables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using namespace wavescan::Test::GpuTables;

TEST(GpuSmallTables, ResidentFloat) { expect_resident_tables<float, float>(); }
TEST(GpuSmallTables, ResidentDouble) { expect_resident_tables<double, double>(); }
TEST(GpuSmallTables, ResidentUint8ToUint32) {
  expect_resident_tables<std::uint8_t, std::uint32_t>();
}
TEST(GpuSmallTables, ResidentUint8ToDouble) { expect_resident_tables<std::uint8_t, double>(); }
TEST(GpuSmallTables, WalkedFloat) { expect_walked_tables<float, float>(); }
TEST(GpuSmallTables, WalkedDouble) { expect_walked_tables<double, double>(); }
TEST(GpuSmallTables, WalkedUint8ToUint32) { expect_walked_tables<std::uint8_t, std::uint32_t>(); }
TEST(GpuSmallTables, WalkedUint8ToDouble) { expect_walked_tables<std::uint8_t, double>(); }

}  // namespace

#endif
