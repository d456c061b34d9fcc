// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "DistributedGrids.hpp"

namespace wavescan::Test {
namespace {

// Small blocks.
TEST(MpiSor, SweepsOfDoubles) { check_rows<double>(1, 12); }
TEST(MpiSor, LargeBlocksOfDoubles) { check_large_rows<double>(); }
TEST(MpiSor, GridsOfDoubles) { check_grids<double>(1, 9, 7, coefficients<double>); }
TEST(MpiSor, LargeGridsOfDoubles) { check_large_grids<double>(); }
TEST(MpiSor, PipelinesOfGridsOfDoubles) { check_pipelines_of_grids<double>(); }

}  // namespace
}  // namespace wavescan::Test
