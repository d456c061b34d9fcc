// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

// Arrays a little smaller and larger than whatever the schedules divide them into: blocks of a few
// columns, warps, bands of 32 to 128 rows, strips of 128 to 1024 columns.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Random values in [0, 2^32), a halo on all sides.
template <class L>
void check_sizes(const std::vector<I>& rows, const std::vector<I>& columns, const L& loop,
                 IndexRange (*range)(I, I)) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const I m : rows)
    for (const I n : columns)
      check_schedules(loop, random.values<std::uint32_t>(m * n), row_major(m, n), range(m, n));
}

TEST(WavefrontSizes, FewRows) {
  check_sizes({1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 127, 128, 129, 130, 131, 255, 257, 1023, 1026, 3079},
              EveryNeighbour{}, inside_halo);
}
TEST(WavefrontSizes, FewColumns) {
  check_sizes({5, 31, 33, 34, 63, 64, 65, 66, 67, 127, 128, 129, 130, 131, 1027},
              {1, 2, 3, 4, 5, 6}, EveryNeighbour{}, inside_halo);
}
TEST(WavefrontSizes, ManyTiles) {
  check_sizes({66, 130, 259}, {130, 258, 515}, EveryNeighbour{}, inside_halo);
}
TEST(WavefrontSizes, WithBoundary) {
  check_sizes({1, 64, 65, 129}, {1, 4, 128, 129, 1025}, EntryWeights{}, whole);
}

/// The first column of the range, and of the rows in memory, at every place between boundaries of
/// 16 bytes.
TEST(WavefrontSizes, AnyAlignment) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (I first = 0; first < 4; ++first)
    for (I begin = 0; begin < 4; ++begin)
      for (const I n : {256, 259}) {
        const I m = 69;
        Placement place = row_major(m, n);
        place.first = first;
        check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(m * n), place,
                        {1, m - 1, begin + 1, n - 2});
      }
}

}  // namespace
