// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "Reference.hpp"

/// @file
/// @brief Solves: convergence, all the ways to stop, and plans.

namespace wavescan::Test {
namespace {

constexpr SOROptions serial{.schedule = Schedule::Serial};

/// @brief x and rhs in device memory.
template <class T>
struct Arrays {
  GuardedArray<T> x;
  GuardedArray<T> rhs;
  explicit Arrays(const PlainSOR<T>& p)
      : x(row_major(p.m + 2, p.n + 2), p.x), rhs(row_major(p.m + 2, p.n + 2), p.rhs) {}
  auto inputs() const { return SORInputs().rhs(rhs.matrix()); }
};

/// @brief -Laplace(u) = f on the unit square with u = sin(pi s) sin(pi t) + s, n x n unknowns.
template <class T>
struct ModelProblem : PlainSOR<T> {
  double h;
  explicit ModelProblem(std::int64_t side)
      : PlainSOR<T>(side, side,
                    poisson<T>(optimal_omega(side, side), 1.0 / static_cast<double>(side + 1))),
        h(1.0 / static_cast<double>(side + 1)) {
    constexpr double pi = std::numbers::pi;
    this->rhs.assign(this->size(), T(0));
    for (std::int64_t i = 0; i <= side + 1; ++i)
      for (std::int64_t j = 0; j <= side + 1; ++j) {
        const bool interior = this->unknown(i, j);
        this->x[this->at(i, j)] = interior ? T(0) : static_cast<T>(solution(i, j));
        const double s = static_cast<double>(i) * h;
        const double t = static_cast<double>(j) * h;
        this->rhs[this->at(i, j)] =
            static_cast<T>(2 * pi * pi * std::sin(pi * s) * std::sin(pi * t));
      }
  }
  double solution(std::int64_t i, std::int64_t j) const {
    const double s = static_cast<double>(i) * h;
    const double t = static_cast<double>(j) * h;
    return std::sin(std::numbers::pi * s) * std::sin(std::numbers::pi * t) + s;
  }
  double error(const std::vector<T>& got) const {
    double worst = 0;
    for (std::int64_t i = 0; i <= this->m + 1; ++i)
      for (std::int64_t j = 0; j <= this->n + 1; ++j)
        worst = std::max(worst, std::abs(double(got[this->at(i, j)]) - solution(i, j)));
    return worst;
  }
};

PlainSOR<double> random_model(std::int64_t m, std::int64_t n, double omega = 1.2) {
  Random random;
  return random_sor<double>(m, n, poisson<double>(omega, 0.5), true, false, random);
}

TEST(SORSolve, PoissonConvergesWithOrderTwo) {
  double last = 0;
  for (const std::int64_t n : {15, 31, 63}) {
    const ModelProblem<double> p(n);
    const Arrays<double> a(p);
    const SolveReport report = sor_solve(a.x.matrix(), p.c, a.inputs(), {.tolerance = 1e-9});
    ASSERT_TRUE(report.converged()) << report.to_string();
    const double error = p.error(a.x.values());
    if (last > 0) {
      EXPECT_NEAR(last / error, 4.0, 0.1);
    }
    last = error;
  }
  EXPECT_LT(last, 3e-4);
}

TEST(SORSolve, EveryScheduleAndOrderReachesTheSolution) {
  const ModelProblem<double> p(30);
  for (const Schedule schedule : exact_schedules)
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric}) {
      const Arrays<double> a(p);
      const SolveReport report = sor_solve(a.x.matrix(), p.c, a.inputs(), {.tolerance = 1e-8},
                                           {.order = order, .schedule = schedule});
      EXPECT_TRUE(report.converged()) << report.to_string();
      EXPECT_LT(p.error(a.x.values()), 1e-3);
    }
}

TEST(SORSolve, FloatConverges) {
  const ModelProblem<float> p(31);
  const Arrays<float> a(p);
  const SolveReport report =
      sor_solve(a.x.matrix(), p.c, a.inputs(), {.tolerance = 0, .relative_tolerance = 1e-4});
  EXPECT_TRUE(report.converged()) << report.to_string();
  EXPECT_LT(p.error(a.x.values()), 2e-3);
}

