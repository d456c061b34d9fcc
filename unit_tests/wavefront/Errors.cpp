// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Errors.hpp"
#include "CheckWavefront.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Loop = SummedArea<std::int32_t>;

class WavefrontErrors : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_TRUE(equal(array.values(), std::vector<int>(20, 1))) << "something was written";
  }
  testing::AssertionResult rejects_option(const std::string& argument,
                                          const WavefrontOptions& options) {
    return rejects("wavefront", argument, [&] { wavefront(Loop{}, array.matrix(), options); });
  }
  GuardedArray<int> array{row_major(4, 5), std::vector<int>(20, 1)};
};

TEST_F(WavefrontErrors, RangeOutsideTheArray) {
  for (const IndexRange range :
       {IndexRange{-1, 4, 0, 5}, IndexRange{0, 5, 0, 5}, IndexRange{0, 4, -1, 5},
        IndexRange{0, 4, 0, 6}, IndexRange{3, 2, 0, 5}, IndexRange{0, 4, 5, 4}})
    EXPECT_TRUE(rejects_option("range", {.range = range}));
  EXPECT_EQ(error_of([&] {
              wavefront(Loop{}, array.matrix(), {.range = IndexRange{0, 4, 0, 6}});
            }),
            "WaveScan::wavefront: argument 'range' must lie inside the array, got rows [0, 4) and "
            "columns [0, 6) of 4 x 5");
}

TEST_F(WavefrontErrors, NegativeSizes) {
  EXPECT_TRUE(rejects_option("tile_rows", {.tile_rows = -1}));
  EXPECT_TRUE(rejects_option("tile_columns", {.tile_columns = -8}));
  using Plan = Wavefront<Kokkos::DefaultExecutionSpace, Loop>;
  const Kokkos::DefaultExecutionSpace exec;
  EXPECT_TRUE(rejects("wavefront", "rows", [&] { Plan(exec, -1, 5); }));
  EXPECT_TRUE(rejects("wavefront", "columns", [&] { Plan(exec, 4, -5); }));
}

TEST_F(WavefrontErrors, PlanOfOtherExtents) {
  const Wavefront<Kokkos::DefaultExecutionSpace, Loop> plan(Kokkos::DefaultExecutionSpace(), 5, 4);
  EXPECT_EQ(error_of([&] { plan(Loop{}, array.matrix()); }),
            "WaveScan::wavefront: argument 'array' must have the plan's extents (5 x 4), got "
            "4 x 5");
}

TEST_F(WavefrontErrors, EmptyRangesAreFine) {
  for (const Schedule schedule : schedules)
    for (const IndexRange range : {IndexRange{}, IndexRange{4, 4, 5, 5}, IndexRange{2, 2, 0, 5}})
      wavefront(Loop{}, array.matrix(), {.schedule = schedule, .range = range});
}

}  // namespace
