// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BULKCOPY_HPP
#define WAVESCAN_IMPL_GPU_BULKCOPY_HPP

#include <cstdint>

/// @file
/// @brief Bulk copies between global and shared memory, and the barriers they arrive at (CUDA,
/// compute capability 9.0 and newer).
///
/// Compiled for older architectures these functions do nothing; the host must not launch kernels
/// that use them there.

namespace wavescan::Impl::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WAVESCAN_PTX(...) asm volatile(__VA_ARGS__)
#else
#define WAVESCAN_PTX(...) static_cast<void>(0)
#endif

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// @brief A barrier in shared memory at which threads arrive and bytes of bulk copies.
struct Barrier {
  std::uint64_t word;

  __device__ void init(int arrivals) {
    WAVESCAN_PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)),
                 "r"(arrivals)
                 : "memory");
    static_cast<void>(arrivals);
  }
  __device__ void arrive() {
    WAVESCAN_PTX("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  /// @brief Arrives, and lets the phase wait for this many bytes of bulk loads.
  __device__ void arrive_expecting(std::uint32_t bytes) {
    WAVESCAN_PTX(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)),
        "r"(bytes)
        : "memory");
    static_cast<void>(bytes);
  }
  /// @brief Arrives when all copies of a few bytes (copy_async) that the thread has started are
  /// done.
  __device__ void arrive_after_copies() {
    WAVESCAN_PTX("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(this))
                 : "memory");
  }
  /// @brief Waits for the end of the phase of this parity.
  __device__ void wait(unsigned parity) {
    std::uint32_t done = 1;
    do {
      WAVESCAN_PTX(
          "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
          " selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    } while (!done);
    static_cast<void>(parity);
  }
  /// @brief True if the phase of this parity has ended.
  __device__ bool passed(unsigned parity) const {
    std::uint32_t done = 1;
    WAVESCAN_PTX(
        "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;"
        " selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"(shared_address(this)), "r"(parity)
        : "memory");
    static_cast<void>(parity);
    return done != 0;
  }
};

/// @brief Makes initialised barriers known to the copy engine.
__device__ inline void publish_barriers() {
  WAVESCAN_PTX("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// @brief Orders a thread's own accesses to shared memory before later bulk copies from it.
__device__ inline void order_before_bulk_copies() {
  WAVESCAN_PTX("fence.proxy.async.shared::cta;" ::: "memory");
}

/// @brief Orders a thread's accesses of all kinds, and what it knows of others', against bulk
/// copies.
__device__ inline void order_bulk_copies() { WAVESCAN_PTX("fence.proxy.async;" ::: "memory"); }

/// @brief A cache policy for data that is used once.
__device__ inline std::uint64_t stream_policy() {
  std::uint64_t policy = 0;
  WAVESCAN_PTX("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// @brief Starts a copy to shared memory; both addresses and the size are multiples of 16 bytes.
__device__ inline void bulk_load([[maybe_unused]] void* shared, const void* global,
                                 std::uint32_t bytes, [[maybe_unused]] Barrier* barrier,
                                 std::uint64_t policy) {
  WAVESCAN_PTX(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
  static_cast<void>(bytes), static_cast<void>(policy), static_cast<void>(global);
}

/// @brief Starts a copy from shared memory; both addresses and the size are multiples of 16 bytes.
__device__ inline void bulk_store(void* global, [[maybe_unused]] const void* shared,
                                  std::uint32_t bytes, std::uint64_t policy) {
  WAVESCAN_PTX(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
          global),
      "r"(shared_address(shared)), "r"(bytes), "l"(policy)
      : "memory");
  static_cast<void>(bytes), static_cast<void>(policy), static_cast<void>(global);
}

/// @brief Ends a group of stores.
__device__ inline void commit_stores() { WAVESCAN_PTX("cp.async.bulk.commit_group;" ::: "memory"); }

/// @brief Waits until all but the last `Pending` groups of stores have read their shared memory.
template <int Pending>
__device__ void wait_for_stores() {
  WAVESCAN_PTX("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// @brief Waits until all stores are in memory.
__device__ inline void complete_stores() {
  WAVESCAN_PTX("cp.async.bulk.wait_group 0;" ::: "memory");
}

#undef WAVESCAN_PTX

}  // namespace wavescan::Impl::gpu

#endif
