// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_CheckSegments.hpp>
#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_TeamLevelSegmentedScan.hpp>
#include <WaveScan_Workspaces.hpp>
#include <cstdint>
#include <impl/scan/WaveScan_ReduceThenScan.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckSegments.hpp"

// Arguments, plans and ways of segmented scans: what does not depend on operators.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

TEST(SegmentedCalls, RejectWhatTheHostSees) {
  const GuardedArray<int> in(line(6), {1, 1, 1, 1, 1, 1}), out(line(6)),
      offsets(line(3), {0, 2, 6});
  const GuardedArray<int> five(line(5), {0, 0, 0, 0, 0}), two(line(2)), one(line(1), {0});
  const auto x = in.vector(), y = out.vector();
  const auto rows = segment_offsets(offsets.vector());
  EXPECT_TRUE(rejects("segmented_inclusive_scan", "out",
                      [&] { segmented_inclusive_scan(x, rows, two.vector()); }));
  EXPECT_TRUE(rejects("segmented_inclusive_scan", "flags",
                      [&] { segmented_inclusive_scan(x, segment_heads(five.vector()), y); }));
  EXPECT_TRUE(rejects("segmented_exclusive_scan", "keys",
                      [&] { segmented_exclusive_scan(x, segment_keys(five.vector()), y); }));
  EXPECT_TRUE(rejects("exclusive_scan_by_key", "keys",
                      [&] { exclusive_scan_by_key(five.vector(), x, y); }));
  EXPECT_TRUE(rejects("segmented_inclusive_scan", "ends", [&] {
    segmented_inclusive_scan(x, segment_offsets(one.vector(), two.vector()), y);
  }));
  EXPECT_TRUE(rejects("segmented_weighted_scan", "weight",
                      [&] { segmented_weighted_scan(x, five.vector(), rows, y); }));
  EXPECT_TRUE(rejects("segmented_inclusive_scan", "init",
                      [&] { segmented_inclusive_scan(x, rows, y, Plus(), one.vector()); }));
  EXPECT_TRUE(rejects("segmented_inclusive_scan", "out", [&] {
    segmented_inclusive_scan(x, segment_heads(y), y);
  })) << "results over flags";
  EXPECT_TRUE(rejects("segmented_reduce", "out", [&] { segmented_reduce(x, rows, one.vector()); }));
  EXPECT_TRUE(rejects("segmented_reduce", "out", [&] {
    segmented_reduce(x, rows, Kokkos::subview(x, Kokkos::pair<int, int>(0, 2)));
  }));
  EXPECT_TRUE(rejects("reduce_by_key", "unique", [&] { reduce_by_key(x, x, x, y); }));
  EXPECT_EQ(out.values(), std::vector<int>(6, -1)) << "something was written";
}

TEST(SegmentedCalls, CheckSegmentsOnTheDevice) {
  const auto offsets = [](const std::vector<int>& values, std::int64_t elements) {
    const GuardedArray<int> array(line(static_cast<std::int64_t>(values.size())), values);
    return error_of([&] { check_segments(segment_offsets(array.vector()), elements); });
  };
  EXPECT_EQ(offsets({0, 2, 2, 5}, 5), "nothing was thrown");
  EXPECT_EQ(offsets({0}, 0), "nothing was thrown");
  EXPECT_NE(offsets({5}, 0).find("must begin with 0"), std::string::npos);
  EXPECT_EQ(offsets({0, 3, 2, 5}, 5),
            "WaveScan::check_segments: argument 'offsets' must not be below the segment's begin, "
            "got a smaller one at segment 1");
  EXPECT_NE(offsets({1, 3, 5}, 5).find("must begin with 0"), std::string::npos);
  EXPECT_NE(offsets({0, 3, 4}, 5).find("must end with the number"), std::string::npos);
  EXPECT_NE(offsets({0, 3, 9}, 5).find("at segment 1"), std::string::npos);
  const auto apart = [](const std::vector<int>& from, const std::vector<int>& to) {
    const auto count = static_cast<std::int64_t>(from.size());
    const GuardedArray<int> begins(line(count), from), ends(line(count), to);
    return error_of([&] { check_segments(segment_offsets(begins.vector(), ends.vector()), 9); });
  };
  EXPECT_EQ(apart({1, 4, 4, 8}, {3, 4, 8, 9}), "nothing was thrown");
  EXPECT_EQ(apart({1, 4}, {5, 8}),
            "WaveScan::check_segments: argument 'ends' must not exceed the next segment's begin, "
            "got an overlap at segment 0");
  EXPECT_NE(apart({1, 4}, {3, 10}).find("must not exceed"), std::string::npos);
  EXPECT_NE(apart({-1, 4}, {3, 9}).find("must not be negative"), std::string::npos);
}

