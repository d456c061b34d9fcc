// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Instances.hpp"
#include "CheckWavefront.hpp"

// Pipelines wait for each other by spinning: they must end, and be right, however many threads
// share however few cores, and however often they run.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(WavefrontStress, AnyNumberOfThreads) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 101, n = 307;
  const auto start = random.values<std::uint32_t>(m * n);
  for_each_instance([&](const auto& exec) {
    SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
    using Space = std::remove_cvref_t<decltype(exec)>;
    check_schedules<EveryNeighbour, Space>(EveryNeighbour{}, start, row_major(m, n),
                                           inside_halo(m, n), {{}, {4, 64}, {1, 32}}, exec);
  });
}

/// More bands of rows than a GPU computes at a time: some begin when others have ended.
TEST(WavefrontStress, MoreBandsThanFit) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 70000, n = 3;
  check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(m * n), row_major(m, n),
                  inside_halo(m, n));
}

TEST(WavefrontStress, ManyRuns) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 64, n = 256;
  const auto start = random.values<std::uint32_t>(m * n);
  const auto expected = original_loop(EveryNeighbour{}, start, m, n, inside_halo(m, n));
  GuardedArray<std::uint32_t> array(row_major(m, n), start);
  for (const Schedule schedule : {Schedule::TileCompensated, Schedule::TileSkewed}) {
    const Kokkos::DefaultExecutionSpace exec;
    const Wavefront<Kokkos::DefaultExecutionSpace, EveryNeighbour> plan(
        exec, m, n,
        {.schedule = schedule, .range = inside_halo(m, n), .tile_rows = 2, .tile_columns = 16});
    for (int run = 0; run < 100; ++run) {
      array.set(start);
      plan(EveryNeighbour{}, array.matrix());
      ASSERT_TRUE(equal(array.values(), expected)) << to_string(schedule) << ", run " << run;
    }
  }
}

/// Sweeps that follow each other without a wait between them.
TEST(WavefrontStress, ManySweepsInARow) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 50, n = 200;
  const auto start = random.values<std::uint32_t>(m * n);
  auto expected = start;
  for (int sweep = 0; sweep < 30; ++sweep)
    expected = original_loop(EveryNeighbour{}, expected, m, n, inside_halo(m, n));
  for (const Schedule schedule : schedules) {
    const Kokkos::DefaultExecutionSpace exec;
    const Wavefront<Kokkos::DefaultExecutionSpace, EveryNeighbour> plan(
        exec, m, n,
        {.schedule = schedule, .range = inside_halo(m, n), .tile_rows = 4, .tile_columns = 32});
    const GuardedArray<std::uint32_t> array(row_major(m, n), start);
    for (int sweep = 0; sweep < 30; ++sweep) plan(EveryNeighbour{}, array.matrix());
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
  }
}

TEST(WavefrontHuge, Sweep) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 1500, n = 2003;
  check_schedules(EveryNeighbour{}, random.values<std::uint32_t>(m * n), row_major(m, n),
                  inside_halo(m, n));
}

}  // namespace
