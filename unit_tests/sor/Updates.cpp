// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"
#include "Variable.hpp"

/// @file
/// @brief Solves that look at updates.

namespace wavescan::Test {
namespace {

/// @brief Sweeps the plain loops once.
/// @return the norm of what the last pass changed
double plain_update(PlainSOR<double>& p, SweepOrder order, ResidualNorm norm) {
  if (order == SweepOrder::Symmetric) p.forward_pass();
  const auto before = p.x;
  order == SweepOrder::Forward ? p.forward_pass() : p.backward_pass();
  double squares = 0, largest = 0, points = 0;
  for (std::int64_t i = 1; i <= p.m; ++i)
    for (std::int64_t j = 1; j <= p.n; ++j)
      if (p.unknown(i, j)) {
        const double update = p.x[p.at(i, j)] - before[p.at(i, j)];
        squares += update * update;
        largest = std::max(largest, std::abs(update));
        points += 1;
      }
  return norm == ResidualNorm::Maximum ? largest : std::sqrt(squares / points);
}

template <class Coefficients>
void check_history(PlainSOR<double> p, const Coefficients& c, const SolveControl& control,
                   const SOROptions& options, const Placement& place) {
  const GuardedArray<double> x(place, p.x);
  const GuardedArray<double> rhs(place, p.rhs);
  const GuardedArray<int> mask(place, p.mask);
  const SolveReport report =
      sor_solve(x.matrix(), c, SORInputs().rhs(rhs.matrix()).mask(mask.matrix()), control, options);
  EXPECT_EQ(report.reason, StopReason::MaxSweeps);
  EXPECT_EQ(report.criterion, Criterion::Update);
  std::vector<ResidualSample> expected;
  for (int sweeps = 1; sweeps <= control.max_sweeps; ++sweeps) {
    const double update = plain_update(p, options.order, control.norm);
    if (sweeps == 1 || sweeps % control.check_every == 0 || sweeps == control.max_sweeps)
      expected.push_back({sweeps, update});
  }
  ASSERT_EQ(report.history.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(report.history[k].sweeps, expected[k].sweeps);
    EXPECT_NEAR(report.history[k].residual, expected[k].residual, 1e-12 * expected[0].residual);
  }
  EXPECT_EQ(report.initial_residual, report.history.front().residual);
  EXPECT_EQ(report.final_residual, report.history.back().residual);
  EXPECT_EQ(report.sweeps, control.max_sweeps);
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

TEST(UpdateTerms, AreThoseOfTheLastPass) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto schedule : {Schedule::Serial, Schedule::TileSkewed})
      for (const auto norm : {ResidualNorm::RootMeanSquare, ResidualNorm::Maximum})
        for (const bool restore : {true, false})
          for (const int every : {1, 4}) {
            SCOPED_TRACE(std::string(to_string(order)) + ", " + to_string(schedule));
            SolveControl control{.tolerance = 0, .max_sweeps = 11, .check_every = every};
            control.norm = norm;
            control.criterion = Criterion::Update;
            const SOROptions options{.order = order, .schedule = schedule, .restore = restore};
            auto p = random_sor<double>(19, 14, five_different<double>(), true, true, random);
            check_history(p, p.c, control, options, column_major(21, 16));
            vary_coefficients(p, random);
            const DeviceCoefficients<double> c(p, {row_major(21, 16)});
            check_history(p, c.get(), control, options, row_major(21, 16));
          }
}

/// @brief The factor that Criterion documents.
TEST(UpdateTerms, BoundTheResidual) {
  Random random;
  const double omega = 1.6, h = 0.25;
  auto p = random_sor<double>(20, 30, poisson<double>(omega, h), true, false, random);
  const double factor = 4 * (std::abs(1 - omega) + omega / 2) / (omega * h * h);
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto norm : {ResidualNorm::RootMeanSquare, ResidualNorm::Maximum}) {
      const GuardedArray<double> x(row_major(22, 32), p.x);
      const GuardedArray<double> rhs(row_major(22, 32), p.rhs);
      const auto inputs = SORInputs().rhs(rhs.matrix());
      const SolveReport report = sor_solve(
          x.matrix(), p.c, inputs, {.max_sweeps = 7, .norm = norm, .criterion = Criterion::Update},
          {.order = order});
      EXPECT_LE(sor_residual(x.matrix(), p.c, inputs, norm), factor * report.final_residual);
    }
}

class SORUpdateSolve : public testing::Test {
 protected:
  Random random;
  PlainSOR<double> p = random_sor<double>(15, 18, poisson<double>(1.4, 0.5), true, false, random);

  SolveReport solve(const SolveControl& control, const SOROptions& options = {}) {
    const GuardedArray<double> x(row_major(17, 20), p.x);
    const GuardedArray<double> rhs(row_major(17, 20), p.rhs);
    SolveControl by_updates = control;
    by_updates.criterion = Criterion::Update;
    const SolveReport report =
        sor_solve(x.matrix(), p.c, SORInputs().rhs(rhs.matrix()), by_updates, options);
    solution = x.values();
    return report;
  }
  std::vector<double> solution;
};

