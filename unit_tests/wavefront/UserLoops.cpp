// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Wavefront.hpp>
#include <algorithm>
#include <cstdint>

// Loops as a user writes them, with data of their own.

namespace example {

/// Cheapest way through a terrain from the top left, going right or down: D = cost + min(left, up).
struct CheapestWay {
  using algebra_type = wavescan::MinPlus<int>;
  Kokkos::View<const int**> cost;

  // D(i,j-1) + cost(i,j) is what the way from the left costs, D(i-1,j) + cost(i,j) the one from
  // above; outside the terrain nobody walks, but everybody starts at (0, 0).
  KOKKOS_FUNCTION int weight(std::int64_t i, std::int64_t j) const { return cost(i, j); }
  KOKKOS_FUNCTION int partial(std::int64_t i, std::int64_t j, int up, int, const auto&) const {
    if (i == 0) return j == 0 ? cost(0, 0) : algebra_type{}.zero();
    return up + cost(i, j);
  }
};

/// The same with the terrain as an input, which the loop need not read itself.
struct CheapestWayThroughInput {
  using algebra_type = wavescan::MinPlus<int>;
  using Cost = Kokkos::Array<int, 1>;
  wavescan::Grid<const int> terrain;

  KOKKOS_FUNCTION Kokkos::Array<wavescan::LoopInput<int>, 1> inputs() const {
    return {wavescan::LoopInput<int>{terrain, 0}};
  }
  KOKKOS_FUNCTION int weight(std::int64_t, std::int64_t, const Cost& cost) const { return cost[0]; }
  KOKKOS_FUNCTION int partial(std::int64_t i, std::int64_t j, int up, int, const auto&,
                              const Cost& cost) const {
    if (i == 0) return j == 0 ? cost[0] : algebra_type{}.zero();
    return up + cost[0];
  }
};

/// Members that leave out the inputs are not called, and so must not be there.
struct ForgetsInputsInPartial : CheapestWayThroughInput {
  KOKKOS_FUNCTION int partial(std::int64_t, std::int64_t, int up, int, const auto&) const {
    return up;
  }
};
struct ForgetsInputsInWeight : CheapestWayThroughInput {
  KOKKOS_FUNCTION int weight(auto, auto) const { return 1; }
};
struct TakesInputsItLacks {
  using algebra_type = wavescan::Plus<int>;
  KOKKOS_FUNCTION int partial(std::int64_t, std::int64_t, int, int, const auto&,
                              const Kokkos::Array<int, 1>& cost) const {
    return cost[0];
  }
};
static_assert(wavescan::WavefrontLoop<CheapestWayThroughInput>);
static_assert(!wavescan::WavefrontLoop<ForgetsInputsInPartial>);
static_assert(!wavescan::WavefrontLoop<ForgetsInputsInWeight>);
static_assert(!wavescan::WavefrontLoop<TakesInputsItLacks>);

/// Paths from the top left modulo a number that is known at run time, around obstacles.
struct CountPaths {
  struct SumModulo {
    using value_type = std::uint32_t;
    std::uint32_t modulus = 1;
    KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
      return static_cast<std::uint32_t>((std::uint64_t(a) + b) % modulus);
    }
    KOKKOS_FUNCTION std::uint32_t identity() const { return 0; }
  };
  using algebra_type = SumModulo;
  std::uint32_t modulus;
  KOKKOS_FUNCTION SumModulo algebra() const { return {modulus}; }
  KOKKOS_FUNCTION std::uint32_t partial(std::int64_t i, std::int64_t j, std::uint32_t up,
                                        std::uint32_t, const auto&) const {
    return i == 0 && j == 0 ? 1 : up;
  }
};