TEST(SORSolve, OptimalOmegaIsFastest) {
  const std::int64_t n = 40;
  const auto sweeps = [&](double omega) {
    const ModelProblem<double> p(n);
    const Arrays<double> a(p);
    return sor_solve(a.x.matrix(), poisson<double>(omega, p.h), a.inputs(),
                     {.tolerance = 1e-8, .check_every = 1})
        .sweeps;
  };
  const double best = optimal_omega(n, n);
  const int fewest = sweeps(best);
  EXPECT_LT(fewest, sweeps(best - 0.1));
  EXPECT_LT(fewest, sweeps(best + 0.06));
}

TEST(SORSolve, ReportsResidualsOfTheLinearSystem) {
  PlainSOR<double> p = random_model(39, 13);
  const Arrays<double> a(p);
  const SolveReport report = sor_solve(
      a.x.matrix(), p.c, a.inputs(), {.tolerance = 0, .max_sweeps = 25, .check_every = 10}, serial);
  EXPECT_EQ(report.reason, StopReason::MaxSweeps);
  EXPECT_EQ(report.sweeps, 25);
  ASSERT_EQ(report.history.size(), 4u);
  int sweeps = 0;
  for (const ResidualSample& sample : report.history) {
    for (; sweeps < sample.sweeps; ++sweeps) p.forward_pass();
    EXPECT_NEAR(sample.residual, p.residual(), 1e-12 * report.initial_residual);
  }
  EXPECT_EQ(sweeps, 25);
  EXPECT_TRUE(same_bits(a.x.values(), p.x));
  EXPECT_EQ(report.initial_residual, report.history.front().residual);
  EXPECT_EQ(report.final_residual, report.history.back().residual);
  EXPECT_NE(report.to_string().find("sweep limit reached after 25 sweeps"), std::string::npos);
}

TEST(SORSolve, ResidualOfAnyLayoutAndNorm) {
  Random random;
  const auto p = random_sor<double>(6, 11, five_different<double>(), true, true, random);
  const double expected = p.residual();
  const GuardedArray<int> mask(row_major(8, 13), p.mask);
  for (const auto place : {row_major, column_major, spread}) {
    const GuardedArray<double> x(place(8, 13), p.x);
    const GuardedArray<double> rhs(place(8, 13), p.rhs);
    const auto inputs = SORInputs().rhs(rhs.matrix()).mask(mask.matrix());
    EXPECT_NEAR(sor_residual(x.matrix(), p.c, inputs), expected, 1e-13 * expected);
    Kokkos::View<const double**, Kokkos::LayoutStride, Exec> constant = x.matrix();
    EXPECT_GT(sor_residual(constant, p.c, inputs, ResidualNorm::Maximum), expected);
  }
  // A single point with x = 3, b = 5: 5 - (1 - 0.15) * 3 / 0.7, or without rhs -(1 - 0.15) * 3.
  const GuardedArray<double> x(row_major(3, 3),
                               {nan<double>, 0, nan<double>, 0, 3, 0, nan<double>, 0, nan<double>});
  const GuardedArray<double> rhs(row_major(3, 3), {0, 0, 0, 0, 5, 0, 0, 0, 0});
  SORCoefficients<double> c = p.c;
  for (const auto norm : {ResidualNorm::RootMeanSquare, ResidualNorm::Maximum}) {
    EXPECT_NEAR(sor_residual(x.matrix(), c, SORInputs().rhs(rhs.matrix()), norm),
                5 - 0.85 * 3 / 0.7, 1e-14);
    c.rhs = 0;
    EXPECT_NEAR(sor_residual(x.matrix(), c, SORInputs().rhs(rhs.matrix()), norm), 0.85 * 3, 1e-14);
    c.rhs = p.c.rhs;
  }
}

