// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_TYPES_HPP
#define WAVESCAN_TEST_TYPES_HPP

#include <gtest/gtest.h>

/// @file
/// @brief The types that tests of templates are instantiated with.

namespace wavescan::Test {

/// @brief Types of floating-point numbers. Sanitizers see with one of them what they see with both,
/// but for the code of vectors, whose tests name their types themselves.
#ifdef WAVESCAN_TEST_ONE_TYPE
using FloatingPointTypes = testing::Types<double>;
#else
using FloatingPointTypes = testing::Types<float, double>;
#endif

}  // namespace wavescan::Test

#endif
