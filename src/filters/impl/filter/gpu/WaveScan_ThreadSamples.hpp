// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_THREADSAMPLES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_THREADSAMPLES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

/// @file
/// @brief A thread's run of samples in a tile, and filters of it in place.

namespace wavescan::Impl::filter {

/// @brief The samples of a tile in shared memory that are a thread's, in the order of their line:
/// in a reverse one the first thread has the last samples of the tile, and takes them from the end
/// on.
/// @tparam Words of 16 bytes
template <class T, int Words>
class ThreadSamples {
 public:
  static constexpr int per_word = 16 / static_cast<int>(sizeof(T));
  static constexpr int count = Words * per_word;
  using Word = gpu::Items<T, per_word>;

  /// @param threads that the tile is divided between
  __device__ ThreadSamples(char* tile, int thread, int threads, bool reverse)
      : own_(tile + (reverse ? threads - 1 - thread : thread) * Words * 16), reverse_(reverse) {}

  __device__ T& operator[](int i) const {
    return reinterpret_cast<T*>(own_)[reverse_ ? count - 1 - i : i];
  }
  __device__ Word load(int w) const {
    Word word;
    word.load(place(w));
    turn(word);
    return word;
  }
  __device__ void store(int w, Word word) const {
    turn(word);
    word.store(place(w));
  }

 private:
  __device__ char* place(int w) const { return own_ + 16 * (reverse_ ? Words - 1 - w : w); }
  __device__ void turn(Word& word) const {
    if (!reverse_) return;
#pragma unroll
    for (int i = 0; i < per_word / 2; ++i) {
      const T first = word.value[i];
      word.value[i] = word.value[per_word - 1 - i];
      word.value[per_word - 1 - i] = first;
    }
  }

  char* own_;
  bool reverse_;
};

/// @brief Filters those of the samples that belong to a line, or only finds the state after them.
/// @param first the first sample's number in the line
template <bool Stores = true, class Form, class T, int Words, int K>
__device__ void filter_ends(const Form& form, const ThreadSamples<T, Words>& own, Index first,
                            Index length, StateVector<T, K>& s) {
#pragma unroll 1
  for (int i = 0; i < own.count; ++i)
    if (first + i >= 0 && first + i < length) {
      const T y = form.step(own[i], s);
      if constexpr (Stores) own[i] = y;
    }
}

/// @brief Filters all samples, or only finds the state after them.
/// @tparam Unrolled words. Code that leaves the instruction cache costs more than loops
template <int Unrolled, bool Stores = true, class Form, class T, int Words, int K>
__device__ void filter_words(const Form& form, const ThreadSamples<T, Words>& own,
                             StateVector<T, K>& s) {
#pragma unroll Unrolled
  for (int w = 0; w < Words; ++w) {
    auto x = own.load(w);
#pragma unroll
    for (int i = 0; i < own.per_word; ++i) {
      const T y = form.step(x.value[i], s);
      if constexpr (Stores) x.value[i] = y;
    }
    if constexpr (Stores) own.store(w, x);
  }
}

}  // namespace wavescan::Impl::filter

#endif
