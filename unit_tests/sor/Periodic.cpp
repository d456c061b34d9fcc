// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Types.hpp>

#include "Exact.hpp"

/// @file
/// @brief Periodic rows and columns, bit for bit the plain loops with a halo that is filled before
/// each pass.

namespace wavescan::Test {
namespace {

template <class T>
class SORPeriodic : public testing::Test {};
TYPED_TEST_SUITE(SORPeriodic, FloatingPointTypes, );

struct Wraps {
  bool rows, columns;
};

template <class T>
void wrap_halo(PlainSOR<T>& p, const Wraps& wraps) {
  const auto unknown = [](std::int64_t k, std::int64_t count) {
    return k == 0 ? count : k == count + 1 ? 1 : k;
  };
  const std::vector<T> old = p.x;
  for (std::int64_t i = 0; i <= p.m + 1; ++i)
    for (std::int64_t j = 0; j <= p.n + 1; ++j) {
      const bool in_rows = wraps.rows && (i == 0 || i == p.m + 1);
      const bool in_columns = wraps.columns && (j == 0 || j == p.n + 1);
      if (in_rows || in_columns)
        p.x[p.at(i, j)] =
            old[p.at(wraps.rows ? unknown(i, p.m) : i, wraps.columns ? unknown(j, p.n) : j)];
    }
}

template <class T>
void sweep_plainly(PlainSOR<T>& p, const Wraps& wraps, SweepOrder order, int count) {
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) {
      wrap_halo(p, wraps);
      p.forward_pass();
    }
    if (order != SweepOrder::Forward) {
      wrap_halo(p, wraps);
      p.backward_pass();
    }
  }
}

template <class T>
void check_periodic(const ExactCase& c, const Wraps& wraps) {
  Random random;
  SCOPED_TRACE(c.name() + ", " + random.trace());
  const auto [m, n] = c.extents;
  PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), c.with_rhs, c.with_mask, random);
  if (c.varies) vary_coefficients(p, random);
  const Placement place = c.place(m + 2, n + 2);
  const GuardedArray<T> x(place, p.x);
  const GuardedArray<T> to(place);
  const auto plan = SOR<Exec, T>::like(
      Exec(), x.matrix(),
      {.order = c.order, .periodic_rows = wraps.rows, .periodic_columns = wraps.columns});
  with_coefficients(p, place, [&](const auto& coefficients) {
    with_inputs(p, place, [&](const auto& inputs) {
      plan.sweeps(x.matrix(), coefficients, 3, inputs);
      sweep_plainly(p, wraps, c.order, 3);
      ASSERT_TRUE(same_bits(x.values(), p.x));
      plan.sweeps(x.matrix(), to.matrix(), coefficients, 2, inputs);
      ASSERT_TRUE(same_bits(x.values(), p.x)) << "read only";
      sweep_plainly(p, wraps, c.order, 2);
      ASSERT_TRUE(same_bits(to.values(), p.x)) << "from one array to another";
    });
  });
  ASSERT_TRUE(x.guards_intact() && to.guards_intact());
}

TYPED_TEST(SORPeriodic, SweepsAreThePlainLoops) {
  WantedCases wanted;
  for (const Extents& extents : {Extents{1, 1}, {2, 9}, {40, 37}, {130, 70}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const auto place : {row_major, column_major, spread})
        for (const bool with_mask : {false, true})
          for (const bool varies : {false, true})
            for (const Wraps wraps : {Wraps{true, false}, {false, true}, {true, true}}) {
              if (!wanted.next()) continue;
              check_periodic<TypeParam>({extents, order, place, place, true, with_mask, varies},
                                        wraps);
              if (testing::Test::HasFatalFailure()) return;
            }
}

// Poisson's equation on a torus, with a right-hand side whose mean is zero.
TYPED_TEST(SORPeriodic, SolvesConverge) {
  using T = TypeParam;
  constexpr std::int64_t n = 24;
  for (const auto criterion : {Criterion::Residual, Criterion::Update})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric}) {
      PlainSOR<T> p(n, n, poisson<T>(1.2, 1));
      p.rhs.assign(p.size(), T(0));
      p.rhs[p.at(5, 7)] = 1;
      p.rhs[p.at(20, 11)] = -1;
      const Placement place = row_major(n + 2, n + 2);
      const GuardedArray<T> x(place, p.x), rhs(place, p.rhs);
      const SolveReport report =
          sor_solve(Exec(), x.matrix(), p.c, SORInputs().rhs(rhs.matrix()),
                    {.relative_tolerance = 1e-3, .max_sweeps = 3000, .criterion = criterion},
                    {.order = order, .periodic_rows = true, .periodic_columns = true});
      EXPECT_TRUE(report.converged());
      sweep_plainly(p, {true, true}, order, report.sweeps);
      const std::vector<T> values = x.values();
      for (std::int64_t i = 1; i <= n; ++i)
        for (std::int64_t j = 1; j <= n; ++j)
          ASSERT_EQ(values[p.at(i, j)], p.x[p.at(i, j)]) << i << ", " << j;
      wrap_halo(p, {true, true});
      if (criterion == Criterion::Residual) {
        EXPECT_NEAR(report.final_residual, p.residual(), 1e-5);
      }
      const double left = sor_residual(Exec(), x.matrix(), p.c, SORInputs().rhs(rhs.matrix()));
      EXPECT_NEAR(left, p.residual(), 1e-5) << "with the halo that the solve leaves";
    }
}

TEST(SORPeriodicBoxes, AreRefused) {
  EXPECT_THROW((SOR<Exec, double, 3>(Exec(), 5, 5, 5, {.periodic_rows = true})),
               std::invalid_argument);
}

}  // namespace
}  // namespace wavescan::Test
