// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(Algorithm1, Float) { check_shapes(Algorithm1<float>{}, whole, random_start<float>); }
TEST(Algorithm1, Double) { check_shapes(Algorithm1<double>{}, whole, random_start<double>); }

}  // namespace
