// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

// Any layout, subviews, and grids that run backwards or along the other axis.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Value = std::uint32_t;

TEST(Layouts, LeftAndStrided) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{1, 1}, Shape{33, 65}, Shape{4, 3001}, Shape{201, 5}})
    for (auto* const place : {column_major, spread})
      check_schedules(EveryNeighbour{}, random.values<Value>(s.rows * s.columns),
                      place(s.rows, s.columns), inside_halo(s.rows, s.columns), {{}, {8, 32}});
}

TEST(Layouts, ViewsOfEachLayout) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 21, n = 34;
  const auto start = random.values<Value>(m * n);
  const auto expected = original_loop(EntryWeights{}, start, m, n, whole(m, n));
  const GuardedArray<Value> right(row_major(m, n), start), left(column_major(m, n), start);
  wavefront(EntryWeights{}, right.matrix<Kokkos::LayoutRight>());
  wavefront(EntryWeights{}, left.matrix<Kokkos::LayoutLeft>());
  EXPECT_TRUE(equal(right.values(), expected));
  EXPECT_TRUE(equal(left.values(), expected));
}

TEST(Layouts, SubviewLeavesTheRestAlone) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 40, n = 60;
  const auto start = random.values<Value>(m * n);
  const Kokkos::pair<int, int> rows(3, 30), columns(7, 57);
  for (const Schedule schedule : schedules) {
    const GuardedArray<Value> array(row_major(m, n), start);
    wavefront(EntryWeights{}, Kokkos::subview(array.matrix<Kokkos::LayoutRight>(), rows, columns),
              {.schedule = schedule, .tile_rows = 8, .tile_columns = 16});
    // The oracle works on a copy of the part, whose boundary surrounds it.
    std::vector<Value> part;
    for (I i = 3; i < 30; ++i)
      for (I j = 7; j < 57; ++j) part.push_back(start[static_cast<std::size_t>(i * n + j)]);
    part = original_loop(EntryWeights{}, part, 27, 50, whole(27, 50));
    auto expected = start;
    for (I i = 3; i < 30; ++i)
      for (I j = 7; j < 57; ++j)
        expected[static_cast<std::size_t>(i * n + j)] =
            part[static_cast<std::size_t>((i - 3) * 50 + j - 7)];
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
  }
}

/// Runs the loop on what `orient` makes of an array; the oracle runs on a copy in that order.
template <class Orient, class Index>
void check_oriented(I m, I n, bool is_transposed, const Orient& orient, const Index& index) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto start = random.values<Value>(m * n);
  const I rows = is_transposed ? n : m, columns = is_transposed ? m : n;
  std::vector<Value> copy;
  for (I i = 0; i < rows; ++i)
    for (I j = 0; j < columns; ++j) copy.push_back(start[index(i, j)]);
  copy = original_loop(EveryNeighbour{}, copy, rows, columns, inside_halo(rows, columns));
  auto expected = start;
  for (I i = 0; i < rows; ++i)
    for (I j = 0; j < columns; ++j)
      expected[index(i, j)] = copy[static_cast<std::size_t>(i * columns + j)];
  for (const Schedule schedule : schedules) {
    const GuardedArray<Value> array(row_major(m, n), start);
    wavefront(Kokkos::DefaultExecutionSpace(), EveryNeighbour{}, orient(array.matrix()),
              {.schedule = schedule,
               .range = inside_halo(rows, columns),
               .tile_rows = 8,
               .tile_columns = 32});
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
    EXPECT_TRUE(array.guards_intact());
  }
}

TEST(Layouts, Reversed) {
  const I m = 37, n = 83;
  check_oriented(
      m, n, false, [](const auto& view) { return reversed(view); },
      [&](I i, I j) { return static_cast<std::size_t>((m - 1 - i) * n + n - 1 - j); });
}

TEST(Layouts, Transposed) {
  const I m = 37, n = 83;
  check_oriented(
      m, n, true, [](const auto& view) { return transposed(view); },
      [&](I i, I j) { return static_cast<std::size_t>(j * n + i); });
}

TEST(Layouts, ReversedAndTransposed) {
  const I m = 37, n = 83;
  check_oriented(
      m, n, true, [](const auto& view) { return transposed(reversed(view)); },
      [&](I i, I j) { return static_cast<std::size_t>((m - 1 - j) * n + n - 1 - i); });
}

}  // namespace
