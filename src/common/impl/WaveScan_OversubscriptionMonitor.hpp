// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_OVERSUBSCRIPTIONMONITOR_HPP
#define WAVESCAN_IMPL_OVERSUBSCRIPTIONMONITOR_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
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

/// @brief An account of what regions gain and lose. Any thread may call it at any time.
///
/// On a node whose processors all have a thread, one of them is held up for milliseconds now and
/// then; beside busy programs nearly all regions lose. Therefore each region pays in what it gains
/// and draws what it loses: threads are forked as long as regions, taken together, gain. Once the
/// account is overdrawn the calling thread works alone, for so long that the deficit is a small
/// part of that time; then regions begin again, with an empty account. Work that gains more than
/// late threads lose is theirs in any case.
class OversubscriptionMonitor {
 public:
  using Clock = std::chrono::steady_clock;
  /// Tests want to see all threads at work, or the calling one.
  enum class Forking { WhereItGains, Always, Never };
  void set(Forking forking) { forking_ = forking; }

  /// @brief The seconds that are gained by forking `threads` threads for work that takes one about
  /// `alone` seconds.
  static double gain_of(double alone, Index threads) {
    // To call threads that come at once, and to wait for each other, takes about so long.
    constexpr double calling = 12e-6;
    return alone * (1 - 1 / static_cast<double>(threads)) - calling;
  }

  /// @brief Whether to fork threads for work that gains so much by them.
  bool should_fork(double gain) const {
    const Forking forking = forking_.load(std::memory_order_relaxed);
    if (forking != Forking::WhereItGains) return forking == Forking::Always;
    if (gain < 0) return false;
    return gain >= loss_.load(std::memory_order_relaxed) ||
           seconds(Clock::now().time_since_epoch()) >= alone_until_.load(std::memory_order_relaxed);
  }

  /// @brief Records the end of a region that was to gain so much, and has lost so much.
  void record_region(double gain, double lost) {
    // Threads that sleep are awake within this time even if nothing else runs.
    constexpr double waking = 250e-6;
    const double counted = std::max(lost - waking, 0.);
    const double before = loss_.load(std::memory_order_relaxed);
    double loss = before;
    if (counted > 0) {
      loss = before == 0 ? counted : .75 * before + .25 * counted;
      loss_.store(loss, std::memory_order_relaxed);
    }
    if (gain >= std::max(before, loss)) return;  // is forked whatever the account says
    constexpr double patience = 20;              // deficits stay below a twentieth of the time
    double balance = balance_.load(std::memory_order_relaxed) + gain - counted;
    if (balance < 0) {
      const double until =
          seconds(Clock::now().time_since_epoch()) + patience * std::min(-balance, most);
      alone_until_.store(until, std::memory_order_relaxed);
      balance = 0;
    }
    balance_.store(std::min(balance, most), std::memory_order_relaxed);
  }

  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

 private:
  /// So that threads are given up after a few regions that lose milliseconds each.
  static constexpr double most = 20e-3;

  std::atomic<double> balance_ = most;   ///< in seconds; threads are taken for punctual at first
  std::atomic<double> alone_until_ = 0;  ///< by the clock
  std::atomic<double> loss_ = 0;         ///< of regions that lose something, in seconds
  std::atomic<Forking> forking_ = Forking::WhereItGains;
};

/// @brief The monitor of all execution spaces: threads of all of them wait for the same processors.
inline OversubscriptionMonitor oversubscription_monitor;

/// @brief Seconds for which others have taken a thread's processor when it gave way.
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

/// @brief Measures the time that a parallel region loses because its threads are late: when they
/// begin, when others wait for them, or when they end.
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

  /// @brief The time that the region has lost; called when all threads are done. The first one has
  /// waited for the others: what is longer than the time that it worked is not for their having
  /// more to do.
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
