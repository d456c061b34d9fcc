// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>

#include "CheckOperator.hpp"

// Operators of users, on types of 1 to 64 bytes. Most do not commute: operands must keep their
// order through every chunk and team.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(UserDefinedScans, CarriesOfBigIntegers) { check_operator(CarryLookahead{}); }
TEST(UserDefinedScans, AffineMapsOfTwoBytes) { check_operator(Affine<std::uint8_t>{}); }
TEST(UserDefinedScans, AutomatonTransitionsOfSixBytes) { check_operator(Automaton<6>{}); }
TEST(UserDefinedScans, AffineMapsOfSixteenBytes) { check_operator(Affine<std::uint64_t>{}); }
TEST(UserDefinedScans, ModulusKnownAtRunTime) { check_operator(ModularTimes{4294967291u}); }

}  // namespace
