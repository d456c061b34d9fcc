// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

// Waits in vain end, and the host learns of them.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>

namespace gpu_watchdog {
namespace {

using namespace wavescan::Impl;

/// @brief All warps of a grid wait for a word; `gave_up` counts those that saw it in vain.
__global__ void wait_for_word(gpu::Watchdog watchdog, const gpu::TaggedWord* word, int* gave_up) {
  gpu::StallTimer timer(watchdog);
  bool given_up = false;
  while (!given_up && gpu::load_relaxed(word) == 0) given_up = gpu::any(timer.expires_after_look());
  if (given_up && gpu::lane() == 0) atomicAdd(gave_up, 1);
}

/// @brief The first block writes the word when it has waited itself for some time.
__global__ void write_word_late(gpu::Watchdog watchdog, gpu::TaggedWord* word, int* gave_up,
                                std::uint64_t ticks) {
  if (blockIdx.x == 0) {
    const std::uint64_t start = gpu::StallClock::now();
    while (gpu::StallClock::now() - start < ticks) {
    }
    if (threadIdx.x == 0) gpu::store_relaxed(word, 1);
    return;
  }
  gpu::StallTimer timer(watchdog);
  while (gpu::load_relaxed(word) == 0)
    if (gpu::any(timer.expires_after_look())) {
      if (gpu::lane() == 0) atomicAdd(gave_up, 1);
      break;
    }
}

struct Memory {
  gpu::Device exec{};
  Kokkos::View<gpu::TaggedWord, gpu::Device::memory_space> word{"word"};
  Kokkos::View<int, gpu::Device::memory_space> gave_up{"gave_up"};

  int waits_given_up() const {
    int count = -1;
    Kokkos::deep_copy(exec, Kokkos::View<int, Kokkos::HostSpace>(&count), gave_up);
    exec.fence();
    return count;
  }
};

constexpr int threads = 128;
constexpr int warps = threads / gpu::warp_size;

TEST(GpuWatchdog, EndsWaitsInVain) {
  const Memory memory;
  const gpu::StallReport report(0.05);
  for (int repetition = 0; repetition < 2; ++repetition) {
    gpu::launch({memory.exec, "wait_for_word", false}, wait_for_word, 40, threads, 0,
                report.watchdog(), memory.word.data(), memory.gave_up.data());
    EXPECT_EQ(memory.waits_given_up(), 40 * warps * (repetition + 1));
    std::string message;
    try {
      report.throw_if_stuck("some_operation");
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message.find("WaveScan::some_operation: blocks of an earlier call waited 0.05 s"), 0u)
        << message;
    EXPECT_NO_THROW(report.throw_if_stuck("some_operation")) << "told once";
  }
}

TEST(GpuWatchdog, LetsSlowOnesFinish) {
  for (const double patience : {0.0, 5.0}) {
    const Memory memory;
    const gpu::StallReport report(patience);
    gpu::launch({memory.exec, "write_word_late", true}, write_word_late, 3, threads, 0,
                report.watchdog(), memory.word.data(), memory.gave_up.data(),
                static_cast<std::uint64_t>(0.2 * gpu::StallClock::frequency));
    EXPECT_EQ(memory.waits_given_up(), 0);
    EXPECT_NO_THROW(report.throw_if_stuck("some_operation"));
  }
}

TEST(GpuWatchdog, WithoutReportThereIsNothingToTell) {
  EXPECT_NO_THROW(gpu::StallReport().throw_if_stuck("some_operation"));
}

}  // namespace
}  // namespace gpu_watchdog

#endif
