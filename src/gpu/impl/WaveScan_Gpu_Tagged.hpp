// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TAGGED_HPP
#define WAVESCAN_IMPL_GPU_TAGGED_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstdint>

/// @file
/// @brief Values that blocks of a kernel send each other through global memory without fences.
///
/// A value travels as 64-bit words, each with 32 bits of it and the same tag. A word is written at
/// once, so a lane that finds the expected tag in all words has the value. Tags grow from launch to
/// launch; nothing is ever cleared.

namespace wavescan::Impl::gpu {

using TaggedWord = unsigned long long;

#if defined(WAVESCAN_HAS_HIP_KERNELS)

__device__ inline TaggedWord load_relaxed(const TaggedWord* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// @brief Loads if `wanted`.
__device__ inline void load_relaxed_if(bool wanted, const TaggedWord* p, TaggedWord& v) {
  if (wanted) v = load_relaxed(p);
}
__device__ inline void load_relaxed_if(bool wanted, const TaggedWord* p, TaggedWord& a,
                                       TaggedWord& b) {
  load_relaxed_if(wanted, p, a);
  load_relaxed_if(wanted, p + 1, b);
}
__device__ inline void store_relaxed(TaggedWord* p, TaggedWord v) {
  __hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void store_relaxed(TaggedWord* p, TaggedWord a, TaggedWord b) {
  store_relaxed(p, a);
  store_relaxed(p + 1, b);
}
/// @brief Stores if `wanted`.
__device__ inline void store_relaxed_if(bool wanted, TaggedWord* p, TaggedWord v) {
  if (wanted) store_relaxed(p, v);
}
__device__ inline void store_relaxed_if(bool wanted, TaggedWord* p, TaggedWord a, TaggedWord b) {
  if (wanted) store_relaxed(p, a, b);
}

#else

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define WAVESCAN_RELAXED "volatile"  // what relaxed accesses were called before Volta
#else
#define WAVESCAN_RELAXED "relaxed.gpu"
#endif

__device__ inline TaggedWord load_relaxed(const TaggedWord* p) {
  TaggedWord v;
  asm volatile("ld." WAVESCAN_RELAXED ".global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
/// @brief Loads if `wanted`, without a branch, so that several loads can be on their way at once.
__device__ inline void load_relaxed_if(bool wanted, const TaggedWord* p, TaggedWord& v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld." WAVESCAN_RELAXED
               ".global.u64 %0, [%1];}"
               : "+l"(v)
               : "l"(p), "r"(static_cast<unsigned>(wanted))
               : "memory");
}
__device__ inline void load_relaxed_if(bool wanted, const TaggedWord* p, TaggedWord& a,
                                       TaggedWord& b) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p ld." WAVESCAN_RELAXED
               ".global.v2.u64 {%0, %1}, [%2];}"
               : "+l"(a), "+l"(b)
               : "l"(p), "r"(static_cast<unsigned>(wanted))
               : "memory");
}
__device__ inline void store_relaxed(TaggedWord* p, TaggedWord v) {
  asm volatile("st." WAVESCAN_RELAXED ".global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
__device__ inline void store_relaxed(TaggedWord* p, TaggedWord a, TaggedWord b) {
  asm volatile("st." WAVESCAN_RELAXED ".global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b)
               : "memory");
}

/// @brief Stores if `wanted`, without a branch, at which the lanes of a warp would part.
__device__ inline void store_relaxed_if(bool wanted, TaggedWord* p, TaggedWord v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p st." WAVESCAN_RELAXED
               ".global.u64 [%0], %1;}" ::"l"(p),
               "l"(v), "r"(static_cast<unsigned>(wanted))
               : "memory");
}
__device__ inline void store_relaxed_if(bool wanted, TaggedWord* p, TaggedWord a, TaggedWord b) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p st." WAVESCAN_RELAXED
               ".global.v2.u64 [%0], {%1, %2};}" ::"l"(p),
               "l"(a), "l"(b), "r"(static_cast<unsigned>(wanted))
               : "memory");
}

#undef WAVESCAN_RELAXED

#endif

/// @brief Loads what is read once.
__device__ inline uint4 load_streaming(const uint4* p) {
#if defined(__NVCC__)
  return __ldcs(p);
#else
  return *p;
#endif
}

/// @brief Accesses to tagged words that say nothing about caches.
struct PlainAccess {
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& v) const {
    load_relaxed_if(wanted, p, v);
  }
  __device__ void load_if(bool wanted, const TaggedWord* p, TaggedWord& a, TaggedWord& b) const {
    load_relaxed_if(wanted, p, a, b);
  }
  __device__ void store(TaggedWord* p, TaggedWord v) const { store_relaxed(p, v); }
  __device__ void store(TaggedWord* p, TaggedWord a, TaggedWord b) const { store_relaxed(p, a, b); }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord v) const {
    store_relaxed_if(wanted, p, v);
  }
  __device__ void store_if(bool wanted, TaggedWord* p, TaggedWord a, TaggedWord b) const {
    store_relaxed_if(wanted, p, a, b);
  }
};

/// @brief A value's place in global memory; arrays of it are 16-byte aligned.
template <class V>
struct Tagged {
  /// Odd numbers of words but one are rounded up, so that words can be moved two at a time.
  static constexpr int words = Words<V>::count == 1 ? 1 : (Words<V>::count + 1) / 2 * 2;

  template <class Access = PlainAccess>
  static __device__ void publish_if(bool wanted, TaggedWord* place, const V& value,
                                    std::uint32_t tag, const Access& access = {}) {
    if constexpr (words == 1) {
      access.store_if(wanted, place, tagged(value, tag, 0));
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 2)
        access.store_if(wanted, place + i, tagged(value, tag, i), tagged(value, tag, i + 1));
    }
  }

  template <class Access = PlainAccess>
  static __device__ void publish(TaggedWord* place, const V& value, std::uint32_t tag,
                                 const Access& access = {}) {
    if constexpr (words == 1) {
      access.store(place, tagged(value, tag, 0));
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 2)
        access.store(place + i, tagged(value, tag, i), tagged(value, tag, i + 1));
    }
  }

  /// @brief Words found at a place: perhaps not yet the value that is waited for.
  struct Found {
    TaggedWord word[words] = {};

    template <class Access = PlainAccess>
    __device__ void load_if(bool wanted, const TaggedWord* place, const Access& access = {}) {
      if constexpr (words == 1) {
        access.load_if(wanted, place, word[0]);
      } else {
#pragma unroll
        for (int i = 0; i < words; i += 2) access.load_if(wanted, place + i, word[i], word[i + 1]);
      }
    }
    __device__ bool has_tag(std::uint32_t tag) const {
      bool there = true;
#pragma unroll
      for (int i = 0; i < words; ++i) there &= static_cast<std::uint32_t>(word[i] >> 32) == tag;
      return there;
    }
    __device__ V value() const {
      Words<V> payload;
#pragma unroll
      for (int i = 0; i < Words<V>::count; ++i)
        payload.word[i] = static_cast<std::uint32_t>(word[i]);
      return payload.value();
    }
  };

 private:
  static __device__ TaggedWord tagged(const V& value, std::uint32_t tag, int i) {
    const Words<V> payload(value);
    return TaggedWord(tag) << 32 | (i < Words<V>::count ? payload.word[i] : 0u);
  }
};

}  // namespace wavescan::Impl::gpu

#endif
