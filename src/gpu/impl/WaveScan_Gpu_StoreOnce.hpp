// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_STOREONCE_HPP
#define WAVESCAN_IMPL_GPU_STOREONCE_HPP

#include <cstring>
#include <type_traits>

namespace wavescan::Impl::gpu {

/// @brief Stores a value of 4, 8 or 16 bytes that is not read again soon: it should be the first to
/// leave the caches.
template <class V>
__device__ void store_once(void* to, const V& value) {
  static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
#if defined(KOKKOS_ENABLE_HIP)
  std::memcpy(to, &value, sizeof(V));
#else
  using Word = std::conditional_t<sizeof(V) == 4, unsigned,
                                  std::conditional_t<sizeof(V) == 8, unsigned long long, uint4>>;
  Word word;
  std::memcpy(&word, &value, sizeof(V));
  __stcs(static_cast<Word*>(to), word);
#endif
}

}  // namespace wavescan::Impl::gpu

#endif
