// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Workspaces.hpp>

#include <gtest/gtest.h>

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_KeptPlans.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

// What kept workspaces count.

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

TEST(KeptWorkspaces, CountOnceWhereOneIsWithinAnother) {
  release_workspaces();
  {
    const auto outer = Impl::kept_array<double>(Exec(), "outer", 100);
    const auto inner = Impl::kept_array<char>(Exec(), "inner", 10);
  }
  EXPECT_EQ(kept_workspace_bytes(), 810u);
  release_workspaces();
  EXPECT_EQ(kept_workspace_bytes(), 0u);
}

struct Growing {
  explicit Growing(const Exec&) {}
  mutable Kokkos::View<char*, Exec::memory_space> memory;
};

TEST(KeptWorkspaces, CountWhatHasGrown) {
  release_workspaces();
  std::size_t largest = 0;
  for (const int size : {30, 100, 50, 170}) {
    const Exec exec;
    Impl::allocate(exec, Impl::kept_plan<Growing>(exec)->memory, "growing", size);
    largest = std::max(largest, static_cast<std::size_t>(size));
    EXPECT_EQ(kept_workspace_bytes(), largest);
  }
}

}  // namespace
}  // namespace wavescan::Test
