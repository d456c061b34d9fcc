// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BARRIER_HPP
#define WAVESCAN_IMPL_GPU_BARRIER_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstdint>

/// @file
/// @brief Barriers in shared memory, at which some threads of a block arrive and others wait.
///
/// NVIDIA's GPUs have them in hardware since compute capability 8.0, and there copies arrive at
/// them as well. Elsewhere a barrier is a count and a phase that threads look at. On NVIDIA's GPUs
/// its memory order is then that in which they perform a warp's accesses of shared memory, the
/// program's, as that of FlagOrder::Program is.
///
/// Why waits end where the lanes of a warp go on together: a warp waits as a whole, and for other
/// warps only.

namespace wavescan::Impl::gpu {

#if !defined(WAVESCAN_HAS_HIP_KERNELS)
__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

class alignas(8) Barrier {
 public:
  /// @brief Called by one thread, before a barrier of the block.
  /// @param arrivals that end a phase
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)),
                 "r"(arrivals)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("{.reg .b64 phase; mbarrier.arrive.shared::cta.b64 phase, [%0];}" ::"r"(
                     shared_address(this))
                 : "memory");
  }
  /// @brief Arrives, and lets the phase wait for this many bytes of bulk loads.
  __device__ void arrive_expecting([[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)),
        "r"(bytes)
        : "memory");
#endif
  }
  /// @brief Arrives when all copies of a few bytes (copy_async) that the thread has started are
  /// done.
  __device__ void arrive_after_copies() {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(this))
                 : "memory");
  }
  /// @brief Waits for the end of the phase of this parity.
  __device__ void wait(unsigned parity) const {
#if __CUDA_ARCH__ >= 900
    std::uint32_t done;
    do {
      asm volatile(
          "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
          " selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    } while (!done);
#else
    while (!passed(parity)) back_off_for(20);
#endif
  }
  /// @brief True if the phase of this parity has ended.
  __device__ bool passed(unsigned parity) const {
    std::uint32_t done;
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;"
        " selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(shared_address(this)), "r"(parity)
        : "memory");
    return done != 0;
  }

 private:
  std::uint64_t word_;
};

#else

class alignas(8) Barrier {
 public:
  __device__ void init(int arrivals) {
    arrived_ = 0;
    all_and_phase_ = static_cast<unsigned>(arrivals);
  }
  __device__ void arrive() {
    order();
    const unsigned all = all_and_phase_ & ~phase_bit;
    if (atomicAdd(&arrived_, 1u) + 1 != all) return;
    order();
    // Who arrives for the next phase has seen this one end.
    static_cast<volatile unsigned&>(arrived_) = 0;
    order();
    static_cast<volatile unsigned&>(all_and_phase_) = all_and_phase_ ^ phase_bit;
    order();
  }
  __device__ void arrive_expecting(std::uint32_t) { arrive(); }
  __device__ void arrive_after_copies() { arrive(); }
  __device__ void wait(unsigned parity) const {
    while (!passed(parity)) back_off_for(20);
  }
  __device__ bool passed(unsigned parity) const {
    const unsigned now = static_cast<const volatile unsigned&>(all_and_phase_);
    order();
    return ((now & phase_bit) != 0) != (parity != 0);
  }

 private:
  static constexpr unsigned phase_bit = 1u << 31;
  static __device__ void order() {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
#else
    asm volatile("" ::: "memory");
#endif
  }

  unsigned arrived_, all_and_phase_;
};

#endif
static_assert(sizeof(Barrier) == 8);

/// @brief Whether what racecheck does not know as synchronisation is shown to it: see BlockFlag.
#if defined(WAVESCAN_SHOW_FLAGS)
inline constexpr bool shows_flags = true;
#else
inline constexpr bool shows_flags = false;
#endif

/// @brief The number of times that a warp arrives at a barrier.
///
/// What all lanes did before happens before what a thread does that has waited for the phase: the
/// warp's barrier orders it before lane 0's arrival, which releases it. Racecheck knows of a
/// barrier's phase who arrived there, but nothing of the warp's barrier before, and would report
/// hazards with the 31 other lanes: where it is to see, each lane arrives by itself.
inline constexpr int arrivals_of_warp = shows_flags ? warp_size : 1;

/// @brief The warp arrives, whose lanes have all done their part.
__device__ inline void arrive_as_warp(Barrier& barrier) {
  sync_warp();
  if (shows_flags || lane() == 0) barrier.arrive();
}

}  // namespace wavescan::Impl::gpu

#endif
