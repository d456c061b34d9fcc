// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include "../sor/BlockSweeps.hpp"

// SOR of several unknowns a point, with 64 rows a warp.

namespace {

using namespace wavescan;
using namespace wavescan::Test::block_sor;

static_assert(std::is_same_v<Impl::block_sor::SweepsOf<Exec, MatrixOf<float, 2, 2>>::type,
                             Impl::block_sor::GpuBlockSweeps<MatrixOf<float, 2, 2>>>);

TEST(WideWarps, BlockSOR) {
  for (const int blocks : {1, 3}) {
    Impl::gpu::emulated_properties.multiProcessorCount = blocks;
    for (const auto& [rows, columns] : {std::pair{3, 3}, {65, 9}, {66, 30}, {67, 20}, {200, 70}})
      expect_bits<float, 2, 2>(1, rows, columns, SweepOrder::Symmetric);
    expect_bits<double, 5, 2>(1, 140, 30, SweepOrder::Backward, false);
    expect_bits<double, 5, 2>(1, 140, 30, SweepOrder::Forward);
  }
}
TEST(WideWarps, BlockSORInSpace) {
  for (const int blocks : {1, 2}) {
    Impl::gpu::emulated_properties.multiProcessorCount = blocks;
    expect_bits<double, 3, 3>(7, 70, 11, SweepOrder::Symmetric);
    expect_bits<double, 3, 3>(3, 140, 5, SweepOrder::Backward);
    expect_bits<double, 3, 3>(9, 4, 3, SweepOrder::Forward, false);
  }
}

}  // namespace
