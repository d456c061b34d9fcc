// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SPIN_HPP
#define WAVESCAN_IMPL_SPIN_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_OversubscriptionMonitor.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Flags by which teams of one kernel wait for each other.
///
/// A team that waits must hold a ticket that was drawn after that of the team it waits for: then
/// the latter has started and needs nobody later, and waiting ends however few teams are resident.
///
/// Kokkos' atomic loads and stores may be a compare-and-swap, on NVIDIA GPUs and on hosts, so that
/// each poll takes the flag from the thread that is to store it, and from all others that wait. On
/// NVIDIA GPUs flags are volatile instead: in PTX's memory model that is relaxed, and a fence makes
/// a release of a store and an acquire of a load. On hosts the compiler has the instructions.

#if defined(__GNUC__) && !defined(WAVESCAN_DEVICE_PASS) && !defined(KOKKOS_ENABLE_SYCL)
#define WAVESCAN_HOST_ATOMICS
#endif

namespace wavescan::Impl {

template <class T>
KOKKOS_FUNCTION void store_release(T* flag, T value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) <= 8);
  desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
  *static_cast<volatile T*>(flag) = value;
#elif defined(WAVESCAN_HOST_ATOMICS)
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
#else
  desul::atomic_store(flag, value, desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
#endif
}

/// @brief Lets a GPU's other warps go first for about this long, where the GPU can do that.
KOKKOS_INLINE_FUNCTION void back_off_for([[maybe_unused]] unsigned nanoseconds) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(nanoseconds);
#elif defined(WAVESCAN_HAS_HIP_KERNELS) && defined(WAVESCAN_DEVICE_PASS)
  __builtin_amdgcn_s_sleep(1);
#endif
}

/// @brief Lets a core's other hyper-thread go first, for some cycles.
inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  __asm__ volatile("isb");
#endif
}

/// @brief Gives way to others while waiting: briefly at first, longer after many tries.
KOKKOS_INLINE_FUNCTION void back_off(unsigned tries) {
  KOKKOS_IF_ON_HOST((if (tries > 150) yield(); else if (tries > 100) pause();))
  back_off_for(tries < 16 ? 20 : 200);
}

/// @brief Reads what another thread has stored, and makes visible what it had written before.
template <class T>
KOKKOS_FUNCTION T load_acquire(const T* flag) {
#if defined(WAVESCAN_HOST_ATOMICS)
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
#else
  return desul::atomic_load(flag, desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
#endif
}

/// @brief Waits until `*flag >= target`, and returns the flag; what was written before that flag
/// was stored is then visible to the caller.
template <class T>
KOKKOS_FUNCTION T wait_until_at_least(const T* flag, T target) {
  T found;
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) <= 8);
  const volatile T* const now = flag;
  for (unsigned tries = 0; (found = *now) < target; ++tries) back_off(tries);
  desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
#else
  for (unsigned tries = 0; (found = load_acquire(flag)) < target; ++tries) back_off(tries);
#endif
  return found;
}

/// @brief Adds one, and returns the value before.
///
/// On NVIDIA GPUs Kokkos adds to words of 64 bits by compare and swap: of all teams that begin at a
/// time one gets its ticket in a round trip to the memory.
template <class T>
KOKKOS_FUNCTION T next_number(T* counter) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(unsigned long long))
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ull));
#endif
  return Kokkos::atomic_fetch_add(counter, T(1));
}

/// @brief Draws the next ticket for a team, whose threads all call it.
template <class Team, class T>
KOKKOS_FUNCTION T draw_ticket(const Team& team, T* next) {
  T ticket = 0;
  Kokkos::single(
      Kokkos::PerTeam(team), [&](T& drawn) { drawn = next_number(next); }, ticket);
  return ticket;
}

}  // namespace wavescan::Impl

#endif
