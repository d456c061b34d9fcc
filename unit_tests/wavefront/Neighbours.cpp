// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

// Exact loops that read every neighbour, weight and boundary there is.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(Neighbours, OldAndNew) {
  check_shapes(EveryNeighbour{}, inside_halo, random_start<std::uint32_t>);
}

TEST(Neighbours, FarAhead) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{1, 1}, Shape{7, 13}, Shape{131, 1300}, Shape{5, 4001}}) {
    const auto start = random.values<std::uint32_t>(s.rows * s.columns);
    check_schedules(FarAhead{s.rows, s.columns}, start, row_major(s.rows, s.columns),
                    whole(s.rows, s.columns));
    check_schedules(FarAheadInAnything{{s.rows, s.columns}}, start, row_major(s.rows, s.columns),
                    whole(s.rows, s.columns));
  }
}

TEST(Neighbours, WeightAndBoundaryForEachEntry) {
  check_shapes(EntryWeights{}, whole, random_start<std::uint32_t>);
}

TEST(Neighbours, BoundaryBesideARange) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 37, n = 211;
  for (const IndexRange range : {IndexRange{0, m, 5, n}, IndexRange{3, m, 0, n},
                                 IndexRange{0, 9, 0, 50}, IndexRange{36, 37, 210, 211}})
    check_schedules(EntryWeights{}, random.values<std::uint32_t>(m * n), row_major(m, n), range,
                    {{}, {8, 32}});
}

}  // namespace
