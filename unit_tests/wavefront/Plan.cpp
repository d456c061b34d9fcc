// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Tools.hpp"
#include "CheckWavefront.hpp"

// A plan keeps its workspace: its calls allocate nothing and wait for nothing.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

TEST(WavefrontPlan, CallsAllocateAndFenceNothing) {
  const Exec exec;
  const I m = 37, n = 20011;
  const GuardedArray<float> array(row_major(m, n),
                                  std::vector<float>(static_cast<std::size_t>(m * n), 1.0f));
  const auto view = array.matrix();
  for (const Schedule schedule : schedules) {
    const Wavefront<Exec, MeanOfFive<float>> plan(
        exec, m, n, {.schedule = schedule, .range = inside_halo(m, n)});
    plan({}, view);  // Kokkos itself may prepare something for the first launch of a kernel
    exec.fence();
    const Recorder recorder;
    plan({}, view);
    EXPECT_EQ(join(recorder.allocations()), "") << to_string(schedule);
    EXPECT_EQ(join(recorder.fences()), "") << to_string(schedule);
    EXPECT_EQ(recorder.regions().front(),
              std::string("WaveScan::wavefront::") + to_string(plan.schedule()));
    EXPECT_FALSE(recorder.kernels().empty());
    for (const std::string& kernel : recorder.kernels())
      EXPECT_TRUE(kernel.starts_with("WaveScan::") || kernel.starts_with("Kokkos::")) << kernel;
  }
}

TEST(WavefrontPlan, TellsItsSchedule) {
  using Plan = Wavefront<Exec, MeanOfFive<float>>;
  for (const Schedule schedule : schedules) {
    const Schedule chosen = Plan(Exec(), 1000, 1000, {.schedule = schedule}).schedule();
    if (schedule == Schedule::Auto)
      EXPECT_NE(chosen, Schedule::Auto);
    else
      EXPECT_EQ(chosen, schedule);
  }
}

}  // namespace
