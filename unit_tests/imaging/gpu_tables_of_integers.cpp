// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "gpu_tables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_batches;

TEST(GpuTables, Uint16) { expect_batches<std::uint16_t, std::uint32_t>(); }
TEST(GpuTables, Int32) { expect_batches<std::int32_t, std::int32_t>(); }
TEST(GpuTables, Int32ToInt64) { expect_batches<std::int32_t, std::int64_t>(); }
TEST(GpuTables, Int64) { expect_batches<std::int64_t, std::int64_t>(); }

}  // namespace

#endif
