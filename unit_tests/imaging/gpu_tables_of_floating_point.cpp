// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "gpu_tables.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_batches;

TEST(GpuTables, Uint8ToFloat) { expect_batches<std::uint8_t, float>(); }
TEST(GpuTables, FloatSquares) { expect_batches<float, float, double>(); }
TEST(GpuTables, Double) { expect_batches<double, double>(); }

}  // namespace

#endif
