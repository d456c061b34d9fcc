// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_UNITTEST_EMULATEDGPU_HPP
#define WAVESCAN_UNITTEST_EMULATEDGPU_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "Emulator.hpp"

/// @file
/// @brief Lets code for AMD GPUs be compiled for the host and run by the emulator: HIP's names, and
/// launches in place of those of gpu/impl. To be included before all of the library.

#define KOKKOS_ENABLE_HIP
#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
namespace Kokkos {
using HIP = DefaultHostExecutionSpace;
}
namespace Kokkos::Impl {
struct HIPTraits {
  static constexpr int WarpSize = wavescan::Test::Emulator::lanes;
};
}  // namespace Kokkos::Impl

#define __host__
#define __device__
#define __global__
#define __shared__ static  // for kernels of one block
#define __launch_bounds__(...)
#define __forceinline__ inline

namespace wavescan::Test::Emulator {
struct OneDimension {
  unsigned x;
};
inline OneDimension one_dimension(int x) { return {static_cast<unsigned>(x)}; }
template <class T>
T load_and_yield(const T* p) {  // loads are what loops that wait have in common
  yield();
  return *p;
}
}  // namespace wavescan::Test::Emulator

#define WAVESCAN_EMULATOR wavescan::Test::Emulator
#define threadIdx WAVESCAN_EMULATOR::one_dimension(WAVESCAN_EMULATOR::current->number)
#define blockIdx WAVESCAN_EMULATOR::one_dimension(WAVESCAN_EMULATOR::current->block_number)
#define gridDim WAVESCAN_EMULATOR::one_dimension(WAVESCAN_EMULATOR::blocks_launched)
#define blockDim WAVESCAN_EMULATOR::one_dimension(WAVESCAN_EMULATOR::threads_launched)
#define __syncthreads() WAVESCAN_EMULATOR::meet(WAVESCAN_EMULATOR::current->block->meeting)
#define __threadfence() static_cast<void>(0)
#define __builtin_amdgcn_fence(...) static_cast<void>(0)
#define __builtin_amdgcn_wave_barrier() \
  WAVESCAN_EMULATOR::meet(WAVESCAN_EMULATOR::current->warp().meeting)
#define __builtin_amdgcn_s_sleep(ticks) WAVESCAN_EMULATOR::yield()
#define __HIP_MEMORY_SCOPE_AGENT 0
#define __hip_atomic_load(p, ...) WAVESCAN_EMULATOR::load_and_yield(p)
#define __hip_atomic_store(p, v, ...) (*(p) = (v))

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
using std::max;
using std::min;

inline std::uint32_t __shfl(std::uint32_t word, int lane) {
  return WAVESCAN_EMULATOR::shuffle(word, lane);
}
inline std::uint32_t __shfl_up(std::uint32_t word, int distance) {
  return WAVESCAN_EMULATOR::shuffle(word, WAVESCAN_EMULATOR::current->lane() - distance);
}
inline std::uint32_t __shfl_down(std::uint32_t word, int distance) {
  return WAVESCAN_EMULATOR::shuffle(word, WAVESCAN_EMULATOR::current->lane() + distance);
}
inline std::uint32_t __shfl_xor(std::uint32_t word, int bits) {
  return WAVESCAN_EMULATOR::shuffle(word, WAVESCAN_EMULATOR::current->lane() ^ bits);
}
inline std::uint64_t __ballot(bool yes) {
  return WAVESCAN_EMULATOR::exchange(yes, [](const auto& votes) {
    std::uint64_t mask = 0;
    for (int lane = 0; lane < WAVESCAN_EMULATOR::lanes; ++lane)
      mask |= static_cast<std::uint64_t>(votes[lane]) << lane;
    return mask;
  });
}
template <class T>
T atomicAdd(T* p, std::type_identity_t<T> v) {
  const T before = *p;
  *p += v;
  return before;
}
template <class T>
T atomicExch(T* p, std::type_identity_t<T> v) {
  const T before = *p;
  *p = v;
  return before;
}
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
inline int __clzll(long long v) {
  return v == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(v));
}
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline std::uint64_t wall_clock64() { return 0; }
inline std::uint64_t clock64() { return 0; }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t(a) * b >> 32);
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return result;
}

// In place of WaveScan_Gpu_Launch.hpp and WaveScan_Gpu_BlockKernel.hpp.
#define WAVESCAN_IMPL_GPU_LAUNCH_HPP
#define WAVESCAN_IMPL_GPU_BLOCKKERNEL_HPP
#define WAVESCAN_GRID_CONSTANT
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_DevicePaths.hpp>

namespace wavescan::Impl::gpu {

struct EmulatedProperties {
  int multiProcessorCount = 1;
};
inline EmulatedProperties emulated_properties;
inline const EmulatedProperties& device_properties(const Device&) { return emulated_properties; }

struct LaunchOptions {
  const Device& exec;
  const char* name;
  bool together;
  int cluster = 1;
};

template <class... Parameters, class... Arguments>
void launch(const LaunchOptions&, void (*kernel)(Parameters...), Index blocks, int threads,
            std::size_t shared_bytes, Arguments&&... arguments) {
  Test::Emulator::run(static_cast<int>(blocks), threads, shared_bytes,
                      [&](char*) { kernel(arguments...); });
}

template <class Block>
void launch_blocks(const LaunchOptions&, Index blocks, int threads, std::size_t shared_bytes,
                   const typename Block::Parameters& parameters) {
  constexpr std::size_t alignment = Block::memory_alignment;
  Test::Emulator::run(
      static_cast<int>(blocks), threads, shared_bytes + alignment, [&](char* memory) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        Block{parameters, memory + (alignment - address % alignment) % alignment}.run();
      });
}

}  // namespace wavescan::Impl::gpu

#endif
