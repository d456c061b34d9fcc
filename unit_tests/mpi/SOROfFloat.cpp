// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "DistributedGrids.hpp"

namespace wavescan::Test {
namespace {

// Blocks that speculation suits.
TEST(MpiSor, SweepsOfFloats) { check_rows<float>(70, 100); }
TEST(MpiSor, LargeBlocksOfFloats) { check_large_rows<float>(); }
TEST(MpiSor, LargeGridsOfFloats) { check_large_grids<float>(); }
TEST(MpiSor, PipelinesOfGridsOfFloats) { check_pipelines_of_grids<float>(); }
TEST(MpiSor, GridsOfFloats) {
  check_grids<float>(75, 90, 9, [](Random&) { return poisson<float>(1.1, 1); });
}

/// @brief Overlaps that suffice repeat nothing, and ones that do not repeat passes; bits are right.
TEST(MpiSor, SpeculationIsVerified) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int overlap : {-1, 0, 5}) {
    const auto d = Distribution::at_least(random, size_of(world), 120, 130);
    const Arrays<float> x(random, d, 50);
    const auto c = poisson<float>(1.2, 1);
    mpi::SOR<Exec, float> plan(
        world, Exec(), x.rows + 2, 52,
        {.scheme = mpi::SORScheme::Speculation, .depth = 4, .overlap = overlap});
    sor_sweeps(Exec(), x.whole, c, 8);
    plan.sweeps(x.block, c, 8);
    EXPECT_TRUE(x.agrees());
    EXPECT_EQ(plan.repeated_passes(), overlap < 0 || size_of(world) == 1 ? 0 : 2) << overlap;
    // The same in columns.
    const Blocks beside{{{0, 50}}, d};
    const Arrays<float> y(random, beside);
    mpi::SOR<Exec, float> columns(world, Exec(), 52, y.columns + 2,
                                  {.scheme = mpi::SORScheme::Speculation,
                                   .depth = 4,
                                   .overlap = overlap,
                                   .process_columns = size_of(world)});
    sor_sweeps(Exec(), y.whole, c, 8);
    columns.sweeps(y.block, c, 8);
    EXPECT_TRUE(y.agrees());
    EXPECT_EQ(columns.repeated_passes(), overlap < 0 || size_of(world) == 1 ? 0 : 2) << overlap;
  }
}

/// @brief Two passes over large blocks, in grids of processes of all shapes.
/// @param repeated how many of them do not come to the bits of one process at first
void check_two_passes(double omega, int overlap, int repeated) {
  Random random;
  SCOPED_TRACE(random.trace());
  for_process_columns([&](int q) {
    const Blocks d{Distribution::at_least(random, size_of(world) / q, 500, 800),
                   Distribution::at_least(random, q, 300, 400)};
    const Arrays<float> x(random, d);
    const auto c = poisson<float>(omega, 1);
    mpi::SOR<Exec, float> plan(
        world, Exec(), x.rows + 2, x.columns + 2,
        {.scheme = mpi::SORScheme::Speculation, .overlap = overlap, .process_columns = q});
    sor_sweeps(Exec(), x.whole, c, 16);
    plan.sweeps(x.block, c, 16);
    EXPECT_TRUE(x.agrees()) << q;
    EXPECT_EQ(plan.repeated_passes(), size_of(world) == 1 ? 0 : repeated) << q;
  });
}
TEST(MpiSor, LargeBlocksRepeatNothing) { check_two_passes(1.2, -1, 0); }
TEST(MpiSor, LargeBlocksThatDoNotFitAreRepeated) { check_two_passes(1.98, 0, 2); }

}  // namespace
}  // namespace wavescan::Test
