// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Workspaces.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_KeptPlans.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Counts how many of them were made and how many live.
struct CountedPlan {
  CountedPlan(const Exec& exec, int of_size) : size(of_size), number(++made) {
    ++alive;
    Impl::allocate(exec, bytes, "bytes", size > 0 ? size : 0);
  }
  CountedPlan(const CountedPlan&) = delete;
  ~CountedPlan() { --alive; }

  static inline int made = 0;
  static inline int alive = 0;
  int size;
  int number;
  Kokkos::View<char*, Exec::memory_space> bytes;
};
struct OtherPlan : CountedPlan {
  using CountedPlan::CountedPlan;
};

/// Gets stuck at once.
struct StuckPlan : CountedPlan {
  using CountedPlan::CountedPlan;
  void throw_if_stuck() const { throw std::runtime_error("stuck"); }
};

class KeptPlansTest : public testing::Test {
 protected:
  void SetUp() override { release_workspaces(); }
  void TearDown() override {
    limit_workspaces(Impl::KeptPlans::usual_limit);
    release_workspaces();
    EXPECT_EQ(CountedPlan::alive, 0);
  }
  template <class Plan = CountedPlan>
  int number_of(int size, const Exec& exec = Exec()) {
    return Impl::kept_plan<Plan>(exec, size)->number;
  }
};

TEST_F(KeptPlansTest, AreFoundAgainByInstanceTypeAndArguments) {
  const int first = number_of(7);
  EXPECT_EQ(number_of(7), first);
  EXPECT_NE(number_of(8), first);
  EXPECT_NE(number_of<OtherPlan>(7), first);
  EXPECT_EQ(number_of(7), first);
  const auto parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  if (parts[0] != Exec()) {
    EXPECT_NE(number_of(7, parts[0]), first);
  }
}

TEST_F(KeptPlansTest, ServeOneCallAtATime) {
  const auto outer = Impl::kept_plan<CountedPlan>(Exec(), 7);
  const auto inner = Impl::kept_plan<CountedPlan>(Exec(), 7);
  EXPECT_NE(outer->number, inner->number);
}

TEST_F(KeptPlansTest, CountTheirBytesUntilTheyAreReleased) {
  number_of(7);
  number_of(8);
  EXPECT_EQ(kept_workspace_bytes(), 15u);
  {
    const auto taken = Impl::kept_plan<CountedPlan>(Exec(), 7);
    EXPECT_EQ(kept_workspace_bytes(), 8u);
    release_workspaces();
    EXPECT_EQ(CountedPlan::alive, 1) << "what a call has is not released";
  }
  EXPECT_EQ(kept_workspace_bytes(), 7u);
}

TEST_F(KeptPlansTest, ThoseUsedLongestAgoGoFirst) {
  limit_workspaces(20);
  const int first = number_of(7);
  const int second = number_of(8);
  EXPECT_EQ(number_of(7), first);
  number_of(6);  // 21 bytes
  EXPECT_EQ(kept_workspace_bytes(), 13u);
  EXPECT_EQ(number_of(7), first);
  EXPECT_NE(number_of(8), second);
  number_of(21);
  EXPECT_EQ(kept_workspace_bytes(), 0u) << "too large to be kept";
}

TEST_F(KeptPlansTest, AreFewEvenIfTheyTakeNoBytes) {
  for (int i = 0; i < 100; ++i) number_of(-i);
  EXPECT_EQ(CountedPlan::alive, static_cast<int>(Impl::KeptPlans::most_plans));
}

TEST_F(KeptPlansTest, AreNotKeptAfterAFailure) {
  const auto fail = [] {
    const auto plan = Impl::kept_plan<CountedPlan>(Exec(), 7);
    throw std::runtime_error("stuck");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(CountedPlan::alive, 0);
}

TEST_F(KeptPlansTest, ReportOnceThatTheyGotStuck) {
  number_of(7);
  EXPECT_NO_THROW(fence(Exec()));
  number_of<StuckPlan>(7);
  EXPECT_THROW(fence(Exec()), std::runtime_error);
  EXPECT_NO_THROW(fence(Exec()));
  EXPECT_EQ(kept_workspace_bytes(), 7u);
}

TEST_F(KeptPlansTest, AreNotKeptIfTheLimitIsNone) {
  number_of(0);
  limit_workspaces(0);
  EXPECT_EQ(CountedPlan::alive, 0);
  EXPECT_NE(number_of(0), number_of(0));
  EXPECT_EQ(CountedPlan::alive, 0);
}

}  // namespace
}  // namespace wavescan::Test
