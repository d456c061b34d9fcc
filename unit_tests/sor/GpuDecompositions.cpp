// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// The decomposition of passes on GPUs, and its cost: all of it runs on the host.
#include <gtest/gtest.h>

#include <impl/sor/gpu/WaveScan_CostModel.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>
#include <random>
#include <set>
#include <string>
#include <tuple>

namespace {

using namespace wavescan::Impl::sor;

constexpr unsigned seed_of_decompositions = 20251122;

double pass_cost(const Decomposition& decomp, const CostModel& machine) {
  ScheduleSimulation times;
  return wavescan::Impl::sor::pass_cost(decomp, machine, times);
}

Decomposition random_decomposition(std::mt19937& random) {
  const auto any = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  const int sweeps = 1 << any(0, 3);
  // Few rows, few columns, or many of both.
  const int m = any(1, any(0, 2) ? 3000 : 90), n = any(1, any(0, 2) ? 3000 : 90);
  const int line = any(0, 1) ? 16 : 32;
  const int chunk = sweeps == 1 && any(0, 1) ? 2 * line : line;
  const TileSkew skew =
      sweeps == 1 && any(0, 1) ? TileSkew{any(0, line - 1), 2, line / 2} : TileSkew{};
  const int overlap = any(0, 200);
  return Decomposition::make(sweeps, m, n, chunk, any(1, 6), any(3, 8), any(1, 9), any(1, 9),
                             overlap, overlap, any(0, 2) ? 1 : any(1, 5), skew);
}

std::string name(const Decomposition& c) {
  return std::to_string(c.m) + " x " + std::to_string(c.n) + " in " + std::to_string(c.row_blocks) +
         " x " + std::to_string(c.column_blocks) + " blocks, " + std::to_string(c.warps) +
         " bands, " + std::to_string(c.sweeps) + " sweeps, " + std::to_string(c.passes) + " passes";
}

// Two bands a block of threads, in blocks of ten groups, of a machine that has one step a
// nanosecond.
Decomposition plain_decomposition(int row_blocks, int column_blocks) {
  return Decomposition::make(1, 640 * row_blocks - 2, 3200 * column_blocks - 1, 32, 2, 8,
                             row_blocks, column_blocks, 0, 0);
}
CostModel plain_machine(int multiprocessors) {
  CostModel machine{};
  machine.multiprocessors = multiprocessors;
  machine.stride = 16;
  machine.warps = 12;
  machine.latency = 1;
  return machine;
}

}  // namespace

TEST(SORGpuDecomposition, BlocksOwnAllOnce) {
  std::mt19937 random(seed_of_decompositions);
  for (int i = 0; i < 500; ++i) {
    const Decomposition c = random_decomposition(random);
    SCOPED_TRACE(name(c));
    ASSERT_EQ(c.first_owned_column(0), 0);
    ASSERT_EQ(c.last_owned_column(c.column_blocks - 1), c.n);
    for (int b = 0; b + 1 < c.column_blocks; ++b)
      ASSERT_EQ(c.last_owned_column(b) + 1, c.first_owned_column(b + 1));
    ASSERT_EQ(c.first_owned_band(0), 0);
    ASSERT_EQ(c.end_band(c.row_blocks - 1), c.bands);
    for (int b = 0; b + 1 < c.row_blocks; ++b) {
      ASSERT_EQ(c.end_band(b), c.first_owned_band(b + 1));
      ASSERT_LE(c.groups_of(b), c.max_groups);
    }
    // The last sweep of the last pass reaches the last row.
    const Ticket last{0, c.row_blocks - 1, 0, 0, c.passes - 1};
    ASSERT_GE(c.first_row(last, c.bands - 1) + 31 - c.sweeps, c.m);
    for (int b = 0; b < c.column_blocks; ++b)
      ASSERT_GE(c.first_column(b) + c.steps() - 31 - c.sweeps, c.last_relaxed_column(b));
  }
}

TEST(SORGpuDecomposition, TicketsComeOnceAndAfterWhatTheyNeed) {
  std::mt19937 random(seed_of_decompositions);
  for (int i = 0; i < 100; ++i) {
    const Decomposition c = random_decomposition(random);
    SCOPED_TRACE(name(c));
    std::set<std::tuple<int, int, int>> seen;
    for (int index = 0; index < c.tickets(); ++index) {
      const Ticket t = c.ticket(index);
      ASSERT_EQ(t.block, t.row_block * c.column_blocks + t.column_block);
      ASSERT_TRUE(t.group >= 0 && t.group < c.max_groups && t.pass >= 0 && t.pass < c.passes);
      ASSERT_TRUE(t.group == 0 || seen.count({t.block, t.group - 1, t.pass}));
      ASSERT_TRUE(t.pass == 0 || seen.count({t.block, t.group, t.pass - 1}));
      ASSERT_TRUE(seen.insert({t.block, t.group, t.pass}).second);
    }
    ASSERT_EQ(static_cast<int>(seen.size()), c.tickets());
  }
}

