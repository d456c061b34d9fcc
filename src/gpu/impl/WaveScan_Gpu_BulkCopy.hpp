// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BULKCOPY_HPP
#define WAVESCAN_IMPL_GPU_BULKCOPY_HPP

#include <impl/WaveScan_Gpu_Barrier.hpp>

#include <cstdint>

/// @file
/// @brief Bulk copies between global and shared memory (CUDA, compute capability 9.0 and newer).
///
/// Compiled for older architectures these functions do nothing; the host must not launch kernels
/// that use them there.

namespace wavescan::Impl::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WAVESCAN_PTX(...) asm volatile(__VA_ARGS__)
#else
#define WAVESCAN_PTX(...) static_cast<void>(0)
#endif

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
