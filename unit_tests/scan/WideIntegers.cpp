// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "IntegerPatterns.hpp"

namespace {

using namespace wavescan::Test;

TEST(IntegerPatterns, SumsOfSigned32Bits) { check_sums<std::int32_t>(); }
TEST(IntegerPatterns, SumsOfUnsigned32Bits) { check_sums<std::uint32_t>(); }
TEST(IntegerPatterns, SumsOfSigned64Bits) { check_sums<std::int64_t>(); }
TEST(IntegerPatterns, SumsOfUnsigned64Bits) { check_sums<std::uint64_t>(); }
TEST(IntegerPatterns, MaximaOfSigned32Bits) { check_maxima<std::int32_t>(); }
TEST(IntegerPatterns, MaximaOfUnsigned64Bits) { check_maxima<std::uint64_t>(); }
TEST(IntegerPatterns, RecurrencesOfSigned32Bits) { check_recurrences<std::int32_t>(); }
TEST(IntegerPatterns, RecurrencesOfSigned64Bits) { check_recurrences<std::int64_t>(); }

}  // namespace
