// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKFLAG_HPP
#define WAVESCAN_IMPL_GPU_BLOCKFLAG_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief Numbers in shared memory by which warps of a block tell each other how far they are.
///
/// CUDA devices perform a warp's accesses to shared memory in program order, so those to the
/// numbers need no fence: it would also wait for all that the warp moves from and to global memory,
/// for microseconds. Only the compiler must keep the order: it may move plain loads of other
/// addresses before that of a number, unless a sync_warp stands between them. PTX's memory model
/// promises less than this.

namespace wavescan::Impl::gpu {

/// @brief Loads a number; what was written to shared memory before it was stored by
/// store_release_block is then visible.
__device__ inline int load_acquire_block(const int* p) {
#if defined(KOKKOS_ENABLE_HIP)
  return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
  int v;
  asm volatile("ld.volatile.shared.s32 %0, [%1];"
               : "=r"(v)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p)))
               : "memory");
  return v;
#endif
}

/// @brief Stores a number after everything that the thread, and threads of its warp that it is
/// synchronised with, did in shared memory before.
__device__ inline void store_release_block(int* p, int v) {
#if defined(KOKKOS_ENABLE_HIP)
  __hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
  asm volatile(
      "st.volatile.shared.s32 [%0], %1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(p))),
      "r"(v)
      : "memory");
#endif
}

}  // namespace wavescan::Impl::gpu

#endif
