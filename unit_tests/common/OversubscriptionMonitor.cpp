// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_OversubscriptionMonitor.hpp>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using wavescan::Impl::enqueue_workers;
using wavescan::Impl::Index;
using wavescan::Impl::OversubscriptionMonitor;

constexpr double a_microsecond = 1e-6, a_millisecond = 1e-3, an_hour = 3600;

/// @brief What calls gain by fork, by less than a late region loses and by more.
constexpr double little = 100e-6, much = 1;

TEST(OversubscriptionMonitor, AreNotCalledForLittle) {
  const OversubscriptionMonitor threads;
  EXPECT_FALSE(threads.should_fork(threads.gain_of(a_microsecond, 2)));
  EXPECT_FALSE(threads.should_fork(threads.gain_of(an_hour, 1)));
  EXPECT_TRUE(threads.should_fork(threads.gain_of(a_millisecond, 2)));
}

/// @brief Regions each of which loses so much.
void record_regions(OversubscriptionMonitor& threads, int regions, double gain, double lost) {
  for (int region = 0; region < regions; ++region) threads.record_region(gain, lost);
}

TEST(OversubscriptionMonitor, AreCalledUntilTheyWereLate) {
  OversubscriptionMonitor threads;
  record_regions(threads, 2, little, 6e-3);
  EXPECT_TRUE(threads.should_fork(little)) << "a few may be";
  record_regions(threads, 3, little, 6e-3);
  EXPECT_FALSE(threads.should_fork(little));
  EXPECT_TRUE(threads.should_fork(much));
}

TEST(OversubscriptionMonitor, AreCalledWhereTheyAreSeldomLate) {
  OversubscriptionMonitor threads;
  for (int time = 0; time < 20; ++time) {
    record_regions(threads, 200, little, 0);
    threads.record_region(little, 4e-3);
    EXPECT_TRUE(threads.should_fork(little)) << time;
  }
}

TEST(OversubscriptionMonitor, AreNotCalledWhereTheyAreOftenLate) {
  for (const int regions : {1, 2, 5}) {  // of which one loses
    OversubscriptionMonitor threads;
    record_regions(threads, 1000, little, 0);
    for (int time = 0; time < 10 && threads.should_fork(little); ++time) {
      record_regions(threads, regions - 1, little, 0);
      threads.record_region(little, 4e-3);
    }
    EXPECT_FALSE(threads.should_fork(little)) << regions;
  }
}

TEST(OversubscriptionMonitor, LongWorkDoesNotPayForShort) {
  OversubscriptionMonitor threads;
  for (int time = 0; time < 10; ++time) {
    threads.record_region(much, 6e-3);
    threads.record_region(little, 6e-3);
  }
  EXPECT_FALSE(threads.should_fork(little));
}

TEST(OversubscriptionMonitor, AreCalledAgainAfterAWhile) {
  OversubscriptionMonitor threads;
  record_regions(threads, 5, little, 5e-3);  // 3 ms too much, which count twenty times
  EXPECT_FALSE(threads.should_fork(little));
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  EXPECT_TRUE(threads.should_fork(little));
  record_regions(threads, 3, little, 0);
  EXPECT_TRUE(threads.should_fork(little)) << "they are in time again";
}

TEST(OversubscriptionMonitor, AreNotGivenUpForLongBecauseOfOneRegion) {
  OversubscriptionMonitor threads;
  threads.record_region(little, 100);
  EXPECT_FALSE(threads.should_fork(little));
  std::this_thread::sleep_for(std::chrono::milliseconds(420));
  EXPECT_TRUE(threads.should_fork(little));
}

TEST(OversubscriptionMonitor, MayTakeTimeToWake) {
  OversubscriptionMonitor threads;
  record_regions(threads, 1000, little, 200e-6);
  EXPECT_TRUE(threads.should_fork(little));
}

TEST(OversubscriptionMonitor, DoAsTestsWant) {
  OversubscriptionMonitor threads;
  record_regions(threads, 10, little, 10);
  threads.set(OversubscriptionMonitor::Forking::Always);
  EXPECT_TRUE(threads.should_fork(-1));
  threads.set(OversubscriptionMonitor::Forking::Never);
  EXPECT_FALSE(threads.should_fork(much));
}

/// @brief Who did the part of each worker, and when.
struct Done {
  std::thread::id thread;
  int place = -1;
};
std::vector<Done> done_by_workers(Index workers, double alone) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  std::vector<Done> done(static_cast<std::size_t>(workers));
  int next = 0;
  enqueue_workers(Exec(), "WaveScan::test", workers, alone, [&](Index worker) {
    auto& mine = done[static_cast<std::size_t>(worker)];
    EXPECT_EQ(mine.place, -1);
    mine = {std::this_thread::get_id(), Kokkos::atomic_fetch_add(&next, 1)};
  });
  EXPECT_EQ(next, workers);
  return done;
}

TEST(Workers, AreDoneInOrderByTheCallingThread) {
  using Forking = OversubscriptionMonitor::Forking;
  wavescan::Impl::oversubscription_monitor.set(Forking::Never);
  for (const Index workers : {1, 2, 3, 100}) {
    const auto done = done_by_workers(workers, an_hour);
    for (std::size_t w = 0; w < done.size(); ++w) {
      EXPECT_EQ(done[w].thread, std::this_thread::get_id());
      EXPECT_EQ(done[w].place, static_cast<int>(w));
    }
  }
  wavescan::Impl::oversubscription_monitor.set(Forking::Always);
}

TEST(Workers, AreThreads) {
  const Index threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (threads == 1) GTEST_SKIP() << "one thread";
  const auto done = done_by_workers(threads, 0);
  EXPECT_NE(done.front().thread, done.back().thread);
}

TEST(Workers, AreDoneOnceEach) {
  for (const Index workers : {0, 1, 2, 3, 7, 100}) done_by_workers(workers, 0);
}

}  // namespace