TEST(SORSolve, StopsByRelativeTolerance) {
  const PlainSOR<double> p = random_model(20, 20);
  const Arrays<double> a(p);
  const SolveReport report =
      sor_solve(a.x.matrix(), p.c, a.inputs(), {.tolerance = 0, .relative_tolerance = 1e-3});
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.final_residual, 1e-3 * report.initial_residual);
  EXPECT_GT(report.history[report.history.size() - 2].residual, 1e-3 * report.initial_residual);
}

/// @brief The larger of both tolerances decides.
TEST(SORSolve, StopsByEitherTolerance) {
  const PlainSOR<double> p = random_model(20, 20);
  const auto sweeps = [&](double tolerance, double relative_tolerance) {
    const Arrays<double> a(p);
    const SolveReport report =
        sor_solve(a.x.matrix(), p.c, a.inputs(),
                  {.tolerance = tolerance, .relative_tolerance = relative_tolerance});
    EXPECT_TRUE(report.converged());
    return report.sweeps;
  };
  const int relative = sweeps(0, 1e-3), absolute = sweeps(1e-8, 0);
  EXPECT_LT(relative, absolute);
  EXPECT_EQ(sweeps(1e-8, 1e-3), relative);
  EXPECT_EQ(sweeps(1e-8, 1e-14), absolute);
}

/// @brief Numbers whose squares a double cannot hold: all is as with others, times a power of two.
TEST(SORSolve, SquaresMayOverflowAndUnderflow) {
  const PlainSOR<double> p = random_model(60, 300, 1.7);
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
    for (const auto criterion : {Criterion::Residual, Criterion::Update})
      for (const bool restore : {true, false}) {
        const SolveControl control{
            .tolerance = 0, .relative_tolerance = 0.1, .criterion = criterion};
        const SOROptions options{.order = order, .restore = restore};
        const Arrays<double> a(p);
        const SolveReport expected = sor_solve(a.x.matrix(), p.c, a.inputs(), control, options);
        EXPECT_TRUE(expected.converged());
        const std::vector<double> solution = a.x.values();
        for (const double scale : {0x1p-565, 0x1p530}) {  // about 1e-170 and 1e160
          SCOPED_TRACE(std::string(to_string(order)) + ", " + to_string(criterion) +
                       (restore ? ", " : ", in place, ") + std::to_string(std::log10(scale)));
          PlainSOR<double> q = p;
          for (auto* numbers : {&q.x, &q.rhs})
            for (double& number : *numbers) number *= scale;
          const Arrays<double> b(q);
          const SolveReport report = sor_solve(b.x.matrix(), q.c, b.inputs(), control, options);
          EXPECT_TRUE(report.converged()) << report.to_string();
          const double norm = report.initial_residual / scale;
          if (restore || criterion == Criterion::Residual) {
            EXPECT_EQ(report.sweeps, expected.sweeps);
            EXPECT_NEAR(norm, expected.initial_residual, 1e-12 * norm);
            EXPECT_NEAR(report.final_residual / scale, expected.final_residual, 1e-12 * norm);
            q.x = solution;
            for (double& number : q.x) number *= scale;
            EXPECT_TRUE(same_bits(b.x.values(), q.x));
          } else {  // may be the maximum of updates
            EXPECT_GT(norm, (1 - 1e-12) * expected.initial_residual);
            EXPECT_LT(norm, 10 * expected.initial_residual);
          }
        }
      }
}

/// @brief What there is besides x may be chosen at run time.
TEST(SORSolve, ViewsThatAreNotAllocatedAreNone) {
  Random random;
  const auto p = random_sor<double>(9, 40, five_different<double>(), true, true, random);
  const GuardedArray<double> rhs(row_major(11, 42), p.rhs);
  const GuardedArray<int> mask(row_major(11, 42), p.mask);
  for (const bool with_rhs : {false, true})
    for (const bool with_mask : {false, true}) {
      PlainSOR<double> q = p;
      if (!with_rhs) q.rhs.clear();
      if (!with_mask) q.mask.clear();
      const GuardedArray<double> x(row_major(11, 42), p.x);
      decltype(rhs.matrix()) b;
      decltype(mask.matrix()) fixed;
      if (with_rhs) b = rhs.matrix();
      if (with_mask) fixed = mask.matrix();
      const auto inputs = SORInputs().rhs(b).mask(fixed);
      sor_sweeps(x.matrix(), p.c, 5, inputs);
      for (int k = 0; k < 5; ++k) q.forward_pass();
      EXPECT_TRUE(same_bits(x.values(), q.x)) << with_rhs << with_mask;
      EXPECT_NEAR(sor_residual(x.matrix(), p.c, inputs), q.residual(), 1e-12 * q.residual());
    }
}