TEST(SegmentedCalls, AllocateNothingTheSecondTime) {
  const std::int64_t n = 100003;
  Random random;
  const Segmentation s = segmentation("", n, [&] { return random.integer(0, 20); });
  const GuardedArray<int> in(line(n), std::vector<int>(static_cast<std::size_t>(n), 1)),
      out(line(n)), sums(line(s.segments())), count(line(1));
  const GuardedArray<std::int64_t> offsets(line(s.segments() + 1), s.offsets);
  const auto x = in.vector(), y = out.vector();
  const auto rows = segment_offsets(offsets.vector());
  const auto bounds = [&](std::int64_t first) {
    return Kokkos::subview(offsets.vector(), std::pair(first, first + s.segments()));
  };
  const auto apart = segment_offsets(bounds(0), bounds(1));
  const auto all = [&] {
    segmented_inclusive_scan(x, rows, y);
    segmented_exclusive_scan(x, segment_keys(x), y, Max(), 3, {.reverse = true});
    segmented_weighted_scan(x, 2, rows, y);
    segmented_reduce(x, rows, sums.vector());
    segmented_reduce(x, segment_heads(x), y, Plus(), {}, count.scalar(), {.label = "mine"});
    segmented_inclusive_scan(x, apart, y);
    segmented_reduce(x, apart, sums.vector());
  };
  all();
  Kokkos::fence();
  const Recorder recorder;
  const std::size_t kept = kept_workspace_bytes();
  all();
  EXPECT_EQ(join(recorder.allocations()), "");
  EXPECT_EQ(kept_workspace_bytes(), kept);
  EXPECT_EQ(join(recorder.fences()), "");
  for (const std::string& kernel : recorder.kernels())
    EXPECT_TRUE(kernel.starts_with("WaveScan::")) << kernel;
}

TEST(SegmentedCalls, TakeStatesWhereElementsComeBeforeAllSegments) {
  const GuardedArray<int> in(line(4), {1, 2, 3, 4}), out(line(4), {0, 0, 0, 0});
  const GuardedArray<int> begins(line(1), {2}), ends(line(1), {4}), states(line(1), {10});
  const auto last = segment_offsets(begins.vector(), ends.vector());
  segmented_inclusive_scan(in.vector(), last, out.vector(), Plus(), states.vector());
  EXPECT_EQ(out.values(), (std::vector{0, 0, 13, 17}));
  EXPECT_TRUE(states.guards_intact());
}

TEST(SegmentedCalls, RefuseACountThatSharesMemory) {
  const GuardedArray<int> in(line(4), {1, 2, 3, 4}), out(line(4));
  const auto part = [](const auto& view) { return Kokkos::subview(view, 1); };
  const auto error = [&](const auto& count) {
    return error_of([&] {
      segmented_reduce(in.vector(), segment_heads(in.vector()), out.vector(), Plus(), {}, count);
    });
  };
  EXPECT_NE(error(part(in.vector())).find("'count'"), std::string::npos);
  EXPECT_NE(error(part(out.vector())).find("'count'"), std::string::npos);
}

TEST(SegmentedCalls, OfPlans) {
  const GuardedArray<int> in(line(5), {1, 2, 3, 4, 5}), out(line(5)), offsets(line(3), {0, 2, 5});
  const GuardedArray<int> sums(line(2));
  const SegmentedScan<Exec, Plus<int>> scan(Exec(), 5);
  scan.exclusive(in.vector(), segment_offsets(offsets.vector()), out.vector(), 10);
  EXPECT_EQ(out.values(), (std::vector{10, 11, 10, 13, 17}));
  EXPECT_EQ(scan.elements(), 5);
  EXPECT_GT(scan.workspace_bytes(), 0u);
  const SegmentedReduction<Exec, Max<int>> most(Exec(), 5, 2);
  most.reduce(in.vector(), segment_offsets(offsets.vector()), sums.vector());
  EXPECT_EQ(sums.values(), (std::vector{2, 5}));
  EXPECT_EQ(most.segments(), 2);
}

