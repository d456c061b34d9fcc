// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_ASYNCCOPY_HPP
#define WAVESCAN_IMPL_GPU_ASYNCCOPY_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// @brief Copies of a few bytes from global to shared memory that a thread starts and later waits
/// for.
///
/// Where the device has no such copies (HIP, CUDA before compute capability 8.0) they are plain
/// ones, done at once.

namespace wavescan::Impl::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define WAVESCAN_HAS_ASYNC_COPIES
#endif

/// @brief Whether copies go on while the thread does other things; to be asked in device code,
/// which is compiled for each device by itself.
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
inline constexpr bool copies_are_async = true;
#else
inline constexpr bool copies_are_async = false;
#endif

/// @brief Starts to copy 4, 8 or 16 bytes, to and from multiples of as many.
template <int Bytes>
__device__ void copy_async(void* shared, const void* global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
               "l"(global), "n"(Bytes)
               : "memory");
#else
  std::uint32_t words[Bytes / 4];
  std::memcpy(words, __builtin_assume_aligned(global, Bytes), Bytes);
  std::memcpy(__builtin_assume_aligned(shared, Bytes), words, Bytes);
#endif
}

/// @brief Starts to copy 16 bytes that no other thread will load, if the device has such copies: by
/// addresses, which are cheaper to compute than pointers.
__device__ inline void copy_async_once([[maybe_unused]] std::uint32_t shared,
                                       [[maybe_unused]] std::uintptr_t global) {
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global)
               : "memory");
#endif
}
/// @brief Starts to copy 16 bytes that no other thread will load.
__device__ inline void copy_async_once(void* shared, const void* global) {
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  copy_async_once(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)),
                  reinterpret_cast<std::uintptr_t>(global));
#else
  copy_async<16>(shared, global);
#endif
}

/// @brief Starts it if `wanted`, without a branch, at which the lanes of a warp would part.
/// @tparam Alone if lanes side by side do not ask for all of a line of the cache, it is not fetched
///         for them either
template <int Bytes, bool Alone = false>
__device__ void copy_async_if(bool wanted, void* shared, const void* global) {
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const auto asked = static_cast<unsigned>(wanted);
  if constexpr (Alone)
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %3, 0; @p cp.async.ca.shared.global [%0], [%1], %2;}" ::"r"(
            to),
        "l"(global), "n"(Bytes), "r"(asked)
        : "memory");
  else
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %3, 0; @p cp.async.ca.shared.global.L2::128B [%0], [%1], "
        "%2;}" ::"r"(to),
        "l"(global), "n"(Bytes), "r"(asked)
        : "memory");
#else
  if (wanted) copy_async<Bytes>(shared, global);
#endif
}

/// @brief Ends a group of copies.
__device__ inline void commit_async_copies() {
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// @brief Waits for all of the thread's copies but those of its last `Pending` groups.
template <int Pending>
__device__ void wait_for_async_copies() {
#if defined(WAVESCAN_HAS_ASYNC_COPIES)
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

#undef WAVESCAN_HAS_ASYNC_COPIES

}  // namespace wavescan::Impl::gpu

#endif
