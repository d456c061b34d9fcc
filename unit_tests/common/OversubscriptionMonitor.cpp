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

TEST(OversubscriptionMonitor, AreNotCalledForLittle) {
  OversubscriptionMonitor threads;
  EXPECT_FALSE(threads.should_fork(a_microsecond, 2));
  EXPECT_FALSE(threads.should_fork(an_hour, 1));
}

TEST(OversubscriptionMonitor, AreCalledUntilTheyWereLate) {
  OversubscriptionMonitor threads;
  EXPECT_TRUE(threads.should_fork(a_millisecond, 2));
  threads.record_delay(10);
  EXPECT_FALSE(threads.should_fork(a_millisecond, 2));
  EXPECT_TRUE(threads.should_fork(an_hour, 2));
}

/// @brief Regions each of which loses so much.
void record_delays(OversubscriptionMonitor& threads, int regions, double lost) {
  for (int region = 0; region < regions; ++region) threads.record_delay(lost);
}

TEST(OversubscriptionMonitor, AreCalledAgainOnceTheyAreInTime) {
  OversubscriptionMonitor threads;
  record_delays(threads, 10, 10e-3);
  EXPECT_FALSE(threads.should_fork(a_millisecond, 2));
  record_delays(threads, 100, 0);
  EXPECT_TRUE(threads.should_fork(a_millisecond, 2));
}

TEST(OversubscriptionMonitor, AreCalledWhereTheyAreSeldomLate) {
  OversubscriptionMonitor threads;
  for (int time = 0; time < 20; ++time) {
    record_delays(threads, 200, 0);
    threads.record_delay(4e-3);
    EXPECT_TRUE(threads.should_fork(100e-6, 32)) << time;
  }
}

TEST(OversubscriptionMonitor, AreNotCalledWhereTheyAreOftenLate) {
  for (const int regions : {1, 2, 5}) {  // of which one loses
    OversubscriptionMonitor threads;
    record_delays(threads, 1000, 0);
    for (int time = 0; time < 10; ++time) {
      record_delays(threads, regions - 1, 0);
      threads.record_delay(4e-3);
    }
    EXPECT_FALSE(threads.should_fork(500e-6, 32)) << regions;
  }
}

TEST(OversubscriptionMonitor, AreFoundLateAtOnce) {
  OversubscriptionMonitor threads;
  record_delays(threads, 1000, 0);
  record_delays(threads, 4, 4e-3);
  EXPECT_FALSE(threads.should_fork(500e-6, 32));
}

TEST(OversubscriptionMonitor, AreCalledAgainAfterAWhile) {
  OversubscriptionMonitor threads;
  threads.record_delay(10e-3);  // of which a sixteenth counts, twenty times
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(threads.should_fork(a_millisecond, 2));
}

TEST(OversubscriptionMonitor, MayTakeTimeToWake) {
  OversubscriptionMonitor threads;
  for (int region = 0; region < 100; ++region) threads.record_delay(100e-6);
  EXPECT_TRUE(threads.should_fork(a_millisecond, 2));
}

TEST(OversubscriptionMonitor, AreCalledAlwaysIfAskedFor) {
  OversubscriptionMonitor threads;
  threads.record_delay(10);
  threads.always_fork(true);
  EXPECT_TRUE(threads.should_fork(a_microsecond, 2));
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

class LateWorkers : public testing::Test {
 protected:
  void SetUp() override { wavescan::Impl::oversubscription_monitor.always_fork(false); }
  void TearDown() override {
    for (int region = 0; region < 100; ++region)
      wavescan::Impl::oversubscription_monitor.record_delay(0);
    wavescan::Impl::oversubscription_monitor.always_fork(true);
  }
};

TEST_F(LateWorkers, AreDoneInOrderByTheCallingThread) {
  for (int region = 0; region < 10; ++region)
    wavescan::Impl::oversubscription_monitor.record_delay(10);
  for (const Index workers : {1, 2, 3, 100}) {
    const auto done = done_by_workers(workers, a_microsecond);
    for (std::size_t w = 0; w < done.size(); ++w) {
      EXPECT_EQ(done[w].thread, std::this_thread::get_id());
      EXPECT_EQ(done[w].place, static_cast<int>(w));
    }
  }
}

TEST_F(LateWorkers, AreThreadsWhereWorkIsLong) {
  for (int region = 0; region < 10; ++region)
    wavescan::Impl::oversubscription_monitor.record_delay(10);
  const Index threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (threads == 1) GTEST_SKIP() << "one thread";
  const auto done = done_by_workers(threads, an_hour);
  EXPECT_NE(done.front().thread, done.back().thread);
}

TEST(Workers, AreDoneOnceEach) {
  for (const Index workers : {0, 1, 2, 3, 7, 100}) done_by_workers(workers, 0);
}

}  // namespace
