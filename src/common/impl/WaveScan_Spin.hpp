// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SPIN_HPP
#define WAVESCAN_IMPL_SPIN_HPP

#include <Kokkos_Core.hpp>

#include <thread>

/// @file
/// @brief Flags by which teams of one kernel wait for each other.
///
/// Whoever waits must hold a ticket that was drawn after the ticket of whoever is waited for: then
/// the latter has started and needs nobody later, and waiting ends however few teams are resident.

namespace wavescan::Impl {

/// On devices not desul's load, which may be a compare and swap there: many wait for one flag.
template <class T>
KOKKOS_FUNCTION T load_acquire(const T* flag) {
  KOKKOS_IF_ON_HOST(
      (return desul::atomic_load(flag, desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());))
  KOKKOS_IF_ON_DEVICE(
      (const T value = *static_cast<const volatile T*>(flag);
       desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeDevice());
       return value;))
}

template <class T>
KOKKOS_FUNCTION void store_release(T* flag, T value) {
  desul::atomic_store(flag, value, desul::MemoryOrderRelease(), desul::MemoryScopeDevice());
}

/// @brief Gives way to others while waiting: briefly at first, longer after many tries.
KOKKOS_INLINE_FUNCTION void back_off(unsigned tries) {
  KOKKOS_IF_ON_HOST((if (tries > 64) std::this_thread::yield();))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(tries < 16 ? 20 : 200);
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_s_sleep(1);
#endif
  static_cast<void>(tries);
}

/// @brief Waits until `*flag >= target`; what was written before that flag was stored is then
/// visible to the caller.
template <class T>
KOKKOS_FUNCTION void wait_until_at_least(const T* flag, T target) {
  for (unsigned tries = 0; load_acquire(flag) < target; ++tries) back_off(tries);
}

/// @brief Draws the next ticket for a team, whose threads all call it.
template <class Team, class T>
KOKKOS_FUNCTION T draw_ticket(const Team& team, T* next) {
  T ticket = 0;
  Kokkos::single(
      Kokkos::PerTeam(team), [&](T& drawn) { drawn = Kokkos::atomic_fetch_add(next, T(1)); },
      ticket);
  return ticket;
}

}  // namespace wavescan::Impl

#endif
