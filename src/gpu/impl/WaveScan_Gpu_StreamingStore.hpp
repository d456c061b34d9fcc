// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_STREAMINGSTORE_HPP
#define WAVESCAN_IMPL_GPU_STREAMINGSTORE_HPP

#include <cstring>
#include <type_traits>

namespace wavescan::Impl::gpu {

/// @brief Stores an aligned word that is not read again soon: it should be the first to leave the
/// caches. Clang, for HIP or CUDA, knows no such store.
template <class Word>
__device__ void store_word_streaming(Word* to, Word word) {
#if defined(__NVCC__)
  __stcs(to, word);
#else
  *to = word;
#endif
}

/// @brief Stores an aligned value of 4, 8 or 16 bytes that is not read again soon.
template <class V>
__device__ void store_streaming(void* to, const V& value) {
  static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
  using Word = std::conditional_t<sizeof(V) == 4, unsigned,
                                  std::conditional_t<sizeof(V) == 8, unsigned long long, uint4>>;
  Word word;
  std::memcpy(&word, &value, sizeof(V));
  store_word_streaming(static_cast<Word*>(to), word);
}

}  // namespace wavescan::Impl::gpu

#endif
