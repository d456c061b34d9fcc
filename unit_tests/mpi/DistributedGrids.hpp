// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScan_MPI_SOR.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "Distributed.hpp"

/// @file
/// @brief Grids for tests of distributed SOR, which has the bits of one process.

namespace wavescan::Test {

template <class T>
using GridView = Kokkos::View<T**, Kokkos::LayoutRight, Shared>;

inline std::size_t extent(std::int64_t n) { return static_cast<std::size_t>(n); }

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
  GridView<T> whole, block;

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
  const Kokkos::View<int**, Kokkos::LayoutRight, Shared> whole_mask("m", x.whole.extent(0),
                                                                    x.whole.extent(1)),
      mask("m", x.block.extent(0), x.block.extent(1));
  for (std::size_t i = 0; i < whole_mask.extent(0); ++i)
    for (std::size_t j = 0; j < whole_mask.extent(1); ++j)
      whole_mask(i, j) = m.whole(i, j) > T(0.7) ? 5 : 0;
  for (std::int64_t i = 0; i < x.rows + 2; ++i)
    for (std::int64_t j = 0; j < x.columns + 2; ++j)
      mask(i, j) = whole_mask(x.first + i, x.first_column + j);
  const bool in_array = random.integer(0, 1) != 0;  // of the plan
  wavescan::SOROptions whole_options;
  whole_options.order = options.order;
  const auto compare = [&](const auto& whole_inputs, const auto& inputs) {
    sor_sweeps(Exec(), x.whole, c, count, whole_inputs, whole_options);
    if (!in_array) return mpi::sor_sweeps(world, Exec(), x.block, c, count, inputs, options);
    auto plan = mpi::SOR<Exec, T>::like(world, Exec(), x.block, options);
    for (const int part : {count / 3, count - count / 3}) {
      Kokkos::deep_copy(plan.array(), x.block);
      plan.sweeps(plan.array(), c, part, inputs);
      Kokkos::deep_copy(x.block, plan.array());
    }
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
inline Distribution with_empty_one(Random& random, int processes, std::int64_t least,
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
                  std::int64_t longest, std::int64_t columns, int count) {
  const auto rows = with_empty_one(random, size_of(world), least, longest);
  check_blocks(random, options, Blocks::of_rows(rows, random.integer(1, columns)), count,
               coefficients<T>(random));
}

/// @brief Sweeps of all schemes and orders over blocks of rows.
template <class T>
void check_rows(std::int64_t least, std::int64_t longest) {
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
          check_sweeps<T>(random, options, least, longest, 40, count);
          if (!everywhere(world, !testing::Test::HasFailure())) return;
        }
}

/// @brief Sweeps over blocks that GPUs relax several times on one way through memory. Hosts do so
/// with any number of columns, and a process compares with what it computes of all blocks.
template <class T>
void check_large_rows() {
  constexpr std::int64_t columns = Impl::runs_on_host<Exec> ? 150 : 700;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const int count : {1, 7, 16}) {
      const mpi::SOROptions options{.order = order, .scheme = mpi::SORScheme::Speculation};
      check_sweeps<T>(random, options, 500, 800, columns, count);
      if (!everywhere(world, !testing::Test::HasFailure())) return;
    }
}

/// @brief Calls use(q) for the numbers of processes beside each other in grids of all shapes.
template <class Use>
void for_process_columns(const Use& use) {
  for (int q = 1; q <= size_of(world); ++q)
    if (size_of(world) % q == 0) use(q);
}

/// @brief Sweeps over grids of processes of all shapes.
/// @param draw gives coefficients
template <class T, class Draw>
void check_grids(std::int64_t least, std::int64_t longest, int count, const Draw& draw) {
  Random random;
  SCOPED_TRACE(random.trace());
  for_process_columns([&](int q) {
    for (const auto scheme : {mpi::SORScheme::Pipeline, mpi::SORScheme::Speculation})
      for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
        for (const int depth : {0, 3}) {
          const mpi::SOROptions options{
              .order = order, .scheme = scheme, .depth = depth, .process_columns = q};
          SCOPED_TRACE(std::to_string(static_cast<int>(scheme)) + " " + to_string(order) + " " +
                       std::to_string(depth) + " " + std::to_string(q));
          const Blocks d{with_empty_one(random, size_of(world) / q, least, longest),
                         with_empty_one(random, q, least, longest)};
          check_blocks<T>(random, options, d, count, draw(random));
          if (!everywhere(world, !testing::Test::HasFailure())) return;
        }
  });
}

/// @brief Sweeps over grids of processes whose blocks are large enough to be relaxed several times
/// on one way through memory, also by GPUs.
template <class T>
void check_large_grids() {
  Random random;
  SCOPED_TRACE(random.trace());
  for_process_columns([&](int q) {
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward})
      for (const int count : {7, 16}) {
        SCOPED_TRACE(std::to_string(q) + " " + to_string(order) + " " + std::to_string(count));
        const Blocks d{with_empty_one(random, size_of(world) / q, 260, 330),
                       with_empty_one(random, q, 190, 260)};
        check_blocks<T>(
            random, {.order = order, .scheme = mpi::SORScheme::Speculation, .process_columns = q},
            d, count, poisson<T>(1.1, 1));
        if (!everywhere(world, !testing::Test::HasFailure())) return;
      }
  });
}

/// @brief Pipelines over blocks that look ahead for several passes.
template <class T>
void check_pipelines_of_grids() {
  Random random;
  SCOPED_TRACE(random.trace());
  for_process_columns([&](int q) {
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward}) {
      SCOPED_TRACE(std::to_string(q) + " " + to_string(order));
      const Blocks d{with_empty_one(random, size_of(world) / q, 260, 300),
                     with_empty_one(random, q, 260, 300)};
      check_blocks<T>(random,
                      {.order = order, .scheme = mpi::SORScheme::Pipeline, .process_columns = q}, d,
                      39, poisson<T>(1.95, 1));
      if (!everywhere(world, !testing::Test::HasFailure())) return;
    }
  });
}

}  // namespace wavescan::Test
