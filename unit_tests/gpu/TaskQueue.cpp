// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstdint>
#include <stdexcept>
#include <vector>

// Tasks that blocks draw, each of which waits for the one before, with more blocks than a device
// holds at a time.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>

#include "GpuValues.hpp"

namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;
using Number = gpu::Tagged<std::uint32_t>;

/// @brief A warp a block. Task t sends 3 * (what task t - 1 sent) + t on; task `silent` does not.
__global__ void run_tasks(gpu::TaskQueue::Launch launch, gpu::TaggedWord* words, Index tasks,
                          Index silent) {
  const gpu::TaskQueue queue(launch);
  std::uint32_t last_heartbeat = 0;
  for (Index t = queue.draw(); t < tasks; t = queue.draw()) {
    typename Number::Found found;
    const auto ready = [&] {
      found.load_if(t > 0, words + (t - 1) * Number::words);
      return t == 0 || found.has_tag(queue.tag());
    };
    if (!queue.wait(ready, t % 3 == 0 ? gpu::Backoff::None : gpu::Backoff::Longer)) break;
    queue.heartbeat(last_heartbeat);
    const std::uint32_t before = t > 0 ? found.value() : 0;
    Number::publish_if(gpu::lane() == 0 && t != silent, words + t * Number::words,
                       3 * before + static_cast<std::uint32_t>(t), queue.tag());
  }
  if (threadIdx.x == 0) queue.leave(1);
}

struct Tasks {
  gpu::Device exec{};
  Index count;
  gpu::StallReport report;
  Kokkos::View<gpu::TaskCounters, gpu::Device::memory_space> counters{"counters"};
  DeviceArray<gpu::TaggedWord> words;

  Tasks(Index tasks, double seconds)
      : count(tasks),
        report(seconds),
        words(std::vector<gpu::TaggedWord>(static_cast<std::size_t>(tasks * Number::words), 0)) {}

  void run(Index blocks, Index silent = -1) const {
    gpu::launch({exec, "task_queue_test", false}, run_tasks, blocks, gpu::warp_size, 0,
                gpu::TaskQueue::Launch{counters.data(), report.watchdog()}, words.data(), count,
                silent);
  }
  void expect_all(std::uint32_t tag) const {
    const auto found = words.values();
    std::uint32_t expected = 0;
    for (Index t = 0; t < count; ++t) {
      expected = 3 * expected + static_cast<std::uint32_t>(t);
      ASSERT_EQ(found[static_cast<std::size_t>(t)], gpu::TaggedWord(tag) << 32 | expected)
          << "task " << t;
    }
  }
};

TEST(GpuTaskQueue, RunsAllTasksHoweverFewBlocksAreResident) {
  for (const Index blocks : {1, 2, 100, 20000}) {
    const Tasks tasks(20000, 30);
    for (std::uint32_t launch = 1; launch <= 3; ++launch) {
      tasks.run(blocks);
      tasks.expect_all(launch);
    }
    EXPECT_NO_THROW(tasks.report.throw_if_stuck("tasks"));
  }
}

TEST(GpuTaskQueue, EndsWhereATaskIsSilent) {
  const Tasks tasks(1000, 0.05);
  tasks.run(50, 10);
  Kokkos::fence();
  EXPECT_THROW(tasks.report.throw_if_stuck("tasks"), std::runtime_error);
}

TEST(GpuTaskQueue, ForgetsALaunchThatWasLeft) {
  const Tasks tasks(1000, 0.05), patient(1000, 0);
  tasks.run(50, 10);
  // The same counters and words, with nobody who gives up.
  gpu::launch({tasks.exec, "task_queue_test", false}, run_tasks, 50, gpu::warp_size, 0,
              gpu::TaskQueue::Launch{tasks.counters.data(), patient.report.watchdog()},
              tasks.words.data(), tasks.count, Index(-1));
  tasks.expect_all(2);
}

}  // namespace

#endif
