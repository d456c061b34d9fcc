// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "IntegerPatterns.hpp"

namespace {

using namespace wavescan::Test;

TEST(IntegerPatterns, SumsOfSigned8Bits) { check_sums<std::int8_t>(); }
TEST(IntegerPatterns, SumsOfUnsigned8Bits) { check_sums<std::uint8_t>(); }
TEST(IntegerPatterns, SumsOfSigned16Bits) { check_sums<std::int16_t>(); }
TEST(IntegerPatterns, SumsOfUnsigned16Bits) { check_sums<std::uint16_t>(); }
TEST(IntegerPatterns, MaximaOfSigned8Bits) { check_maxima<std::int8_t>(); }
TEST(IntegerPatterns, MaximaOfUnsigned16Bits) { check_maxima<std::uint16_t>(); }
TEST(IntegerPatterns, RecurrencesOfSigned8Bits) { check_recurrences<std::int8_t>(); }
TEST(IntegerPatterns, RecurrencesOfSigned16Bits) { check_recurrences<std::int16_t>(); }

}  // namespace
