// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_LAUNCHTAGS_HPP
#define WAVESCAN_IMPL_GPU_LAUNCHTAGS_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The tags of a launch: those after the last one of the launch before, which it finds in a
/// word of device memory, so that replayed graphs do, too. Nothing is ever cleared.
///
/// A launch moves that word on to its own last tag when all of its blocks have read it. How this is
/// known is all that differs:
/// - Epoch: a block has heard from all others, as the one with a scan's last tile has. That costs
///   nothing.
/// - BlockEpochs: nobody hears from all others, and each block has a word of its own, which it
///   moves on when it has read it. How many tags there will be has to be known then.
/// - LaunchEnd: blocks are counted when they end, and the last one, which may have more to do,
///   moves the word on: one atomic addition a block. Where blocks draw tasks, nothing else is
///   known, since some begin when others have ended. TaskQueue has the same, but a word of 32 bits
///   that it reads as others of its words: with LaunchEnd's the compiler gave kernels other
///   registers, and spills.

namespace wavescan::Impl::gpu {

/// @brief The tags of a launch, one for each of its turns.
struct LaunchTags {
  std::uint32_t first;
  __device__ std::uint32_t of(std::uint32_t turn) const { return first + turn; }
};

/// @brief The last tag of all launches before, held in device memory and zero at first, which is no
/// launch's tag.
struct Epoch {
  TaggedWord* word;

  __device__ LaunchTags tags() const {
    return {static_cast<std::uint32_t>(load_relaxed(word)) + 1};
  }
  /// @brief Ends the launch's tags; called by one thread.
  __device__ void end(const LaunchTags& tags, std::uint32_t last_turn) const {
    store_relaxed(word, tags.of(last_turn));
  }
};

/// @brief An epoch for each block, and after them the words of the messages.
struct BlockEpochs {
  TaggedWord* words;
  int blocks;  ///< that there are epochs for

  /// @brief Words that the epochs take, whole cache lines.
  static KOKKOS_FUNCTION std::size_t size(int blocks) {
    return static_cast<std::size_t>((blocks + 15) / 16 * 16);
  }
  KOKKOS_FUNCTION TaggedWord* messages() const { return words + size(blocks); }

  /// @brief The launch's tags, by the own block's epoch.
  __device__ LaunchTags tags() const { return {static_cast<std::uint32_t>(words[blockIdx.x]) + 1}; }
  /// @brief Moves the block's epoch on, once all that ask for it have. Epochs of blocks that the
  /// launch does without are moved on as well, so that all are the same ever.
  __device__ void end(std::uint32_t last_tag, int thread = 0, int threads = 1) const {
    const int block = static_cast<int>(blockIdx.x), launched = static_cast<int>(gridDim.x);
#pragma unroll 1
    for (int b = block + thread * launched; b < blocks; b += threads * launched)
      words[b] = last_tag;
  }
  /// @brief Takes so many tags of this launch. Called by a thread of each block, once.
  __device__ LaunchTags take(std::uint32_t count) const {
    const LaunchTags taken = tags();
    end(taken.first - 1 + count);
    return taken;
  }
};

/// @brief Counts the blocks of a launch that have ended, in device memory; zero at first.
///
/// Nobody waits: the block that comes last finds all others counted, and each has got its tags
/// before it was. What blocks have stored is seen by the last one if they fence before they count
/// (fence_before_publish) and it does after (fence_after_look). The next launch finds the counter
/// at zero again, and its tags after those of this one, by the order of the stream.
struct BlockCounter {
  unsigned arrived;

  /// @brief Called by the first warp of each block, once: true in the last block.
  __device__ bool arrive() {
    const int before = threadIdx.x == 0 ? static_cast<int>(atomicAdd(&arrived, 1u)) : 0;
    return broadcast(before, 0) == static_cast<int>(gridDim.x) - 1;
  }
  /// @brief Does what `arrive` does, called by one thread of each block.
  __device__ bool arrive_alone() { return Kokkos::atomic_fetch_add(&arrived, 1u) + 1 == gridDim.x; }
  /// @brief Called by a thread of the last block.
  __device__ void clear() { arrived = 0; }
};

/// @brief State that a launch leaves to the next one, in device memory; zero at first.
struct LaunchEnd {
  TaggedWord last_tag;
  BlockCounter blocks;

  /// @brief The tags of this launch.
  __device__ LaunchTags tags() { return Epoch{&last_tag}.tags(); }
  /// @brief Called by a thread of the last block.
  __device__ void end(const LaunchTags& tags, std::uint32_t last_turn) {
    blocks.clear();
    Epoch{&last_tag}.end(tags, last_turn);
  }
};

}  // namespace wavescan::Impl::gpu

#endif
