// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

// Loops whose one operator accumulates and distributes: the second case of theorem 1.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(SummedArea, Int32) {
  check_shapes(SummedArea<std::int32_t>{}, whole, random_start<std::int32_t>);
}
TEST(SummedArea, Int64) {
  check_shapes(SummedArea<std::int64_t>{}, whole, random_start<std::int64_t>);
}
TEST(RunningMaximum, Int32) { check_shapes(RunningMaximum{}, whole, random_start<int>); }
TEST(AddedWeight, Int32) { check_shapes(AddedWeight{}, whole, random_start<std::uint32_t>); }

}  // namespace
