// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "Reference.hpp"

/// @file
/// @brief Solves that use x and another array in turn: x always has what as many sweeps give.

namespace wavescan::Test {
namespace {

/// @brief Large enough for the kernels that sweep from one array to another.
struct Setting {
  PlainSOR<double> plain;
  GuardedArray<double> x;
  GuardedArray<double> rhs;
  SOROptions options;

  Setting(const PlainSOR<double>& p, Placement (*place)(std::int64_t, std::int64_t),
          SweepOrder order)
      : plain(p),
        x(place(p.m + 2, p.n + 2), p.x),
        rhs(place(p.m + 2, p.n + 2), p.rhs),
        options{.order = order} {}

  auto inputs() const { return SORInputs().rhs(rhs.matrix()); }

  std::vector<double> after(int sweeps) const {
    const GuardedArray<double> y(x.placement(), plain.x);
    sor_sweeps(y.matrix(), plain.c, sweeps, inputs(), options);
    return y.values();
  }
};

template <class Use>
void for_each_setting(const SORCoefficients<double>& c, const Use& use) {
  Random random;
  const auto plain = random_sor<double>(171, 203, c, true, false, random);
  for (const auto place : {&row_major, &column_major})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      use(Setting(plain, place, order));
}

TEST(SORSolveInTurn, EndsWithAsManySweeps) {
  for_each_setting(poisson<double>(1.3, 0.5), [](Setting&& s) {
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
      for (const auto& [sweeps, every] :
           {std::pair(0, 1), std::pair(1, 1), std::pair(7, 2), std::pair(12, 3), std::pair(20, 8)})
        for (const bool restore : {true, false}) {
          s.x.set(s.plain.x);
          SOROptions options = s.options;
          options.restore = restore;
          const SolveReport report = sor_solve(
              s.x.matrix(), s.plain.c, s.inputs(),
              {.tolerance = 0, .max_sweeps = sweeps, .check_every = every, .criterion = criterion},
              options);
          EXPECT_EQ(report.sweeps, sweeps);
          ASSERT_TRUE(same_bits(s.x.values(), s.after(sweeps)));
          ASSERT_TRUE(s.x.guards_intact());
        }
  });
}

/// @brief Sweeps for later looks may have been done by then.
TEST(SORSolveInTurn, ConvergesAtALook) {
  for_each_setting(poisson<double>(1.3, 0.5), [](Setting&& s) {
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
      for (const int every : {2, 3, 8}) {
        s.x.set(s.plain.x);
        const SolveReport report = sor_solve(s.x.matrix(), s.plain.c, s.inputs(),
                                             {.tolerance = 0,
                                              .relative_tolerance = 0.1,
                                              .max_sweeps = 500,
                                              .check_every = every,
                                              .criterion = criterion},
                                             s.options);
        ASSERT_EQ(report.reason, StopReason::Converged);
        ASSERT_TRUE(same_bits(s.x.values(), s.after(report.sweeps)));
        const auto& before = report.history[report.history.size() - 2];
        EXPECT_GT(before.residual, 0.1 * report.initial_residual);
        if (criterion == Criterion::Residual) {
          const double residual = sor_residual(s.x.matrix(), s.plain.c, s.inputs());
          EXPECT_NEAR(report.final_residual, residual, 1e-12 * residual);
        }
      }
  });
}

TEST(SORSolveInTurn, ProgressSeesX) {
  for_each_setting(poisson<double>(1.3, 0.5), [](Setting&& s) {
    SolveControl control{.tolerance = 0, .max_sweeps = 30, .check_every = 3};
    control.progress = [&](int sweeps, double) {
      EXPECT_TRUE(same_bits(s.x.values(), s.after(sweeps)));
      return sweeps < 12;
    };
    const SolveReport report = sor_solve(s.x.matrix(), s.plain.c, s.inputs(), control, s.options);
    EXPECT_EQ(report.reason, StopReason::Cancelled);
    EXPECT_EQ(report.sweeps, 12);
  });
}

TEST(SORSolveInTurn, GoesBackToTheLastCheck) {
  for_each_setting({0, 0.4, 0.4, 0.4, 0.4, 1}, [](Setting&& s) {
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
      for (const int every : {1, 2, 5}) {
        s.x.set(s.plain.x);
        const SolveReport report = sor_solve(
            s.x.matrix(), s.plain.c, s.inputs(),
            {.check_every = every, .divergence_factor = 1e4, .criterion = criterion}, s.options);
        EXPECT_EQ(report.reason, StopReason::Diverged);
        ASSERT_GE(report.history.size(), 2u);
        EXPECT_EQ(report.sweeps, report.history[report.history.size() - 2].sweeps);
        ASSERT_TRUE(same_bits(s.x.values(), s.after(report.sweeps)));
      }
  });
}

}  // namespace
}  // namespace wavescan::Test
