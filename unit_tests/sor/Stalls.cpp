// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_Workspaces.hpp>

#include <stdexcept>

#include "Sweeps.hpp"

// Where blocks of a GPU give up waiting for each other, the caller learns of it.

namespace wavescan::Test {
namespace {

constexpr bool on_device = !std::same_as<Exec::memory_space, Kokkos::HostSpace>;
/// Less than any wait takes at which a block looks at a clock.
constexpr double at_once = 1e-8;

/// @brief x of ones, and variable coefficients that are equal.
template <class T>
struct Waiting {
  Kokkos::View<T**> x, each;
  explicit Waiting(int m, int n) : x("x", m + 2, n + 2), each("each", m + 2, n + 2) {
    Kokkos::deep_copy(x, T(1));
    Kokkos::deep_copy(each, T(0.2));
  }
  VariableCoefficients<T> variable() const {
    return {.center = each, .left = each, .up = each, .right = each, .down = each};
  }
};

/// @brief Whether a call gives up, and tells so.
template <class Call>
bool gets_stuck(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).find("without progress") != std::string::npos;
  }
  return false;
}

TEST(SORStalls, OfVariableCoefficientsAreReported) {
  if (!on_device) GTEST_SKIP() << "threads of the host wait for ever";
  const Waiting<double> w(3000, 3000);
  const SOROptions options{.schedule = Schedule::TileSkewed, .stall_seconds = at_once};
  sor_sweeps(w.x, w.variable(), 2, {}, options);
  EXPECT_TRUE(gets_stuck([&] { fence(Exec()); }));
  const Waiting<double> other(3000, 3000);  // what is stuck leaves anything
  Kokkos::deep_copy(other.each, 0.1);       // which ones do not solve
  EXPECT_TRUE(
      gets_stuck([&] { sor_solve(other.x, other.variable(), {}, {.max_sweeps = 4}, options); }));
  const Exec exec;
  const auto plan = SOR<Exec, double>::like(exec, w.x, options);
  plan.sweeps(w.x, w.variable(), 1);
  EXPECT_TRUE(gets_stuck([&] { plan.wait(); }));
  EXPECT_NO_THROW(plan.wait()) << "told once";
  plan.sweeps(w.x, w.variable(), 1);
  exec.fence();
  EXPECT_TRUE(gets_stuck([&] { plan.sweeps(w.x, w.variable(), 1); }));
}

#if defined(KOKKOS_ENABLE_CUDA)

// Blocks of a pass cannot be made to wait for long, so that they give up is tested where the
// waits are (GpuWatchdog); here, that they do not without need.
TEST(SORStalls, FusedSweepsAreNoStalls) {
  // So many bands that the last ones wait for all others; relaxed too much for blocks.
  constexpr int m = 40000, n = 300;
  const auto c = poisson<float>(1.999f, 1.0f);
  Random random;
  PlainSOR<float> expected = random_sor<float>(m, n, c, false, false, random);
  const GuardedArray<float> x(row_major(m + 2, n + 2), expected.x);
  const SOR<Exec, float> plan(Exec(), m + 2, n + 2, {.stall_seconds = 0.5});
  plan.sweeps(x.matrix(), c, 3);
  EXPECT_NO_THROW(plan.wait());
  sweep(expected, SweepOrder::Forward, 3);
  EXPECT_TRUE(same_bits(x.values(), expected.x));
}

#endif

TEST(SORStalls, MayBeWaitedForAtWill) {
  const Waiting<double> w(300, 300);
  EXPECT_NO_THROW(sor_sweeps(w.x, w.variable(), 2, {}, {.stall_seconds = 0}));
  EXPECT_NO_THROW(sor_sweeps(w.x, mean_of_five<double>(), 9, {}, {.stall_seconds = 0}));
}

TEST(SORStalls, NegativeTimes) {
  const Waiting<double> w(3, 3);
  EXPECT_TRUE(rejects("sor_sweeps", "stall_seconds", [&] {
    sor_sweeps(w.x, mean_of_five<double>(), 1, {}, {.stall_seconds = -1});
  }));
}

}  // namespace
}  // namespace wavescan::Test
