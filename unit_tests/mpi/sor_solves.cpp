// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "distributed_grids.hpp"

namespace wavescan::Test {
namespace {

TEST(MpiSor, SolvesDoNotDependOnTheDistribution) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto criterion : {Criterion::Residual, Criterion::Update}) {
    const auto d = Distribution::at_least(random, size_of(world), 3, 9);
    const Arrays<double> x(random, d, 20), b(random, d, 20), whole(random, d, 20);
    Kokkos::deep_copy(whole.whole, x.whole);
    const auto c = poisson<double>(1.5, 1);
    const SolveControl control{.tolerance = 1e-9, .max_sweeps = 300, .criterion = criterion};
    const auto expected = sor_solve(Exec(), x.whole, c, SORInputs<>().rhs(b.whole), control);
    const auto report =
        mpi::sor_solve(world, Exec(), x.block, c, SORInputs<>().rhs(b.block), control);
    EXPECT_EQ(report.reason, expected.reason);
    EXPECT_EQ(report.sweeps, expected.sweeps);
    EXPECT_TRUE(x.agrees());
    // The same solve on one process has the same bits of norms.
    const auto alone =
        mpi::sor_solve(MPI_COMM_SELF, Exec(), whole.whole, c, SORInputs<>().rhs(b.whole), control);
    ASSERT_EQ(report.history.size(), expected.history.size());
    // So has one on blocks of columns.
    const Blocks beside{{{0, d.all()}}, Distribution::at_least(random, size_of(world), 3, 9)};
    const Arrays<double> y(random, beside);
    const Matrix<double> copy("copy", y.whole.extent(0), y.whole.extent(1));
    Kokkos::deep_copy(copy, y.whole);
    const auto in_columns = mpi::sor_solve(world, Exec(), y.block, c, SORInputs<>(), control,
                                           {.process_columns = size_of(world)});
    const auto in_one = mpi::sor_solve(MPI_COMM_SELF, Exec(), copy, c, SORInputs<>(), control);
    EXPECT_EQ(in_columns.sweeps, in_one.sweeps);
    EXPECT_EQ(in_columns.final_residual, in_one.final_residual);
    for (std::size_t k = 0; k < report.history.size(); ++k) {
      EXPECT_EQ(report.history[k].residual, alone.history[k].residual);
      EXPECT_NEAR(report.history[k].residual / expected.history[k].residual, 1, 1e-6);
    }
  }
}

TEST(MpiSor, DivergenceIsUndone) {
  Random random;
  const auto d = Distribution::at_least(random, size_of(world), 2, 5);
  const Arrays<double> x(random, d, 6);
  const SORCoefficients<double> c{3, 1, 1, 1, 1, 1};
  const SolveControl control{.max_sweeps = 100, .check_every = 2};
  const auto expected = sor_solve(Exec(), x.whole, c, SORInputs<>(), control);
  const auto report = mpi::sor_solve(world, Exec(), x.block, c, SORInputs<>(), control);
  EXPECT_EQ(report.reason, StopReason::Diverged);
  EXPECT_EQ(report.sweeps, expected.sweeps);
  EXPECT_TRUE(x.agrees());
}

TEST(MpiSor, Errors) {
  if (size_of(world) == 1) return;
  const bool wrong = rank_of(world) == 1;
  const Matrix<double> x("x", 6, 7), b("b", 6, wrong ? 8 : 7), narrow("x", 6, wrong ? 8 : 7);
  const auto c = poisson<double>(1.2, 1), other = poisson<double>(1.3, 1);
  const auto throws = [](const auto& call) { EXPECT_THROW(call(), std::invalid_argument); };
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, SORInputs<>().rhs(b)); });
  throws([&] { mpi::sor_sweeps(world, Exec(), narrow, c, 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, wrong ? other : c, 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, wrong ? 2 : 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.process_columns = wrong ? 2 : 1}); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.process_columns = 5}); });
  int calls = 0;
  const auto report = mpi::sor_solve(
      world, Exec(), x, c, SORInputs<>(),
      {.tolerance = 0, .progress = [&](int, double) { return ++calls < 3 || !wrong; }});
  EXPECT_TRUE(report.reason == StopReason::Cancelled || report.reason == StopReason::Converged);
}

}  // namespace
}  // namespace wavescan::Test
