// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_THREADSAMPLES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_THREADSAMPLES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

/// @file
/// @brief A thread's run of samples in shared memory, filtered in place.

namespace wavescan::Impl::filter {

/// @brief Filters those of `Count` samples that belong to a line, or only finds the state after
/// them.
/// @param first the first sample's number in the line
template <int Count, bool Stores = true, class Form, class T, int K>
__device__ void filter_ends(const Form& form, char* samples, Index first, Index length,
                            StateVector<T, K>& s) {
  T* const own = reinterpret_cast<T*>(samples);
#pragma unroll 1
  for (int i = 0; i < Count; ++i)
    if (first + i >= 0 && first + i < length) {
      const T y = form.step(own[i], s);
      if constexpr (Stores) own[i] = y;
    }
}

/// @brief Filters all samples of `Words` 16-byte words, or only finds the state after them.
/// @tparam Unrolled words. Code that leaves the instruction cache costs more than loops
template <int Words, int Unrolled, bool Stores = true, class Form, class T, int K>
__device__ void filter_words(const Form& form, char* samples, StateVector<T, K>& s) {
  constexpr int per_word = 16 / static_cast<int>(sizeof(T));
#pragma unroll Unrolled
  for (int w = 0; w < Words; ++w) {
    gpu::Items<T, per_word> x;
    x.load(samples + 16 * w);
#pragma unroll
    for (int i = 0; i < per_word; ++i) {
      const T y = form.step(x.value[i], s);
      if constexpr (Stores) x.value[i] = y;
    }
    if constexpr (Stores) x.store(samples + 16 * w);
  }
}

}  // namespace wavescan::Impl::filter

#endif
