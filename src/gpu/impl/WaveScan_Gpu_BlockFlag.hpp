// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKFLAG_HPP
#define WAVESCAN_IMPL_GPU_BLOCKFLAG_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstdint>

/// @file
/// @brief Numbers in shared memory by which warps of a block tell each other how far they are.
///
/// NVIDIA's racecheck knows barriers as synchronisation, but no flags: it would report all that is
/// handed on with their help. Compiled with WAVESCAN_SHOW_FLAGS, a flag has barriers besides, one
/// for each number: the lanes of the warp that publishes arrive there, and those who rely on the
/// number wait. So the tool sees who waits for whom, and what is not waited for is reported. The
/// flags themselves are accessed by atomic operations then, among which it sees no races.

namespace wavescan::Impl::gpu {

/// @brief Ways to keep accesses of shared memory in order around those of a flag.
enum class FlagOrder {
  /// By PTX's memory model: releases and acquires. For warps that move nothing from or to global
  /// memory, since a release also waits for that, for microseconds.
  ReleaseAcquire,
  /// CUDA devices perform a warp's accesses to shared memory in program order; PTX's memory model
  /// promises less than this. Only the compiler must keep the order: it may move plain loads of
  /// other addresses before that of a flag, unless a sync_warp stands between them.
  Program
};

/// @brief Whether PTX has releases and acquires for the device; if not, fences stand for them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
inline constexpr bool has_acquires = false;
#else
inline constexpr bool has_acquires = true;
#endif

/// @brief The barriers of a flag that a tool can see; nothing in ordinary builds.
template <int Unit>
class ShownFlag {
#if defined(WAVESCAN_SHOW_FLAGS)
 public:
  __device__ void clear(int value) {
    for (int k = 0; k < capacity; ++k) {
      const bool reached = (k + 1) * Unit <= value;
      reached_[k].init(reached ? 1 : warp_size);
      if (reached) reached_[k].arrive();
    }
  }
  __device__ void publish(int before, int value) {
    const int end = value / Unit < capacity ? value / Unit : capacity;
    for (int k = before > 0 ? before / Unit : 0; k < end; ++k) reached_[k].arrive();
  }
  __device__ void rely_on(int value) const {
    if (value <= 0) return;
    const int k = (value - 1) / Unit;
    const_cast<Barrier&>(reached_[k < capacity ? k : capacity - 1]).wait(0);
  }

 private:
  static constexpr int capacity = 512;
  Barrier reached_[capacity];
#else
 public:
  __device__ void clear(int) {}
  __device__ void publish(int, int) {}
  __device__ void rely_on(int) const {}
#endif
};

/// @brief A number that one warp publishes, growing, and others of the block look at.
/// @tparam Unit a divisor of all numbers
template <FlagOrder Order, int Unit = 1>
class BlockFlag : ShownFlag<Unit> {
  using shown = ShownFlag<Unit>;  // a base, for compilers differ in what an empty member takes

 public:
  /// @brief Starts again; called by one thread, before a barrier of the block.
  __device__ void clear(int value = 0) {
    value_ = value;
    shown::clear(value);
  }

  /// @brief Returns the number that has been published by now.
  __device__ int look() const {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
    return __hip_atomic_load(&value_, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
    int v;
    if constexpr (shows_flags)
      v = atomicAdd(const_cast<int*>(&value_), 0);
    else if constexpr (Order == FlagOrder::ReleaseAcquire && has_acquires)
      asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(v) : "r"(address()) : "memory");
    else
      asm volatile("ld.volatile.shared.s32 %0, [%1];" : "=r"(v) : "r"(address()) : "memory");
    if constexpr (Order == FlagOrder::ReleaseAcquire && !has_acquires) __threadfence_block();
    return v;
#endif
  }

  /// @brief Called by a warp that has looked, and found this number or more, before it accesses
  /// what that gives it the right to.
  __device__ void rely_on(int value) const { shown::rely_on(value); }

  /// @brief Publishes what the lanes of the warp, which all call it, have done in shared memory
  /// before they last met.
  __device__ void publish(int value) {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
    __hip_atomic_store(&value_, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
    if constexpr (shows_flags) {
      shown::publish(look(), value);
      sync_warp();
      if (lane() == 0) atomicExch(&value_, value);
      sync_warp();
    } else if constexpr (Order == FlagOrder::ReleaseAcquire && has_acquires) {
      if (lane() == warp_size - 1)
        asm volatile("st.release.cta.shared.s32 [%0], %1;" ::"r"(address()), "r"(value) : "memory");
    } else {
      if constexpr (Order == FlagOrder::ReleaseAcquire) __threadfence_block();
      asm volatile("st.volatile.shared.s32 [%0], %1;" ::"r"(address()), "r"(value) : "memory");
    }
#endif
  }

 private:
#if !defined(WAVESCAN_HAS_HIP_KERNELS)
  __device__ std::uint32_t address() const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(&value_));
  }
#endif

  int value_;
};
static_assert(shows_flags || sizeof(BlockFlag<FlagOrder::Program>) == sizeof(int));

/// @brief Lets a warp wait until the flag of another warp of its block is at least `value`; returns
/// the flag. The warp sleeps between its looks.
///
/// What decides about branches comes from one lane: the compiler then knows that the warp stays
/// together, and shuffles cost what they should.
template <FlagOrder Order, int Unit>
__device__ int wait_for(const BlockFlag<Order, Unit>& flag, int value) {
  int found;
  while ((found = broadcast(flag.look(), 0)) - value < 0) back_off_for(20);
  sync_warp();
  flag.rely_on(value);
  return found;
}

/// @brief Waits unless what has been seen of the flag before suffices.
template <FlagOrder Order, int Unit>
__device__ void wait_for(const BlockFlag<Order, Unit>& flag, int value, int& seen) {
  if (seen - value < 0)
    seen = wait_for(flag, value);
  else
    flag.rely_on(value);
}

/// @brief Waits for two flags unless what has been seen of them suffices; for waits of less than a
/// microsecond, so the warp does not sleep.
template <FlagOrder Order, int Unit>
__device__ void wait_for_both(const BlockFlag<Order, Unit>& a, int value_a, int& seen_a,
                              const BlockFlag<Order, Unit>& b, int value_b, int& seen_b) {
  while (!all(seen_a - value_a >= 0 && seen_b - value_b >= 0)) {
    seen_a = a.look();
    seen_b = b.look();
  }
  sync_warp();
  a.rely_on(value_a);
  b.rely_on(value_b);
}

}  // namespace wavescan::Impl::gpu

#endif
