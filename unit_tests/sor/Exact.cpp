// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Exact.hpp"
#include <WaveScanTest_Types.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

/// @file
/// @brief Default options give the bits of the serial loop, whatever the shape.

namespace wavescan::Test {
namespace {

template <class T>
class SORExact : public testing::Test {};
TYPED_TEST_SUITE(SORExact, FloatingPointTypes, );

TYPED_TEST(SORExact, Shapes) {
  for (const Extents& extents : {Extents{3, 1000},
                                 {9, 98},
                                 {27, 130},
                                 {1, 1},
                                 {1, 500},
                                 {500, 1},
                                 {2, 300},
                                 {403, 17},
                                 {33, 130},
                                 {70, 70}})
    check_exact<TypeParam>(extents, false);
}

TYPED_TEST(SORExact, VariableCoefficients) {
  for (const Extents& extents :
       {Extents{3, 1000}, {9, 98}, {27, 60}, {1, 1}, {1, 1500}, {1500, 1}, {33, 70}})
    check_exact<TypeParam>(extents, true);
}

TYPED_TEST(SORExact, FewLongRowsAndColumns) {
  WantedCases wanted;
  for (const Extents& extents :
       {Extents{3, 9000}, {9000, 3}, {1, 12001}, {16, 3000}, {64, 1001}, {2000, 16}, {1200, 40}})
    for (const auto place : {row_major, column_major, with_odd_rows}) {
      if (!wanted.next()) continue;
      check_exact<TypeParam>({extents, SweepOrder::Forward, place, place, true});
      check_exact<TypeParam>({extents, SweepOrder::Symmetric, place, place, false, true});
      if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(SORExact, AnyShape) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto extent = [&] {
    return static_cast<std::int64_t>(std::exp2(random.integer(0, 1200) / 100.0));
  };
  constexpr std::array orders{SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric};
  constexpr std::array places{row_major, column_major, with_odd_rows, with_odd_columns, spread};
  for (std::int64_t k = 0; k < cases_wanted(60); ++k) {
    const auto any = [&](const auto& list) {
      return list[static_cast<std::size_t>(random.integer(0, static_cast<int>(list.size()) - 1))];
    };
    const std::int64_t m = extent();
    check_exact<TypeParam>({{m, std::min(extent(), 130'000 / m + 1)},
                            any(orders),
                            any(places),
                            any(places),
                            random.integer(0, 1) == 1,
                            random.integer(0, 1) == 1,
                            random.integer(0, 2) == 0});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(SORExact, Solves) {
  for (const Extents& extents : {Extents{3, 3000}, {9, 98}, {27, 260}, {200, 130}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const auto criterion : {Criterion::Residual, Criterion::Update})
        check_exact_solve<TypeParam>(extents, order, criterion);
}

}  // namespace
}  // namespace wavescan::Test
