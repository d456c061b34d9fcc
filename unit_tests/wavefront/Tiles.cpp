// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(Tiles, OfAnySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 41, n = 97;
  check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(m * n), row_major(m, n),
                  inside_halo(m, n),
                  {{1, 1},
                   {1, 97},
                   {41, 1},
                   {2, 3},
                   {5, 7},
                   {16, 16},
                   {39, 95},
                   {40, 96},
                   {32, 0},
                   {0, 32},
                   {1000, 100000},
                   {std::int64_t(1) << 62, std::int64_t(1) << 62}});
}

TEST(Tiles, ManyInALongBand) {
  Random random;
  SCOPED_TRACE(random.trace());
  check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(5 * 20011), row_major(5, 20011),
                  inside_halo(5, 20011), {{}, {1, 64}, {2, 1000}});
}

/// Wider than what a team's scratch memory would hold of a row.
TEST(Tiles, OfVeryLongRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(3 * 30011), row_major(3, 30011),
                  inside_halo(3, 30011), {{1, 30000}, {2, 20000}});
}

}  // namespace