/// By teams of any size, as devices without kernels of their own do it.
TEST(SegmentedCalls, ByTeamsOfAnySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  using R = Impl::WeightedRecurrence<PlusTimes<std::uint32_t>, Impl::ConstantWeight<std::uint32_t>>;
  using Recurrence = Impl::SegmentedRecurrence<R>;
  const Exec exec;
  for (const std::int64_t n : {2, 130, 1000, 5001})
    for (const Segmentation& s : segmentations(random, n)) {
      const auto x = random.values<std::uint32_t>(n);
      std::vector<Impl::BitWord> words(static_cast<std::size_t>(Impl::words_for(n)), 0);
      const auto heads = s.heads();
      for (std::int64_t j = 0; j <= n; ++j)
        if (j == n || heads[static_cast<std::size_t>(j)] != 0)
          words[static_cast<std::size_t>(j / 32)] |= 1u << j % 32;
      const GuardedArray<std::uint32_t> in(line(n), x), out(line(n)),
          bits(line(Impl::words_for(n)), words);
      for (const bool reverse : {false, true})
        for (const auto kind : {Impl::ScanKind::Inclusive, Impl::ScanKind::Exclusive})
          for (const int team_size : team_sizes(exec)) {
            const auto expected = scanned(
                s, x, reverse, kind == Impl::ScanKind::Inclusive,
                [](std::size_t, std::uint32_t v, std::size_t) { return 27 + v; },
                [](std::uint32_t state, std::uint32_t v, std::size_t) { return 3 * state + v; },
                [](std::size_t) { return 9u; });
            const Impl::ChunkShape shape{37, Impl::ceil_div(n, 37), team_size};
            const Impl::ReduceThenScanWorkspace<Exec, std::uint32_t, Recurrence::segment_type>
                workspace(exec, {1, n}, shape);
            const Recurrence recurrence{
                {{}, {3}}, Impl::Heads::of(bits.vector().data(), n, reverse), {{9, true}}};
            const auto at = [&](auto* data) {
              using T = std::remove_pointer_t<decltype(data)>;
              return reverse ? Impl::Lines<T>{data + n - 1, 0, -1} : Impl::Lines<T>{data, 0, 1};
            };
            const Impl::ScanProblem<Recurrence, const std::uint32_t> problem{
                recurrence,
                kind,
                {1, n},
                at(static_cast<const std::uint32_t*>(in.vector().data())),
                at(out.vector().data()),
                {{0, true}, {}},
                {}};
            Impl::reduce_then_scan(exec, problem, shape, workspace);
            ASSERT_TRUE(out.values() == expected) << s.name << ", teams of " << team_size;
          }
    }
}

template <class Team>
struct ScanSegmentsOfRows {
  using Ints = Kokkos::View<int**>;
  Ints in, out, again;
  Kokkos::View<bool**> flags;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int row = team.league_rank();
    const auto x = Kokkos::subview(in, row, Kokkos::ALL);
    const auto heads = Kokkos::subview(flags, row, Kokkos::ALL);
    team_segmented_inclusive_scan(team, x, heads, Kokkos::subview(out, row, Kokkos::ALL));
    team_segmented_exclusive_scan(team, x, heads, Kokkos::subview(again, row, Kokkos::ALL));
  }
};

TEST(SegmentedCalls, InsideKernels) {
  const Exec exec;
  constexpr int rows = 3, n = 777;
  using Kernel = ScanSegmentsOfRows<Kokkos::TeamPolicy<Exec>::member_type>;
  const Kernel kernel{Kernel::Ints("in", rows, n), Kernel::Ints("out", rows, n),
                      Kernel::Ints("again", rows, n), Kokkos::View<bool**>("flags", rows, n)};
  const auto in = Kokkos::create_mirror_view(kernel.in);
  const auto flags = Kokkos::create_mirror_view(kernel.flags);
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) {
      in(i, j) = static_cast<int>(random.integer(-9, 9));
      flags(i, j) = random.integer(0, 10 * i) == 0;
    }
  Kokkos::deep_copy(kernel.in, in);
  Kokkos::deep_copy(kernel.flags, flags);
  for (const int team_size : team_sizes(exec)) {
    Kokkos::parallel_for(
        "rows",
        Kokkos::TeamPolicy<Exec>(exec, rows, team_size)
            .set_scratch_size(0, Kokkos::PerTeam(team_segmented_scan_shmem_size<int>(team_size))),
        kernel);
    const auto out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.out);
    const auto again = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.again);
    for (int i = 0; i < rows; ++i)
      for (int j = 0, sum = 0; j < n; ++j) {
        if (flags(i, j)) sum = 0;
        ASSERT_EQ(again(i, j), sum) << i << ' ' << j << ", teams of " << team_size;
        sum += in(i, j);
        ASSERT_EQ(out(i, j), sum) << i << ' ' << j << ", teams of " << team_size;
      }
  }
}

}  // namespace