TEST(SORSolve, DivergenceIsDetectedAndUndone) {
  for (const auto place : {row_major, column_major}) {
    PlainSOR<double> p = random_model(12, 17);
    p.c = {0, 0.4, 0.4, 0.4, 0.4, 1};
    const GuardedArray<double> x(place(14, 19), p.x);
    const GuardedArray<double> rhs(place(14, 19), p.rhs);
    const SolveReport report = sor_solve(x.matrix(), p.c, SORInputs().rhs(rhs.matrix()),
                                         {.check_every = 2, .divergence_factor = 1e6}, serial);
    EXPECT_EQ(report.reason, StopReason::Diverged);
    EXPECT_GT(report.history.back().residual, 1e6 * report.initial_residual);
    ASSERT_GE(report.history.size(), 3u);
    const ResidualSample good = report.history[report.history.size() - 2];
    EXPECT_EQ(report.sweeps, good.sweeps);
    EXPECT_EQ(report.final_residual, good.residual);
    for (int k = 0; k < good.sweeps; ++k) p.forward_pass();
    EXPECT_TRUE(same_bits(x.values(), p.x));
  }
}

TEST(SORSolve, OverflowIsDivergence) {
  PlainSOR<double> p = random_model(5, 5);
  const auto start = p.x;
  p.c = {100, 100, 100, 100, 100, 1};
  const Arrays<double> a(p);
  const SolveControl control{.check_every = 200, .divergence_factor = infinity<double>};
  const SolveReport report = sor_solve(a.x.matrix(), p.c, a.inputs(), control);
  EXPECT_EQ(report.reason, StopReason::Diverged);
  EXPECT_EQ(report.sweeps, 0);
  EXPECT_TRUE(std::isnan(report.history.back().residual));
  EXPECT_TRUE(same_bits(a.x.values(), start));

  const SolveReport without = sor_solve(a.x.matrix(), p.c, a.inputs(), control, {.restore = false});
  EXPECT_EQ(without.reason, StopReason::Diverged);
  EXPECT_EQ(without.sweeps, 200);
  EXPECT_TRUE(std::isnan(without.final_residual));
  EXPECT_FALSE(same_bits(a.x.values(), start));
}

TEST(SORSolve, DataThatAreNotFiniteAreReported) {
  const PlainSOR<double> good = random_model(6, 8);
  const auto reason = [&](const PlainSOR<double>& p) {
    const Arrays<double> a(p);
    const SolveReport report = sor_solve(a.x.matrix(), p.c, a.inputs(), {.max_sweeps = 20});
    if (report.reason == StopReason::NonFinite) {
      EXPECT_EQ(report.sweeps, 0);
      EXPECT_EQ(report.history.size(), 1u);
      EXPECT_TRUE(same_bits(a.x.values(), p.x));
    }
    return report.reason;
  };
  ASSERT_EQ(reason(good), StopReason::MaxSweeps);
  for (const double bad : {nan<double>, infinity<double>}) {
    PlainSOR<double> p = good;
    p.x[p.at(3, 4)] = bad;
    EXPECT_EQ(reason(p), StopReason::NonFinite);
    p = good;
    p.x[p.at(0, 3)] = bad;  // the halo
    EXPECT_EQ(reason(p), StopReason::NonFinite);
    p = good;
    p.rhs[p.at(6, 8)] = bad;
    EXPECT_EQ(reason(p), StopReason::NonFinite);
  }
}

