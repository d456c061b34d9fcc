// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScan_MPI_SegmentedReduce.hpp>
#include <WaveScan_MPI_SegmentedScan.hpp>
#include <string>
#include <vector>

#include "DistributedLines.hpp"
#include "WaveScanTest_Errors.hpp"

namespace wavescan::Test {
namespace {

/// @brief One segment that goes through all processes, which the first one alone knows of.
TEST(MpiSegments, OneOverAllProcesses) {
  constexpr int n = 5;
  const int rank = rank_of(world), processes = size_of(world);
  const auto in = view_of(std::vector<int>(n, 1));
  const Kokkos::View<int*, Exec> out("out", n), sum("sum", rank == 0 ? 1u : 0u);
  const auto segments =
      segment_offsets(view_of(rank == 0 ? std::vector<int>{0, n} : std::vector<int>{n}));
  mpi::segmented_exclusive_scan(world, Exec(), in, segments, out, Plus(), 10, {.label = "mine"});
  std::vector<int> expected;
  for (int k = 0; k < n; ++k) expected.push_back(10 + rank * n + k);
  EXPECT_EQ(values_of(out), expected);
  const mpi::Kept kept = mpi::segmented_reduce(world, in, segments, sum);
  EXPECT_EQ(kept.total, 1);
  EXPECT_EQ(values_of(sum), std::vector<int>(rank == 0 ? 1 : 0, n * processes));
}

/// @brief Elements before all segments are a segment of their own, of which no result is kept.
TEST(MpiSegments, ElementsBeforeAllSegments) {
  const int rank = rank_of(world);
  const auto in = view_of(std::vector<int>(3, 1));
  const Kokkos::View<int*, Exec> out("out", 3), sum("sum", 1);
  const auto segments = segment_offsets(view_of(std::vector<int>{2, 3}));
  mpi::inclusive_scan_by_key(world, in, in, out);
  EXPECT_EQ(values_of(out), (std::vector<int>{3 * rank + 1, 3 * rank + 2, 3 * rank + 3}));
  mpi::segmented_inclusive_scan(world, in, segments, out);
  EXPECT_EQ(values_of(out), (rank == 0 ? std::vector<int>{1, 2, 1} : std::vector<int>{2, 3, 1}));
  mpi::segmented_reduce(world, in, segments, sum);
  EXPECT_EQ(values_of(sum)[0], rank + 1 == size_of(world) ? 1 : 3);
  mpi::exclusive_scan_by_key(world, in, in, out);
  EXPECT_EQ(values_of(out), (std::vector<int>{3 * rank, 3 * rank + 1, 3 * rank + 2}));
}

TEST(MpiSegments, WrongArgumentsAreSeenByAll) {
  const bool wrong = rank_of(world) + 1 == size_of(world);
  const auto in = view_of(std::vector<int>(4, 1)), out = view_of(std::vector<int>(4, -77));
  const auto expect = [&](const std::string& text, const auto& call) {
    const std::string error = error_of(call);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_EQ(error.find("(on rank ") == std::string::npos, wrong) << error;
    EXPECT_EQ(values_of(out), std::vector<int>(4, -77));
  };
  const auto offsets = [&](const std::vector<int>& here) {
    return segment_offsets(view_of(wrong ? here : std::vector<int>{0, 4}));
  };
  expect(
      "WaveScan::mpi::segmented_inclusive_scan: argument 'offsets' must end with the number of "
      "elements, 4",
      [&] {
        mpi::segmented_inclusive_scan(world, in, offsets({0, 5}), out);
      });
  expect("'offsets' must begin between 0 and the number of elements, 4", [&] {
    mpi::segmented_inclusive_scan(world, in, offsets({-1, 4}), out);
  });
  expect("WaveScan::mpi::segmented_reduce: argument 'out'", [&] {
    mpi::segmented_reduce(world, in, offsets({0, 2, 3, 4}),
                          Kokkos::subview(out, Kokkos::pair(0, 1)));
  });
  expect("WaveScan::mpi::inclusive_scan_by_key: argument 'keys'", [&] {
    mpi::inclusive_scan_by_key(world, Kokkos::subview(in, Kokkos::pair(0, wrong ? 3 : 4)), in, out);
  });
  expect("WaveScan::mpi::reduce_by_key: argument 'unique'", [&] {
    const auto unique = view_of(std::vector<int>(4));
    mpi::reduce_by_key(world, in, in, wrong ? in : unique, out);
  });
}

TEST(MpiSegments, DirectionsThatDiffer) {
  if (size_of(world) == 1) return;
  const auto in = view_of(std::vector<int>(4, 1)), flags = view_of(std::vector<int>(4, 0));
  const std::string error = error_of([&] {
    mpi::segmented_inclusive_scan(world, in, segment_heads(flags), in, Plus(), {},
                                  {.reverse = rank_of(world) == 0});
  });
  EXPECT_NE(error.find("argument 'reverse' must be the same on all ranks"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace wavescan::Test