TEST(SORGpuDecomposition, WarpsTakeEachBandOnce) {
  std::mt19937 random(seed_of_decompositions);
  int side_by_side = 0;
  for (int i = 0; i < 500; ++i) {
    const Decomposition c = random_decomposition(random);
    SCOPED_TRACE(name(c));
    ASSERT_EQ(c.warps % c.stack, 0);
    if (c.beside > 1) ++side_by_side;
    std::set<std::tuple<int, int, int>> seen;
    for (int index = 0; index < c.tickets(); ++index) {
      const Ticket ticket = c.ticket(index);
      if (ticket.group >= c.groups_of(ticket.row_block)) continue;
      for (int warp = 0; warp < c.warps; ++warp) {
        const Ticket part = c.part(ticket, c.place(warp));
        const int band = c.band(part, c.place(warp));
        if (band >= c.bands) continue;
        ASSERT_LT(part.block, c.blocks());
        ASSERT_EQ(part.block, part.row_block * c.column_blocks + part.column_block);
        ASSERT_LT(band - c.first_band(part.row_block), c.bands_of_block());
        ASSERT_TRUE(seen.insert({part.block, band, part.pass}).second);
      }
    }
    std::size_t all = 0;
    for (int b = 0; b < c.row_blocks; ++b)
      all += static_cast<std::size_t>(
          std::min(c.bands, c.first_band(b) + c.groups_of(b) * c.stack) - c.first_band(b));
    ASSERT_EQ(seen.size(), all * static_cast<std::size_t>(c.column_blocks * c.passes));
  }
  EXPECT_GT(side_by_side, 10);
}

// A warp looks at one check column at a time, be it between two blocks or where a device ends.
TEST(SORGpuDecomposition, CheckColumnsLieApart) {
  std::mt19937 random(seed_of_decompositions);
  const auto any = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int i = 0; i < 500; ++i) {
    const int sweeps = 1 << any(0, 3), chunk = any(0, 1) ? 16 : 32;
    const int behind = any(0, 2) * any(1, 8) * 32;
    const int ahead = any(0, 2) ? (behind + Decomposition::narrowest) + 32 * any(0, 60) : 0;
    const int n = ahead > 0 ? ahead + any(0, 40) : behind + any(Decomposition::narrowest, 2000);
    const Decomposition c = Decomposition::make(sweeps, any(1, 3000), n, chunk, 4, 8, any(1, 9),
                                                any(1, 9), 64, 64, 1, {}, {behind, ahead});
    SCOPED_TRACE(name(c) + ", partitions " + std::to_string(behind) + ", " + std::to_string(ahead));
    ASSERT_EQ(c.is_checked(0), behind > 0);
    ASSERT_EQ(c.is_checked(c.column_blocks), ahead > 0);
    if (behind > 0) {
      ASSERT_GT(c.left_check_column(0), 0);
    }
    if (ahead > 0) {
      ASSERT_LE(c.first_owned_column(c.column_blocks - 1), c.left_check_column(c.column_blocks));
      // The last one is kept before a band's steps end.
      ASSERT_GT(c.steps(), c.left_check_column(c.column_blocks) -
                               c.first_column(c.column_blocks - 1) + 31 + sweeps);
    }
    for (int b = 0; b < c.column_blocks; ++b) {
      if (c.is_checked(b) && c.is_checked(b + 1)) {
        ASSERT_GE(c.left_check_column(b + 1) - c.left_check_column(b), Decomposition::narrowest);
      }
    }
  }
}

// Few rows leave most warps without a band beneath: they take other blocks of columns.
TEST(SORGpuDecomposition, FewRowsLieSideBySide) {
  const Decomposition c = Decomposition::make(1, 16, 1 << 20, 32, 6, 8, 1, 792, 0, 64);
  EXPECT_EQ(c.bands, 1);
  EXPECT_EQ(c.beside, 6);
  EXPECT_EQ(c.tickets(), (c.column_blocks + 5) / 6);
  // Not if passes follow each other, nor in a single block.
  EXPECT_EQ(Decomposition::make(1, 16, 1 << 20, 32, 6, 8, 1, 792, 0, 64, 2).beside, 1);
  EXPECT_EQ(Decomposition::make(1, 16, 1 << 20, 32, 6, 8, 1, 1, 0, 0).beside, 1);
  // Three bands twice.
  EXPECT_EQ(Decomposition::make(1, 64, 1 << 20, 32, 6, 8, 1, 792, 0, 64).beside, 2);
}

TEST(SORGpuCost, GroupsFollowEachOther) {
  // A block of ten groups: with enough multiprocessors each begins when the one above is ahead.
  const Decomposition c = plain_decomposition(1, 1);
  const CostModel machine = plain_machine(100);
  const PassTimes times(c, machine);
  ASSERT_EQ(times.tickets, c.max_groups);
  EXPECT_DOUBLE_EQ(pass_cost(c, machine),
                   (c.max_groups - 1) * times.behind + times.along + times.delay);
  EXPECT_DOUBLE_EQ(pass_cost(c, machine), estimated_time(c, machine));
  // With one they come one after the other.
  const PassTimes alone(c, plain_machine(1));
  EXPECT_DOUBLE_EQ(pass_cost(c, plain_machine(1)), c.max_groups * alone.along + alone.delay);
}

TEST(SORGpuCost, BlocksNeedNotWait) {
  // As many blocks as multiprocessors: each does its groups without waiting.
  const Decomposition c = plain_decomposition(4, 3);
  const CostModel machine = plain_machine(12);
  const PassTimes times(c, machine);
  EXPECT_DOUBLE_EQ(pass_cost(c, machine), c.max_groups * times.along + times.delay);
  // One multiprocessor less: somebody's last ticket comes in a round of its own.
  EXPECT_GT(pass_cost(c, plain_machine(11)), pass_cost(c, machine));
}

TEST(SORGpuCost, NobodyIsInTwoPlaces) {
  std::mt19937 random(seed_of_decompositions);
  const CostModel machine = plain_machine(7);
  for (int i = 0; i < 500; ++i) {
    const Decomposition c = random_decomposition(random);
    if (c.passes > 1) continue;
    SCOPED_TRACE(name(c));
    const PassTimes times(c, machine);
    const double cost = pass_cost(c, machine) * (1 + 1e-12);
    ASSERT_GE(cost, (c.max_groups - 1) * times.behind + times.along + times.delay);
    ASSERT_GE(cost * machine.multiprocessors, times.tickets * times.along);
  }
}
