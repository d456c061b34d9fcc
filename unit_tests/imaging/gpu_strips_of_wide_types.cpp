// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>

#include "gpu_strips.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using wavescan::Test::GpuTables::expect_strips_of_all_sizes;

TEST(GpuStrips, Double) { expect_strips_of_all_sizes<double, double>(); }
TEST(GpuStrips, Int16ToInt64) { expect_strips_of_all_sizes<std::int16_t, std::int64_t>(); }

}  // namespace

#endif