TEST(SORSolve, FixedPointsKeepEvenNaN) {
  Random random;
  PlainSOR<double> p = random_sor<double>(9, 20, mean_of_five<double>(), true, true, random);
  // Two fixed columns and, behind them, a region of NaN that nothing else reads.
  for (std::int64_t i = 0; i < p.m + 2; ++i)
    for (std::int64_t j = 8; j <= 13; ++j) {
      p.mask[p.at(i, j)] = 1;
      if (j > 8 && j < 13) p.x[p.at(i, j)] = nan<double>;
    }
  for (const Schedule schedule : exact_schedules) {
    const Arrays<double> a(p);
    const GuardedArray<int> mask(row_major(11, 22), p.mask);
    const SolveReport report =
        sor_solve(a.x.matrix(), p.c, a.inputs().mask(mask.matrix()), {.tolerance = 1e-10},
                  {.order = SweepOrder::Symmetric, .schedule = schedule});
    EXPECT_TRUE(report.converged()) << report.to_string();
    const auto x = a.x.values();
    for (std::int64_t i = 1; i <= p.m; ++i)
      for (std::int64_t j = 1; j <= p.n; ++j)
        if (p.unknown(i, j)) {
          ASSERT_TRUE(std::isfinite(x[p.at(i, j)]));
        } else {
          ASSERT_EQ(std::memcmp(&x[p.at(i, j)], &p.x[p.at(i, j)], sizeof(double)), 0);
        }
  }
}

template <class M>
void expect_mask_of(const PlainSOR<double>& p, const std::vector<double>& expected, M nonzero) {
  const GuardedArray<double> x(row_major(p.m + 2, p.n + 2), p.x);
  std::vector<M> values(p.size(), M(0));
  for (std::size_t k = 0; k < values.size(); ++k)
    if (p.mask[k] != 0) values[k] = nonzero;
  const GuardedArray<M> mask(column_major(p.m + 2, p.n + 2), values);
  sor_sweeps(x.matrix(), p.c, 1, SORInputs().mask(mask.matrix()), serial);
  EXPECT_TRUE(same_bits(x.values(), expected));
}

TEST(SORSolve, MasksOfAnyIntegralType) {
  Random random;
  const auto p = random_sor<double>(7, 9, mean_of_five<double>(), false, true, random);
  PlainSOR<double> expected = p;
  expected.forward_pass();
  expect_mask_of<signed char>(p, expected.x, -1);
  expect_mask_of<unsigned short>(p, expected.x, 0x100);
  expect_mask_of<unsigned>(p, expected.x, 0x1000000);
  expect_mask_of<long>(p, expected.x, 1L << 40);
  expect_mask_of<long long>(p, expected.x, -1);

  const GuardedArray<double> x(row_major(9, 11), p.x);
  const Kokkos::View<bool**, Exec> mask("mask", 9, 11);
  const auto host = Kokkos::create_mirror_view(mask);
  for (std::int64_t i = 0; i < 9; ++i)
    for (std::int64_t j = 0; j < 11; ++j) host(i, j) = p.mask[p.at(i, j)] != 0;
  Kokkos::deep_copy(mask, host);
  sor_sweeps(x.matrix<Kokkos::LayoutRight>(), p.c, 1, SORInputs().mask(mask), serial);
  EXPECT_TRUE(same_bits(x.values(), expected.x));
}

TEST(SORSolve, EverythingFixedIsConverged) {
  PlainSOR<double> p = random_model(4, 5);
  p.mask.assign(p.size(), 1);
  const Arrays<double> a(p);
  const GuardedArray<int> mask(row_major(6, 7), p.mask);
  const SolveReport report =
      sor_solve(a.x.matrix(), p.c, a.inputs().mask(mask.matrix()), {.tolerance = 0});
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.final_residual, 0);
}

