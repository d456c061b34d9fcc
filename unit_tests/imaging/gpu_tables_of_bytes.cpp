// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "gpu_tables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_batches;

TEST(GpuTables, Uint8) { expect_batches<std::uint8_t, std::uint32_t>(); }
TEST(GpuTables, Uint8ToDouble) { expect_batches<std::uint8_t, double>(); }
TEST(GpuTables, Uint8Squares) { expect_batches<std::uint8_t, std::uint32_t, std::uint64_t>(); }

}  // namespace

#endif
