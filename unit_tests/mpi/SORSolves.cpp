// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "DistributedGrids.hpp"

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
    const GridView<double> copy("copy", y.whole.extent(0), y.whole.extent(1));
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

/// @brief Norms of numbers whose squares a double cannot hold, times a power of two.
TEST(MpiSor, SquaresMayOverflowAndUnderflow) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto d = Distribution::at_least(random, size_of(world), 2, 5);
  const Arrays<double> start(random, d, 20);
  const auto c = poisson<double>(1.5, 1);
  for (const auto criterion : {Criterion::Residual, Criterion::Update}) {
    const auto solve = [&](double scale) {
      const GridView<double> x("x", start.block.extent(0), start.block.extent(1));
      for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = scale * start.block.data()[k];
      return mpi::sor_solve(world, Exec(), x, c, {},
                            {.tolerance = 0, .relative_tolerance = 1e-6, .criterion = criterion});
    };
    const SolveReport expected = solve(1);
    for (const double scale : {0x1p-565, 0x1p530}) {
      const SolveReport report = solve(scale);
      EXPECT_TRUE(report.converged()) << report.to_string();
      EXPECT_EQ(report.sweeps, expected.sweeps);
      EXPECT_EQ(report.initial_residual, scale * expected.initial_residual);
      EXPECT_EQ(report.final_residual, scale * expected.final_residual);
    }
  }
}

TEST(MpiSor, WithoutUnknownsNothingIsWritten) {
  for (const auto criterion : {Criterion::Residual, Criterion::Update}) {
    const GridView<double> x("x", 2, 7);
    Kokkos::deep_copy(x, 7.0);
    EXPECT_TRUE(
        mpi::sor_solve(world, Exec(), x, poisson<double>(1.5, 1), {}, {.criterion = criterion})
            .converged());
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(x.data()[k], 7.0);
  }
}

TEST(MpiSor, ViewsThatAreNotAllocatedAreNone) {
  Random random;
  const auto d = Distribution::at_least(random, size_of(world), 2, 5);
  const Arrays<double> x(random, d, 9);
  const GridView<double> none;
  const Kokkos::View<int**, Kokkos::LayoutRight, Shared> no_mask;
  const auto c = poisson<double>(1.5, 1);
  sor_sweeps(Exec(), x.whole, c, 3);
  mpi::sor_sweeps(world, Exec(), x.block, c, 3, SORInputs<>().rhs(none).mask(no_mask));
  EXPECT_TRUE(x.agrees());
}

