// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(LocalAlignment, AllShapes) { check_shapes(LocalAlignment{}, whole, random_start<int>); }

}  // namespace
