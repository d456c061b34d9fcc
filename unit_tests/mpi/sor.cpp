// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_SOR.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "distributed.hpp"

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
const MPI_Comm world = MPI_COMM_WORLD;

std::size_t extent(std::int64_t n) { return static_cast<std::size_t>(n); }

/// @brief How the rows and columns of unknowns are distributed over a grid of processes.
struct Blocks {
  Distribution rows, columns;
  int process_columns() const { return static_cast<int>(columns.firsts.size()) - 1; }
  int row() const { return rank_of(world) / process_columns(); }
  int column() const { return rank_of(world) % process_columns(); }
  static Blocks of_rows(const Distribution& rows, std::int64_t columns) {
    return {rows, {{0, columns}}};
  }
};

/// @brief A whole array, which every process has, and this process' block of it.
template <class T>
struct Arrays {
  std::int64_t first, first_column, rows, columns;
  Matrix<T> whole, block;

  Arrays(Random& random, const Blocks& d)
      : first(d.rows.first(d.row())),
        first_column(d.columns.first(d.column())),
        rows(d.rows.count(d.row())),
        columns(d.columns.count(d.column())),
        whole("whole", extent(d.rows.all() + 2), extent(d.columns.all() + 2)),
        block("block", extent(rows + 2), extent(columns + 2)) {
    for (std::size_t i = 0; i < whole.extent(0); ++i)
      for (std::size_t j = 0; j < whole.extent(1); ++j) whole(i, j) = random.value<T>();
    const auto between = [](std::int64_t k, std::int64_t before, std::int64_t count,
                            std::int64_t all) {
      return (k == 0 && before > 0) || (k == count + 1 && before + count < all);
    };
    for (std::int64_t i = 0; i < rows + 2; ++i)
      for (std::int64_t j = 0; j < columns + 2; ++j) {
        // Halos between blocks are to be filled; what is there must not matter.
        const bool unknown = i > 0 && i < rows + 1;
        const bool inside = j > 0 && j < columns + 1;
        const bool marked = (inside && between(i, first, rows, d.rows.all())) ||
                            (unknown && between(j, first_column, columns, d.columns.all()));
        block(i, j) = marked ? T(99) : whole(first + i, first_column + j);
      }
  }
  Arrays(Random& random, const Distribution& d, std::int64_t n)
      : Arrays(random, Blocks::of_rows(d, n)) {}

  /// @brief Whether the block, and its halo but for the corners, has the bits of the whole.
  bool agrees() const {
    if (rows == 0 || columns == 0) return true;
    for (std::int64_t i = 0; i < rows + 2; ++i)
      for (std::int64_t j = 0; j < columns + 2; ++j) {
        const bool corner = (i == 0 || i == rows + 1) && (j == 0 || j == columns + 1);
        if (!corner &&
            std::memcmp(&block(i, j), &whole(first + i, first_column + j), sizeof(T)) != 0)
          return false;
      }
    return true;
  }
};

template <class T>
SORCoefficients<T> coefficients(Random& random) {
  return poisson<T>(1 + 0.15 * static_cast<double>(random.integer(0, 6)), 1);
}

/// @brief Compares sweeps with those of the whole array, some without inputs, some with.
template <class T>
void check_blocks(Random& random, const mpi::SOROptions& options, const Blocks& d, int count,
                  const SORCoefficients<T>& c) {
  const Arrays<T> x(random, d), b(random, d), m(random, d);
  const Kokkos::View<int**, Kokkos::LayoutRight, Exec> whole_mask("m", x.whole.extent(0),
                                                                  x.whole.extent(1)),
      mask("m", x.block.extent(0), x.block.extent(1));
  for (std::size_t i = 0; i < whole_mask.extent(0); ++i)
    for (std::size_t j = 0; j < whole_mask.extent(1); ++j)
      whole_mask(i, j) = m.whole(i, j) > T(0.7) ? 5 : 0;
  for (std::int64_t i = 0; i < x.rows + 2; ++i)
    for (std::int64_t j = 0; j < x.columns + 2; ++j)
      mask(i, j) = whole_mask(x.first + i, x.first_column + j);
  wavescan::SOROptions whole_options;
  whole_options.order = options.order;
  const auto compare = [&](const auto& whole_inputs, const auto& inputs) {
    sor_sweeps(Exec(), x.whole, c, count, whole_inputs, whole_options);
    mpi::sor_sweeps(world, Exec(), x.block, c, count, inputs, options);
  };
  switch (random.integer(0, 2)) {
    case 0:
      compare(SORInputs<>(), SORInputs<>());
      break;
    case 1:
      compare(SORInputs<>().rhs(b.whole), SORInputs<>().rhs(b.block));
      break;
    default:
      compare(SORInputs<>().rhs(b.whole).mask(whole_mask), SORInputs<>().rhs(b.block).mask(mask));
  }
  EXPECT_TRUE(x.agrees()) << x.rows << " of " << d.rows.all() << " rows from " << x.first << ", "
                          << x.columns << " of " << d.columns.all() << " columns from "
                          << x.first_column << ", " << count << " sweeps";
}

