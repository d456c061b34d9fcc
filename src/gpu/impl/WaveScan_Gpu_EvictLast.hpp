// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_EVICTLAST_HPP
#define WAVESCAN_IMPL_GPU_EVICTLAST_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>

#include <cstdint>

/// @file
/// @brief Tagged words that stay in L2 while a kernel streams arrays through it: where the device
/// can be asked for it (CUDA, compute capability 8.0 and newer).

namespace wavescan::Impl::gpu {

/// @brief Accesses that ask L2 to evict the words last.
///
/// Otherwise the streams evict the words, and a thread that writes a part of a sector, or waits for
/// one, makes L2 fetch it from memory again.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
class EvictLastAccess {
 public:
  __device__ EvictLastAccess() {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy_));
  }
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& v) const {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %2, 0;"
        " @p ld.relaxed.gpu.global.L2::cache_hint.u64 %0, [%1], %3;}"
        : "+l"(v)
        : "l"(p), "r"(static_cast<unsigned>(wanted)), "l"(policy_)
        : "memory");
  }
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& a, TaggedWord& b) const {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %3, 0;"
        " @p ld.relaxed.gpu.global.L2::cache_hint.v2.u64 {%0, %1}, [%2], %4;}"
        : "+l"(a), "+l"(b)
        : "l"(p), "r"(static_cast<unsigned>(wanted)), "l"(policy_)
        : "memory");
  }
  __device__ void store(TaggedWord* p, TaggedWord v) const {
    asm volatile("st.relaxed.gpu.global.L2::cache_hint.u64 [%0], %1, %2;" ::"l"(p), "l"(v),
                 "l"(policy_)
                 : "memory");
  }
  __device__ void store(TaggedWord* p, TaggedWord a, TaggedWord b) const {
    asm volatile("st.relaxed.gpu.global.L2::cache_hint.v2.u64 [%0], {%1, %2}, %3;" ::"l"(p), "l"(a),
                 "l"(b), "l"(policy_)
                 : "memory");
  }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord v) const {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %3, 0;"
        " @p st.relaxed.gpu.global.L2::cache_hint.u64 [%0], %1, %2;}" ::"l"(p),
        "l"(v), "l"(policy_), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord a, TaggedWord b) const {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %4, 0;"
        " @p st.relaxed.gpu.global.L2::cache_hint.v2.u64 [%0], {%1, %2}, %3;}" ::"l"(p),
        "l"(a), "l"(b), "l"(policy_), "r"(static_cast<unsigned>(wanted))
        : "memory");
  }

 private:
  std::uint64_t policy_ = 0;
};
#else
class EvictLastAccess : public PlainAccess {
 public:
  __device__ EvictLastAccess() {}
};
#endif

}  // namespace wavescan::Impl::gpu

#endif
