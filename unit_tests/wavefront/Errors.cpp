// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <numeric>
#include <utility>
#include <vector>

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

struct ExactSums : Loop {
  static constexpr bool exact = true;
};

TEST_F(WavefrontErrors, SchedulesThatExactLoopsDoNotHave) {
  for (const Schedule schedule : {Schedule::RowSweep, Schedule::TileCompensated})
    EXPECT_TRUE(rejects("wavefront", "schedule",
                        [&] { wavefront(ExactSums{}, array.matrix(), {.schedule = schedule}); }));
}

TEST_F(WavefrontErrors, PlanOfOtherExtents) {
  const Wavefront<Kokkos::DefaultExecutionSpace, Loop> plan(Kokkos::DefaultExecutionSpace(), 5, 4);
  EXPECT_EQ(error_of([&] { plan(Loop{}, array.matrix()); }),
            "WaveScan::wavefront: argument 'array' must have the plan's extents (5 x 4), got "
            "4 x 5");
}

TEST_F(WavefrontErrors, ElementsThatOverlap) {
  const Kokkos::View<int**, Kokkos::LayoutStride> rows(array.matrix().data(),
                                                       Kokkos::LayoutStride(3, 1, 3, 1));
  EXPECT_TRUE(rejects("wavefront", "array", [&] { wavefront(Loop{}, rows); }));
}

/// @brief The left neighbour less the entry: of ascending numbers, no entry keeps its value.
struct LeftLessOwn {
  using algebra_type = Plus<int>;
  KOKKOS_FUNCTION int partial(I i, I j, int, int, const auto& old) const { return -old(i, j); }
};

TEST(WavefrontOfNothing, LeavesAllEntriesAsTheyAre) {
  std::vector<int> marks(20);
  std::iota(marks.begin(), marks.end(), 1);
  for (const Schedule schedule : schedules) {
    SCOPED_TRACE(to_string(schedule));
    const GuardedArray<int> array({4, 5, 8, 1, 3}, marks);
    const auto run = [&](const IndexRange& range) {
      EXPECT_NO_THROW(
          wavefront(LeftLessOwn{}, array.matrix(), {.schedule = schedule, .range = range}));
    };
    for (const IndexRange range : {IndexRange{}, IndexRange{4, 4, 5, 5}, IndexRange{2, 2, 0, 5},
                                   IndexRange{0, 4, 3, 3}, IndexRange{4, 4, 0, 5}})
      run(range);
    EXPECT_TRUE(equal(array.values(), marks));
    EXPECT_TRUE(array.guards_intact());
    for (const auto& [rows, columns] : {std::pair<I, I>{0, 0}, {0, 5}, {4, 0}}) {
      const GuardedArray<int> none(row_major(rows, columns));
      EXPECT_NO_THROW(wavefront(LeftLessOwn{}, none.matrix(), {.schedule = schedule}));
      EXPECT_TRUE(none.guards_intact());
    }

    // One entry is not nothing.
    run({2, 3, 4, 5});
    auto expected = marks;
    expected[14] = 14 - 15;
    EXPECT_TRUE(equal(array.values(), expected));
  }
}

}  // namespace
