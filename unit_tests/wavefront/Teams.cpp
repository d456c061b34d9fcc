// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <impl/wavefront/WaveScan_TilePipeline.hpp>
#include <impl/wavefront/WaveScan_Tiles.hpp>
#include <stdexcept>
#include <string>

#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckWavefront.hpp"

// Tiles computed by teams of any size: on the host the library itself makes teams of one thread
// only, and on GPUs it has other kernels for most loops, so this is where the code that teams run
// is seen to work everywhere.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

template <template <class, class> class Tile, class L, class T = Impl::LoopValue<L>>
std::vector<T> run_pipeline(const L& loop, const std::vector<T>& start, I m, I n,
                            const IndexRange& range, const Impl::TileShape& shape) {
  using Problem = Impl::WavefrontProblem<L>;
  const Exec exec;
  const GuardedArray<T> array(row_major(m, n), start);
  const Problem problem{loop,
                        Impl::row_recurrence(loop),
                        grid_of(array.matrix()),
                        {range.row_begin, range.row_end, range.column_begin, range.column_end}};
  const Impl::TilePipeline<Exec, Problem, Tile> pipeline(exec, {problem.range, shape});
  pipeline.run(exec, problem);
  EXPECT_TRUE(array.guards_intact());
  return array.values();
}

template <class L, class T = Impl::LoopValue<L>>
void check_teams(const L& loop, IndexRange (*range_of)(I, I)) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 23, n = few_cases_wanted() ? 70 : 150;
  const IndexRange range = range_of(m, n);
  const auto start = random_start<T>(random, m * n);
  const auto expected = original_loop(loop, start, m, n, range);
  const GuardedArray<T> reference(row_major(m, n), start);
  wavefront(loop, reference.matrix(), {.schedule = Schedule::Serial, .range = range});
  const std::vector<T> serial = reference.values();
  for (const int team_size : team_sizes(Exec()))
    for (const Impl::TileShape shape :
         {Impl::TileShape{1, 1, team_size}, Impl::TileShape{4, 33, team_size},
          Impl::TileShape{7, 64, team_size}, Impl::TileShape{m, n, team_size}}) {
      if (few_cases_wanted() && shape.rows == 1 && team_size > 2) continue;
      SCOPED_TRACE("tiles of " + std::to_string(shape.rows) + " x " +
                   std::to_string(shape.columns) + ", teams of " + std::to_string(team_size));
      if constexpr (!Impl::AsksUpRight<L>) {
        ASSERT_TRUE(
            agrees(run_pipeline<Impl::CompensatedTile>(loop, start, m, n, range, shape), expected));
      }
      ASSERT_TRUE(
          same_bits(run_pipeline<Impl::SkewedTile>(loop, start, m, n, range, shape), serial));
    }
}

/// Whether a pipeline of such tiles can be made.
template <template <class, class> class Tile>
bool can_be_made(const Impl::TileShape& shape) {
  using Problem = Impl::WavefrontProblem<SummedArea<std::int32_t>>;
  try {
    const Impl::TilePipeline<Exec, Problem, Tile> pipeline(
        Exec(), {{0, shape.rows, 0, shape.columns}, shape});
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("argument 'tile_columns'"), std::string::npos);
    return false;
  }
  return true;
}

/// Rows of a tile are kept in scratch memory, which is small, by teams of several threads.
TEST(WavefrontTeams, TilesThatAreTooWide) {
  for (const I columns : {I(1) << 30, (I(1) << 30) + 1, I(1) << 40}) {
    EXPECT_FALSE(can_be_made<Impl::CompensatedTile>({2, columns, 2})) << columns;
    EXPECT_TRUE(can_be_made<Impl::CompensatedTile>({2, columns, 1})) << columns;
    EXPECT_TRUE(can_be_made<Impl::SkewedTile>({2, columns, 2})) << columns;
  }
  EXPECT_TRUE(can_be_made<Impl::CompensatedTile>({2, 1024, 2}));
}

TEST(WavefrontTeams, EveryNeighbour) { check_teams(EveryNeighbour{}, inside_halo); }
TEST(WavefrontTeams, EntryWeights) { check_teams(EntryWeights{}, whole); }
TEST(WavefrontTeams, WithoutWeights) { check_teams(SummedArea<std::int32_t>{}, whole); }
TEST(WavefrontTeams, SameOperator) { check_teams(AddedWeight{}, whole); }
TEST(WavefrontTeams, UpRight) {
  check_teams(AllAround<std::uint32_t>{}, inside_halo);
  check_teams(AllAroundWithBoundary{}, whole);
}
TEST(WavefrontTeams, FloatingPoint) { check_teams(MeanOfFive<double>{}, inside_halo); }

}  // namespace
