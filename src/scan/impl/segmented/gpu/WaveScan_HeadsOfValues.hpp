// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_GPU_HEADSOFVALUES_HPP
#define WAVESCAN_IMPL_SEGMENTED_GPU_HEADSOFVALUES_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace wavescan::Impl {

/// @brief A lane's word of the heads among as many elements as a warp has bits in a word for each
/// lane, from `first` on, which is none of the first ones: by reads of 16 bytes.
template <class IsHead>
__device__ BitWord heads_by_words(const IsHead& is_head, Index first) {
  using T = typename IsHead::value_type;
  constexpr int in_word = 16 / static_cast<int>(sizeof(T));
  constexpr int lanes = word_bits / in_word;  ///< that have a word of bits together
  constexpr int rows = lanes, words_a_row = gpu::warp_size / lanes;
  constexpr int at_once = rows < 4 ? rows : 4;
  struct alignas(16) Word {
    T value[in_word];
  };
  const int lane = gpu::lane();
  const auto* const words = reinterpret_cast<const Word*>(is_head.elements().data + first) + lane;
  T last{};
  if constexpr (IsHead::looks_before) last = is_head.value(first - 1);
  BitWord own = 0;
#pragma unroll 1
  for (int r = 0; r < rows; r += at_once) {
    Word word[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) word[k] = words[(r + k) * gpu::warp_size];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      T before{};
      if constexpr (IsHead::looks_before) {
        before = gpu::shuffle_up(word[k].value[in_word - 1], 1);
        if (lane == 0) before = last;
        last = gpu::broadcast(word[k].value[in_word - 1], gpu::warp_size - 1);
      }
      BitWord bits = 0;
#pragma unroll
      for (int i = 0; i < in_word; ++i)
        bits |= BitWord(is_head.is_head(i > 0 ? word[k].value[i - 1] : before, word[k].value[i]))
                << i;
      bits <<= lane % lanes * in_word;
#pragma unroll
      for (int step = lanes / 2; step > 0; step /= 2) bits |= gpu::shuffle_xor(bits, step);
      bits = gpu::broadcast(bits, lane % words_a_row * lanes);
      if (lane / words_a_row == r + k) own = bits;
    }
  }
  return own;
}
/// @brief Whether heads_by_words takes such values.
template <class IsHead, int Size = static_cast<int>(sizeof(typename IsHead::value_type))>
inline constexpr bool are_words =
    Size <= 8 && (Size & (Size - 1)) == 0 &&
    std::is_trivially_default_constructible_v<typename IsHead::value_type>;
template <class IsHead>
bool can_be_words(const IsHead& is_head) {
  return is_head.elements().stride == 1 &&
         reinterpret_cast<std::uintptr_t>(is_head.elements().data) % 16 == 0;
}

/// @brief Bits of heads: neighbouring lanes look at neighbouring elements, and a warp's vote is a
/// word or two.
/// @param counts of the heads of each chunk (RunCounts), or null
template <class IsHead>
__global__ void heads_of_values(const WAVESCAN_GRID_CONSTANT IsHead is_head, Index length,
                                bool by_words, BitWord* words, Index* counts) {
  constexpr int turns = 32;  // after which each lane has a word
  constexpr int at_once = 8;
  constexpr int words_a_turn = gpu::warp_size / word_bits;
  constexpr Index share = Index(turns) * gpu::warp_size;
  const int lane = gpu::lane();
  const Index warps = Index(gridDim.x) * (blockDim.x / gpu::warp_size);
  const Index all = words_for(length);
  for (Index first = (Index(blockIdx.x) * (blockDim.x / gpu::warp_size) + gpu::warp()) * share;
       first <= length; first += warps * share) {
    BitWord own = 0;
    const auto vote = [&](int t, bool head) {
      const gpu::LaneMask heads = gpu::ballot(head);
      if (lane / words_a_turn == t)
        own = static_cast<BitWord>(heads >> word_bits * (lane % words_a_turn));
    };
    const bool has_end = first == 0 || first + share > length;
    bool done = false;
    if constexpr (are_words<IsHead>)
      if (by_words && !has_end) {
        own = heads_by_words(is_head, first);
        done = true;
      }
#pragma unroll 1
    for (int t = done ? turns : 0; t < turns; t += at_once) {
      // Compilers move no loads over votes and branches, so those of several turns come first.
      bool head[at_once];
      const auto place = [&](int k) { return first + (t + k) * gpu::warp_size + lane; };
      if (has_end) {
        for (int k = 0; k < at_once; ++k) {
          const Index j = place(k);
          head[k] = j == 0 || j == length || (j < length && is_head(j));
        }
      } else {
#pragma unroll
        for (int k = 0; k < at_once; ++k) head[k] = is_head(place(k));
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) vote(t + k, head[k]);
    }
    const Index w = first / word_bits + lane;
    if (w < all) words[w] = own;
    if (counts == nullptr) continue;
    constexpr int chunk = static_cast<int>(RunCounts::chunk_words);
    int count = count_bits(own);
#pragma unroll
    for (int step = chunk / 2; step > 0; step /= 2) count += gpu::shuffle_xor(count, step);
    if (lane % chunk == 0 && w < all) counts[w / chunk] = count;
  }
}

template <class IsHead>
void launch_heads_of_values(const gpu::Device& exec, const IsHead& is_head, Index length,
                            BitWord* words, Index* counts) {
  constexpr int threads = 256;
  constexpr Index share = Index(32) * threads;
  const Index blocks = std::min<Index>(
      length / share + 1, Index(gpu::device_properties(exec).multiProcessorCount) * 2048 / threads);
  gpu::launch({exec, "WaveScan::segmented::heads_of_values", false}, heads_of_values<IsHead>,
              blocks, threads, 0, is_head, length, can_be_words(is_head), words, counts);
}

}  // namespace wavescan::Impl

#endif
