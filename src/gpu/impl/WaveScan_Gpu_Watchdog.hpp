// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_WATCHDOG_HPP
#define WAVESCAN_IMPL_GPU_WATCHDOG_HPP

#include <impl/WaveScan_Compiler.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <sstream>
#include <stdexcept>

/// @file
/// @brief The end of waits of one block for another in which nothing comes: after some time the
/// wait is given up, the kernel ends, and the caller learns that its result is not complete.
///
/// Two kinds of waits need none of it: for warps of the same block, and for blocks that are all
/// resident, which the launch makes sure of. The latter, in scans, tables and selections, take
/// microseconds; to count their looks made some of these kernels slower by 1 to 7 % (H200), so that
/// is left to builds for debugging, where it stops the program.

namespace wavescan::Impl::gpu {

/// @brief A device's clock for waiting threads, and its ticks per second.
struct StallClock {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
  static constexpr double frequency = 1e8;
  static __device__ std::uint64_t now() { return wall_clock64(); }
#else
  static constexpr double frequency = 1e9;
  static __device__ std::uint64_t now() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
  }
#endif
};

/// @brief The watchdog's arguments for the blocks of a launch.
struct Watchdog {
  std::uint64_t timeout;  ///< ticks of StallClock without progress; 0: wait for ever
  std::uint32_t* report;  ///< in the host's memory: not 0 once a wait has been given up

  __device__ bool is_reported() const {
    return *static_cast<const volatile std::uint32_t*>(report) != 0;
  }
  __device__ void report_stall() const { *static_cast<volatile std::uint32_t*>(report) = 1; }
};

/// @brief The host's side of a plan's watchdog.
class StallReport {
 public:
  StallReport() = default;
  /// @param seconds without progress after which a wait is given up; 0: never
  explicit StallReport(double seconds) : seconds_(seconds), report_("WaveScan::stall_report") {}

  Watchdog watchdog() const {
    return {static_cast<std::uint64_t>(seconds_ * StallClock::frequency), report_.data()};
  }

  /// @brief Tells once of calls that have got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck(const char* operation) const {
    if (!report_.is_allocated()) return;
    volatile std::uint32_t& report = *report_.data();
    if (report == 0) return;
    report = 0;
    std::ostringstream message;
    message << "WaveScan::" << operation << ": blocks of an earlier call waited " << seconds_
            << " s for each other without progress; its array, and those of the calls since, are "
               "not complete";
    throw std::runtime_error(message.str());
  }

 private:
  double seconds_ = 0;
  Kokkos::View<std::uint32_t, Kokkos::SharedHostPinnedSpace> report_;
};

/// @brief Counts the looks of a wait for blocks that are all resident. With WAVESCAN_LIMIT_WAITS,
/// which a Kokkos for debugging implies, too many of them, seconds, end the kernel with an error of
/// the device.
class LookLimit {
 public:
#if defined(WAVESCAN_LIMIT_WAITS) || defined(KOKKOS_ENABLE_DEBUG)
  __device__ void count() {
    if (++looks_ >> 26) Kokkos::abort("WaveScan: blocks waited for each other in vain");
  }

 private:
  unsigned looks_ = 0;
#else
  __device__ void count() {}
#endif
};

/// @brief A thread's wait for others: how long there has been no progress.
class StallTimer {
 public:
  __device__ explicit StallTimer(const Watchdog& watchdog) : watchdog_(watchdog) {}

  /// @brief Starts the time anew when something came: what is waited for next may take as long
  /// again.
  __device__ void restart() {
    looks_ = 0;
    since_ = 0;
  }

  /// @brief Counts a look that found nothing. True once there is nothing to wait for any more: the
  /// thread then goes on with whatever it has, as all do after it. For waits of microseconds.
  __device__ bool expires_after_look() {
    if (++looks_ % looks_between_checks != 0) return false;
    if (watchdog_.is_reported()) return true;
    if (!is_overdue()) return false;
    watchdog_.report_stall();
    return true;
  }

 private:
  /// Milliseconds, since the report lies in the host's memory.
  static constexpr unsigned looks_between_checks = 4096;

  /// @brief True if the time without progress is over, which begins with the first such question.
  __device__ bool is_overdue() {
    if (watchdog_.timeout == 0) return false;
    const std::uint64_t now = StallClock::now();
    if (since_ == 0) {
      since_ = now;
      return false;
    }
    return now - since_ > watchdog_.timeout;
  }

  const Watchdog& watchdog_;
  unsigned looks_ = 0;
  std::uint64_t since_ = 0;
};

}  // namespace wavescan::Impl::gpu

#endif
