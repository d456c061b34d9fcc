// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_OVERSUBSCRIPTIONMONITOR_HPP
#define WAVESCAN_IMPL_OVERSUBSCRIPTIONMONITOR_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#else
#include <thread>
#endif

/// @file
/// @brief Whether a host's threads come when they are called.
///
/// Beside other busy programs a parallel region takes as long as its last thread waits for a
/// processor, milliseconds, while the calling thread runs already. What that one does sooner by
/// itself had better be left to it.

namespace wavescan::Impl {

/// @brief How late threads have been recently. Any thread may call it at any time.
class OversubscriptionMonitor {
 public:
  using Clock = std::chrono::steady_clock;

  /// @brief Whether to fork `threads` threads for work that takes one about so many seconds.
  ///
  /// They are, as long as regions lose less than they gain, on average. Otherwise some are entered
  /// to see whether the others have gone; what these lose stays below a twentieth of the time.
  bool should_fork(double alone, Index threads) const {
    constexpr double patience = 20;
    // To call threads that come at once, and to wait for each other, takes about so long.
    constexpr double calling = 12e-6;
    const double late = late_.load(std::memory_order_relaxed);
    const double gain = alone * (1 - 1 / static_cast<double>(threads)) - calling;
    if (gain < 0) return always_;
    return always_ || late <= gain ||
           seconds(Clock::now().time_since_epoch()) - seen_.load(std::memory_order_relaxed) >
               patience * late;
  }

  /// @brief A region ends that has lost this.
  ///
  /// What regions lose on average is how much those lose that lose something, over how many regions
  /// lie between two of these. On a node whose processors all have a thread, one of them is held up
  /// for milliseconds now and then, once in some hundred regions; beside busy programs nearly all
  /// regions lose. As these come and go, the distance is a mean of logarithms, in which a few
  /// regions that lose weigh as much as hundreds before that do not; and the regions since the last
  /// one that lost count as soon as they are more.
  void record_delay(double lost) {
    // Threads that sleep are awake within this time even if nothing else runs.
    constexpr double waking = 250e-6;
    constexpr double weight = .25;
    double loss = loss_.load(std::memory_order_relaxed);
    double distance = distance_.load(std::memory_order_relaxed);
    double since = since_.load(std::memory_order_relaxed) + 1;
    if (lost > waking) {
      loss = loss == 0 ? lost - waking : loss + weight * (lost - waking - loss);
      distance = std::sqrt(distance * since);
      since = 0;
      loss_.store(loss, std::memory_order_relaxed);
      distance_.store(distance, std::memory_order_relaxed);
    }
    since_.store(since, std::memory_order_relaxed);
    late_.store(loss / std::max(distance, since + 1), std::memory_order_relaxed);
    seen_.store(seconds(Clock::now().time_since_epoch()), std::memory_order_relaxed);
  }

  /// @brief Call threads however late they are: tests want to see them at work.
  void always_fork(bool always) { always_ = always; }

  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

 private:
  std::atomic<double> loss_ = 0;        ///< of a region that loses something, in seconds
  std::atomic<double> distance_ = 256;  ///< between such regions; at first they are taken for rare
  std::atomic<double> since_ = 0;       ///< the last one, regions
  std::atomic<double> late_ = 0;        ///< what a region loses on average
  std::atomic<double> seen_ = 0;        ///< when, by the clock
  std::atomic<bool> always_ = false;
};

/// @brief Of all execution spaces: threads of all of them wait for the same processors.
inline OversubscriptionMonitor oversubscription_monitor;

/// @brief How long others have taken a thread's processor when it gave way, in seconds.
inline thread_local double given_away = 0;

/// @brief Gives way to other threads, while waiting for one.
WAVESCAN_NOT_INLINED inline void yield() {
  constexpr double noticeable = 250e-6;  // if nobody else runs, it takes a microsecond
  const auto start = OversubscriptionMonitor::Clock::now();
#if defined(__unix__) || defined(__APPLE__)
  sched_yield();  // <thread> has more than that, which takes long to compile
#else
  std::this_thread::yield();
#endif
  const double away =
      OversubscriptionMonitor::seconds(OversubscriptionMonitor::Clock::now() - start);
  if (away > noticeable) given_away += away;
}

/// @brief What a parallel region loses because its threads are late: when they begin, when others
/// wait for them, or when they end.
class WatchedRegion {
 public:
  using Clock = OversubscriptionMonitor::Clock;

  /// @brief Does a thread's part.
  template <class Work>
  void run(Index thread, const Work& work) {
    const double begin = so_far();
    given_away = 0;
    work();
    is_lost(begin + given_away);
    if (thread > 0) return;
    first_began_ = begin;
    first_ended_ = so_far();
  }

  /// @brief All threads are done. The first one has waited for the others: what is longer than the
  /// time that it worked is not for their having more to do.
  double lost() const {
    const double waited = so_far() - first_ended_, worked = first_ended_ - first_began_;
    return std::max(max_lost_.load(std::memory_order_relaxed), waited - worked);
  }

 private:
  double so_far() const { return OversubscriptionMonitor::seconds(Clock::now() - start_); }
  void is_lost(double time) {
    double most = max_lost_.load(std::memory_order_relaxed);
    while (time > most && !max_lost_.compare_exchange_weak(most, time)) {
    }
  }

  Clock::time_point start_ = Clock::now();
  double first_began_ = 0, first_ended_ = 0;
  std::atomic<double> max_lost_ = 100e-6;  ///< by a thread; less is not worth a store
};

}  // namespace wavescan::Impl

#endif
