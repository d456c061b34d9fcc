// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Errors.hpp"
#include "CheckWavefront.hpp"

// Blocks of a GPU that wait in vain for each other give up and say so.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

/// The first entry takes as many clock ticks as it is told: everybody waits for it.
struct SlowStart {
  using algebra_type = Plus<std::int32_t>;
  long long ticks;
  KOKKOS_FUNCTION std::int32_t partial(I i, I j, std::int32_t up, std::int32_t, const auto&) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    if (i == 0 && j == 0) {
      const long long start = clock64();
      while (clock64() - start < ticks) {
      }
    }
#endif
    return wrapping_add(up, static_cast<std::int32_t>(i + j));
  }
  template <class A>
  std::int32_t original(const A& a, I i, I j) const {
    return wrapping_add(wrapping_add(a(i, j - 1), a(i - 1, j)), static_cast<std::int32_t>(i + j));
  }
};

constexpr bool on_device = !std::same_as<Exec::memory_space, Kokkos::HostSpace>;
constexpr long long half_a_second = 1'000'000'000;  // of ticks, more or less

TEST(WavefrontStalls, AreReportedAndThePlanGoesOn) {
  if (!on_device) GTEST_SKIP() << "threads of the host wait for ever";
  const I m = 300, n = 3000;
  const std::vector<std::int32_t> start(static_cast<std::size_t>(m * n));
  const auto expected = original_loop(SlowStart{}, start, m, n, whole(m, n));
  for (const Schedule schedule :
       {Schedule::RowSweep, Schedule::TileCompensated, Schedule::TileSkewed}) {
    SCOPED_TRACE(to_string(schedule));
    const Exec exec;
    const Wavefront<Exec, SlowStart> plan(exec, m, n,
                                          {.schedule = schedule, .stall_seconds = 0.05});
    const GuardedArray<std::int32_t> array(row_major(m, n), start);
    plan(SlowStart{half_a_second}, array.matrix());
    EXPECT_THROW(plan.wait(), std::runtime_error);
    plan(SlowStart{half_a_second}, array.matrix());
    exec.fence();
    EXPECT_THROW(plan(SlowStart{0}, array.matrix()), std::runtime_error);
    plan(SlowStart{0}, array.matrix());
    plan.wait();
    EXPECT_TRUE(equal(array.values(), expected));
  }
}

TEST(WavefrontStalls, MayBeWaitedForAtWill) {
  const I m = 300, n = 700;
  const std::vector<std::int32_t> start(static_cast<std::size_t>(m * n));
  const auto expected = original_loop(SlowStart{}, start, m, n, whole(m, n));
  for (const Schedule schedule : schedules) {
    const GuardedArray<std::int32_t> array(row_major(m, n), start);
    wavefront(Exec(), SlowStart{half_a_second / 4}, array.matrix(),
              {.schedule = schedule, .stall_seconds = 0});
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
  }
}

/// The first entry of each row takes as many clock ticks as it is told.
struct SlowRows {
  using algebra_type = Plus<std::int32_t>;
  long long ticks;
  KOKKOS_FUNCTION std::int32_t partial(I i, I j, std::int32_t up, std::int32_t, const auto&) const {
    if (j == 0) static_cast<void>(SlowStart{ticks}.partial(0, 0, 0, 0, 0));
    return wrapping_add(up, static_cast<std::int32_t>(i + j));
  }
  template <class A>
  std::int32_t original(const A& a, I i, I j) const {
    return SlowStart{0}.original(a, i, j);
  }
};

TEST(WavefrontStalls, SlowRowsAreProgress) {
  const I m = 300, n = 3000;
  const std::vector<std::int32_t> start(static_cast<std::size_t>(m * n));
  const auto expected = original_loop(SlowRows{0}, start, m, n, whole(m, n));
  for (const Schedule schedule :
       {Schedule::RowSweep, Schedule::TileCompensated, Schedule::TileSkewed}) {
    const GuardedArray<std::int32_t> array(row_major(m, n), start);
    // Three seconds in all, of which no row takes more than ten milliseconds.
    wavefront(Exec(), SlowRows{half_a_second / 50}, array.matrix(),
              {.schedule = schedule, .stall_seconds = 1.5});
    EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
  }
}

TEST(WavefrontStalls, NegativeTimes) {
  const GuardedArray<std::int32_t> array(row_major(2, 2), std::vector<std::int32_t>(4));
  EXPECT_TRUE(rejects("wavefront", "stall_seconds", [&] {
    wavefront(Exec(), SlowStart{0}, array.matrix(), {.stall_seconds = -1});
  }));
}

}  // namespace
