// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_WARP_HPP
#define WAVESCAN_IMPL_GPU_WARP_HPP

#include <cstdint>
#include <cstring>

/// @file
/// @brief Values of any trivially copyable type as 32-bit words: to shuffle and to publish them.

namespace wavescan::Impl::gpu {

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

/// @brief The value of the lane `distance` below; a warp's lanes all call it.
template <class V>
__device__ V shuffle_up(const V& value, int distance) {
  return shuffle_words(value, [=](std::uint32_t w) { return __shfl_up_sync(~0u, w, distance); });
}
/// @brief The value of the lane `distance` above.
template <class V>
__device__ V shuffle_down(const V& value, int distance) {
  return shuffle_words(value, [=](std::uint32_t w) { return __shfl_down_sync(~0u, w, distance); });
}
/// @brief The value of one lane.
template <class V>
__device__ V broadcast(const V& value, int lane) {
  return shuffle_words(value, [=](std::uint32_t w) { return __shfl_sync(~0u, w, lane); });
}

}  // namespace wavescan::Impl::gpu

#endif
