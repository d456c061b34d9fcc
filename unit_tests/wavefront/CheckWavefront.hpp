// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_CHECKWAVEFRONT_HPP
#define WAVESCAN_TEST_CHECKWAVEFRONT_HPP

#include <gtest/gtest.h>

#include <WaveScan_Wavefront.hpp>
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "Loops.hpp"
#include "Tracked.hpp"

/// @file
/// @brief Runs a loop in every schedule and compares it with the plain loop.

namespace wavescan::Test {

/// @brief An array on the host, which its loop's boundary surrounds.
template <class S, class L>
struct HostArray {
  using value_type = S;
  const L& loop;
  I rows, columns;
  std::vector<S> values;

  S operator()(I i, I j) const {
    if (i < 0 || j < 0 || j >= columns) return outside<S>(loop, i, j);
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

/// @brief What computes the oracle for T: integers themselves, floating point with error bounds.
template <class T>
struct OracleNumber {
  using type = T;
};
template <std::floating_point T>
struct OracleNumber<T> {
  using type = Tracked<T>;
};

/// @brief The plain loop over `range`.
template <class L, class T>
auto original_loop(const L& loop, const std::vector<T>& start, I rows, I columns,
                   const IndexRange& range) {
  using S = typename OracleNumber<T>::type;
  HostArray<S, L> a{loop, rows, columns, {}};
  for (const T& x : start) a.values.push_back(S(x));
  for (I i = range.row_begin; i < range.row_end; ++i)
    for (I j = range.column_begin; j < range.column_end; ++j)
      a.values[static_cast<std::size_t>(i * columns + j)] = loop.original(a, i, j);
  return a.values;
}

template <class T>
testing::AssertionResult agrees(const std::vector<T>& got, const std::vector<T>& expected) {
  return equal(got, expected);
}
/// Floating point: products of weights and another association at most double the roundings that a
/// term passes in the plain loop; as much again for the difference of a bound of either.
template <class T>
testing::AssertionResult agrees(const std::vector<T>& got,
                                const std::vector<Tracked<T>>& expected) {
  std::vector<Bounded> bounded;
  for (const Tracked<T>& x : expected) bounded.push_back({x.value, 4 * x.error});
  return within(got, bounded);
}

inline IndexRange whole(I rows, I columns) { return {0, rows, 0, columns}; }
/// @brief All but one entry on each side.
inline IndexRange inside_halo(I rows, I columns) {
  return {std::min<I>(1, rows), std::max<I>(rows - 1, std::min<I>(1, rows)),
          std::min<I>(1, columns), std::max<I>(columns - 1, std::min<I>(1, columns))};
}

struct TileSize {
  I rows = 0, columns = 0;  ///< 0: the library's choice
};

inline std::string describe(const WavefrontOptions& options, I rows, I columns) {
  return std::string(to_string(options.schedule)) + ", " + std::to_string(rows) + " x " +
         std::to_string(columns) + ", tiles of " + std::to_string(options.tile_rows) + " x " +
         std::to_string(options.tile_columns);
}

/// @brief Runs `loop` on `start` in every schedule and compares all entries, also those outside
/// `range` and between the entries. Integers must be exact, floating point within its error bound
/// and, where the schedule promises it, equal to Serial bit for bit.
template <class L, class Exec = Kokkos::DefaultExecutionSpace, class T = Impl::LoopValue<L>>
void check_schedules(const L& loop, const std::vector<T>& start, const Placement& place,
                     const IndexRange& range, const std::vector<TileSize>& tiles = {{}},
                     const Exec& exec = Exec()) {
  const I m = place.rows, n = place.columns;
  const auto expected = original_loop(loop, start, m, n, range);
  std::vector<T> serial;
  for (const Schedule schedule : schedules)
    for (const TileSize& tile : tiles) {
      if (Impl::AsksUpRight<L> && schedule == Schedule::TileCompensated) continue;
      const bool tiled = schedule == Schedule::TileCompensated || schedule == Schedule::TileSkewed;
      if (!tiled && &tile != &tiles.front()) continue;
      WavefrontOptions options;
      options.schedule = schedule;
      options.range = range;
      options.tile_rows = tile.rows;
      options.tile_columns = tile.columns;
      SCOPED_TRACE(describe(options, m, n));
      const GuardedArray<T, Exec> array(place, start);
      wavefront(exec, loop, array.matrix(), options);
      const std::vector<T> got = array.values();
      ASSERT_TRUE(agrees(got, expected));
      ASSERT_TRUE(array.guards_intact());
      if (schedule == Schedule::Serial) serial = got;
      if (schedule == Schedule::TileSkewed) {
        ASSERT_TRUE(same_bits(got, serial));
      }
    }
}

struct Shape {
  I rows, columns;
};

/// @brief Empty, tiny, prime, square, long and tall.
inline const std::vector<Shape> shapes{{0, 0},    {0, 7},    {7, 0},   {1, 1},    {1, 33},
                                       {33, 1},   {2, 2},    {7, 13},  {31, 33},  {64, 64},
                                       {67, 131}, {3, 5003}, {401, 3}, {101, 509}};

/// @brief check_schedules on arrays of all shapes, of random values.
template <class L, class Values>
void check_shapes(const L& loop, IndexRange (*range)(I, I), const Values& values) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : shapes)
    check_schedules(loop, values(random, s.rows * s.columns), row_major(s.rows, s.columns),
                    range(s.rows, s.columns), {{}, {16, 64}, {1, 37}});
}

/// @brief Any values of the type; floating point in [1, 2], where nothing cancels.
template <class T>
std::vector<T> random_start(Random& random, I count) {
  auto values = random.values<T>(count);
  if constexpr (std::floating_point<T>)
    for (T& x : values) x = T(1.5) + x / 2;
  return values;
}

}  // namespace wavescan::Test

#endif
