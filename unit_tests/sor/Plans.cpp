// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <array>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "Exact.hpp"

/// @file
/// @brief What the calls of a plan allocate, and plans of two threads.

namespace wavescan::Test {
namespace {

template <class T>
class SORPlans : public testing::Test {};
TYPED_TEST_SUITE(SORPlans, FloatingPointTypes, );

/// @brief Calls use(plan, x, coefficients, inputs) for plans of all kinds.
template <class T, class Use>
void for_each_plan(const Use& use) {
  Random random;
  WantedCases wanted;
  for (const Extents& extents : {Extents{3, 3000}, {9, 98}, {90, 130}, {300, 2}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
      for (const auto place : {row_major, column_major, spread})
        for (const bool with_mask : {false, true})
          for (const bool varies : {false, true})
            for (const auto place_inputs : {place, row_major})
              for (const bool periodic : {false, true}) {
                if (!wanted.next()) continue;
                const ExactCase c{extents, order, place, place_inputs, true, with_mask, varies};
                SCOPED_TRACE(c.name() + (periodic ? ", periodic, " : ", ") + random.trace());
                const auto [m, n] = extents;
                PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), true, with_mask, random);
                if (varies) vary_coefficients(p, random);
                const Placement placed = place_inputs(m + 2, n + 2);
                const GuardedArray<T> x(place(m + 2, n + 2), p.x);
                const Exec exec;
                with_coefficients(p, placed, [&](const auto& coefficients) {
                  with_inputs(p, placed, [&](const auto& inputs) {
                    const auto make_plan = [&] {
                      return SOR<Exec, T>::like(exec, x.matrix(),
                                                {.order = order, .periodic_columns = periodic});
                    };
                    use(make_plan, x.matrix(), coefficients, inputs);
                  });
                });
                if (testing::Test::HasFatalFailure()) return;
              }
}

template <class Call>
std::string allocations_of(const Call& call) {
  Kokkos::fence();
  const Recorder recorder;
  call();
  return join(recorder.allocations());
}

TYPED_TEST(SORPlans, LaterSweepsAllocateNothing) {
  for_each_plan<TypeParam>(
      [](const auto& make_plan, const auto& x, const auto& coefficients, const auto& inputs) {
        const auto plan = make_plan();
        plan.sweeps(x, coefficients, 9, inputs);
        for (const int count : {9, 1, 4})
          ASSERT_EQ(allocations_of([&] { plan.sweeps(x, coefficients, count, inputs); }), "");
      });
}

TYPED_TEST(SORPlans, ReservedSweepsAllocateNothing) {
  for_each_plan<TypeParam>(
      [](const auto& make_plan, const auto& x, const auto& coefficients, const auto& inputs) {
        make_plan().sweeps(x, coefficients, 9, inputs);  // what Kokkos prepares for kernels
        auto plan = make_plan();
        plan.reserve_sweeps(x, coefficients, 9, inputs);
        ASSERT_EQ(allocations_of([&] { plan.sweeps(x, coefficients, 9, inputs); }), "");
      });
}

TYPED_TEST(SORPlans, ReservedSolvesAllocateNothing) {
  for (const auto criterion : {Criterion::Residual, Criterion::Update})
    for_each_plan<TypeParam>(
        [&](const auto& make_plan, const auto& x, const auto& coefficients, const auto& inputs) {
          const SolveControl control{.max_sweeps = 13, .check_every = 5, .criterion = criterion};
          make_plan().solve(x, coefficients, inputs, control);
          auto plan = make_plan();
          plan.reserve_solve(x, coefficients, inputs, control);
          ASSERT_EQ(allocations_of([&] { plan.solve(x, coefficients, inputs, control); }), "");
        });
}

/// @brief Reserving changes no values, and refuses what the calls refuse.
TYPED_TEST(SORPlans, ReservingIsNoSweep) {
  for_each_plan<TypeParam>(
      [](const auto& make_plan, const auto& x, const auto& coefficients, const auto& inputs) {
        const Kokkos::View<TypeParam**, Exec> before("before", x.extent(0), x.extent(1));
        Kokkos::deep_copy(before, x);
        auto plan = make_plan();
        plan.reserve_sweeps(x, coefficients, 4, inputs);
        plan.reserve_solve(x, coefficients, inputs);
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), before);
        Kokkos::deep_copy(before, x);
        const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), before);
        ASSERT_EQ(std::memcmp(host.data(), after.data(), host.span() * sizeof(TypeParam)), 0);
        EXPECT_THROW(plan.reserve_sweeps(x, coefficients, -1, inputs), std::invalid_argument);
      });
}

/// @brief Two plans, each used by a thread of its own, at the same time.
TYPED_TEST(SORPlans, TwoOfTwoThreads) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  const std::array<Extents, 2> extents{Extents{300, 410}, Extents{17, 3000}};
  std::vector<PlainSOR<T>> plain;
  std::vector<GuardedArray<T>> x;
  for (const auto& [m, n] : extents) {
    plain.push_back(random_sor<T>(m, n, five_different<T>(), false, false, random));
    x.emplace_back(row_major(m + 2, n + 2), plain.back().x);
  }
  const auto calls = static_cast<int>(5 * cases_wanted(4));
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const auto work = [&](std::size_t k) {
    const auto view = x[k].matrix();
    const auto plan = SOR<Exec, T>::like(instances[k], view);
    for (int call = 0; call < calls; ++call) plan.sweeps(view, plain[k].c, 1 + call % 5);
    instances[k].fence();
  };
  auto other = std::async(std::launch::async, work, 1);
  work(0);
  other.get();
  for (std::size_t k = 0; k < 2; ++k) {
    for (int call = 0; call < calls; ++call)
      sweep_serially(plain[k], SweepOrder::Forward, 1 + call % 5);
    EXPECT_TRUE(same_bits(x[k].values(), plain[k].x));
  }
}

}  // namespace
}  // namespace wavescan::Test
