// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TASKQUEUE_HPP
#define WAVESCAN_IMPL_GPU_TASKQUEUE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief A queue from which the blocks of a kernel draw tasks, and their waits for each other,
/// where not all of them need be resident.
///
/// Tasks (bands of rows, strips of columns) are numbered so that each needs earlier ones only, and
/// drawn in this order. So the block that is waited for has started, and the kernel ends however
/// few of its blocks are resident. What tasks send each other are tagged words (Mailbox); tags grow
/// from launch to launch, so nothing is cleared in between.

namespace wavescan::Impl::gpu {

/// @brief The shape of a launch.
struct LaunchShape {
  Index blocks;
  int threads;               ///< of a block
  std::size_t shared_bytes;  ///< of a block, besides what the kernel declares
};

/// @brief Blocks that compute a task at a time; no more than tasks, and some on a multiprocessor.
inline LaunchShape shape_for_tasks(const Device& exec, Index tasks, int threads, int blocks_each) {
  const Index processors = device_properties(exec).multiProcessorCount;
  return {std::min(tasks, processors * blocks_each), threads, 0};
}

/// @brief Counters that the blocks of a launch share: zero before the first one, and left as the
/// next one needs them by the last block of each.
///
/// The ticket has 32 bits: to wider words Kokkos adds by compare and swap on NVIDIA GPUs, and of
/// all blocks that draw at a time one gets its ticket in a round trip to the memory.
struct TaskCounters {
  std::uint32_t ticket;     ///< the next task
  std::uint32_t epoch;      ///< the last tag of the launches before
  BlockCounter ended;       ///< blocks that are done
  std::uint32_t heartbeat;  ///< changes while there is progress
  std::uint32_t stuck;      ///< not 0: somebody waited too long, all leave
};

/// @brief The time that a warp sleeps before it asks again whether its turn has come: none at all
/// where all others wait for it, longer and longer where what it looks at lies far away.
enum class Backoff { None, Short, Longer };

/// @brief A block's, or a warp's, part in the work on the queue.
class TaskQueue {
 public:
  /// @brief The queue's arguments from the host.
  struct Launch {
    TaskCounters* counters;
    Watchdog watchdog;
  };

  __device__ explicit TaskQueue(const Launch& launch)
      : launch_(launch), epoch_(load(&launch.counters->epoch)) {}

  /// @brief The launch's tag for messages of this number; of all, if none is given.
  __device__ std::uint32_t tag(std::uint32_t number = 0) const { return epoch_ + 1 + number; }

  /// @brief The next task, for the warp whose lanes all call it.
  __device__ Index draw() const {
    std::uint32_t task = 0;
    if (lane() == 0) task = Kokkos::atomic_fetch_add(&launch_.counters->ticket, 1u);
    return static_cast<Index>(broadcast(task, 0));
  }

  /// @brief Calls `ready` until it is true; false if the launch is stuck and must be left. A warp's
  /// lanes all call it, and get the same from `ready`.
  template <class Ready>
  __device__ bool wait(const Ready& ready, Backoff backoff = Backoff::Longer) const {
    std::uint64_t since = 0;
    std::uint32_t last_heartbeat = 0;
    for (unsigned tries = 0; !ready(); ++tries) {
      if (backoff != Backoff::None && tries > 1) back_off(backoff == Backoff::Short ? 1 : tries);
      if (tries % 128 == 127 && gives_up(since, last_heartbeat)) return false;
    }
    return true;
  }

  /// @brief Tells those who wait that there is progress; called by a warp as often as it makes
  /// some, since nobody knows how long the user's loop takes for an entry.
  /// @param last when the warp told so last, in cycles
  __device__ void heartbeat(std::uint32_t& last) const {
    const auto now = static_cast<std::uint32_t>(clock64());
    if (now - last < cycles_between_heartbeats) return;
    last = now;
    if (lane() == 0) Kokkos::atomic_inc(&launch_.counters->heartbeat);
  }

  /// @brief Ends a block's part; called by one thread of it, the last thing it does.
  /// @param tags how many the launch used
  __device__ void leave(std::uint32_t tags) const {
    TaskCounters& shared = *launch_.counters;
    if (!shared.ended.arrive_alone()) return;
    shared.ticket = 0;
    shared.ended.clear();
    shared.stuck = 0;
    shared.epoch = epoch_ + tags;
  }

 private:
  /// Some milliseconds: all warps tell the same word.
  static constexpr std::uint32_t cycles_between_heartbeats = 1 << 22;

  /// Not an atomic load of Kokkos': that may be a compare and swap, and everybody waits here.
  static __device__ std::uint32_t load(const std::uint32_t* p) {
    return *static_cast<const volatile std::uint32_t*>(p);
  }

  /// Not a StallTimer, which costs the loops around a wait registers, and with them strips of SOR a
  /// tenth of their speed.
  /// @param since          when the present heartbeat was first seen; 0 at first
  /// @param last_heartbeat that heartbeat
  __device__ bool gives_up(std::uint64_t& since, std::uint32_t& last_heartbeat) const {
    bool stuck = load(&launch_.counters->stuck) != 0;
    if (launch_.watchdog.timeout != 0) {
      const std::uint32_t heartbeat = load(&launch_.counters->heartbeat);
      const std::uint64_t now = StallClock::now();
      if (since == 0 || heartbeat != last_heartbeat) {
        since = now;
        last_heartbeat = heartbeat;
      } else if (now - since > launch_.watchdog.timeout) {
        stuck = true;
      }
    }
    if (!any(stuck)) return false;
    desul::atomic_store(&launch_.counters->stuck, 1u, desul::MemoryOrderRelaxed(),
                        desul::MemoryScopeDevice());
    launch_.watchdog.report_stall();
    return true;
  }

  const Launch& launch_;
  std::uint32_t epoch_;
};

}  // namespace wavescan::Impl::gpu

#endif