/// @brief Blocks of which the second one is empty at times.
Distribution with_empty_one(Random& random, int processes, std::int64_t least,
                            std::int64_t longest) {
  auto d = Distribution::at_least(random, processes, least, longest);
  if (random.integer(0, 2) == 0 && processes > 2) {
    const std::int64_t count = d.firsts[2] - d.firsts[1];
    for (std::size_t r = 2; r < d.firsts.size(); ++r) d.firsts[r] -= count;
  }
  return d;
}

template <class T>
void check_sweeps(Random& random, const mpi::SOROptions& options, std::int64_t least,
                  std::int64_t longest, int count) {
  const auto rows = with_empty_one(random, size_of(world), least, longest);
  check_blocks(random, options, Blocks::of_rows(rows, random.integer(1, 40)), count,
               coefficients<T>(random));
}

TEST(MpiSor, SweepsAreThoseOfTheWholeArray) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto scheme :
       {mpi::SORScheme::Pipeline, mpi::SORScheme::Speculation, mpi::SORScheme::Automatic})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const int depth : {0, 1, 3})
        for (const int count : {1, 7, 20}) {
          SCOPED_TRACE(std::to_string(static_cast<int>(scheme)) + " " + to_string(order) + " " +
                       std::to_string(depth));
          const mpi::SOROptions options{.order = order, .scheme = scheme, .depth = depth};
          check_sweeps<double>(random, options, 1, 12, count);
          check_sweeps<float>(random, options, 70, 100, count);
          if (!everywhere(world, !testing::Test::HasFailure())) return;
        }
}

/// @brief Grids of processes of all shapes, with small blocks and with such that speculation suits.
TEST(MpiSor, BlocksOfAGridOfProcesses) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int q = 1; q <= size_of(world); ++q) {
    if (size_of(world) % q != 0) continue;
    for (const auto scheme : {mpi::SORScheme::Pipeline, mpi::SORScheme::Speculation})
      for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
        for (const int depth : {0, 3}) {
          const mpi::SOROptions options{
              .order = order, .scheme = scheme, .depth = depth, .process_columns = q};
          SCOPED_TRACE(std::to_string(static_cast<int>(scheme)) + " " + to_string(order) + " " +
                       std::to_string(depth) + " " + std::to_string(q));
          const Blocks small{with_empty_one(random, size_of(world) / q, 1, 9),
                             with_empty_one(random, q, 1, 9)};
          check_blocks<double>(random, options, small, 7, coefficients<double>(random));
          const Blocks large{Distribution::at_least(random, size_of(world) / q, 75, 90),
                             Distribution::at_least(random, q, 75, 90)};
          check_blocks<float>(random, options, large, 9, poisson<float>(1.1, 1));
          if (!everywhere(world, !testing::Test::HasFailure())) return;
        }
  }
}

/// @brief Overlaps that suffice repeat nothing, and ones that do not repeat passes; bits are right.
TEST(MpiSor, SpeculationIsVerified) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int overlap : {-1, 0, 5}) {
    const auto d = Distribution::at_least(random, size_of(world), 120, 130);
    const Arrays<float> x(random, d, 50);
    const auto c = poisson<float>(1.2, 1);
    mpi::SOR<Exec, float> plan(
        world, Exec(), x.rows + 2, 52,
        {.scheme = mpi::SORScheme::Speculation, .depth = 4, .overlap = overlap});
    sor_sweeps(Exec(), x.whole, c, 8);
    plan.sweeps(x.block, c, 8);
    EXPECT_TRUE(x.agrees());
    EXPECT_EQ(plan.repeated_passes(), overlap < 0 || size_of(world) == 1 ? 0 : 2) << overlap;
    // The same in columns.
    const Blocks beside{{{0, 50}}, d};
    const Arrays<float> y(random, beside);
    mpi::SOR<Exec, float> columns(world, Exec(), 52, y.columns + 2,
                                  {.scheme = mpi::SORScheme::Speculation,
                                   .depth = 4,
                                   .overlap = overlap,
                                   .process_columns = size_of(world)});
    sor_sweeps(Exec(), y.whole, c, 8);
    columns.sweeps(y.block, c, 8);
    EXPECT_TRUE(y.agrees());
    EXPECT_EQ(columns.repeated_passes(), overlap < 0 || size_of(world) == 1 ? 0 : 2) << overlap;
  }
}

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
