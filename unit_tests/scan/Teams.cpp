// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <algorithm>
#include <cstdint>
#include <impl/scan/WaveScan_ReduceThenScan.hpp>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "CheckOperator.hpp"

// Chunks scanned by teams of any size and number: on the host the library itself makes teams of one
// thread only, so this is where the code that teams of a GPU run is seen to work everywhere.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

/// scan_chunks with a shape that the test chooses, of rows of a contiguous matrix.
template <class Recurrence>
void run_chunks(const Exec& exec, const Recurrence& recurrence, Impl::ScanKind kind,
                std::int64_t lines, std::int64_t length, const Impl::ChunkShape& shape,
                const typename Recurrence::value_type* in, typename Recurrence::value_type* out,
                typename Recurrence::value_type* carries) {
  using T = typename Recurrence::value_type;
  const Impl::LineExtents extents{lines, length};
  const Impl::ReduceThenScanWorkspace<Exec, T, typename Recurrence::segment_type> workspace(
      exec, extents, shape);
  const Impl::ScanProblem<Recurrence, const T> problem{
      recurrence,       kind,
      extents,          {in, length, 1},
      {out, length, 1}, {{recurrence.identity(), false}, {carries, 1, 0}},
      {carries, 1, 0}};
  Impl::reduce_then_scan(exec, problem, shape, workspace);
  exec.fence();
}

template <class Recurrence, class Scan>
void check_teams(const Recurrence& recurrence, const Scan& scan,
                 const std::vector<typename Recurrence::value_type>& x, std::int64_t lines,
                 std::int64_t length, const std::vector<typename Recurrence::value_type>& carries) {
  using T = typename Recurrence::value_type;
  const Exec exec;
  const Placement place = row_major(lines, length);
  const ExpectedScans<T> bare(scan, x, place, 1, {}), carried(scan, x, place, 1, carries);
  const GuardedArray<T> in(place, x);
  for (const int team_size : team_sizes(exec))
    for (const std::int64_t chunk :
         {std::int64_t(37), std::int64_t(400), std::max<std::int64_t>(length, 1)}) {
      const std::int64_t chunks = std::max<std::int64_t>(Impl::ceil_div(length, chunk), 1);
      Impl::ChunkShape shape{chunk, chunks, team_size};
      if (length % 2 == 1) shape.max_teams = 2;
      SCOPED_TRACE(std::to_string(lines) + " lines of " + std::to_string(length) + ", teams of " +
                   std::to_string(team_size) + ", chunks of " + std::to_string(chunk));
      for (const auto kind : {Impl::ScanKind::Inclusive, Impl::ScanKind::Exclusive}) {
        const GuardedArray<T> out(place), no_carry(place), carry(line(lines), carries);
        const auto& with =
            kind == Impl::ScanKind::Inclusive ? carried.inclusive : carried.exclusive;
        const auto& without = kind == Impl::ScanKind::Inclusive ? bare.inclusive : bare.exclusive;
        run_chunks(exec, recurrence, kind, lines, length, shape, in.matrix().data(),
                   out.matrix().data(), carry.vector().data());
        ASSERT_TRUE(equal(out.values(), with));
        ASSERT_TRUE(equal(carry.values(), carried.last));
        ASSERT_TRUE(out.guards_intact());
        run_chunks(exec, recurrence, kind, lines, length, shape, in.matrix().data(),
                   no_carry.matrix().data(), static_cast<T*>(nullptr));
        ASSERT_TRUE(equal(no_carry.values(), without));
      }
    }
}

/// Launches count teams by int; more chunks than that are shared out.
TEST(ScanTeams, AreNeverTooMany) {
  const Impl::ChunkShape shape{64, 3, 128};
  EXPECT_EQ(shape.league(0), 0);
  EXPECT_EQ(shape.league(5), 15);
  for (const std::int64_t lines : {std::int64_t(715827883), std::int64_t(1) << 31,
                                   std::int64_t(1) << 32, (std::int64_t(1) << 40) + 1})
    EXPECT_EQ(shape.league(lines), shape.max_teams) << lines;
  EXPECT_LT(shape.max_teams * 1024, std::int64_t(1) << 32) << "as HIP counts threads";
}

TEST(ScanTeams, OperandsKeepTheirOrder) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Op = Affine<std::uint64_t>;
  const Op op;
  const auto scan = scan_of(op);
  for (const std::int64_t length : {0, 1, 31, 64, 65, 1000, 1001})
    check_teams(Impl::PlainRecurrence<Op>{op}, scan, random_values(op, random, 3 * length), 3,
                length, random_values(op, random, 3));
}

TEST(ScanTeams, Weights) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Algebra = PlusTimes<std::uint32_t>;
  using Weight = Impl::ConstantWeight<std::uint32_t>;
  const ConstantWeightScan scan{
      Algebra{}, 2654435761u,
      [](std::uint32_t s, std::uint32_t w, std::uint32_t x) { return s * w + x; }};
  for (const std::int64_t length : {2, 130, 1000, 1001})
    check_teams(Impl::WeightedRecurrence<Algebra, Weight>{{}, {2654435761u}}, scan,
                random.values<std::uint32_t>(2 * length), 2, length,
                random.values<std::uint32_t>(2));
}

TEST(ScanTeams, WeightsOfTheSameOperator) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Algebra = SameOperator<Plus<std::uint32_t>>;
  using Weight = Impl::ConstantWeight<std::uint32_t>;
  const ConstantWeightScan scan{
      Algebra{}, 7u, [](std::uint32_t s, std::uint32_t w, std::uint32_t x) { return s + w + x; }};
  for (const std::int64_t length : {130, 1000})
    check_teams(Impl::WeightedRecurrence<Algebra, Weight>{{}, {7u}}, scan,
                random.values<std::uint32_t>(2 * length), 2, length,
                random.values<std::uint32_t>(2));
}

}  // namespace
