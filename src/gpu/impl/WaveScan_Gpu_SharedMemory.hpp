// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_SHAREDMEMORY_HPP
#define WAVESCAN_IMPL_GPU_SHAREDMEMORY_HPP

#include <cstdint>

/// @file
/// @brief Accesses to shared memory by 32-bit addresses, which are cheaper to compute than
/// pointers, and stores and choices without branches, so that warps stay together (CUDA).

namespace wavescan::Impl::gpu {

__device__ inline void load_shared(std::uint32_t& v, std::uint32_t address) {
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address));
}
__device__ inline void store_shared(std::uint32_t address, std::uint32_t v) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v) : "memory");
}
__device__ inline void load_shared(float& v, std::uint32_t address) {
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(address));
}
__device__ inline void load_shared(double& v, std::uint32_t address) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(address));
}
__device__ inline void store_shared(std::uint32_t address, float v) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(v));
}
__device__ inline void store_shared(std::uint32_t address, double v) {
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(address), "d"(v));
}
__device__ inline void load_shared(uint4& v, std::uint32_t address) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address));
}
__device__ inline void store_shared(std::uint32_t address, const uint4& v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

/// @brief Loads if `wanted`, without a branch.
__device__ inline void load_shared_if(bool wanted, float& v, std::uint32_t address) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.shared.f32 %0, [%2];}"
               : "+f"(v)
               : "r"(static_cast<unsigned>(wanted)), "r"(address));
}
__device__ inline void load_shared_if(bool wanted, double& v, std::uint32_t address) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.shared.f64 %0, [%2];}"
               : "+d"(v)
               : "r"(static_cast<unsigned>(wanted)), "r"(address));
}

/// @brief Stores if `wanted`, without a branch.
__device__ inline void store_global_if(bool wanted, float* p, float v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.f32 [%1], %2;}" ::"r"(
                   static_cast<unsigned>(wanted)),
               "l"(p), "f"(v)
               : "memory");
}
__device__ inline void store_global_if(bool wanted, double* p, double v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.f64 [%1], %2;}" ::"r"(
                   static_cast<unsigned>(wanted)),
               "l"(p), "d"(v)
               : "memory");
}
__device__ inline void store_shared_if(bool wanted, std::uint32_t address, float v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.f32 [%1], %2;}" ::"r"(
                   static_cast<unsigned>(wanted)),
               "r"(address), "f"(v));
}
__device__ inline void store_shared_if(bool wanted, std::uint32_t address, double v) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.f64 [%1], %2;}" ::"r"(
                   static_cast<unsigned>(wanted)),
               "r"(address), "d"(v));
}

/// @brief Values of one step in shared memory, 16 bytes at a time.
template <int First = 0, int Count>
__device__ void load_row(float (&v)[Count], std::uint32_t address) {
  if constexpr (Count - First >= 4) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[First]), "=f"(v[First + 1]), "=f"(v[First + 2]), "=f"(v[First + 3])
                 : "r"(address));
    load_row<First + 4>(v, address + 16);
  } else if constexpr (Count - First >= 2) {
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                 : "=f"(v[First]), "=f"(v[First + 1])
                 : "r"(address));
    load_row<First + 2>(v, address + 8);
  } else if constexpr (Count - First == 1) {
    load_shared(v[First], address);
  }
}
template <int First = 0, int Count>
__device__ void load_row(double (&v)[Count], std::uint32_t address) {
  if constexpr (Count - First >= 2) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                 : "=d"(v[First]), "=d"(v[First + 1])
                 : "r"(address));
    load_row<First + 2>(v, address + 16);
  } else if constexpr (Count - First == 1) {
    load_shared(v[First], address);
  }
}
template <int First = 0, int Count>
__device__ void store_row(std::uint32_t address, const float (&v)[Count]) {
  if constexpr (Count - First >= 4) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v[First]),
                 "f"(v[First + 1]), "f"(v[First + 2]), "f"(v[First + 3]));
    store_row<First + 4>(address + 16, v);
  } else if constexpr (Count - First >= 2) {
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(v[First]),
                 "f"(v[First + 1]));
    store_row<First + 2>(address + 8, v);
  } else if constexpr (Count - First == 1) {
    store_shared(address, v[First]);
  }
}
template <int First = 0, int Count>
__device__ void store_row(std::uint32_t address, const double (&v)[Count]) {
  if constexpr (Count - First >= 2) {
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(v[First]),
                 "d"(v[First + 1]));
    store_row<First + 2>(address + 16, v);
  } else if constexpr (Count - First == 1) {
    store_shared(address, v[First]);
  }
}

/// @brief wanted ? a : b, without a branch around the computation of a.
__device__ inline float select(bool wanted, float a, float b) {
  float v;
  asm("{.reg .pred p; setp.ne.u32 p, %1, 0; selp.f32 %0, %2, %3, p;}"
      : "=f"(v)
      : "r"(static_cast<unsigned>(wanted)), "f"(a), "f"(b));
  return v;
}
__device__ inline double select(bool wanted, double a, double b) {
  double v;
  asm("{.reg .pred p; setp.ne.u32 p, %1, 0; selp.f64 %0, %2, %3, p;}"
      : "=d"(v)
      : "r"(static_cast<unsigned>(wanted)), "d"(a), "d"(b));
  return v;
}

}  // namespace wavescan::Impl::gpu

#endif
