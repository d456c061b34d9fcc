// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_WARP_HPP
#define WAVESCAN_IMPL_GPU_WARP_HPP

#include <Kokkos_Core.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Warps (wavefronts) of CUDA and HIP devices: their lanes, votes and shuffles of values of
/// any trivially copyable type.

namespace wavescan::Impl::gpu {

#if defined(WAVESCAN_HAS_HIP_KERNELS)
using LaneMask = unsigned long long;
#else
using LaneMask = unsigned;
#endif
/// @brief Steps in which a warp joins what its lanes have.
inline constexpr int warp_steps = warp_size == 64 ? 6 : 5;
static_assert(warp_size == 1 << warp_steps);

/// @brief The thread's lane in its warp; blocks are one-dimensional.
__device__ inline int lane() { return static_cast<int>(threadIdx.x % warp_size); }
/// @brief The thread's warp in its block.
__device__ inline int warp() { return static_cast<int>(threadIdx.x / warp_size); }
/// @brief The block's number of warps.
__device__ inline int warps() { return static_cast<int>(blockDim.x / warp_size); }

/// @brief One bit for each lane up to the own one.
__device__ inline LaneMask lanes_up_to_own() {
  return ~LaneMask(0) >> (8 * static_cast<int>(sizeof(LaneMask)) - 1 - lane());
}
/// @brief The highest lane of a mask that is not empty.
__device__ inline int highest_lane(LaneMask mask) {
  if constexpr (sizeof(LaneMask) == 8)
    return 63 - __clzll(static_cast<long long>(mask));
  else
    return 31 - __clz(static_cast<int>(mask));
}
/// @brief The lowest lane of a mask that is not empty.
__device__ inline int lowest_lane(LaneMask mask) {
  if constexpr (sizeof(LaneMask) == 8)
    return __ffsll(static_cast<long long>(mask)) - 1;
  else
    return __ffs(static_cast<int>(mask)) - 1;
}
/// @brief Returns the number of lanes in a mask.
__device__ inline int number_of_lanes(LaneMask mask) {
  if constexpr (sizeof(LaneMask) == 8)
    return __popcll(mask);
  else
    return __popc(static_cast<unsigned>(mask));
}
/// @brief The mask whose lane 0 is lane `first` of this one, and so on around.
__device__ inline LaneMask rotate_down(LaneMask mask, int first) {
  return first == 0 ? mask : mask >> first | mask << (warp_size - first);
}

/// @brief The lanes that vote yes; a warp's lanes all call it, as the functions below.
__device__ inline LaneMask ballot(bool yes) {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
  return __ballot(yes);
#else
  return __ballot_sync(~0u, yes);
#endif
}
__device__ inline bool any(bool yes) { return ballot(yes) != 0; }
__device__ inline bool all(bool yes) {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
  return !any(!yes);
#else
  return __all_sync(~0u, yes);
#endif
}

/// @brief Orders the shared-memory accesses of a warp's lanes.
__device__ inline void sync_warp() {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
#else
  __syncwarp();
#endif
}

/// @brief The words that hold a value of type V.
template <class V>
struct Words {
  static constexpr int count = (sizeof(V) + 3) / 4;
  std::uint32_t word[count] = {};

  Words() = default;
  __device__ explicit Words(const V& value) { std::memcpy(word, &value, sizeof(V)); }
  __device__ V value() const {
    V v;
    std::memcpy(&v, word, sizeof(V));
    return v;
  }
};

template <class V, class Shuffle>
__device__ V shuffle_words(const V& value, const Shuffle& shuffle) {
  Words<V> words(value);
#pragma unroll
  for (int i = 0; i < Words<V>::count; ++i) words.word[i] = shuffle(words.word[i]);
  return words.value();
}

#if defined(WAVESCAN_HAS_HIP_KERNELS)
#define WAVESCAN_SHUFFLE(direction, word, where) __shfl##direction(word, where)
#else
#define WAVESCAN_SHUFFLE(direction, word, where) __shfl##direction##_sync(~0u, word, where)
#endif

/// @brief The value of the lane `distance` below.
template <class V>
__device__ V shuffle_up(const V& value, int distance) {
  return shuffle_words(value, [=](std::uint32_t w) { return WAVESCAN_SHUFFLE(_up, w, distance); });
}
/// @brief The value of the lane `distance` above.
template <class V>
__device__ V shuffle_down(const V& value, int distance) {
  return shuffle_words(value,
                       [=](std::uint32_t w) { return WAVESCAN_SHUFFLE(_down, w, distance); });
}
/// @brief The value of the lane whose number differs in these bits.
template <class V>
__device__ V shuffle_xor(const V& value, int bits) {
  return shuffle_words(value, [=](std::uint32_t w) { return WAVESCAN_SHUFFLE(_xor, w, bits); });
}
/// @brief The value of one lane.
template <class V>
__device__ V broadcast(const V& value, int lane) {
  return shuffle_words(value, [=](std::uint32_t w) { return WAVESCAN_SHUFFLE(, w, lane); });
}

/// @brief The lane's own value by way of a shuffle: what came out of one is not computed again, or
/// loaded from a kernel's parameters, at every use, which takes long where nothing else is to be
/// done meanwhile.
template <class V>
__device__ V fixed_in_registers(V value) {
  Words<V> words(value);
#pragma unroll
  for (std::uint32_t& w : words.word) w = WAVESCAN_SHUFFLE(_xor, w, 0);
  std::memcpy(&value, words.word, sizeof(V));
  return value;
}

#undef WAVESCAN_SHUFFLE

}  // namespace wavescan::Impl::gpu

#endif
