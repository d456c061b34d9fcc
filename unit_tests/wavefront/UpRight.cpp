// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Errors.hpp"
#include "CheckWavefront.hpp"

// Loops that ask for the upper right neighbour, and read the lower left one: rows are two columns
// behind each other.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

static_assert(Impl::AsksUpRight<AllAround<double>> && Impl::AsksUpRight<AllAroundFromInput>);
static_assert(!Impl::AsksUpRight<EveryNeighbour> && !Impl::AsksUpRight<EntryWeights>);

TEST(UpRight, OldAndNew) {
  check_shapes(AllAround<std::uint32_t>{}, inside_halo, random_start<std::uint32_t>);
}
TEST(UpRight, WeightAndBoundaryForEachEntry) {
  check_shapes(AllAroundWithBoundary{}, whole, random_start<std::uint32_t>);
}

/// Tiles narrower than high, as wide, wider; one row; the whole array.
TEST(UpRight, TilesOfAnySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 41, n = 97;
  check_schedules(AllAround<std::uint32_t>{}, random.values<std::uint32_t>(m * n), row_major(m, n),
                  inside_halo(m, n),
                  {{1, 1},
                   {1, 97},
                   {41, 1},
                   {2, 3},
                   {3, 2},
                   {16, 5},
                   {16, 16},
                   {16, 17},
                   {39, 95},
                   {32, 0},
                   {1000, 100000},
                   {std::int64_t(1) << 62, std::int64_t(1) << 62}});
}

TEST(UpRight, BoundaryBesideARange) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 37, n = 211;
  for (const IndexRange range : {IndexRange{0, m, 5, n}, IndexRange{3, m, 0, n - 1},
                                 IndexRange{0, 9, 0, 50}, IndexRange{36, 37, 210, 211}})
    check_schedules(AllAroundWithBoundary{}, random.values<std::uint32_t>(m * n), row_major(m, n),
                    range, {{}, {8, 32}});
}

/// Around bands of 32 rows, whose last lane is 62 columns behind, and chunks of 16 and 32 columns.
TEST(UpRight, SizesAroundBandsAndChunks) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const I m : {3, 33, 34, 35, 66, 67, 195})
    for (const I n :
         {3, 4, 5, 17, 18, 19, 33, 34, 35, 63, 64, 65, 66, 129, 130, 131, 257, 258, 515})
      check_schedules(AllAround<std::uint32_t>{}, random.values<std::uint32_t>(m * n),
                      row_major(m, n), inside_halo(m, n));
}

TEST(UpRight, AnyAlignment) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (I first = 0; first < 4; ++first)
    for (I begin = 0; begin < 4; ++begin) {
      const I m = 69, n = 259;
      Placement place = row_major(m, n);
      place.first = first;
      check_schedules(AllAround<std::uint32_t>{}, random.values<std::uint32_t>(m * n), place,
                      {1, m - 1, begin + 1, n - 2});
    }
}

TEST(UpRight, Layouts) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{1, 1}, Shape{33, 65}, Shape{4, 3001}, Shape{201, 5}})
    for (auto* const place : {column_major, spread})
      check_schedules(AllAround<std::uint32_t>{}, random.values<std::uint32_t>(s.rows * s.columns),
                      place(s.rows, s.columns), inside_halo(s.rows, s.columns), {{}, {8, 32}});
}

/// A backward sweep is the loop on the reversed array, in both orders of its dimensions.
template <class Orient, class Place>
void check_oriented(I m, I n, I rows, I columns, const Orient& orient, const Place& place) {
  Random random;
  SCOPED_TRACE(random.trace());
  using T = std::uint32_t;
  const AllAround<T> loop;
  const auto start = random.values<T>(m * n);
  std::vector<T> copy;
  for (I i = 0; i < rows; ++i)
    for (I j = 0; j < columns; ++j) copy.push_back(start[place(i, j)]);
  copy = original_loop(loop, copy, rows, columns, inside_halo(rows, columns));
  auto expected = start;
  for (I i = 0; i < rows; ++i)
    for (I j = 0; j < columns; ++j)
      expected[place(i, j)] = copy[static_cast<std::size_t>(i * columns + j)];
  for (const Schedule schedule : {Schedule::Serial, Schedule::RowSweep, Schedule::TileSkewed}) {
    const GuardedArray<T> array(row_major(m, n), start);
    wavefront(Kokkos::DefaultExecutionSpace(), loop, orient(array.matrix()),
              {.schedule = schedule,
               .range = inside_halo(rows, columns),
               .tile_rows = 8,
               .tile_columns = 32});
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
    EXPECT_TRUE(array.guards_intact());
  }
}
TEST(UpRight, Backward) {
  const I m = 37, n = 83;
  check_oriented(
      m, n, m, n, [](const auto& view) { return reversed(view); },
      [&](I i, I j) { return static_cast<std::size_t>((m - 1 - i) * n + n - 1 - j); });
  check_oriented(
      m, n, n, m, [](const auto& view) { return transposed(reversed(view)); },
      [&](I i, I j) { return static_cast<std::size_t>((m - 1 - j) * n + n - 1 - i); });
}

TEST(UpRight, CompensationIsRefused) {
  const std::vector<std::uint32_t> marks(20, 1);
  const GuardedArray<std::uint32_t> array(row_major(4, 5), marks);
  EXPECT_TRUE(rejects("wavefront", "schedule", [&] {
    wavefront(AllAround<std::uint32_t>{}, array.matrix(), {.schedule = Schedule::TileCompensated});
  }));
  EXPECT_TRUE(equal(array.values(), marks)) << "something was written";
  const Kokkos::DefaultExecutionSpace exec;
  const Wavefront<Kokkos::DefaultExecutionSpace, AllAround<std::uint32_t>> plan(exec, 4, 5);
  EXPECT_TRUE(is_exact(plan.schedule()));
}

}  // namespace
