// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_Workspaces.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "MixedCalls.hpp"

// Threads that call the same free functions at the same time, each on an instance of its own, and
// one that releases workspaces meanwhile. A test of its own runs this in three processes at once.

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

Kokkos::View<char*> letters(const std::string& text) {
  const Kokkos::View<char*> view("letters", text.size());
  Kokkos::deep_copy(view, Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  return view;
}

/// What one thread does. GoogleTest's expectations may be used by several.
void call_again_and_again(const Exec& exec, std::size_t salt, std::int64_t times) {
  MixedCalls calls(exec);
  calls.reset(salt);
  const auto read = letters("GATTACA"), genome = letters("CCCGATTTACACCC");
  const Scoring<> scoring{
      {2, -3}, AffineGap{2, 1}, AlignmentMode::SemiGlobal, {false, false, true, true}};
  for (std::int64_t k = 0; k < times; ++k) {
    calls.clear();
    for (int repetition = 0; repetition < 3; ++repetition) calls.enqueue();
    EXPECT_EQ(align(exec, read, genome, scoring).cigar, "2=1D5=");
    EXPECT_TRUE(calls.are_right());
  }
}

TEST(FreeCallsOfManyThreads, AreRight) {
  const std::int64_t times = cases_wanted(30);
  std::vector<std::thread> threads;
  std::size_t salt = 1;
  for (const Exec& part : Kokkos::Experimental::partition_space(Exec(), 1, 1, 1))
    threads.emplace_back(call_again_and_again, part, salt++, times);
  for (std::int64_t k = 0; k < times; ++k) release_workspaces();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace wavescan::Test