/// @brief Each half of the processes solves on its own grid, while all of them together, in the
/// opposite order, sweep on another one.
TEST(MpiSor, PartsOfACommunicatorSweepAtTheSameTime) {
  Random random;
  SCOPED_TRACE(random.trace());
  const int rank = rank_of(world), size = size_of(world);
  MPI_Comm half = MPI_COMM_NULL, reversed = MPI_COMM_NULL;
  MPI_Comm_split(world, rank % 2, rank, &half);
  MPI_Comm_split(world, 0, -rank, &reversed);
  const auto wholes = [&](std::int64_t rows) {
    const GridView<double> x("x", extent(rows + 2), 32);
    for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = random.value<double>();
    return x;
  };
  const auto block_of = [](const GridView<double>& whole, std::int64_t first, std::int64_t rows) {
    const GridView<double> block("block", extent(rows + 2), whole.extent(1));
    const auto rows_of_whole = Kokkos::make_pair(first, first + rows + 2);
    Kokkos::deep_copy(block, Kokkos::subview(whole, rows_of_whole, Kokkos::ALL));
    return block;
  };
  constexpr std::int64_t of_half = 7, of_all = 5;  // rows of each process
  const GridView<double> all = wholes(of_all * size), own = wholes(of_half * size_of(half));
  const std::int64_t first = of_half * rank_of(half), first_of_all = of_all * rank_of(reversed);
  const GridView<double> x = block_of(own, first, of_half), y = block_of(all, first_of_all, of_all);
  const auto c = poisson<double>(1.3, 1);
  {
    mpi::SOR<Exec, double> on_half(half, Exec(), of_half + 2, 32);
    mpi::SOR<Exec, double> on_all(reversed, Exec(), of_all + 2, 32);
    for (int turn = 0; turn < 4; ++turn) {
      // One half sweeps often while the other one sweeps once.
      for (int more = 0; more < (rank % 2 == 0 ? 6 : 1); ++more) {
        on_half.solve(x, c, {}, {.tolerance = 0, .max_sweeps = 5, .check_every = 5});
        sor_sweeps(Exec(), own, c, 5);
      }
      on_all.sweeps(y, c, 3);
      sor_sweeps(Exec(), all, c, 3);
    }
  }
  const auto agree = [](const GridView<double>& block, const GridView<double>& whole) {
    bool equal = true;
    for (std::size_t k = 0; k < block.size(); ++k) equal &= block.data()[k] == whole.data()[k];
    return equal;
  };
  EXPECT_TRUE(agree(x, block_of(own, first, of_half)));
  EXPECT_TRUE(agree(y, block_of(all, first_of_all, of_all)));
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
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
  const GridView<double> x("x", 6, 7), b("b", 6, wrong ? 8 : 7), narrow("x", 6, wrong ? 8 : 7);
  const auto c = poisson<double>(1.2, 1), other = poisson<double>(1.3, 1);
  const auto throws = [](const auto& call) { EXPECT_THROW(call(), std::invalid_argument); };
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, SORInputs<>().rhs(b)); });
  throws([&] { mpi::sor_sweeps(world, Exec(), narrow, c, 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, wrong ? other : c, 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, wrong ? 2 : 1); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.process_columns = wrong ? 2 : 1}); });
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.process_columns = 5}); });
  const GridView<double> here = wrong ? GridView<double>() : GridView<double>("rhs", 6, 7);
  throws([&] { mpi::sor_sweeps(world, Exec(), x, c, 1, SORInputs<>().rhs(here)); });
  const auto names = [](const std::string& start, const auto& call) {
    try {
      call();
      ADD_FAILURE() << "accepted, where this was expected: " << start;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
    }
  };
  names("WaveScan::mpi::sor_sweeps: argument 'depth' must be at least 0, got -1",
        [&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.depth = -1}); });
  names("WaveScan::mpi::sor_solve: argument 'overlap' must be at least -1, got -2",
        [&] { mpi::sor_solve(world, Exec(), x, c, {}, {}, {.overlap = -2}); });
  names("WaveScan::mpi::sor_sweeps: argument 'process_columns' must be at least 1, got 0",
        [&] { mpi::sor_sweeps(world, Exec(), x, c, 1, {}, {.process_columns = 0}); });
  names("WaveScan::mpi::SOR: argument 'rows' must be at least 2, got 1",
        [&] { mpi::SOR<Exec, double>(world, Exec(), 1, 7); });
  names("WaveScan::mpi::SOR: argument 'columns' must be at least 2, got 1",
        [&] { mpi::SOR<Exec, double>(world, Exec(), 6, 1); });
  names("WaveScan::mpi::sor_sweeps: argument 'count' must not be negative, got -1",
        [&] { mpi::sor_sweeps(world, Exec(), x, c, -1); });
  names("WaveScan::mpi::sor_solve: argument 'tolerance' must not be negative, got -1",
        [&] { mpi::sor_solve(world, Exec(), x, c, {}, {.tolerance = -1}); });
  names("WaveScan::mpi::sor_solve: argument 'check_every' must be positive, got 0",
        [&] { mpi::sor_solve(world, Exec(), x, c, {}, {.check_every = 0}); });
  names("WaveScan::mpi::sor_solve: argument 'coefficients.center' must not be 1", [&] {
    mpi::sor_solve(world, Exec(), x, SORCoefficients<double>{1, 0, 0, 0, 0, 1});
  });
  int calls = 0;
  const auto report = mpi::sor_solve(
      world, Exec(), x, c, SORInputs<>(),
      {.tolerance = 0, .progress = [&](int, double) { return ++calls < 3 || !wrong; }});
  EXPECT_TRUE(report.reason == StopReason::Cancelled || report.reason == StopReason::Converged);
}

}  // namespace
}  // namespace wavescan::Test
