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

namespace wavescan::Impl {

/// @brief Bits of heads: neighbouring lanes look at neighbouring elements, and a warp's vote is a
/// word or two.
/// @param counts of the heads of each chunk (RunCounts), or null
template <class IsHead>
__global__ void heads_of_values(const WAVESCAN_GRID_CONSTANT IsHead is_head, Index length,
                                BitWord* words, Index* counts) {
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
#pragma unroll 1
    for (int t = 0; t < turns; t += at_once) {
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
              blocks, threads, 0, is_head, length, words, counts);
}

}  // namespace wavescan::Impl

#endif
