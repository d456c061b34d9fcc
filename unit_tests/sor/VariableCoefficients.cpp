// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "Reference.hpp"
#include "Variable.hpp"

/// @file
/// @brief Residuals, solves and errors with coefficients of each point's own.

namespace wavescan::Test {
namespace {

constexpr SOROptions serial{.schedule = Schedule::Serial};

TEST(SORVariable, ConstantsGiveTheBitsOfConstantCoefficients) {
  Random random;
  PlainSOR<double> p = random_sor<double>(21, 34, five_different<double>(), true, true, random);
  const GuardedArray<double> x(row_major(23, 36), p.x);
  const GuardedArray<double> rhs(row_major(23, 36), p.rhs);
  const GuardedArray<int> mask(row_major(23, 36), p.mask);
  const auto inputs = SORInputs().rhs(rhs.matrix()).mask(mask.matrix());
  const VariableCoefficients<double> c{.center = p.c.center,
                                       .left = p.c.left,
                                       .up = p.c.up,
                                       .right = p.c.right,
                                       .down = p.c.down,
                                       .rhs = p.c.rhs};
  EXPECT_NEAR(sor_residual(x.matrix(), c, inputs), sor_residual(x.matrix(), p.c, inputs), 1e-14);
  sor_sweeps(x.matrix(), c, 3, inputs, serial);
  for (int k = 0; k < 3; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

TEST(SORVariable, MissingCoefficientsAreZero) {
  PlainSOR<double> p(5, 6, {.center = 0.5, .left = 0, .up = 0, .right = 0.25, .down = 0, .rhs = 0});
  Random random;
  for (double& value : p.x) value = random.value<double>();
  const GuardedArray<double> x(row_major(7, 8), p.x);
  sor_sweeps(x.matrix(), VariableCoefficients<double>{.center = 0.5, .right = 0.25}, 2, SORInputs(),
             serial);
  for (int k = 0; k < 2; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

TEST(SORVariable, Residual) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto place : {row_major, column_major, spread})
    for (const bool with_mask : {false, true}) {
      auto p = random_sor<double>(12, 7, five_different<double>(), true, with_mask, random);
      vary_coefficients(p, random);
      const GuardedArray<double> x(place(14, 9), p.x);
      const GuardedArray<double> rhs(row_major(14, 9), p.rhs);
      const DeviceCoefficients<double> c(p, {row_major(14, 9), spread(14, 9)});
      const double expected = p.residual();
      const auto inputs = SORInputs().rhs(rhs.matrix());
      if (with_mask) {
        const GuardedArray<int> mask(row_major(14, 9), p.mask);
        EXPECT_NEAR(sor_residual(x.matrix(), c.get(), inputs.mask(mask.matrix())), expected,
                    1e-13 * expected);
      } else {
        EXPECT_NEAR(sor_residual(x.matrix(), c.get(), inputs), expected, 1e-13 * expected);
      }
    }
}

/// @brief Unknowns of a diagonally dominant system, so that sweeps converge.
PlainSOR<double> dominant_problem(std::int64_t m, std::int64_t n, Random& random) {
  auto p = random_sor<double>(m, n, {0.1, 0.2, 0.2, 0.2, 0.2, 0.5}, true, true, random);
  vary_coefficients(p, random);
  return p;
}

TEST(SORVariable, SolveConverges) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto p = dominant_problem(23, 31, random);
  for (const Schedule schedule : exact_schedules)
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
      const GuardedArray<double> x(row_major(25, 33), p.x);
      const GuardedArray<double> rhs(row_major(25, 33), p.rhs);
      const GuardedArray<int> mask(row_major(25, 33), p.mask);
      const DeviceCoefficients<double> c(p, {row_major(25, 33)});
      const auto inputs = SORInputs().rhs(rhs.matrix()).mask(mask.matrix());
      const SolveReport report =
          sor_solve(x.matrix(), c.get(), inputs, {.tolerance = 1e-10, .criterion = criterion},
                    {.schedule = schedule});
      EXPECT_TRUE(report.converged()) << report.to_string();
      PlainSOR<double> solved = p;
      solved.x = x.values();
      EXPECT_LT(solved.residual(), 1e-9);
    }
}

TEST(SORVariable, DivergenceIsDetectedAndUndone) {
  Random random;
  SCOPED_TRACE(random.trace());
  auto p = random_sor<double>(12, 17, {0.0, 0.4, 0.4, 0.4, 0.4, 1.0}, true, false, random);
  vary_coefficients(p, random);
  const GuardedArray<double> x(column_major(14, 19), p.x);
  const GuardedArray<double> rhs(row_major(14, 19), p.rhs);
  const DeviceCoefficients<double> c(p, {row_major(14, 19)});
  const SolveReport report = sor_solve(x.matrix(), c.get(), SORInputs().rhs(rhs.matrix()),
                                       {.check_every = 2, .divergence_factor = 1e3}, serial);
  EXPECT_EQ(report.reason, StopReason::Diverged);
  EXPECT_GT(report.history.back().residual, 1e3 * report.initial_residual);
  ASSERT_GE(report.history.size(), 3u);
  EXPECT_EQ(report.sweeps, report.history[report.history.size() - 2].sweeps);
  for (int k = 0; k < report.sweeps; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

TEST(SORVariable, CoefficientsThatAreNotFiniteAreReported) {
  Random random;
  auto p = dominant_problem(6, 8, random);
  p.mask.assign(p.mask.size(), 0);
  vary_coefficients(p, random);
  const auto reason = [&] {
    const GuardedArray<double> x(row_major(8, 10), p.x);
    const GuardedArray<double> rhs(row_major(8, 10), p.rhs);
    const DeviceCoefficients<double> c(p, {row_major(8, 10)});
    const auto report = sor_solve(x.matrix(), c.get(), SORInputs().rhs(rhs.matrix()));
    if (report.reason == StopReason::NonFinite) {
      EXPECT_TRUE(same_bits(x.values(), p.x));
    }
    return report.reason;
  };
  EXPECT_EQ(reason(), StopReason::Converged);
  for (const auto member : members_of_coefficients<double>) {
    const double good = std::exchange(p.each[p.at(3, 4)].*member, nan<double>);
    EXPECT_EQ(reason(), StopReason::NonFinite);
    p.each[p.at(3, 4)].*member = good;
  }
}

void expect_rejected(const std::string& start, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "accepted, where this was expected: " << start;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
  }
}

TEST(SORVariable, WrongArgumentsAreNamed) {
  using View = Kokkos::View<double**, Exec>;
  const View x("x", 6, 7);
  const View good("good", 6, 7);
  const View bad("bad", 6, 6);
  const View unallocated;
  using C = VariableCoefficients<double>;
  expect_rejected(
      "WaveScan::sor_sweeps: argument 'coefficients.up' must have the extents of 'x' (6 x 7), got "
      "6 x 6",
      [&] { sor_sweeps(x, C{.left = good, .up = bad}, 1); });
  expect_rejected(
      "WaveScan::sor_sweeps: argument 'coefficients.rhs' must have the extents of 'to' (6 x 7), "
      "got "
      "0 x 0",
      [&] { sor_sweeps(good, x, C{.left = 0.5, .rhs = unallocated}, 1); });
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.down' must be finite, got nan",
                  [&] { sor_solve(x, C{.left = good, .down = nan<double>}); });
  expect_rejected(
      "WaveScan::sor_residual: argument 'x' must share no memory with "
      "'coefficients.center'",
      [&] { sor_residual(x, C{.center = x}); });
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.center' must not be 1",
                  [&] { sor_solve(x, C{.center = 1.0, .left = good}); });
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.center' must not be 1", [&] {
    sor_solve(x, SORCoefficients<double>{1, 0.1, 0.1, 0.1, 0.1, 1});
  });
}

TEST(SORVariable, OneRowOfCoefficientsMayServeAll) {
  Random random;
  auto p = random_sor<double>(9, 13, five_different<double>(), false, false, random);
  p.each.assign(p.size(), p.c);
  std::vector<double> row;
  for (std::int64_t j = 0; j < 15; ++j) row.push_back(0.1 + 0.01 * static_cast<double>(j));
  for (std::int64_t i = 0; i < 11; ++i)
    for (std::int64_t j = 0; j < 15; ++j) p.each[p.at(i, j)].up = row[static_cast<std::size_t>(j)];
  const GuardedArray<double> one_row(line(15), row);
  const Kokkos::View<const double**, Kokkos::LayoutStride, Exec> up(
      one_row.vector().data(), Kokkos::LayoutStride(11, 0, 15, 1));
  const GuardedArray<double> x(row_major(11, 15), p.x);
  const VariableCoefficients<double> c{p.c.center, p.c.left, up, p.c.right, p.c.down, p.c.rhs};
  sor_sweeps(x.matrix(), c, 2, SORInputs(), serial);
  for (int k = 0; k < 2; ++k) p.forward_pass();
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

}  // namespace
}  // namespace wavescan::Test