TEST(SORSolve, ProgressSeesAllChecksAndMayCancel) {
  PlainSOR<double> p = random_model(10, 10);
  const Arrays<double> a(p);
  std::vector<ResidualSample> seen;
  SolveControl control{.tolerance = 0, .check_every = 7};
  control.progress = [&](int sweeps, double residual) {
    seen.push_back({sweeps, residual});
    return seen.size() < 3;
  };
  const SolveReport report = sor_solve(a.x.matrix(), p.c, a.inputs(), control, serial);
  EXPECT_EQ(report.reason, StopReason::Cancelled);
  EXPECT_EQ(report.sweeps, 14);
  ASSERT_EQ(seen.size(), 3u);
  ASSERT_EQ(report.history.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(seen[k].sweeps, report.history[k].sweeps);
    EXPECT_EQ(seen[k].residual, report.history[k].residual);
  }
  for (int k = 0; k < 14; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(a.x.values(), p.x));
}

TEST(SORSolve, NothingToDo) {
  for (const auto& [rows, columns] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 5),
                                      std::pair(5, 2), std::pair(0, 7), std::pair(2, 2)}) {
    const Kokkos::View<double**, Exec> x("x", static_cast<std::size_t>(rows),
                                         static_cast<std::size_t>(columns));
    Kokkos::deep_copy(x, nan<double>);
    sor_sweeps(x, mean_of_five<double>(), 3);
    const SolveReport report = sor_solve(x, mean_of_five<double>(), SORInputs(), {.tolerance = 0});
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.sweeps, 0);
    EXPECT_EQ(sor_residual(x, mean_of_five<double>()), 0);
  }
  const PlainSOR<double> p = random_model(3, 3);
  const Arrays<double> a(p);
  sor_sweeps(a.x.matrix(), p.c, 0, a.inputs());
  EXPECT_TRUE(same_bits(a.x.values(), p.x));
}

TEST(SORPlan, IsReusedWithoutAllocation) {
  static int allocations = 0;
  PlainSOR<double> p = random_model(40, 70);
  for (const Schedule schedule : exact_schedules) {
    const Arrays<double> a(p);
    const Arrays<double> b(p);
    const auto plan = SOR<Exec, double>::like(Exec(), a.x.matrix(), {.schedule = schedule});
    const SolveControl control{.tolerance = 0, .max_sweeps = 12, .check_every = 5};
    plan.solve(a.x.matrix(), p.c, a.inputs(), control);
    plan.sweeps(a.x.matrix(), p.c, 2, a.inputs());

    allocations = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](const Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
          allocations += bytes > 0;
        });
    plan.solve(b.x.matrix(), p.c, b.inputs(), control);
    plan.sweeps(b.x.matrix(), p.c, 2, b.inputs());
    Kokkos::fence();
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    EXPECT_EQ(allocations, 0) << to_string(schedule);
    EXPECT_TRUE(same_bits(a.x.values(), b.x.values()));
  }
}

TEST(SORPlan, RunsOnOtherInstances) {
  PlainSOR<double> p = random_model(50, 90);
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Arrays<double> a(p);
  const Arrays<double> b(p);
  const SOROptions options{.schedule = Schedule::TileSkewed};
  sor_sweeps(instances[0], a.x.matrix(), p.c, 3, a.inputs(), options);
  const SolveReport report = sor_solve(instances[1], b.x.matrix(), p.c, b.inputs(),
                                       {.tolerance = 0, .max_sweeps = 3}, options);
  EXPECT_EQ(report.sweeps, 3);
  for (const auto& instance : instances) instance.fence();
  for (int k = 0; k < 3; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(a.x.values(), p.x));
  EXPECT_TRUE(same_bits(b.x.values(), p.x));
}

TEST(SORPlan, SymmetricIsForwardThenBackward) {
  const PlainSOR<double> p = random_model(33, 47);
  const Arrays<double> a(p);
  const Arrays<double> b(p);
  const auto run = [&](const Arrays<double>& arrays, SweepOrder order) {
    sor_sweeps(arrays.x.matrix(), p.c, 1, arrays.inputs(), {.order = order});
  };
  run(a, SweepOrder::Symmetric);
  run(b, SweepOrder::Forward);
  run(b, SweepOrder::Backward);
  EXPECT_TRUE(same_bits(a.x.values(), b.x.values()));
}

}  // namespace
}  // namespace wavescan::Test
