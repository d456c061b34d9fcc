// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace wavescan_tool;

namespace {

TEST(Numbers, AreTakenAsAWhole) {
  EXPECT_EQ(number_of<int>("-12"), -12);
  EXPECT_EQ(number_of<double>("+2.5e1"), 25);
  EXPECT_TRUE(std::isnan(*number_of<double>("nan")));
  for (const char* text : {"", " 1", "1 ", "1,", "0x10", "++1", "+-1", "one", "1.5.2"}) {
    EXPECT_EQ(number_of<double>(text), std::nullopt) << text;
    EXPECT_EQ(number_of<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_of<int>("1.0"), std::nullopt);
}

TEST(Numbers, AreDecimalWhateverZerosTheyBeginWith) {
  EXPECT_EQ(number_of<int>("010"), 10);
  EXPECT_EQ(number_of<std::uint8_t>("08"), 8);
  EXPECT_EQ(number_of<std::int64_t>("-009"), -9);
}

TEST(Numbers, AreExactOrRefused) {
  EXPECT_EQ(number_of<std::int64_t>("9007199254740993"), 9007199254740993);
  EXPECT_EQ(number_of<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(number_of<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(number_of<std::int8_t>("128"), std::nullopt);
  EXPECT_EQ(number_of<float>("1e300"), std::nullopt);
}

TEST(Numbers, HaveLimits) {
  EXPECT_TRUE(Limits<int>{}.hold(std::numeric_limits<int>::min()));
  EXPECT_TRUE((Limits<int>{2, 4}.hold(2) && Limits<int>{2, 4}.hold(4)));
  EXPECT_FALSE((Limits<int>{2, 4}.hold(1) || Limits<int>{2, 4}.hold(5)));
  for (const double outside : {0., 2., -1., std::nan("")})
    EXPECT_FALSE(relaxation_factors.hold(outside)) << outside;
  EXPECT_FALSE(positive.hold(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(at_least(3).to_string(), "a whole number of at least 3");
  EXPECT_EQ((Limits<double>{0, 1}.to_string()), "a number from 0 to 1");
  EXPECT_EQ(positive.to_string(), "a number greater than 0");
  EXPECT_EQ(relaxation_factors.to_string(), "a number greater than 0 and less than 2");
}

TEST(Numbers, AreAllThereInLists) {
  EXPECT_EQ(numbers_of<double>("--b", "1,-.5,2e3"), (std::vector<double>{1, -.5, 2e3}));
  for (const char* text : {"", ",", "1,", ",1", "1,,2", "1, 2", "1;2"})
    EXPECT_THROW(numbers_of<double>("--b", text), std::invalid_argument) << text;
}

}  // namespace
