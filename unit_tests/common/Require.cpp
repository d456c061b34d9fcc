// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>

#include <Kokkos_Core.hpp>
#include <string>

#include "../support/WaveScanTest_Errors.hpp"

namespace {

using namespace wavescan::Impl;
using wavescan::Test::error_of;

TEST(Require, MessageNamesOperationArgumentExpectationAndActual) {
  EXPECT_EQ(error_of([] { reject("scan", "axis", "must be 0 or 1", "7"); }),
            "WaveScan::scan: argument 'axis' must be 0 or 1, got 7");
  EXPECT_EQ(error_of([] { require(false, "sor", "omega", "must be in (0, 2)", 2.5); }),
            "WaveScan::sor: argument 'omega' must be in (0, 2), got 2.5");
  EXPECT_EQ(error_of([] { require(true, "sor", "omega", "must be in (0, 2)", 1.5); }),
            "nothing was thrown");
}

TEST(Require, NamesTheOutermostOperationThatWasCalled) {
  const auto plan = [] { reject("Plan", "x", "must be 1", "2"); };
  const auto inner = [&] {
    const Calling calling("inner");
    plan();
  };
  const auto outer = [&] {
    const Calling calling("outer");
    inner();
  };
  EXPECT_EQ(error_of(outer), "WaveScan::outer: argument 'x' must be 1, got 2");
  EXPECT_EQ(error_of(inner), "WaveScan::inner: argument 'x' must be 1, got 2");
  EXPECT_EQ(error_of(plan), "WaveScan::Plan: argument 'x' must be 1, got 2");
}

TEST(Require, AsksFunctionsForTheirTextsOnlyThen) {
  int asked = 0;
  const auto one = [&] { return ++asked; };
  const auto text = [&] { return "must be " + std::to_string(++asked); };
  require(true, "op", "x", text, one);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(error_of([&] { require(false, "op", "x", text, [] { return 7; }); }),
            "WaveScan::op: argument 'x' must be 1, got 7");
}

TEST(Require, NumbersKeepAllTheirDigits) {
  const std::string message =
      error_of([] { require(false, "op", "x", "must be 0.1", 0.1 + 1e-16); });
  EXPECT_NE(message.find("0.1000000000000001"), std::string::npos) << message;
}

TEST(Require, ExtentsAsText) {
  EXPECT_EQ(extents_of(Kokkos::View<int*, Kokkos::HostSpace>("v", 3)), "3");
  EXPECT_EQ(extents_of(Kokkos::View<int**, Kokkos::HostSpace>("v", 3, 0)), "3 x 0");
  EXPECT_EQ(extents_of(Kokkos::View<int*** [5], Kokkos::HostSpace>("v", 3, 4, 2)), "3 x 4 x 2 x 5");
  EXPECT_EQ(extents_of(Kokkos::View<int, Kokkos::HostSpace>("v")), "a single element");
}

TEST(Require, SameExtents) {
  const Kokkos::View<int**, Kokkos::HostSpace> a("a", 3, 4);
  const Kokkos::View<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> b("b", 3, 4);
  const Kokkos::View<int**, Kokkos::HostSpace> c("c", 4, 3);
  EXPECT_NO_THROW(require_same_extents("op", "b", b, "a", a));
  EXPECT_EQ(error_of([&] { require_same_extents("op", "c", c, "a", a); }),
            "WaveScan::op: argument 'c' must have the extents of 'a' (3 x 4), got 4 x 3");
}

}  // namespace
