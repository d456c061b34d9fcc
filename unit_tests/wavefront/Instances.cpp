// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckWavefront.hpp"

// Wavefronts of several instances at once, and beside other work that keeps the device busy.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;
using Plan = Wavefront<Exec, EveryNeighbour>;

TEST(WavefrontInstances, SideBySide) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 300, n = 1100;
  const auto start = random.values<std::uint32_t>(m * n);
  auto expected = start;
  for (int sweep = 0; sweep < 3; ++sweep)
    expected = original_loop(EveryNeighbour{}, expected, m, n, inside_halo(m, n));
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1, 1, 1);
  for (const Schedule schedule :
       {Schedule::RowSweep, Schedule::TileCompensated, Schedule::TileSkewed}) {
    std::vector<Plan> plans;
    std::vector<GuardedArray<std::uint32_t>> arrays;
    for (const Exec& instance : instances) {
      plans.emplace_back(instance, m, n,
                         WavefrontOptions{.schedule = schedule, .range = inside_halo(m, n)});
      arrays.emplace_back(row_major(m, n), start);
    }
    for (int sweep = 0; sweep < 3; ++sweep)
      for (std::size_t k = 0; k < plans.size(); ++k) plans[k](EveryNeighbour{}, arrays[k].matrix());
    for (const Plan& plan : plans) plan.wait();
    for (const auto& array : arrays)
      EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
  }
}

/// Work that takes a while, in as many pieces as there are.
struct Busy {
  Kokkos::View<double*> results;
  KOKKOS_FUNCTION void operator()(const I k) const {
    double x = static_cast<double>(k);
    for (int step = 0; step < 20000; ++step) x = x * 0.999 + 1;
    results(k) = x;
  }
};
void start_busy_work(const Exec& exec, const Kokkos::View<double*>& results) {
  Kokkos::parallel_for(
      "WaveScanTest::busy",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<I>>(exec, 0, static_cast<I>(results.extent(0))),
      Busy{results});
}

TEST(WavefrontInstances, BesideOtherWork) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 700, n = 1500;
  const auto start = random.values<std::uint32_t>(m * n);
  const auto expected = original_loop(EveryNeighbour{}, start, m, n, inside_halo(m, n));
  const bool on_device = !std::same_as<Exec::memory_space, Kokkos::HostSpace>;
  const Kokkos::View<double*> results("results", on_device ? 1 << 20 : 1 << 8);
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  for (const Schedule schedule : schedules) {
    if (schedule == Schedule::Serial) continue;
    const Plan plan(instances[0], m, n, {.schedule = schedule, .range = inside_halo(m, n)});
    const GuardedArray<std::uint32_t> array(row_major(m, n), start);
    start_busy_work(instances[1], results);
    plan(EveryNeighbour{}, array.matrix());
    plan.wait();
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
    instances[1].fence();
  }
}

}  // namespace