/// Neighbours outside come from a View, which only the device can read.
struct FromBoundaryView {
  using algebra_type = wavescan::PlusTimes<std::uint32_t>;
  Kokkos::View<const std::uint32_t*> left, top;
  KOKKOS_FUNCTION std::uint32_t weight() const { return 2; }
  KOKKOS_FUNCTION std::uint32_t partial(std::int64_t, std::int64_t, std::uint32_t up,
                                        std::uint32_t up_left, const auto&) const {
    return up - up_left;
  }
  KOKKOS_FUNCTION std::uint32_t boundary(std::int64_t i, std::int64_t j) const {
    return i < 0 ? (j < 0 ? 0 : top(j)) : left(i);
  }
};

}  // namespace example

namespace {

TEST(UserLoops, CheapestWay) {
  const int m = 43, n = 171;
  const Kokkos::View<int**> cost("cost", m, n);
  const auto on_host = Kokkos::create_mirror_view(cost);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) on_host(i, j) = (i * 131 + j * j * 17) % 10;
  Kokkos::deep_copy(cost, on_host);
  Kokkos::View<int**, Kokkos::HostSpace> expected("expected", m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int best = i == 0 && j == 0 ? 0 : 1 << 30;
      if (i > 0) best = std::min(best, expected(i - 1, j));
      if (j > 0) best = std::min(best, expected(i, j - 1));
      expected(i, j) = best + on_host(i, j);
    }
  const auto check = [&](const auto& loop, wavescan::Schedule schedule) {
    const Kokkos::View<int**> way("way", m, n);
    wavescan::wavefront(loop, way, {.schedule = schedule, .tile_rows = 8, .tile_columns = 32});
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), way);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        ASSERT_EQ(got(i, j), expected(i, j)) << to_string(schedule) << ' ' << i << ' ' << j;
  };
  for (const wavescan::Schedule schedule : wavescan::schedules) {
    check(example::CheapestWay{cost}, schedule);
    check(example::CheapestWayThroughInput{wavescan::grid_of(Kokkos::View<const int**>(cost))},
          schedule);
  }
}

TEST(UserLoops, CountPaths) {
  const int m = 50, n = 60;
  const std::uint32_t modulus = 1000003;
  Kokkos::View<std::uint32_t**, Kokkos::HostSpace> expected("expected", m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      expected(i, j) = i == 0 || j == 0 ? 1 : (expected(i - 1, j) + expected(i, j - 1)) % modulus;
  for (const wavescan::Schedule schedule : wavescan::schedules) {
    const Kokkos::View<std::uint32_t**> paths("paths", m, n);
    wavescan::wavefront(example::CountPaths{modulus}, paths, {.schedule = schedule});
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), paths);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        ASSERT_EQ(got(i, j), expected(i, j)) << to_string(schedule) << ' ' << i << ' ' << j;
  }
}

TEST(UserLoops, BoundaryInAView) {
  const int m = 21, n = 20;
  const Kokkos::View<std::uint32_t*> left("left", m), top("top", n);
  const auto host_left = Kokkos::create_mirror_view(left),
             host_top = Kokkos::create_mirror_view(top);
  for (int i = 0; i < m; ++i) host_left(i) = static_cast<std::uint32_t>(i % 5);
  for (int j = 0; j < n; ++j) host_top(j) = static_cast<std::uint32_t>(j % 3);
  Kokkos::deep_copy(left, host_left);
  Kokkos::deep_copy(top, host_top);
  Kokkos::View<std::uint32_t**, Kokkos::HostSpace> expected("expected", m + 1, n + 1);
  for (int i = 0; i < m; ++i) expected(i + 1, 0) = host_left(i);
  for (int j = 0; j < n; ++j) expected(0, j + 1) = host_top(j);
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j)
      expected(i, j) = 2 * expected(i, j - 1) + expected(i - 1, j) - expected(i - 1, j - 1);
  for (const wavescan::Schedule schedule : wavescan::schedules) {
    const Kokkos::View<std::uint32_t**> array("array", m, n);
    wavescan::wavefront(example::FromBoundaryView{left, top}, array,
                        {.schedule = schedule, .tile_rows = 4, .tile_columns = 8});
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        ASSERT_EQ(got(i, j), expected(i + 1, j + 1)) << to_string(schedule) << ' ' << i << ' ' << j;
  }
}

}  // namespace
