// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_MESSAGESTREAM_HPP
#define WAVESCAN_IMPL_GPU_MESSAGESTREAM_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Messages that a warp sends to a warp of another block, which takes them in their order.
///
/// Why the memory order suffices: as in a Mailbox, each word comes with its tag.
///
/// Why waits end: the sender waits for nobody who waits for it, and its block is running; where it
/// is not, or got stuck, the watchdog ends the wait, and the receiver goes on without the rest.

namespace wavescan::Impl::gpu {

/// @brief Messages of so many words of 32 bits, in device memory; each has its place, word by word.
template <int Words>
struct MessageStream {
  static constexpr int words_per_lane = (Words + warp_size - 1) / warp_size;
  /// What a lane has of a message: its words lane(), lane() + warp_size, ...
  using Part = std::uint32_t[words_per_lane];

  TaggedWord* places;
  std::uint32_t tag;

  /// @brief One of the streams that pass through the same places one after the other, which were
  /// zero before the first of them: some of its messages may be received in another launch than
  /// they were sent in.
  static __device__ MessageStream numbered(TaggedWord* places, std::uint32_t number) {
    return {places, number + 1};
  }

  /// @brief Calls function(e, i) for the words i of a message that are the calling lane's.
  template <class Function>
  static __device__ void for_each_word(const Function& function) {
#pragma unroll
    for (int e = 0; e < words_per_lane; ++e)
      if (const int i = e * warp_size + lane(); i < Words) function(e, i);
  }

  /// @brief Sends message `k`. Called by all lanes of a warp.
  __device__ void send(int k, const Part& part) const {
    for_each_word([&](int e, int i) { store_relaxed(place(k, i), tagged(part[e])); });
  }

  /// @brief Words found by a look at a message.
  struct Found {
    TaggedWord word[words_per_lane];
    __device__ std::uint32_t operator[](int e) const { return static_cast<std::uint32_t>(word[e]); }
  };
  /// @brief Looks for message `k`, for those who have other work to do meanwhile. Called by all
  /// lanes of a warp.
  __device__ void look(int k, Found& found) const {
#pragma unroll
    for (int e = 0; e < words_per_lane; ++e) {
      const int i = e * warp_size + lane();
      found.word[e] = tagged(0);  // words that nobody sends are there
      load_relaxed_if(i < Words, place(k, i), found.word[e]);
    }
  }
  /// @brief Whether that was the message, all of it.
  __device__ bool is(const Found& found) const {
    bool there = true;
#pragma unroll
    for (int e = 0; e < words_per_lane; ++e)
      there = there && static_cast<std::uint32_t>(found.word[e] >> 32) == tag;
    return all(there);
  }

  /// @brief Receives messages 0 to `count` - 1, with the loads of `Ahead` on their way at once.
  /// Called by all lanes of a warp.
  /// @param take called as take(k, part) when message k has come
  template <int Ahead, class Take>
  __device__ void receive(int count, const Watchdog& watchdog, const Take& take) const {
    StallTimer timer(watchdog);
    int next = 0;
    while (next < count) {
      TaggedWord word[Ahead][words_per_lane];
#pragma unroll
      for (int j = 0; j < Ahead; ++j)
#pragma unroll
        for (int e = 0; e < words_per_lane; ++e) {
          const int i = e * warp_size + lane();
          word[j][e] = tagged(0);  // words that nobody sends are there
          load_relaxed_if(i < Words && next + j < count, place(next + j, i), word[j][e]);
        }
      const int before = next;
      bool there = true;
#pragma unroll
      for (int j = 0; j < Ahead; ++j) {
        Part part;
#pragma unroll
        for (int e = 0; e < words_per_lane; ++e) {
          there = there && static_cast<std::uint32_t>(word[j][e] >> 32) == tag;
          part[e] = static_cast<std::uint32_t>(word[j][e]);
        }
        there = all(there) && next < count;
        if (there) take(next++, part);
      }
      if (next != before) {
        timer.restart();
        continue;
      }
      back_off_for(20);
      if (any(timer.expires_after_look())) return;
    }
  }

 private:
  __device__ TaggedWord* place(int k, int i) const {
    return places + static_cast<std::size_t>(k) * Words + i;
  }
  __device__ TaggedWord tagged(std::uint32_t value) const { return TaggedWord(tag) << 32 | value; }
};

}  // namespace wavescan::Impl::gpu

#endif
