// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_CLUSTER_HPP
#define WAVESCAN_IMPL_GPU_CLUSTER_HPP

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Clusters: blocks that run side by side and reach each other's shared memory (CUDA,
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

/// @brief The block's number in its cluster.
__device__ inline int cluster_rank() {
  std::uint32_t rank = 0;
  WAVESCAN_PTX("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
__device__ inline int cluster_size() {
  std::uint32_t size = 1;
  WAVESCAN_PTX("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return static_cast<int>(size);
}

/// @brief Waits for all threads of the cluster; what they wrote to shared memory before is there.
__device__ inline void sync_cluster() {
  WAVESCAN_PTX("barrier.cluster.arrive.release.aligned;" ::: "memory");
  WAVESCAN_PTX("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if constexpr (shows_flags) __syncthreads();  // racecheck does not know barriers of clusters
}

/// @brief Returns the address in another block of the cluster of what the own block has at `place`
/// in shared memory.
template <class T>
__device__ T* in_block(int rank, T* place) {
  T* there = place;
  WAVESCAN_PTX("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(place), "r"(rank));
  static_cast<void>(rank);
  return there;
}

/// @brief Accesses to tagged words in a cluster's shared memory: loads are from the own block's,
/// stores go to any block's, by `in_block`.
///
/// Racecheck knows atomic operations only, which they are in builds that show flags.
struct ClusterAccess {
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& v) const {
    if constexpr (shows_flags) {
      if (wanted) v = atomicAdd(const_cast<TaggedWord*>(p), 0);
      return;
    }
    WAVESCAN_PTX(
        "{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.relaxed.cluster.shared::cta.u64 %0, [%1];}"
        : "+l"(v)
        : "r"(shared_address(p)), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& a, TaggedWord& b) const {
    if constexpr (shows_flags) {
      load_if(wanted, p, a);
      load_if(wanted, p + 1, b);
      return;
    }
    WAVESCAN_PTX(
        "{.reg .pred p; setp.ne.u32 p, %3, 0;"
        " @p ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];}"
        : "+l"(a), "+l"(b)
        : "r"(shared_address(p)), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord v) const {
    if constexpr (shows_flags) {
      if (wanted) atomicExch(p, v);
      return;
    }
    WAVESCAN_PTX(
        "{.reg .pred p; setp.ne.u32 p, %2, 0; @p st.relaxed.cluster.u64 [%0], %1;}" ::"l"(p),
        "l"(v), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord a, TaggedWord b) const {
    if constexpr (shows_flags) {
      store_if(wanted, p, a);
      store_if(wanted, p + 1, b);
      return;
    }
    WAVESCAN_PTX(
        "{.reg .pred p; setp.ne.u32 p, %3, 0; @p st.relaxed.cluster.v2.u64 [%0], {%1, %2};}" ::"l"(
            p),
        "l"(a), "l"(b), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }
};

/// @brief Sends 16 bytes to where a block of the cluster has what is at `place` in the own block;
/// they arrive at the barrier that it has where `barrier` is in the own one.
template <class V, int N>
__device__ void send(int rank, V* place, const V (&values)[N], Barrier* barrier) {
  static_assert(sizeof(values) == 16);
  std::uint32_t word[4];
  std::memcpy(word, values, 16);
  WAVESCAN_PTX(
      "{.reg .b32 a, b; mapa.shared::cluster.u32 a, %0, %2; mapa.shared::cluster.u32 b, %1, %2;"
      " st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], {%3, %4, %5, %6}, "
      "[b];}" ::"r"(shared_address(place)),
      "r"(shared_address(barrier)), "r"(rank), "r"(word[0]), "r"(word[1]), "r"(word[2]),
      "r"(word[3])
      : "memory");
  static_cast<void>(rank), static_cast<void>(place), static_cast<void>(barrier);
}

#undef WAVESCAN_PTX

}  // namespace wavescan::Impl::gpu

#endif