TEST_F(SORUpdateSolve, Converges) {
  const SolveReport report = solve({.tolerance = 1e-9});
  EXPECT_TRUE(report.converged()) << report.to_string();
  EXPECT_LE(report.final_residual, 1e-9);
  EXPECT_NE(report.to_string().find("sweeps, update "), std::string::npos);
  p.x = solution;
  EXPECT_LT(p.residual(), 1e-7);
  EXPECT_GT(p.residual(), 0);
}

TEST_F(SORUpdateSolve, RelativeToTheFirstSweep) {
  const SolveReport report = solve({.tolerance = 0, .relative_tolerance = 1e-3});
  EXPECT_TRUE(report.converged()) << report.to_string();
  EXPECT_LE(report.final_residual, 1e-3 * report.history.front().residual);
  EXPECT_EQ(report.history.front().sweeps, 1);
}

TEST_F(SORUpdateSolve, StopsInAllOtherWays) {
  const auto start = p.x;
  SolveReport report = solve({.max_sweeps = 0});
  EXPECT_EQ(report.reason, StopReason::MaxSweeps);
  EXPECT_TRUE(report.history.empty());
  EXPECT_TRUE(std::isnan(report.final_residual));
  EXPECT_TRUE(same_bits(solution, start));

  SolveControl control{.tolerance = 0};
  control.progress = [](int sweeps, double) { return sweeps < 10; };
  report = solve(control);
  EXPECT_EQ(report.reason, StopReason::Cancelled);
  EXPECT_EQ(report.sweeps, 10);

  p.rhs[p.at(3, 3)] = nan<double>;
  report = solve({});
  EXPECT_EQ(report.reason, StopReason::NonFinite);
  EXPECT_EQ(report.sweeps, 0);
  EXPECT_TRUE(same_bits(solution, start));
  report = solve({}, {.restore = false});
  EXPECT_EQ(report.reason, StopReason::NonFinite);
  EXPECT_EQ(report.sweeps, 1);
}

TEST_F(SORUpdateSolve, DivergenceIsUndone) {
  p.c = {0, 0.4, 0.4, 0.4, 0.4, 1};
  for (const int every : {1, 3}) {
    const SolveReport report =
        solve({.check_every = every, .divergence_factor = 100}, {.schedule = Schedule::Serial});
    EXPECT_EQ(report.reason, StopReason::Diverged);
    EXPECT_GT(report.history.back().residual, 100 * report.initial_residual);
    EXPECT_EQ(report.sweeps, report.history[report.history.size() - 2].sweeps);
    PlainSOR<double> expected = p;
    for (int k = 0; k < report.sweeps; ++k) expected.forward_pass();
    EXPECT_TRUE(same_bits(solution, expected.x));
  }
}

TEST_F(SORUpdateSolve, InfinityAfterAGoodStartIsDivergence) {
  p.c = {100, 100, 100, 100, 100, 1};
  const SolveReport report = solve({.check_every = 200, .divergence_factor = infinity<double>});
  EXPECT_EQ(report.reason, StopReason::Diverged);
  EXPECT_EQ(report.sweeps, 1);
  EXPECT_TRUE(std::isfinite(report.final_residual));
  EXPECT_TRUE(std::isnan(report.history.back().residual));
}

TEST(UpdateTerms, WithoutUnknownsThereAreNone) {
  for (const bool restore : {true, false}) {
    const GuardedArray<double> x(row_major(2, 5), std::vector<double>(10, 7));
    const SolveReport report =
        sor_solve(x.matrix(), mean_of_five<double>(), SORInputs(),
                  {.tolerance = 0, .criterion = Criterion::Update}, {.restore = restore});
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.final_residual, 0);
    EXPECT_EQ(x.values(), std::vector<double>(10, 7));
  }
}

TEST(UpdateTerms, PlansAllocateOnce) {
  static int allocations = 0;
  Random random;
  const auto p = random_sor<double>(40, 70, poisson<double>(1.5, 1), true, false, random);
  const GuardedArray<double> x(row_major(42, 72), p.x);
  const GuardedArray<double> rhs(row_major(42, 72), p.rhs);
  const auto plan = SOR<Exec, double>::like(Exec(), x.matrix());
  const SolveControl control{.tolerance = 0, .max_sweeps = 12, .criterion = Criterion::Update};
  const auto inputs = SORInputs().rhs(rhs.matrix());
  plan.solve(x.matrix(), p.c, inputs, control);
  Kokkos::Tools::Experimental::set_allocate_data_callback(
      [](const Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
        allocations += bytes > 0;
      });
  plan.solve(x.matrix(), p.c, inputs, control);
  Kokkos::fence();
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace wavescan::Test
